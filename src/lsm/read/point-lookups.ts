import { assert } from "../../base/assert.ts";
import { copyOf } from "../../base/bytes.ts";
import type { Clock } from "../../base/clock.ts";
import { hashKey } from "../format/bloom.ts";
import { END, ENTRY, MISS, type MissingBlock } from "../format/cursor.ts";
import {
  APART,
  DELETE,
  type Key,
  keyAfter,
  keyOfBytes,
  MERGE,
  PUT,
  plainKind,
  type Sequence,
} from "../format/entry.ts";
import type { SstCursor } from "../format/sst-cursor.ts";
import type { Maybe } from "../maybe.ts";
import type { Found } from "../memtable/memtable.ts";
import { type EntrySemantics, foldDown, hasExpired, semanticsAt } from "./entry-semantics.ts";
import { KeySamples } from "./key-samples.ts";
import {
  firstReaching,
  isVisible,
  type ReadMemtable,
  type ReadView,
  type ReadViews,
  type SharedView,
} from "./read-view.ts";
import type { ScanSource } from "./scan.ts";
import type { SsTable } from "./ss-table.ts";
import type { TableCache } from "./table-cache.ts";
import { viewCursor } from "./view-cursor.ts";

/** What look-ups met, for the metrics: cheap counts, no times. */
export class ReadFigures {
  gets = 0;
  /** Filters that were asked; that said no; that said yes although the key was not there. */
  filterChecks = 0;
  filterNegatives = 0;
  filterFalsePositives = 0;
  /** As filters of prefixes were, by scans. */
  prefixChecks = 0;
  prefixNegatives = 0;
  /** Look-ups that had to wait for the store. */
  waits = 0;
}

/** The answer cannot be told before blocks are loaded. */
const MISSING: unique symbol = Symbol("missing");
/** The table has no version of the key. */
const NOWHERE: unique symbol = Symbol("nowhere");

/** The table's newest version of the key is an operand. */
const OPERAND: unique symbol = Symbol("operand");

/** Keys that are looked up at once: some 2 ms, at 3 µs each. */
const KEYS_A_TURN = 512;

type Value = Uint8Array | undefined;

/** Point reads: on the spot where all is in memory, else with one round of requests a level. */
export class PointLookups {
  readonly figures: ReadFigures;
  readonly samples: KeySamples;
  readonly #tables: TableCache;
  readonly #views: ReadViews;

  readonly #clock: Clock;
  readonly #semantics: EntrySemantics;
  readonly #onWaited: (ms: number) => void;

  /** @param onWaited told how long a read waited for the store. */
  constructor(
    { tables, views, semantics }: Pick<ScanSource, "tables" | "views" | "semantics">,
    figures: ReadFigures,
    clock: Clock,
    onWaited: (ms: number) => void,
  ) {
    this.figures = figures;
    this.samples = new KeySamples(clock);
    this.#tables = tables;
    this.#views = views;
    this.#semantics = semantics;
    this.#clock = clock;
    this.#onWaited = onWaited;
  }

  /**
   * The value of a key as of a sequence; undefined where it has none. It may be kept, and must not
   * be written to: it may be a view of what others read.
   */
  get(view: ReadView, key: Key, sequence: Sequence): Maybe<Value> {
    this.figures.gets++;
    this.samples.note(key);
    const missing: MissingBlock[] = [];
    const found = this.#find(view, key, sequence, missing, false);
    return found === MISSING ? this.#wait(view, key, sequence, missing) : found;
  }

