import { assert } from "../base/assert.ts";
import type { AccountId } from "../base/ids.ts";
import { LIMITS } from "../base/limits.ts";
import type { Item, Live, PointerOp } from "../pointer/port.ts";
import { encodeSummary } from "./codec/summary.ts";
import type { ChangedKey, Summary } from "./model.ts";
import { owners } from "./owners.ts";
import { relativeKey, shaOfPath } from "./paths.ts";
import type { EncodedPayload } from "./payloads.ts";
import type { SnapshotPut } from "./snapshot-puts.ts";

/** What a put writes. */
interface Content {
  readonly summary?: Summary;
  readonly payload?: EncodedPayload;
  /** A summary of another kind than an entity's, in bytes. */
  readonly bytes?: Uint8Array;
  /** A payload of another kind than an entity's: several pointers may lead to it. */
  readonly blob?: PartBlob;
}

/** A payload of statistics or constraints, ready to be put. */
export interface PartBlob {
  readonly path: string;
  readonly bytes: Uint8Array;
}

function shaBytes(path: string | undefined): Uint8Array | undefined {
  return path === undefined ? undefined : Buffer.from(shaOfPath(path), "hex");
}

/** Summary bytes within their limit: a metadata location that does not fit is in the payload. */
export function fitSummary(summary: Summary): Uint8Array {
  const bytes = encodeSummary(summary);
  if (bytes.length <= LIMITS.summaryBytes) return bytes;
  const { metadataLocation: _left, ...rest } = summary;
  const shorter = encodeSummary(rest);
  assert(shorter.length <= LIMITS.summaryBytes, "a summary fits without its location");
  return shorter;
}

/**
 * Collects the pointer operations of one change and what its change record will say. Every
 * expectation is the version of an item that was read, so a batch never overwrites what its
 * planner has not seen.
 */
export class BatchBuilder {
  readonly #account: AccountId;
  readonly #ops: PointerOp[] = [];
  readonly #changed: ChangedKey[] = [];
  readonly #payloads: EncodedPayload[] = [];
  readonly #blobs = new Map<string, PartBlob>();
  readonly #snapshots: SnapshotPut[] = [];
  readonly #following: (() => Promise<void>)[] = [];
  readonly #absent = new Set<string>();
  readonly #jobsDueMs: number[] = [];

  constructor(account: AccountId) {
    this.#account = account;
  }

