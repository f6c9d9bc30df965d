import { CatalogError, type ErrorKind } from "../base/error.ts";
import type { NamedState } from "../lsm/states/checkpoints.ts";
import type { ChangesRequest } from "./change-lines.ts";
import type {
  CheckpointRequest,
  CheckpointsReport,
  CompactionReport,
  ShardReport,
  ThrottleRequest,
} from "./shard-desk.ts";

/** No answer takes an owner this long: a compaction is begun, and asked after. */
const TIMEOUT_MS = 30_000;

/** How an answer's status is to be taken by who asked. */
const KINDS: Readonly<Record<number, ErrorKind>> = {
  400: "Invalid",
  403: "Forbidden",
  404: "NotFound",
  405: "Invalid",
  409: "AlreadyExists",
  415: "Invalid",
  429: "Overloaded",
  503: "Unavailable",
};

/**
 * What `ShardDesk` does, of a shard that another process of this machine owns.
 *
 * Every method throws CatalogError: what the server refuses, under its code; `Unavailable`, code
 * `OPERATOR_UNREACHABLE`: nobody answers there, or nobody who knows of shards.
 */
export class OperatorClient {
  readonly #base: string;

  /** @param url where the server listens; without a slash at its end. */
  constructor(url: string, shard: string) {
    this.#base = `${url}/admin/v1/shards/${encodeURIComponent(shard)}`;
  }

  async report(): Promise<ShardReport> {
    return (await this.#ask("", undefined)) as ShardReport;
  }

  /** Begins one, or joins one that is running. */
  async compact(): Promise<CompactionReport> {
    return (await this.#ask("/compaction", {})) as CompactionReport;
  }

  /** The one that was last asked for. */
  async compaction(): Promise<CompactionReport> {
    return (await this.#ask("/compaction", undefined)) as CompactionReport;
  }

  async throttle(request: ThrottleRequest): Promise<ShardReport> {
    return (await this.#ask("/throttles", request)) as ShardReport;
  }

  async checkpoint(request: CheckpointRequest): Promise<NamedState> {
    return (await this.#ask("/checkpoints", request)) as NamedState;
  }

  async checkpoints(): Promise<CheckpointsReport> {
    return (await this.#ask("/checkpoints", undefined)) as CheckpointsReport;
  }

  async deleteCheckpoint(name: string): Promise<CheckpointsReport> {
    return (await this.#ask("/checkpoints", { name }, "DELETE")) as CheckpointsReport;
  }

  /** Lines of `changeLines`, one by one. What ends them is thrown. */
  async *changes(request: ChangesRequest): AsyncGenerator<string> {
    const url = `${this.#base}/changes`;
    try {
      const response = await fetch(url, {
        ...{ method: "POST", body: JSON.stringify(request) },
        headers: { "Content-Type": "application/json" },
      });
      if (response.status >= 300) throw refusal(url, response.status, await response.json());
      let rest = "";
      for await (const bytes of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const lines = `${rest}${bytes}`.split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          if (line.startsWith('{"error"')) throw told(line);
          // An empty one says that nothing is written.
          if (line !== "") yield line;
        }
      }
    } catch (error) {
      throw error instanceof CatalogError ? error : unreachable(url, error);
    }
  }

  /** @param sent GET where it is undefined. */
  async #ask(path: string, sent: object | undefined, method = "POST"): Promise<unknown> {
    const url = this.#base + path;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const init =
      sent === undefined
        ? { signal }
        : {
            ...{ signal, method, body: JSON.stringify(sent) },
            headers: { "Content-Type": "application/json" },
          };
    let answer: { readonly status: number; readonly body: unknown };
    try {
      const response = await fetch(url, init);
      answer = { status: response.status, body: await response.json() };
    } catch (error) {
      throw unreachable(url, error);
    }
    const { status, body } = answer;
    if (status < 300) return body;
    throw refusal(url, status, body);
  }
}

function refusal(url: string, status: number, body: unknown): CatalogError {
  const { code, detail } = body as { readonly code?: unknown; readonly detail?: unknown };
  if (typeof code !== "string") return unreachable(url, undefined);
  return new CatalogError(KINDS[status] ?? "Internal", code, String(detail));
}

/** A failure of the server's, after it had begun to answer. */
function told(line: string): CatalogError {
  const { error } = JSON.parse(line) as { error: { code: string; message: string } };
  return new CatalogError("Unavailable", error.code, error.message);
}

function unreachable(url: string, cause: unknown): CatalogError {
  const message = "no server of a shard answers there";
  return new CatalogError("Unavailable", "OPERATOR_UNREACHABLE", message, { url }, cause);
}
