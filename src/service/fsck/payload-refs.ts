import type { AccountId } from "../../base/ids.ts";
import { parseKey } from "../../catalog/keys.ts";
import type { ChangeRecord } from "../../catalog/model.ts";
import { fullKey } from "../../catalog/paths.ts";
import { canonicalType, payloadOfKey } from "../../catalog/references.ts";
import { type WalkCounts, walkPayloads } from "../../catalog/walk.ts";
import { SortedLines, type SortPorts } from "../gc/sorted-lines.ts";
import { SERVICE_LIMITS } from "../limits.ts";
import { type Finding, finding } from "./findings.ts";
import type { FsckStores } from "./read-set.ts";

/** What leads to a payload: a pointer, which is judged itself, or a record of its key. */
const BY_POINTER = "0";

/** Collects the payloads that pointers and records lead to, and compares them with the listing. */
export class PayloadRefs {
  readonly #lines: SortedLines;
  readonly #sinceMs: number;

  /** @param sinceMs what records from before tell of may be gone. */
  constructor(ports: SortPorts, sinceMs: number) {
    this.#lines = new SortedLines(ports, "payloads");
    this.#sinceMs = sinceMs;
  }

  async addPointer(path: string): Promise<void> {
    await this.#lines.add(`${path}\t${BY_POINTER}`);
  }

  /** Snapshots are derived: what their pointers led to may be missing, and is made again. */
  async addRecord(account: AccountId, { keys, timeMs }: ChangeRecord): Promise<void> {
    const isKept = timeMs >= this.#sinceMs;
    for (const { key: relative, blobFrom, blobTo } of keys) {
      const key = fullKey(account, relative);
      const isSource = canonicalType(parseKey(key).family) !== undefined;
      for (const hash of [blobFrom, blobTo]) {
        if (hash === undefined) continue;
        const path = payloadOfKey(key, hash);
        await this.#lines.add(`${path}\t${isKept && isSource ? `1\t${key}` : BY_POINTER}`);
      }
    }
  }

  async *findings(stores: FsckStores, counts: WalkCounts): AsyncGenerator<Finding> {
    const referred = this.#byPath();
    let next = await referred.next();
    for await (const payload of walkPayloads(stores, { counts })) {
      while (next.done !== true && next.value.path < payload.path) {
        yield* this.#missing(stores, next.value);
        next = await referred.next();
      }
      if (next.done !== true && next.value.path === payload.path) {
        next = await referred.next();
        continue;
      }
      const { path, size, modifiedAtMs } = payload;
      // What is younger may be on its way to its pointer.
      if (modifiedAtMs > stores.clock.nowMs() - SERVICE_LIMITS.maxPutToCommitMs) continue;
      const code = payload.parsed === undefined ? "PAYLOAD_UNKNOWN" : "PAYLOAD_ORPHANED";
      yield finding(code, path, { size });
    }
    for (; next.done !== true; next = await referred.next()) {
      yield* this.#missing(stores, next.value);
    }
  }

  async *#missing(stores: FsckStores, { path, key }: Referred): AsyncGenerator<Finding> {
    // A missing payload of a pointer is told of the pointer.
    if (key === undefined || (await stores.blobs.head(path)) !== undefined) return;
    yield finding("HISTORY_PAYLOAD_MISSING", path, { key });
  }

  /** Each path once, with the key of a record where no pointer leads to it. */
  async *#byPath(): AsyncGenerator<Referred> {
    let last: Referred | undefined;
    for await (const line of this.#lines.lines()) {
      const [path = "", by, key] = line.split("\t");
      if (last?.path === path) continue;
      if (last !== undefined) yield last;
      last = { path, ...(by === BY_POINTER || key === undefined ? {} : { key }) };
    }
    if (last !== undefined) yield last;
  }
}

interface Referred {
  readonly path: string;
  readonly key?: string;
}
