import { bytesEqual } from "../base/bytes.ts";
import type { Clock } from "../base/clock.ts";
import { Stretches } from "../base/steps.ts";
import type { Maybe } from "../lsm/index.ts";
import { readRow } from "./apart-values.ts";
import type { CompiledIndex, IndexEntry } from "./compiled-index.ts";
import type { CompiledTable, TableReader } from "./compiled-table.ts";
import type { Datum } from "./datum.ts";
import { duplicate } from "./duplicate.ts";
import type { EngineView } from "./engine-view.ts";
import type { ExpressionContext } from "./expressions.ts";
import type { LockOutcome } from "./locks.ts";
import type { RowLock } from "./row-requests.ts";
import type { StoredRow } from "./stored-rows.ts";

/** What is wrong with an index: how many rows lack an entry, and so on. */
export interface IndexReport {
  readonly index: string;
  readonly rows: number;
  readonly entries: number;
  /** Rows without their entry. */
  readonly missing: number;
  /** Entries without a row. */
  readonly extra: number;
  /** Entries with a value that is not their row's. */
  readonly wrong: number;
}

/** Part of a pass over the rows or the entries of an index. */
export interface CheckedPart {
  /** The last key that was looked at; undefined: none was left. */
  readonly last: Uint8Array | undefined;
  /** Whether nothing is behind it. */
  readonly isEnd: boolean;
  readonly count: number;
  readonly missing: number;
  readonly extra: number;
  readonly wrong: number;
  /** Rows whose entry is not right, or entries whose row is not. */
  readonly suspects: readonly StoredRow[];
}

/** What a check reads: one state. */
export interface CheckReads {
  readonly view: Pick<EngineView, "getMany" | "scan">;
  readonly context: () => ExpressionContext;
}

/** What mends an index: a transaction. */
export interface CheckHost extends CheckReads {
  readonly view: EngineView;
  readonly lock: (key: Uint8Array, lock: RowLock) => Maybe<LockOutcome>;
  readonly read: (key: Uint8Array, lock: RowLock) => Maybe<Uint8Array | undefined>;
}

type RowFate = "right" | "missing" | "wrong";

const SHARE: RowLock = { mode: "share" };
const UPDATE: RowLock = { mode: "update" };

/**
 * Compares an index with the rows, part by part: a table of any size takes the memory of one part.
 * What it says of a part is true of one state; `mend` and `remove` look again behind locks.
 */
export class IndexCheck {
  readonly #on: CheckReads;
  readonly #compiled: CompiledTable;
  readonly #index: CompiledIndex;
  readonly #reader: TableReader;

  constructor(on: CheckReads, compiled: CompiledTable, indexId: number) {
    this.#on = on;
    this.#compiled = compiled;
    this.#index = compiled.index(indexId);
    this.#reader = compiled.lean(compiled.needs.ofIndex(this.#index.index));
  }

