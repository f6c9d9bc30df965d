import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Firn } from "../../../src/index.ts";
import { ask, header, type RawAnswer } from "../support.ts";

/** An answer as a client sees it: every text is what stood on the wire. */
export interface Reply extends RawAnswer {
  /** By its exact name. */
  header(name: string): string | undefined;
  /** For members that hold no 64-bit number: it parses as JavaScript does. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer has whatever shape the test expects
  json(): any;
  /** The `error` of the protocol. */
  error(): { message: string; type: string; code: number };
}

type Headers = Readonly<Record<string, string>>;

/** A real server on a real socket, with a warehouse of its own. */
export class Node {
  readonly directory: string;
  readonly port: number;
  readonly #firn: Firn;

  private constructor(firn: Firn, directory: string) {
    this.#firn = firn;
    this.directory = directory;
    this.port = Number(new URL(firn.url ?? "").port);
  }

  static async open(): Promise<Node> {
    const directory = await mkdtemp(join(tmpdir(), "firn-clients-"));
    const listen = { port: 0 };
    const firn = await Firn.open({ profile: "memory", dir: directory, listen, logLevel: "silent" });
    return new Node(firn, directory);
  }

  async close(): Promise<void> {
    await this.#firn.close();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** `path` is below `/iceberg/v1`; a body is sent as it is if it is a string. */
  async send(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Reply> {
    const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
    return reply(await ask(this.port, method, `/iceberg/v1${path}`, headers, text));
  }

  get(path: string, headers: Headers = {}): Promise<Reply> {
    return this.send("GET", path, undefined, headers);
  }

  head(path: string): Promise<Reply> {
    return this.send("HEAD", path);
  }

  post(path: string, body: unknown, headers: Headers = {}): Promise<Reply> {
    return this.send("POST", path, body, headers);
  }

  delete(path: string): Promise<Reply> {
    return this.send("DELETE", path);
  }

  /** A namespace that no other test has, of one name. */
  async namespace(name: string): Promise<string> {
    await this.must(this.post("/namespaces", { namespace: [name] }));
    return `/namespaces/${encodeURIComponent(name)}`;
  }

  /** A table of one column, `id: long`. @returns its path. */
  async table(namespace: string, name: string, more: object = {}): Promise<string> {
    await this.must(this.post(`${namespace}/tables`, { name, schema: SCHEMA, ...more }));
    return `${namespace}/tables/${encodeURIComponent(name)}`;
  }

  /** A place where tables may lie. */
  locationOf(name: string): string {
    return `file://${this.directory}/tables/${name}`;
  }

  /** The reply, which has to be a success. */
  async must(sent: Promise<Reply>): Promise<Reply> {
    const got = await sent;
    if (got.status >= 300) throw new Error(`${got.status}: ${got.body}`);
    return got;
  }

  /** How many requests the stores have had, by what the metrics of the node say. */
  async storeRequests(): Promise<{ readonly pointer: number; readonly blob: number }> {
    const { body } = await ask(this.port, "GET", "/metrics");
    const sum = (name: string): number =>
      [...body.matchAll(new RegExp(`^${name}\\{[^}]*\\} (\\d+)$`, "gm"))].reduce(
        (total, match) => total + Number(match[1]),
        0,
      );
    return { pointer: sum("firn_pointer_requests_total"), blob: sum("firn_blob_requests_total") };
  }
}

function reply(answer: RawAnswer): Reply {
  return {
    ...answer,
    header: (name) => header(answer, name),
    json: () => JSON.parse(answer.body),
    error: () => JSON.parse(answer.body).error,
  };
}

export const SCHEMA = {
  type: "struct",
  "schema-id": 0,
  fields: [{ id: 1, name: "id", type: "long", required: false }],
} as const;

/** Every value of a number member, in order, as its digits. */
export function digits(text: string, name: string): string[] {
  return [...text.matchAll(new RegExp(`"${name}": ?(-?\\d+)`, "g"))].map(([, value]) => `${value}`);
}

/** The `metadata` of an answer as its text. */
export function metadataText(body: string): string {
  const end = body.includes(',"config":') ? body.lastIndexOf(',"config":') : body.length - 1;
  return body.slice(body.indexOf('"metadata":') + '"metadata":'.length, end);
}

/** The text of the file behind a `file://` location. */
export function fileText(location: string): Promise<string> {
  return readFile(location.slice("file://".length), "utf8");
}

/** A snapshot as JSON text, since its ids are larger than JavaScript's numbers. */
export function snapshotText(
  id: string,
  sequence: number,
  members: Readonly<Record<string, string>> = {},
): string {
  const more = Object.entries(members).map(([name, text]) => `,"${name}":${text}`);
  return `{"snapshot-id":${id},"sequence-number":${sequence},"timestamp-ms":${Date.now()},
    "manifest-list":"file:///x/snap-${id}.avro","summary":{"operation":"append"},
    "schema-id":0${more.join("")}}`;
}

/** A commit as text: requirements and updates are texts themselves. */
export function commitText(
  updates: readonly string[],
  requirements: readonly string[] = [],
): string {
  return `{"requirements":[${requirements.join(",")}],"updates":[${updates.join(",")}]}`;
}

/** Adds a snapshot and points a branch at it. */
export function appendText(snapshot: string, id: string, branch = "main"): readonly string[] {
  return [
    `{"action":"add-snapshot","snapshot":${snapshot}}`,
    `{"action":"set-snapshot-ref","ref-name":"${branch}","type":"branch","snapshot-id":${id}}`,
  ];
}

/**
 * The least that builds a table from nothing, as a client commits it after a staged create. A uuid
 * is one table's.
 */
export function buildUpdates(location: string, uuid: string = randomUUID()): readonly object[] {
  return [
    { action: "assign-uuid", uuid },
    { action: "upgrade-format-version", "format-version": 2 },
    { action: "add-schema", schema: SCHEMA, "last-column-id": 1 },
    { action: "set-current-schema", "schema-id": -1 },
    { action: "add-spec", spec: { "spec-id": 0, fields: [] } },
    { action: "set-default-spec", "spec-id": -1 },
    { action: "add-sort-order", "sort-order": { "order-id": 0, fields: [] } },
    { action: "set-default-sort-order", "sort-order-id": -1 },
    { action: "set-location", location },
    { action: "set-properties", updates: { made: "staged" } },
  ];
}