  /**
   * As `get` of each; what is missing for several is asked for at once. Others have the event loop
   * in between where they are many.
   */
  getMany(view: ReadView, keys: readonly Key[], sequence: Sequence): Maybe<readonly Value[]> {
    if (keys.length > KEYS_A_TURN) return this.#inTurns(view, keys, sequence);
    this.figures.gets += keys.length;
    this.samples.noteKeys(keys);
    const values: Value[] = new Array(keys.length);
    const missing: MissingBlock[] = [];
    const open = this.#findAll(view, keys, sequence, {
      values,
      missing,
      among: keys.keys(),
      waited: false,
    });
    return open.length === 0 ? values : this.#waitMany(view, keys, sequence, values, open, missing);
  }

  /**
   * Whether nothing is stored under a key, by memtables and filters alone: false where it may be,
   * or where that is to be read. No text of the key is made where nothing was flushed.
   */
  isAbsent(view: SharedView, key: Uint8Array): boolean {
    const { active, frozen, l0, runs } = view;
    if (active.holds(key, 0, key.length)) return false;
    for (const memtable of frozen) if (memtable.holds(key, 0, key.length)) return false;
    if (l0.length + runs.length > 0 && !this.#isFiltered(view, keyOfBytes(key))) return false;
    this.figures.gets++;
    this.samples.noteBytes(key);
    return true;
  }

  /** Whether each table lacks a key by its bounds or its filter. */
  #isFiltered({ l0, runs }: ReadView, key: Key): boolean {
    const { a, b } = hashKey(key);
    for (const table of l0) if (this.#mayHold(table, key, a, b)) return false;
    for (const run of runs) {
      for (let at = firstReaching(run, key); at < run.tables.length; at++) {
        const table = run.tables[at] as SsTable;
        if (table.meta.stats.firstKey > key) break;
        if (this.#mayHold(table, key, a, b)) return false;
      }
    }
    return true;
  }

  #mayHold({ meta: { stats }, open }: SsTable, key: Key, a: number, b: number): boolean {
    if (key < stats.firstKey || key > stats.lastKey) return false;
    if (open === undefined) return true;
    this.figures.filterChecks++;
    if (!open.point.isFiltered(key, a, b)) return true;
    this.figures.filterNegatives++;
    return false;
  }

  async #inTurns(view: ReadView, keys: readonly Key[], sequence: Sequence): Promise<Value[]> {
    const unpin = this.#views.pin(view);
    const values: Value[] = [];
    try {
      for (let at = 0; at < keys.length; at += KEYS_A_TURN) {
        if (at > 0) await this.#clock.sleep(0);
        const some = this.getMany(view, keys.slice(at, at + KEYS_A_TURN), sequence);
        for (const value of await some) values.push(value);
      }
      return values;
    } finally {
      unpin();
    }
  }

  /** What was loaded stays in memory to the end, or a small cache would lose it to what follows. */
  async #wait(view: ReadView, key: Key, sequence: Sequence, first: MissingBlock[]): Promise<Value> {
    const held = [this.#begin(view)];
    try {
      for (let missing = first; ; ) {
        assert(missing.length > 0, "a look-up that waits misses something");
        held.push(await this.#tables.load(missing));
        missing = [];
        const found = this.#find(view, key, sequence, missing, true);
        if (found !== MISSING) return found;
      }
    } finally {
      for (const letGo of held) letGo();
    }
  }

  async #waitMany(
    view: ReadView,
    keys: readonly Key[],
    sequence: Sequence,
    values: Value[],
    first: readonly number[],
    firstMissing: MissingBlock[],
  ): Promise<readonly Value[]> {
    const held = [this.#begin(view)];
    try {
      let missing = firstMissing;
      for (let open = first; open.length > 0; ) {
        assert(missing.length > 0, "look-ups that wait miss something");
        held.push(await this.#tables.load(missing));
        missing = [];
        open = this.#findAll(view, keys, sequence, {
          values,
          missing,
          among: open,
          waited: true,
        });
      }
      return values;
    } finally {
      for (const letGo of held) letGo();
    }
  }

  /** Pins the view of a read that waits, and counts it, until what is answered is called. */
  #begin(view: ReadView): () => void {
    const unpin = this.#views.pin(view);
    const startMs = this.#clock.monotonicMs();
    this.figures.waits++;
    return () => {
      unpin();
      this.#onWaited(this.#clock.monotonicMs() - startMs);
    };
  }

  /** @returns the indices whose answer is missing still. */
  #findAll(
    view: ReadView,
    keys: readonly Key[],
    sequence: Sequence,
    into: { values: Value[]; missing: MissingBlock[]; among: Iterable<number>; waited: boolean },
  ): readonly number[] {
    const open: number[] = [];
    for (const index of into.among) {
      const key = keys[index] as Key;
      const found = this.#find(view, key, sequence, into.missing, into.waited);
      if (found === MISSING) open.push(index);
      else into.values[index] = found;
    }
    return open;
  }

  /** @param waited blocks had to be loaded: see `valueAt`. */
  #find(
    view: ReadView,
    key: Key,
    sequence: Sequence,
    missing: MissingBlock[],
    waited: boolean,
  ): Value | typeof MISSING {
    const fresh = inMemtables(view, key, sequence);
    if (fresh !== undefined) {
      const { kind } = fresh;
      if (kind === PUT) return fresh.value;
      if (kind === DELETE) return undefined;
      if (plainKind(kind) === MERGE) return this.#folded(view, key, sequence, missing);
      return fresh.expiresAtMs > (view.timeMs ?? this.#semantics.nowMs()) ? fresh.value : undefined;
    }
    const { l0, runs } = view;
    if (l0.length === 0 && runs.length === 0) return undefined;
    const { a, b } = hashKey(key);
    for (const table of l0) {
      const { firstKey, lastKey } = table.meta.stats;
      if (key < firstKey || key > lastKey || !isVisible(table, sequence)) continue;
      const found = this.#inTable(view, table, key, sequence, a, b, missing, waited);
      if (found === OPERAND) return this.#folded(view, key, sequence, missing);
      if (found !== NOWHERE) return found;
    }
    for (const run of runs) {
      // Versions of one key may be cut between two tables, the newer ones first.
      for (let at = firstReaching(run, key); at < run.tables.length; at++) {
        const table = run.tables[at] as SsTable;
        if (table.meta.stats.firstKey > key) break;
        if (!isVisible(table, sequence)) continue;
        const found = this.#inTable(view, table, key, sequence, a, b, missing, waited);
        if (found === OPERAND) return this.#folded(view, key, sequence, missing);
        if (found !== NOWHERE) return found;
      }
    }
    return undefined;
  }

  /** The value of a key whose newest version is an operand: of all versions that it needs. */
  #folded(
    view: ReadView,
    key: Key,
    sequence: Sequence,
    missing: MissingBlock[],
  ): Value | typeof MISSING {
    const bounds = { from: key, to: keyAfter(key) };
    const made = viewCursor(view, { bounds, sequence, figures: this.figures });
    if (!("seek" in made)) {
      missing.push(...made);
      return MISSING;
    }
    const step = made.seek(key, sequence);
    assert(step !== ENTRY || made.key >= key, "a seek never stops before its key");
    if (step === ENTRY && made.key !== key) return undefined;
    // One time for all of its versions: what they come to was so at that moment.
    const timeMs = view.timeMs ?? this.#semantics.nowMs();
    const semantics = semanticsAt(this.#semantics, timeMs);
    if (step === END) return undefined;
    const folded = step === ENTRY ? foldDown(made, key, semantics) : { unread: undefined };
    if ("value" in folded) return folded.value && copyOf(folded.value, 0, folded.value.length);
    if (folded.unread === undefined) made.missing(missing);
    else missing.push(folded.unread);
    return MISSING;
  }

  #inTable(
    view: ReadView,
    table: SsTable,
    key: Key,
    sequence: Sequence,
    a: number,
    b: number,
    missing: MissingBlock[],
    waited: boolean,
  ): Value | typeof MISSING | typeof NOWHERE | typeof OPERAND {
    const { open } = table;
    if (open === undefined) {
      missing.push(table.missingTail);
      return MISSING;
    }
    const { figures } = this;
    const { ranges } = open.sst;
    // Its own tombstones hide its own entries, and all that is older.
    const deletedAt = ranges === undefined ? 0 : ranges.at(key, sequence);
    const nothing = deletedAt > 0 ? undefined : NOWHERE;
    const { point } = open;
    // The block of a neighbour says it as well, and is loaded.
    const isNear = point.isNear(key);
    if (!isNear) {
      figures.filterChecks++;
      if (point.isFiltered(key, a, b)) {
        figures.filterNegatives++;
        return nothing;
      }
    }
    const step = point.find(key, sequence);
    if (step === MISS) {
      point.missing(missing);
      return MISSING;
    }
    if (step === ENTRY) {
      assert(point.sequence <= sequence, "a read sees nothing that was written after it");
      const { kind } = point;
      if (point.sequence <= deletedAt) return undefined;
      if (kind === PUT) return valueAt(point, waited);
      if (kind === DELETE) return undefined;
      if (plainKind(kind) === MERGE) return OPERAND;
      if (hasExpired(point, semanticsAt(this.#semantics, view.timeMs))) return undefined;
      return (kind & APART) === 0 ? valueAt(point, waited) : this.#apart(point, table, missing);
    }
    if (!isNear) figures.filterFalsePositives++;
    return nothing;
  }

  #apart(
    { valueSource, valueStart, valueEnd }: SstCursor,
    { meta: origin }: SsTable,
    missing: MissingBlock[],
  ): Value | typeof MISSING {
    const { values } = this.#semantics;
    assert(values !== undefined, "who reads values knows where they lie");
    const found = values.find({ origin, valueSource, valueStart, valueEnd });
    if (!("file" in found)) return found;
    missing.push(found);
    return MISSING;
  }
}

/**
 * A block that had to be loaded is mostly evicted before it is used again: then it is given back at
 * once, since a copy was answered. What lies in memory is answered as a view, which costs nothing.
 */
function valueAt(point: SstCursor, waited: boolean): Uint8Array {
  return waited ? point.copiedValue() : point.lentValue();
}

function inMemtables(view: ReadView, key: Key, sequence: Sequence): Found | undefined {
  let found = inMemtable(view.active, key, sequence);
  for (let i = 0; found === undefined && i < view.frozen.length; i++) {
    found = inMemtable(view.frozen[i] as ReadMemtable, key, sequence);
  }
  return found;
}

/** What a memtable says of a key; a range tombstone that is newer, as a deletion. */
function inMemtable(memtable: ReadMemtable, key: Key, sequence: Sequence): Found | undefined {
  const found = memtable.get(key, sequence);
  const { ranges } = memtable;
  if (ranges === undefined) return found;
  const deletedAt = ranges.at(key, sequence);
  if (deletedAt === 0 || (found !== undefined && found.sequence > deletedAt)) return found;
  return { sequence: deletedAt, kind: DELETE, value: NO_BYTES, expiresAtMs: 0 };
}

const NO_BYTES = new Uint8Array(0);
