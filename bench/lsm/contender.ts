/** A store that is measured. What it answers belongs to the caller, who may keep it. */
export interface Database {
  /** One batch: `key(i)` to `value(i)`, for the indices [from, to). */
  put(data: Dataset, from: number, to: number): unknown;
  /** One batch of deletions. */
  remove(data: Dataset, from: number, to: number): unknown;
  /** Deletes every row in [from, to), by the best that the contender has for it. */
  removeRange(from: Uint8Array, to: Uint8Array): unknown;
  get(key: Uint8Array): Promise<Uint8Array | undefined> | Uint8Array | undefined;
  /** Reads up to `limit` rows, keys and values, from a key on (or all); answers their number. */
  scan(from: Uint8Array | undefined, limit: number, reverse: boolean): Promise<number> | number;
  /** The values of keys, all of them there; by the best that the contender has for a list. */
  getMany(keys: readonly Uint8Array[]): Promise<unknown> | unknown;
  /** Adds up one byte of every value, as its users would; answers the rows. */
  sum(): Promise<number> | number;
  /** Reads all keys without their values; answers their number. */
  keys(): Promise<number> | number;
  /** Brings what was written to where it will be read from. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The classes that are compared, each contender in the same one. `none`: nobody syncs, neither
 * before an answer nor behind it, as far as a contender's options go. `group`: a write is answered
 * once it is synced, together with those that wait as it does.
 */
export type Durability = "none" | "group";

export interface Contender {
  readonly name: string;
  /** As printed: whatever differs from its defaults. */
  options(durability: Durability): string;
  open(directory: string, durability: Durability): Promise<Database>;
}

/**
 * Rows in the order in which they are written. Each call makes an object anew, as those come that a
 * program has just made: a million that wait in memory would be what everybody is measured by.
 */
export interface Dataset {
  readonly rows: number;
  key(row: number): Uint8Array;
  value(row: number): Uint8Array;
}

/** The byte of each value that `sum` reads. */
export const SUMMED_BYTE = 8;

/** The same for everybody: what is cached is not what is compared. */
export const CACHE_BYTES: number = 256 * 1_048_576;
