import { invalid } from "../base/error.ts";
import { INT64_MAX, INT64_MIN, type RowTransaction, type TableDescriptor } from "../rows/index.ts";
import { Groups, type Outcome } from "./groups.ts";
import {
  checkedName,
  checkedNumber,
  MOST_MS,
  type PatternShape,
  type PatternTable,
  patternTable,
} from "./pattern-table.ts";
import { rowsOf } from "./rows-of.ts";

export const COUNTER_SHAPE: PatternShape = {
  columns: [
    { name: "name", type: { kind: "text" } },
    { name: "cell", type: { kind: "int4" } },
    { name: "n", type: { kind: "int8" }, nullable: false },
  ],
  primaryKey: { parts: [{ column: "name" }, { column: "cell" }] },
};

interface Add {
  readonly name: string;
  readonly n: bigint;
}

/** Adds of one transaction. */
const MOST_ADDS = 1_024;
const MOST_CELLS = 256;
/** Sums that are kept for `getCached`. */
const MOST_CACHED = 1_024;

/**
 * Counters for many writers. Adds that come while others are being written are summed, and one
 * durable commit serves them all. Each lane writes cells that no other lane of this process writes,
 * so commits go on beside each other; the value is the sum of the cells of one state.
 */
export class Counters {
  readonly #table: PatternTable;
  readonly #adds: Groups<Add, undefined>;
  readonly #cached = new Map<string, { readonly value: bigint; readonly readAtMs: number }>();

  /** @param cells how many commits go on at once, and how many rows a hot counter has. */
  constructor(table: PatternTable, { cells = 8 }: { readonly cells?: number } = {}) {
    this.#table = table;
    const lanes = checkedNumber("cells", cells, 1, MOST_CELLS);
    this.#adds = new Groups(lanes, MOST_ADDS, (group, lane) => this.#write(group, lane));
  }

  /**
   * Adds to a counter, which is durable when this resolves. A failure of kind `Unknown` may have
   * added: a caller that must not add twice writes a row in one transaction with `run` of an
   * idempotency store instead.
   *
   * @throws FirnError `Invalid`, codes `COUNTER_OVERFLOW`, `PATTERN_VALUE_INVALID`.
   */
  async add(name: string, n: bigint | number = 1n): Promise<void> {
    checkedName("name", name);
    const isWhole = typeof n === "bigint" || Number.isSafeInteger(n);
    if (!isWhole) throw invalid("PATTERN_VALUE_INVALID", "n is not a whole number");
    await this.#adds.add({ name, n: inRange(name, BigInt(n)) });
  }

  /** The exact sum: every add that was acknowledged before, and none that failed for certain. */
  async get(name: string): Promise<bigint> {
    checkedName("name", name);
    const value = await this.#table.store.run(
      async (tx) => {
        const table = await patternTable(tx, this.#table, COUNTER_SHAPE);
        return (await cellsOf(tx, table, name)).reduce((sum, [, n]) => sum + n, 0n);
      },
      { isolation: "repeatable read", readOnly: true },
    );
    if (this.#cached.size >= MOST_CACHED) this.#cached.clear();
    this.#cached.set(name, { value, readAtMs: this.#table.clock.monotonicMs() });
    return value;
  }

  /** A sum that was read at most `maxAgeMs` ago. */
  async getCached(name: string, { maxAgeMs }: { readonly maxAgeMs: number }): Promise<bigint> {
    checkedNumber("maxAgeMs", maxAgeMs, 0, MOST_MS);
    const now = this.#table.clock.monotonicMs();
    const cached = this.#cached.get(name);
    if (cached !== undefined && now - cached.readAtMs <= maxAgeMs) return cached.value;
    return await this.get(name);
  }

  /** Brings all cells of a counter into one: for those that are not hot any more. */
  async fold(name: string): Promise<void> {
    checkedName("name", name);
    await this.#table.store.run(async (tx) => {
      const table = await patternTable(tx, this.#table, COUNTER_SHAPE);
      const cells = await cellsOf(tx, table, name);
      const sum = cells.reduce((before, [, n]) => before + n, 0n);
      for (const [cell] of cells) await tx.delete(table, [name, cell]);
      if (cells.length > 0) await tx.put(table, [name, 0, inRange(name, sum)]);
    });
  }

  async #write(group: readonly Add[], cell: number): Promise<readonly Outcome<undefined>[]> {
    const sums = new Map<string, bigint>();
    for (const { name, n } of group) sums.set(name, (sums.get(name) ?? 0n) + n);
    // In one order: two that write the same cells do not wait for each other in a ring.
    const names = [...sums.keys()].sort();
    await this.#table.store.run(async (tx) => {
      const table = await patternTable(tx, this.#table, COUNTER_SHAPE);
      for (const name of names) {
        const row = await tx.get(table, [name, cell], { lock: { mode: "update" } });
        const before = (row?.[2] as bigint | undefined) ?? 0n;
        await tx.put(table, [name, cell, inRange(name, before + (sums.get(name) as bigint))]);
      }
    });
    return group.map(() => ({ value: undefined }));
  }
}

async function cellsOf(
  tx: RowTransaction,
  table: TableDescriptor,
  name: string,
): Promise<readonly (readonly [cell: number, n: bigint])[]> {
  const cells: (readonly [number, bigint])[] = [];
  for await (const row of rowsOf(tx.scan(table, { equal: [name] }))) {
    const [, cell, n] = row as readonly [string, number, bigint];
    cells.push([cell, n]);
  }
  return cells;
}

function inRange(name: string, n: bigint): bigint {
  if (n >= INT64_MIN && n <= INT64_MAX) return n;
  throw invalid("COUNTER_OVERFLOW", "the counter would leave the range of int8", { counter: name });
}
