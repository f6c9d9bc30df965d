import { assert } from "../../base/assert.ts";
import { hashKey } from "../format/bloom.ts";
import { END, ENTRY, MISS, type MissingBlock, type Step } from "../format/cursor.ts";
import { END_OF_KEYS, type Key, MAX_SEQUENCE, type Sequence } from "../format/entry.ts";
import { SstCursor } from "../format/sst-cursor.ts";
import type { Bounds } from "../range.ts";
import { type ReadView, tablesOf } from "../read/read-view.ts";
import type { ScanSource } from "../read/scan.ts";
import type { SsTable } from "../read/ss-table.ts";
import type { Claims, Clash } from "./claims.ts";

/** Look-ups of keys in tables, and entries of ranges, between two turns of the event loop. */
const STEPS_A_TURN = 2_048;
const AHEAD = { bytes: 65_536, reverse: false } as const;

type Source = Pick<ScanSource, "tables" | "views" | "turn">;

/**
 * Finds writes in tables by their sequences. Flushes and compactions keep of each key the newest
 * version, and every tombstone above an open snapshot: so whatever was written after a transaction
 * began is found here for as long as its snapshot is open.
 */
export class TableWrites {
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
  }

  /**
   * A write after a sequence that the tables of a view hold, to what is claimed. Tables without one
   * cost nothing. Of the others, one request for each part that is not in memory: the tail, for a
   * key one block where the filter lets it pass, for a range the blocks in it.
   *
   * @throws what `TableCache.load` throws.
   */
  async after(view: ReadView, claims: Claims, sequence: Sequence): Promise<Clash | undefined> {
    const tables = tablesOf(view).filter(({ meta }) => meta.stats.maxSequence > sequence);
    if (tables.length === 0) return undefined;
    const unpin = this.#source.views.pinTables(view);
    try {
      return (
        (await this.#inKeys(tables, claims.keys(), sequence)) ??
        (await this.#inRanges(tables, claims.ranges, sequence))
      );
    } finally {
      unpin();
    }
  }

  async #inKeys(
    tables: readonly SsTable[],
    keys: Iterable<Key>,
    sequence: Sequence,
  ): Promise<Clash | undefined> {
    const most = Math.max(1, Math.floor(STEPS_A_TURN / tables.length));
    let some: Key[] = [];
    for (const key of keys) {
      some.push(key);
      if (some.length < most) continue;
      const found = await this.#inSome(tables, some, sequence);
      if (found !== undefined) return found;
      await this.#source.turn();
      some = [];
    }
    return await this.#inSome(tables, some, sequence);
  }

  /** What is loaded stays in memory until all of these keys are judged. */
  async #inSome(
    tables: readonly SsTable[],
    keys: readonly Key[],
    sequence: Sequence,
  ): Promise<Clash | undefined> {
    const held: (() => void)[] = [];
    try {
      for (let open = keys; ; ) {
        const missing: MissingBlock[] = [];
        const left: Key[] = [];
        for (const key of open) {
          const before = missing.length;
          const newest = newestIn(tables, key, missing);
          if (newest > sequence) return { sequence: newest, key };
          if (missing.length > before) left.push(key);
        }
        if (left.length === 0) return undefined;
        assert(missing.length > 0, "keys are judged again where blocks were missing");
        held.push(await this.#source.tables.load(missing));
        open = left;
      }
    } finally {
      for (const letGo of held) letGo();
    }
  }

  async #inRanges(
    tables: readonly SsTable[],
    ranges: readonly Bounds[],
    sequence: Sequence,
  ): Promise<Clash | undefined> {
    const steps = { left: STEPS_A_TURN };
    for (const range of ranges) {
      for (const table of tables) {
        await this.#step(steps);
        const { firstKey, lastKey } = table.meta.stats;
        if (lastKey < range.from || (range.to !== undefined && firstKey >= range.to)) continue;
        const found = await this.#inRange(table, range, sequence, steps);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  /** An entry of a range or a deletion that meets it, in one table. */
  async #inRange(
    table: SsTable,
    { from, to }: Bounds,
    sequence: Sequence,
    steps: { left: number },
  ): Promise<Clash | undefined> {
    const letGoTail = await this.#source.tables.load([table.missingTail]);
    let letGo = (): void => {};
    try {
      const { open } = table;
      assert(open !== undefined, "what is held lies in memory");
      const { sst } = open;
      const deleted = sst.ranges?.after(from, to ?? END_OF_KEYS, sequence);
      if (deleted !== undefined) return { sequence: deleted, key: from };
      if (table.meta.stats.entries === 0) return undefined;
      const cursor = new SstCursor(sst, table);
      const { firstKey } = table.meta.stats;
      const first = from > firstKey ? from : firstKey;
      let move = (): Step => cursor.seek(first, MAX_SEQUENCE);
      for (;;) {
        const step = move();
        if (step === MISS) {
          const missing: MissingBlock[] = [];
          cursor.missing(missing);
          const loaded = await this.#source.tables.load(missing, AHEAD);
          letGo();
          letGo = loaded;
          continue;
        }
        if (step === END || (to !== undefined && cursor.key >= to)) return undefined;
        if (cursor.sequence > sequence) return { sequence: cursor.sequence, key: cursor.key };
        await this.#step(steps);
        move = () => cursor.next();
      }
    } finally {
      letGo();
      letGoTail();
    }
  }

  /** Lets others have the event loop now and then. */
  #step(steps: { left: number }): Promise<void> | undefined {
    if (--steps.left > 0) return undefined;
    steps.left = STEPS_A_TURN;
    return this.#source.turn();
  }
}

/** The newest write to a key in tables; 0: there is none, as far as no block is missing. */
function newestIn(tables: readonly SsTable[], key: Key, missing: MissingBlock[]): Sequence {
  const { a, b } = hashKey(key);
  let newest = 0;
  for (const table of tables) {
    const { firstKey, lastKey } = table.meta.stats;
    if (key < firstKey || key > lastKey) continue;
    const { open } = table;
    if (open === undefined) {
      missing.push(table.missingTail);
      continue;
    }
    newest = Math.max(newest, open.sst.ranges?.at(key, MAX_SEQUENCE) ?? 0);
    if (open.point.isFiltered(key, a, b)) continue;
    const step = open.point.seek(key, MAX_SEQUENCE);
    if (step === MISS) open.point.missing(missing);
    else if (step === ENTRY && open.point.key === key) {
      assert(open.point.sequence > 0, "a stored version has a sequence");
      newest = Math.max(newest, open.point.sequence);
    }
  }
  return newest;
}
