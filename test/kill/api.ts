import { Violation } from "./ledger.ts";

/** An answer; `doubtful`: the server is gone, or does not know itself. */
export interface Answer {
  readonly outcome: "done" | "refused" | "doubtful";
  readonly status: number;
  readonly text: string;
  readonly etag: string;
}

const NO_ANSWER: Answer = { outcome: "doubtful", status: 0, text: "", etag: "" };

export const SCHEMA: object = {
  type: "struct",
  fields: [{ id: 1, name: "id", type: "long", required: false }],
};

/** One life of the server, asked over HTTP. */
export class Api {
  readonly #base: string;

  constructor(url: string) {
    this.#base = `${url}/iceberg/v1`;
  }

  async ask(method: string, path: string, body?: unknown): Promise<Answer> {
    try {
      const response = await fetch(this.#base + path, {
        method,
        ...(body !== undefined && {
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(body),
        }),
      });
      const { status } = response;
      const text = await response.text();
      const outcome = response.ok ? "done" : status < 500 ? "refused" : "doubtful";
      return { outcome, status, text, etag: response.headers.get("ETag") ?? "" };
    } catch {
      return NO_ANSWER;
    }
  }

  post(path: string, body: unknown): Promise<Answer> {
    return this.ask("POST", path, body);
  }

  /** What must be there. @throws Violation */
  async get(path: string): Promise<Answer> {
    const answer = await this.ask("GET", path);
    if (answer.outcome === "done") return answer;
    throw new Violation(`GET ${path} answered ${answer.status}: ${answer.text}`);
  }
}

interface Snapshot {
  readonly "snapshot-id": number;
  readonly "parent-snapshot-id"?: number;
}

/** A table as clients read it. Ids of this suite stay below 2^53. */
export interface TableState {
  readonly uuid: string;
  readonly location: string;
  readonly metadataFile: string;
  readonly snapshots: readonly Snapshot[];
  readonly head: number | undefined;
  readonly lastSequence: number;
  readonly properties: Readonly<Record<string, string>>;
  /** How often its pointer was written. */
  readonly version: number;
}

export function tableState({ text, etag }: Answer): TableState {
  const { metadata, "metadata-location": metadataFile } = JSON.parse(text);
  return {
    uuid: metadata["table-uuid"],
    location: metadata.location,
    metadataFile,
    snapshots: metadata.snapshots,
    head: metadata.refs.main?.["snapshot-id"],
    lastSequence: metadata["last-sequence-number"],
    properties: metadata.properties,
    version: Number(/^"(\d+)-/.exec(etag)?.[1]),
  };
}

/** A commit that appends one snapshot to the head that its writer knows. */
export function appendTo({ uuid, location, head, lastSequence }: TableState, id: number): object {
  const snapshot = {
    "snapshot-id": id,
    ...(head !== undefined && { "parent-snapshot-id": head }),
    "sequence-number": lastSequence + 1,
    "timestamp-ms": Date.now(),
    "manifest-list": `${location}/metadata/${id}.avro`,
    summary: { operation: "append" },
    "schema-id": 0,
  };
  return {
    requirements: [
      { type: "assert-table-uuid", uuid },
      { type: "assert-ref-snapshot-id", ref: "main", "snapshot-id": head ?? null },
    ],
    updates: [
      { action: "add-snapshot", snapshot },
      { action: "set-snapshot-ref", "ref-name": "main", type: "branch", "snapshot-id": id },
    ],
  };
}
