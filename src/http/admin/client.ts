import { type IncomingMessage, request as requestOverTcp } from "node:http";
import { request as requestOverTls } from "node:https";
import { createInterface } from "node:readline";
import { json } from "node:stream/consumers";
import { type ErrorKind, FirnError } from "../../base/error.ts";
import type { NamedState } from "../../lsm/index.ts";
import type { NewAdminKey } from "../../service/access/reset-admin.ts";
import type { SigningKeyInfo } from "../../service/access/signing-keys.ts";
import type { BesideReport, BesideRequest } from "../../service/backup/beside.ts";
import type { BackupRequest } from "../../service/backup/store.ts";
import type { BackupReport } from "../../service/backup/take.ts";
import type { DroppedInfo, DroppedPage } from "../../service/dropped-admin.ts";
import type { JobInfo, JobsPage } from "../../service/jobs-admin.ts";
import type { ChangesRequest } from "./change-lines.ts";
import type { HotTables } from "./hot-tables.ts";
import type { Housekeeping, PageAsked } from "./housekeeping.ts";
import type { KeyAdmin } from "./key-admin.ts";
import type {
  CheckpointRequest,
  CheckpointsReport,
  CompactionReport,
  ShardReport,
  ThrottleRequest,
} from "./shard-admin.ts";

/** No answer takes an owner this long: a compaction is begun, and asked after. */
const TIMEOUT_MS = 30_000;

/** How an answer's status is to be taken by who asked. */
const KINDS: Readonly<Record<number, ErrorKind>> = {
  400: "Invalid",
  401: "Unauthenticated",
  403: "Forbidden",
  404: "NotFound",
  405: "Invalid",
  409: "Conflict",
  415: "Invalid",
  429: "Overloaded",
  503: "Unavailable",
};

const ADMIN = "/admin/v1";
/** A backup or a restore is answered when it is done. */
const BACKUP_MS = 24 * 3_600_000;

function pageQuery(after: string | undefined): string {
  return after === undefined ? "" : `?after=${encodeURIComponent(after)}`;
}

/** Where a server serves operators: its socket; or its URL, with the token of its directory. */
export type OperatorTarget =
  | { readonly socketPath: string }
  | { readonly url: string; readonly token: string | undefined };

/**
 * What `ShardAdmin` does, of a shard that another process owns.
 *
 * Every method throws FirnError: what the server refuses, under its code; `Unavailable`, code
 * `OPERATOR_UNREACHABLE`: no server answers there, or one without shards.
 */
export class OperatorClient implements Housekeeping, KeyAdmin {
  readonly #target: OperatorTarget;
  readonly #base: string;
  readonly #abortAfter: (ms: number) => AbortSignal;

  /** A URL is one without a slash at its end. */
  constructor(target: OperatorTarget, shard: string, abortAfter: (ms: number) => AbortSignal) {
    this.#abortAfter = abortAfter;
    this.#target = target;
    this.#base = `${ADMIN}/shards/${encodeURIComponent(shard)}`;
  }