  /** Whether each of the next rows has its entry. */
  async rows(after: Uint8Array | undefined, limit: number): Promise<CheckedPart> {
    const next = await this.#next(this.#compiled.key.range({}), after, limit);
    const entries: (readonly IndexEntry[])[] = [];
    const wanted: Uint8Array[] = [];
    for (const { key, value } of next) {
      // A row may have thousands of terms.
      if (wanted.length > PART_ENTRIES) break;
      const read = this.#row(key, value);
      const row = read instanceof Promise ? await read : read;
      const own = this.#index.entries(row, this.#on.context());
      entries.push(own);
      for (const entry of own) wanted.push(entry.key);
    }
    const stored = await this.#on.view.getMany(wanted);
    const found = next.slice(0, entries.length);
    const suspects: StoredRow[] = [];
    const counts = { missing: 0, wrong: 0 };
    let at = 0;
    for (const [i, own] of entries.entries()) {
      const fate = worst(own.map((entry) => this.#fate(entry, stored[at++])));
      if (fate === "right") continue;
      counts[fate]++;
      suspects.push(found[i] as StoredRow);
    }
    const isEnd = found.length === next.length && next.length < limit;
    return { last: found.at(-1)?.key, isEnd, count: found.length, extra: 0, ...counts, suspects };
  }

  /** Whether each of the next entries is one that its row has. */
  async entries(after: Uint8Array | undefined, limit: number): Promise<CheckedPart> {
    const found = await this.#next(this.#index.key.range({}), after, limit);
    const owners = found.map((entry) => this.#owner(entry));
    const rows = await this.#on.view.getMany(owners);
    const suspects: StoredRow[] = [];
    for (const [i, entry] of found.entries()) {
      const [owner, row] = [owners[i] as Uint8Array, rows[i]];
      if (row === undefined || !(await this.#isOf(entry.key, owner, row))) suspects.push(entry);
    }
    const counts = { missing: 0, wrong: 0, extra: suspects.length };
    const isEnd = found.length < limit;
    return { last: found.at(-1)?.key, isEnd, count: found.length, ...counts, suspects };
  }

  /**
   * Gives a row its entry, whatever others write meanwhile.
   *
   * @throws FirnError `AlreadyExists`, code `ROW_DUPLICATE` (23505): another row has it.
   */
  async mend(on: CheckHost, name: Uint8Array): Promise<RowFate> {
    const { lock, read, context, view } = on;
    await lock(name, SHARE);
    const value = await read(name, SHARE);
    if (value === undefined) return "right";
    const row = await this.#row(name, value);
    const entries = this.#index.entries(row, context());
    const fates = await this.#putAll(
      view,
      entries.filter(({ isUnique }) => !isUnique),
    );
    for (const entry of entries) {
      if (entry.isUnique) fates.push(await this.#mendEntry(on, name, row, entry));
    }
    return worst(fates);
  }

  /** Entries that only writers of their row write, who wait for its lock: put whatever is there. */
  async #putAll(view: EngineView, entries: readonly IndexEntry[]): Promise<RowFate[]> {
    const stored = await view.getMany(entries.map(({ key }) => key));
    for (const { key, value } of entries) view.put(key, value);
    return entries.map((entry, i) => this.#fate(entry, stored[i]));
  }

  async #mendEntry(
    { lock, read, context, view }: CheckHost,
    name: Uint8Array,
    row: readonly Datum[],
    entry: IndexEntry,
  ): Promise<RowFate> {
    await lock(entry.key, UPDATE);
    const stored = await read(entry.key, UPDATE);
    const fate = this.#fate(entry, stored);
    if (fate === "right") return fate;
    if (stored !== undefined) {
      const owner = this.#owner({ key: entry.key, value: stored });
      if (!bytesEqual(owner, name)) {
        await lock(owner, SHARE);
        const other = await read(owner, SHARE);
        if (other !== undefined && (await this.#isOf(entry.key, owner, other))) {
          throw duplicate(this.#compiled, this.#index, row, context());
        }
      }
    }
    view.put(entry.key, entry.value);
    return fate;
  }

  /** Deletes an entry that no row has; false where its row has it now. */
  async remove(on: CheckHost, { key, value }: StoredRow): Promise<boolean> {
    const { lock, read, view } = on;
    const owner = this.#owner({ key, value });
    await lock(owner, SHARE);
    const row = await read(owner, SHARE);
    if (row !== undefined && (await this.#isOf(key, owner, row))) return false;
    await lock(key, UPDATE);
    const now = await read(key, UPDATE);
    // Another row has taken it meanwhile.
    if (now === undefined || !bytesEqual(now, value)) return false;
    view.delete(key);
    return true;
  }

  #fate(entry: IndexEntry, stored: Uint8Array | undefined): RowFate {
    if (stored === undefined) return "missing";
    const { key } = entry;
    return this.#isSame({ key, value: stored }, entry) ? "right" : "wrong";
  }

  /** The key of the row that an entry is of. */
  #owner({ key, value }: StoredRow): Uint8Array {
    return this.#compiled.key.encode(this.#index.keyOf(key, value));
  }

  /** A row with the values that its entries are made of; at most one such row is in memory. */
  #row(name: Uint8Array, value: Uint8Array): Maybe<readonly Datum[]> {
    return readRow(this.#on.view, this.#reader, name, value);
  }

  async #isOf(entryKey: Uint8Array, name: Uint8Array, value: Uint8Array): Promise<boolean> {
    const read = this.#row(name, value);
    const row = read instanceof Promise ? await read : read;
    const entries = this.#index.entries(row, this.#on.context());
    return entries.some((entry) => bytesEqual(entry.key, entryKey));
  }

  /** Entries of older schema versions differ in bytes, not in what they say. */
  #isSame(a: StoredRow, b: StoredRow): boolean {
    if (bytesEqual(a.value, b.value)) return true;
    const ids = this.#compiled.live.map(({ id }) => id).filter((id) => this.#index.covers(id));
    const say = ({ key, value }: StoredRow): string =>
      JSON.stringify(
        [this.#index.keyOf(key, value), this.#index.columns(ids, key, value)],
        (_, one) => (typeof one === "bigint" ? `${one}n` : one),
      );
    return say(a) === say(b);
  }

  async #next(
    range: { readonly from: Uint8Array; readonly to?: Uint8Array },
    after: Uint8Array | undefined,
    limit: number,
  ): Promise<readonly StoredRow[]> {
    // The least key behind another one ends with one more byte.
    const from = after === undefined ? range.from : Buffer.concat([after, Buffer.of(0)]);
    const found: StoredRow[] = [];
    const scan = this.#on.view.scan({ ...range, from, limit, batchRows: limit });
    for await (const rows of scan) {
      for (const { key, value } of rows) {
        found.push({ key: Buffer.from(key), value: Buffer.from(value) });
      }
    }
    return found;
  }
}

/** All parts of both passes, of one state. */
export async function checkWholeIndex(
  check: IndexCheck,
  name: string,
  clock: Clock,
): Promise<IndexReport> {
  const stretches = new Stretches(clock);
  const total = { index: name, rows: 0, entries: 0, missing: 0, extra: 0, wrong: 0 };
  for (const pass of ["rows", "entries"] as const) {
    for (let after: Uint8Array | undefined; ; ) {
      await stretches.turn();
      const part = await check[pass](after, CHECK_PART);
      total[pass] += part.count;
      total.missing += part.missing;
      total.extra += part.extra;
      total.wrong += part.wrong;
      after = part.last;
      if (part.isEnd) break;
    }
  }
  return total;
}

/** What is wrong with a row that has several entries. */
function worst(fates: readonly RowFate[]): RowFate {
  if (fates.includes("missing")) return "missing";
  return fates.includes("wrong") ? "wrong" : "right";
}

/** Rows or entries of one part. */
export const CHECK_PART = 500;
/** Entries of the rows of one part, those of its last row apart. */
const PART_ENTRIES = 5_000;