  /** A key that the batch itself writes needs no look: its expectation says more. */
  get ops(): readonly PointerOp[] {
    if (this.#absent.size === 0) return [...this.#ops];
    const written = new Set(this.#ops.map((op) => op.key));
    const absent = [...this.#absent].filter((key) => !written.has(key));
    return [...this.#ops, ...absent.map((key) => ({ op: "checkAbsent", key }) as const)];
  }

  get changed(): readonly ChangedKey[] {
    return this.#changed;
  }

  get payloads(): readonly EncodedPayload[] {
    return this.#payloads;
  }

  /** As `payloads`, of statistics and constraints. */
  get blobs(): readonly PartBlob[] {
    return [...this.#blobs.values()];
  }

  /** What is written before the batch, and recorded in it. */
  get snapshots(): readonly SnapshotPut[] {
    return this.#snapshots;
  }

  /** What follows in the background once the batch is committed. */
  get following(): readonly (() => Promise<void>)[] {
    return this.#following;
  }

  /** When the jobs are due that it makes, by wall time. */
  get jobsDueMs(): readonly number[] {
    return this.#jobsDueMs;
  }

  makesJob(dueMs: number): this {
    assert(dueMs >= 0, "a job is due at a time");
    this.#jobsDueMs.push(dueMs);
    return this;
  }

  /** Writes a snapshot's payload and pointers beside the payloads, before the batch. */
  beside(put: SnapshotPut): this {
    const [byId] = put.keys;
    const isNew = this.#snapshots.every(({ keys }) => keys[0] !== byId);
    assert(isNew, "a snapshot is put once: two puts of one pointer would race");
    this.#snapshots.push(put);
    return this;
  }

  /** Leaves work for after the batch. */
  follow(work: () => Promise<void>): this {
    this.#following.push(work);
    return this;
  }

  /** Writes over the item that was read, live, dead or never there. */
  put(item: Item, content: Content): this {
    this.#record(item, content.payload?.path ?? content.blob?.path, false);
    return this.derive(item, content);
  }

  /** Leaves a tombstone over the live item that was read. */
  delete(item: Item): this {
    this.#record(item, undefined, true);
    return this.deriveDelete(item);
  }

  /** As `put`, for a key that follows from a recorded one and so stays out of the record. */
  derive(item: Item, content: Content): this {
    const { payload, summary, bytes, blob } = content;
    assert(summary === undefined || bytes === undefined, "a pointer has one summary");
    if (payload !== undefined) {
      assert(summary !== undefined, "what has a payload is found by its summary");
      const isOwn = owners(payload.path, payload.bytes)?.includes(item.key) === true;
      assert(isOwn, "a payload names the pointer that leads to it, or readers refuse it");
      this.#payloads.push(payload);
    }
    if (blob !== undefined) {
      assert(bytes !== undefined && payload === undefined, "a part is found by a summary in bytes");
      this.#blobs.set(blob.path, blob);
    }
    this.#add({
      op: "put",
      key: item.key,
      expected: item.version,
      ...(content.summary === undefined ? {} : { summary: fitSummary(content.summary) }),
      ...(content.bytes === undefined ? {} : { summary: content.bytes }),
      ...(payload === undefined ? {} : { blobPath: payload.path }),
      ...(blob === undefined ? {} : { blobPath: blob.path }),
    });
    return this;
  }

  /** As `delete`, for a key that follows from a recorded one. */
  deriveDelete(item: Item): this {
    this.#add({ op: "delete", key: item.key, expected: item.version });
    return this;
  }

  /** Holds a live item at the version that was read, and changes nothing. */
  check(item: Live): this {
    assert(item.version > 0n, "what is checked was read as there");
    this.#add({ op: "check", key: item.key, expected: item.version });
    return this;
  }

  /** Proves, without a read, that nothing stands under a key. */
  checkAbsent(key: string): this {
    this.#absent.add(key);
    return this;
  }

  /**
   * Proves that the parent is alive, without a conflict between its creators. Bumps of one key
   * merge.
   */
  bump(key: string): this {
    const bumped = this.#ops.some((op) => op.op === "bump" && op.key === key);
    if (!bumped) this.#add({ op: "bump", key });
    return this;
  }

  /** Two writes of one key are not a plan: here the planner is still on the stack. */
  #add(op: PointerOp): void {
    for (const { key } of this.#ops) assert(key !== op.key, "a batch writes a key once");
    this.#ops.push(op);
  }

  #record(item: Item, blobTo: string | undefined, deleted: boolean): void {
    const from = item.state === "live" ? shaBytes(item.blobPath) : undefined;
    const to = shaBytes(blobTo);
    this.#changed.push({
      key: relativeKey(this.#account, item.key),
      versionFrom: item.version,
      versionTo: item.version + 1n,
      deleted,
      ...(from === undefined ? {} : { blobFrom: from }),
      ...(to === undefined ? {} : { blobTo: to }),
    });
  }
}

/** Makes a batch part of a job, which no other node may have taken up meanwhile. */
export interface Fence {
  /** Of the job's pointer. */
  readonly key: string;
  /**
   * @param found the job's pointer, as it was read for the batch.
   * @returns what to call once the batch is committed.
   * @throws FirnError `Conflict` `JOB_LEASE_LOST`.
   */
  join(batch: BatchBuilder, found: Item | undefined): () => void;
}

/** An item for a key that nothing was ever stored under: fresh ids make such keys. */
export function never(key: string): Item {
  return { state: "absent", key, version: 0n };
}