  async dropped({ after }: PageAsked): Promise<DroppedPage> {
    return (await this.#get(`/dropped${pageQuery(after)}`)) as DroppedPage;
  }

  async undrop(target: string, name: string | undefined): Promise<DroppedInfo> {
    return (await this.#request(`${ADMIN}/undrop`, { target, name })) as DroppedInfo;
  }

  async jobs({ after }: PageAsked): Promise<JobsPage> {
    return (await this.#get(`/jobs${pageQuery(after)}`)) as JobsPage;
  }

  async job(id: string): Promise<JobInfo> {
    return (await this.#get(`/jobs/${encodeURIComponent(id)}`)) as JobInfo;
  }

  async retryJob(id: string): Promise<JobInfo> {
    const path = `${ADMIN}/jobs/${encodeURIComponent(id)}/retry`;
    return (await this.#request(path, {})) as JobInfo;
  }

  async cancelJob(id: string): Promise<JobInfo> {
    const path = `${ADMIN}/jobs/${encodeURIComponent(id)}/cancel`;
    return (await this.#request(path, {})) as JobInfo;
  }

  async hotTables(): Promise<HotTables> {
    return (await this.#get("/hot-tables")) as HotTables;
  }

  async backup(request: BackupRequest): Promise<BackupReport> {
    return (await this.#request(`${ADMIN}/backups`, request, "POST", BACKUP_MS)) as BackupReport;
  }

  async restore(request: BesideRequest): Promise<BesideReport> {
    return (await this.#request(`${ADMIN}/restores`, request, "POST", BACKUP_MS)) as BesideReport;
  }

  async signingKeys(): Promise<readonly SigningKeyInfo[]> {
    const { items } = (await this.#get("/signing-keys")) as {
      readonly items: readonly SigningKeyInfo[];
    };
    return items;
  }

  async rotateSigningKeys(): Promise<SigningKeyInfo> {
    return (await this.#request(`${ADMIN}/signing-keys`, {})) as SigningKeyInfo;
  }

  async resetAdmin(name: string, keepsKeys: boolean): Promise<NewAdminKey> {
    const sent = { name, keepsKeys };
    return (await this.#request(`${ADMIN}/administrators`, sent)) as NewAdminKey;
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
  changes(request: ChangesRequest): AsyncGenerator<string> {
    return this.#lines(`${this.#base}/changes`, request);
  }

  /** Lines of `StoreAdmin.check`, one by one. What ends them is thrown. */
  fsck(repair: boolean): AsyncGenerator<string> {
    return this.#lines("/admin/v1/fsck", { repair });
  }

  /** One line, of `GcAnswer`. What ends it before is thrown. */
  gc(force: boolean): AsyncGenerator<string> {
    return this.#lines("/admin/v1/gc", { force });
  }

  async *#lines(path: string, request: object): AsyncGenerator<string> {
    let response: IncomingMessage | undefined;
    try {
      response = await this.#send("POST", path, request);
      await this.#assertServed(response);
      for await (const line of createInterface({ input: response })) {
        if (line.startsWith('{"error"')) throw told(line);
        // An empty one says that nothing is written.
        if (line !== "") yield line;
      }
      // Lines end alike where the server ends them and where the connection breaks.
      if (!response.complete) throw this.#unreachable(undefined);
    } catch (error) {
      throw error instanceof FirnError ? error : this.#unreachable(error);
    } finally {
      response?.destroy();
    }
  }

  #ask(path: string, sent: object | undefined, method?: string): Promise<unknown> {
    return this.#request(this.#base + path, sent, method);
  }

  #get(path: string): Promise<unknown> {
    return this.#request(ADMIN + path, undefined);
  }

  /** @param sent GET where it is undefined. */
  async #request(
    path: string,
    sent: object | undefined,
    method = "POST",
    timeoutMs = TIMEOUT_MS,
  ): Promise<unknown> {
    const verb = sent === undefined ? "GET" : method;
    const signal = this.#abortAfter(timeoutMs);
    try {
      const response = await this.#send(verb, path, sent, signal);
      await this.#assertServed(response);
      return await json(response);
    } catch (error) {
      throw error instanceof FirnError ? error : this.#unreachable(error);
    }
  }

  #send(
    method: string,
    path: string,
    sent: object | undefined,
    signal?: AbortSignal,
  ): Promise<IncomingMessage> {
    const body = sent === undefined ? undefined : JSON.stringify(sent);
    const target = this.#target;
    const url = new URL(path, "url" in target ? target.url : "http://localhost");
    const headers: Record<string, string> = {};
    if (body !== undefined) {
      headers["Content-Type"] = "application/json";
      // Node leaves it out of a DELETE, and the server would take the body for another request.
      headers["Content-Length"] = String(Buffer.byteLength(body));
    }
    if ("token" in target && target.token !== undefined) {
      headers["Authorization"] = `Bearer ${target.token}`;
    }
    const send = url.protocol === "https:" ? requestOverTls : requestOverTcp;
    const where = "socketPath" in target ? { socketPath: target.socketPath } : {};
    return new Promise((resolve, reject) => {
      // A new connection: a kept one may lead to a server that gave the socket away.
      send(url, { method, headers, agent: false, ...where, ...(signal && { signal }) }, resolve)
        .on("error", reject)
        .end(body);
    });
  }

  async #assertServed(response: IncomingMessage): Promise<void> {
    const { statusCode: status = 0 } = response;
    if (status < 300) return;
    const { code, detail } = (await json(response)) as Readonly<Record<string, unknown>>;
    if (typeof code !== "string") throw this.#unreachable(undefined);
    throw new FirnError(KINDS[status] ?? "Internal", code, String(detail));
  }

  #unreachable(cause: unknown): FirnError {
    const target = this.#target;
    const where = "url" in target ? { url: target.url } : { socket: target.socketPath };
    const message = "no server of a shard answers there";
    return new FirnError("Unavailable", "OPERATOR_UNREACHABLE", message, where, cause);
  }
}

/** A failure of the server's, after it had begun to answer. */
function told(line: string): FirnError {
  const { error } = JSON.parse(line) as { error: { code: string; message: string } };
  return new FirnError("Unavailable", error.code, error.message);
}
