/** 64-bit, assigned by the store: +1 on every write of the key, tombstones included. 0 = never. */
export type Version = bigint;

/** A live pointer. `summary` fits `LIMITS.summaryBytes`, unless its family allows more. */
export interface Live {
  readonly state: "live";
  readonly key: string;
  readonly version: Version;
  /** Writer of the last put; a bump leaves it alone. */
  readonly writerId: string;
  readonly blobPath?: string;
  readonly summary?: Uint8Array;
}

/** No live pointer: version 0 where nothing is stored, else a tombstone's version and writer. */
export interface Absent {
  readonly state: "absent";
  readonly key: string;
  readonly version: Version;
  readonly writerId?: string;
  readonly deadUntilMs?: number;
}

export type Item = Live | Absent;

/** `expected` is the item's version, tombstones included; 0 holds only where nothing is stored. */
export type PointerOp =
  | {
      readonly op: "put";
      readonly key: string;
      readonly expected: Version;
      readonly blobPath?: string;
      readonly summary?: Uint8Array;
    }
  /** Leaves a tombstone at expected + 1, also where nothing or a tombstone stands. */
  | { readonly op: "delete"; readonly key: string; readonly expected: Version }
  /** Alive at this version. */
  | { readonly op: "check"; readonly key: string; readonly expected: Version }
  /** Not alive. */
  | { readonly op: "checkAbsent"; readonly key: string }
  /** Alive; version + 1, no expectation. */
  | { readonly op: "bump"; readonly key: string };

/** All or nothing; at most `LIMITS.batchOps`, no key twice. */
export interface Batch {
  readonly writerId: string;
  readonly ops: readonly PointerOp[];
}

/** Raw outcome of one request. What it proves of the attempt is `certain.ts`'s to say. */
export type CommitOutcome =
  | { readonly outcome: "committed"; readonly versions: ReadonlyMap<string, Version> }
  | { readonly outcome: "conflict"; readonly failed: readonly Item[] }
  | { readonly outcome: "overloaded"; readonly retryAfterMs: number }
  | { readonly outcome: "unknown"; readonly cause?: unknown };

export interface PageOptions {
  /** Only leaves greater than this one, whether it exists or not. */
  readonly after?: string;
  /** 1 to 1,000; 1,000 if absent. */
  readonly limit?: number;
}

export interface SweepOptions {
  /** Goes on behind this key of an earlier sweep, or, in key order, behind any text. */
  readonly after?: string;
}

/** Contract: `test/contract/describe-pointer-store.ts`. Reads may throw `Unavailable`. */
export interface PointerStore {
  get(key: string): Promise<Item>;
  /** In the order of `keys`; each linearizable, together not one snapshot. */
  getMany(keys: readonly string[]): Promise<readonly Item[]>;
  /** Throws only where nothing was applied by this call, nor will be; all else is an outcome. */
  commit(batch: Batch): Promise<CommitOutcome>;
  /** Live direct children of a directory of a listed family, by the bytes of their leaf. */
  list(directory: string, options?: PageOptions): Promise<readonly Live[]>;
  /** Every pointer below, tombstones too, in the store's own order; slow, not a snapshot. */
  sweep(prefix: string, options?: SweepOptions): AsyncIterable<Item>;
  /** Housekeeping: forgets a tombstone past its life, or an expired live one, at this version. */
  forget(key: string, version: Version): Promise<boolean>;
}
