import { invalid } from "../base/error.ts";
import type { Datum, RowTransaction, TableDescriptor } from "../rows/index.ts";
import {
  checkedName,
  checkedNumber,
  MOST_MS,
  type PatternShape,
  type PatternTable,
  patternTable,
} from "./pattern-table.ts";

export const DEDUPLICATION_SHAPE: PatternShape = {
  columns: [
    /** When its bucket begins; below 0: what the store knows of itself. */
    { name: "bucket", type: { kind: "int8" } },
    { name: "key", type: { kind: "text" } },
    /** When the key was seen. */
    { name: "at", type: { kind: "int8" }, nullable: false },
  ],
  primaryKey: { parts: [{ column: "bucket" }, { column: "key" }] },
};
/** The newest time of the store, and the width of its buckets. */
const TIME: readonly Datum[] = [-1n, ""];
const WIDTH: readonly Datum[] = [-2n, ""];

export interface DeduplicationOptions {
  /** How long a key counts as seen. */
  readonly ttlMs: number;
  /** Keys of one bucket are dropped together; fixed once the table has keys. */
  readonly bucketMs: number;
}

const MOST_KEYS = 1_000;
/** Each key is looked for in as many buckets, and one more. */
const MOST_BUCKETS = 64;

/** The time of a transaction, and the buckets that live at it, the newest first. */
interface Moment {
  readonly nowMs: number;
  readonly buckets: readonly bigint[];
}

/**
 * Which keys were seen before, for a time. A key lies in the bucket of its time. Expired buckets
 * are dropped by one delete of a range, unread. The time of the store does not go back: it is
 * stored with each new bucket and each drop, so a clock that does cannot bring a key back to life.
 */
export class Deduplication {
  readonly #table: PatternTable;
  readonly #ttlMs: number;
  readonly #bucketMs: number;
  /** A time that is stored, or a newer one is. */
  #knownMs: number | undefined;

  constructor(table: PatternTable, { ttlMs, bucketMs }: DeduplicationOptions) {
    this.#table = table;
    this.#ttlMs = checkedNumber("ttlMs", ttlMs, 1, MOST_MS);
    const least = Math.ceil(ttlMs / MOST_BUCKETS);
    this.#bucketMs = checkedNumber("bucketMs", bucketMs, least, MOST_MS);
  }

  /**
   * Notes keys, all in one transaction.
   *
   * @returns of each whether it is new: of many who ask at once, one is told so.
   */
  async first(keys: readonly string[]): Promise<readonly boolean[]> {
    checkedNumber("keys", keys.length, 1, MOST_KEYS);
    for (const key of keys) checkedName("key", key);
    return await this.#table.store.run(async (tx) => {
      const table = await patternTable(tx, this.#table, DEDUPLICATION_SHAPE);
      const { nowMs, buckets } = await this.#moment(tx, table);
      const different = [...new Set(keys)];
      const asked = different.flatMap((key) => buckets.map((bucket) => [bucket, key]));
      const found = await tx.getMany(table, asked);
      const after = BigInt(nowMs - this.#ttlMs);
      const fresh = new Set(
        different.filter((_, i) =>
          buckets.every((_bucket, b) => {
            const at = found[i * buckets.length + b]?.[2] as bigint | undefined;
            return at === undefined || at <= after;
          }),
        ),
      );
      for (const key of fresh) await tx.put(table, [buckets[0] as bigint, key, BigInt(nowMs)]);
      // A key that comes twice is new the first time.
      return keys.map((key) => fresh.delete(key));
    });
  }

  /** Drops the buckets that have expired, by one range. Nothing is read of them. */
  async dropExpired(): Promise<void> {
    await this.#table.store.run(async (tx) => {
      const table = await patternTable(tx, this.#table, DEDUPLICATION_SHAPE);
      const { nowMs, buckets } = await this.#moment(tx, table, true);
      await tx.put(table, [...TIME, BigInt(nowMs)]);
      await tx.deleteRange(table, {
        lower: { value: 0n, inclusive: true },
        upper: { value: buckets.at(-1) as bigint, inclusive: false },
      });
    });
  }

  async #moment(tx: RowTransaction, table: TableDescriptor, isDrop = false): Promise<Moment> {
    const clockMs = this.#table.clock.nowMs();
    // Who begins a bucket locks the time alone from the start: two that hold it shared would wait
    // for each other.
    const known = this.#knownMs;
    const isNext = known === undefined || this.#bucketOf(known) < this.#bucketOf(clockMs);
    const mode = isDrop || isNext ? "update" : "key share";
    // Held to the end: no bucket is dropped meanwhile.
    const stored = await tx.get(table, TIME, { lock: { mode } });
    const before = Number(stored?.[2] ?? 0n);
    const nowMs = Math.max(clockMs, before);
    if (stored !== undefined) this.#knownMs = before;
    const current = this.#bucketOf(nowMs);
    if (stored === undefined) await tx.put(table, [...WIDTH, BigInt(this.#bucketMs)]);
    else await this.#assertWidth(tx, table);
    if (stored === undefined || this.#bucketOf(before) < current) {
      await tx.put(table, [...TIME, BigInt(nowMs)]);
    }
    const oldest = this.#bucketOf(Math.max(0, nowMs - this.#ttlMs));
    const buckets: bigint[] = [];
    for (let at = current; at >= oldest; at -= this.#bucketMs) buckets.push(BigInt(at));
    return { nowMs, buckets };
  }

  async #assertWidth(tx: RowTransaction, table: TableDescriptor): Promise<void> {
    const row = await tx.get(table, WIDTH);
    const width = Number(row?.[2] ?? 0n);
    if (width === this.#bucketMs) return;
    const message = "the table has buckets of another width: open it with that one";
    throw invalid("DEDUPLICATION_WIDTH_MISMATCH", message, { bucketMs: width });
  }

  #bucketOf(ms: number): number {
    return Math.floor(ms / this.#bucketMs) * this.#bucketMs;
  }
}
