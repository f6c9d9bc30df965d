import { binaryText, bytesEqual } from "../base/bytes.ts";
import type { Maybe } from "../lsm/index.ts";
import { deleteRow, putRow } from "./apart-values.ts";
import type { CompiledIndex, IndexEntry } from "./compiled-index.ts";
import type { CompiledTable } from "./compiled-table.ts";
import type { Datum } from "./datum.ts";
import { duplicate } from "./duplicate.ts";
import type { EngineView } from "./engine-view.ts";
import type { ExpressionContext } from "./expressions.ts";
import type { ForeignKeys } from "./foreign-keys.ts";
import type { LockOutcome } from "./locks.ts";
import { refuseBadRow } from "./row-checks.ts";
import type { InsertOptions, RowLock } from "./row-requests.ts";

const UPDATE: RowLock = { mode: "update" };

/** What writes of rows need of their transaction. */
export interface WriteHost {
  readonly view: EngineView;
  readonly foreignKeys: ForeignKeys;
  readonly context: () => ExpressionContext;
  readonly lock: (key: Uint8Array, lock: RowLock) => Maybe<LockOutcome>;
  readonly read: (key: Uint8Array, lock: RowLock) => Maybe<Uint8Array | undefined>;
  /** As `read`, of a key that is put next, or else touched. */
  readonly readToPut: (key: Uint8Array) => Maybe<Uint8Array | undefined>;
}

/** Writes of single rows with the entries of their indexes. */
export class RowWrites {
  readonly #on: WriteHost;

  constructor(on: WriteHost) {
    this.#on = on;
  }

  /** @returns the key of the row that it conflicts with, where `options` leave that as it is. */
  insert(
    compiled: CompiledTable,
    row: readonly Datum[],
    options: InsertOptions,
  ): Maybe<readonly Datum[] | undefined> {
    const { lock, readToPut, context } = this.#on;
    refuseBadRow(compiled, row, context());
    const key = compiled.key.encode(compiled.keyOf(row));
    // Most rows wait for nothing: a promise for each step would cost more than the step.
    const locked = lock(key, UPDATE);
    if (compiled.hasUniqueIndex || locked instanceof Promise) {
      return this.#insertChecked(compiled, key, row, options, locked);
    }
    const found = readToPut(key);
    return found instanceof Promise
      ? found.then((value) => this.#insertOver(compiled, key, row, options, value))
      : this.#insertOver(compiled, key, row, options, found);
  }

  /** Into a table where only the primary key may be taken. @param found what is under the key. */
  #insertOver(
    compiled: CompiledTable,
    key: Uint8Array,
    row: readonly Datum[],
    options: InsertOptions,
    found: Uint8Array | undefined,
  ): readonly Datum[] | undefined {
    const { view, context, foreignKeys } = this.#on;
    try {
      if (found !== undefined) {
        view.touch(key);
        if (isLeft(options, 0)) return compiled.keyOf(row);
        throw duplicate(compiled, undefined, row, context());
      }
      const entries = compiled.indexes.map((index) => index.entries(row, context()));
      putRow(view, compiled, key, row);
      for (const ofIndex of entries) {
        for (const entry of ofIndex) view.put(entry.key, entry.value);
      }
    } catch (error) {
      // It was read, whatever became of the row.
      view.touch(key);
      throw error;
    }
    foreignKeys.wrote(compiled, key, row, undefined);
    return undefined;
  }

  /** Into a table of which each unique index is asked. */
  async #insertChecked(
    compiled: CompiledTable,
    key: Uint8Array,
    row: readonly Datum[],
    options: InsertOptions,
    locked: Maybe<LockOutcome>,
  ): Promise<readonly Datum[] | undefined> {
    const { view, read, context, foreignKeys } = this.#on;
    if (locked instanceof Promise) await locked;
    const found = read(key, UPDATE);
    if ((found instanceof Promise ? await found : found) !== undefined) {
      if (isLeft(options, 0)) return compiled.keyOf(row);
      throw duplicate(compiled, undefined, row, context());
    }
    const entries: { readonly key: Uint8Array; readonly value: Uint8Array }[] = [];
    for (const index of compiled.indexes) {
      for (const entry of index.entries(row, context())) {
        const taken = entry.isUnique ? this.#taken(index, entry.key) : undefined;
        const other = taken instanceof Promise ? await taken : taken;
        if (other !== undefined) {
          if (isLeft(options, index.index.id)) return other;
          throw duplicate(compiled, index, row, context());
        }
        entries.push(entry);
      }
    }
    putRow(view, compiled, key, row);
    for (const entry of entries) view.put(entry.key, entry.value);
    foreignKeys.wrote(compiled, key, row, undefined);
    return undefined;
  }

  /**
   * Puts a row under its key, over an old one, and the entries that differ.
   *
   * @param stored what is stored of the old one.
   */
  async store(
    compiled: CompiledTable,
    key: Uint8Array,
    old: readonly Datum[] | undefined,
    stored: Uint8Array | undefined,
    row: readonly Datum[],
  ): Promise<void> {
    const { view, context, foreignKeys } = this.#on;
    refuseBadRow(compiled, row, context());
    if (old !== undefined) await foreignKeys.lockReferenced(compiled, old, row);
    const puts: { readonly key: Uint8Array; readonly value: Uint8Array }[] = [];
    const deletes: Uint8Array[] = [];
    for (const index of compiled.indexes) {
      const isPublic = index.index.state === "public";
      if (old !== undefined && compiled.needs.isUntouched(index.index, old, row)) continue;
      const olds = old === undefined ? [] : index.entries(old, context());
      const news = index.entries(row, context());
      if (index.index.method !== undefined) {
        const { gone, changed } = differences(olds, news);
        deletes.push(...gone);
        puts.push(...changed);
        continue;
      }
      const [[before], [after]] = [olds, news];
      const isSameKey =
        before !== undefined && after !== undefined && bytesEqual(before.key, after.key);
      if (before !== undefined && !isSameKey) {
        if (isPublic || (await this.#isOwn(compiled, index, before, key))) deletes.push(before.key);
      }
      if (after === undefined) continue;
      if (isSameKey && bytesEqual(before.value, after.value)) continue;
      const mayBeTaken = after.isUnique && !isSameKey;
      if (mayBeTaken && (await this.#taken(index, after.key)) !== undefined) {
        throw duplicate(compiled, index, row, context());
      }
      const isShared = after.isUnique && isSameKey && !isPublic;
      if (isShared && !(await this.#isOwn(compiled, index, after, key))) {
        throw duplicate(compiled, index, row, context());
      }
      puts.push(after);
    }
    for (const entry of deletes) view.delete(entry);
    for (const entry of puts) view.put(entry.key, entry.value);
    putRow(view, compiled, key, row, stored, old);
    foreignKeys.wrote(compiled, key, row, old);
    if (old !== undefined) await foreignKeys.removed(compiled, old, row);
  }

  /** Puts a row under another key than its old one. */
  async move(
    compiled: CompiledTable,
    key: Uint8Array,
    old: readonly Datum[],
    stored: Uint8Array,
    row: readonly Datum[],
  ): Promise<void> {
    await this.#on.foreignKeys.lockReferenced(compiled, old, row);
    await this.#delete(compiled, key, old, stored);
    const conflict = await this.insert(compiled, row, {});
    if (conflict !== undefined) throw duplicate(compiled, undefined, row, this.#on.context());
    await this.#on.foreignKeys.removed(compiled, old, row);
  }

  async remove(
    compiled: CompiledTable,
    key: Uint8Array,
    old: readonly Datum[],
    stored: Uint8Array,
  ): Promise<void> {
    await this.#on.foreignKeys.lockReferenced(compiled, old, undefined);
    await this.#delete(compiled, key, old, stored);
    await this.#on.foreignKeys.removed(compiled, old, undefined);
  }

  async #delete(
    compiled: CompiledTable,
    key: Uint8Array,
    old: readonly Datum[],
    stored: Uint8Array,
  ): Promise<void> {
    const { view, context } = this.#on;
    for (const index of compiled.indexes) {
      const isPublic = index.index.state === "public";
      for (const entry of index.entries(old, context())) {
        if (isPublic || (await this.#isOwn(compiled, index, entry, key))) view.delete(entry.key);
      }
    }
    deleteRow(view, key, stored);
  }

  /**
   * Whether an entry is of no other row. While a unique index is built, rows may be there that
   * share an entry, which only one of them has: the build finds the others.
   */
  async #isOwn(
    compiled: CompiledTable,
    index: CompiledIndex,
    { key, isUnique }: IndexEntry,
    name: Uint8Array,
  ): Promise<boolean> {
    if (!isUnique) return true;
    const owner = await this.#taken(index, key);
    return owner === undefined || bytesEqual(compiled.key.encode(owner), name);
  }

  /** The key of the row that has an entry of a unique index. */
  #taken(index: CompiledIndex, key: Uint8Array): Maybe<readonly Datum[] | undefined> {
    const { lock, read } = this.#on;
    const locked = lock(key, UPDATE);
    const found =
      locked instanceof Promise ? locked.then(() => read(key, UPDATE)) : read(key, UPDATE);
    const ownerOf = (value: Uint8Array | undefined): readonly Datum[] | undefined =>
      value === undefined ? undefined : index.keyOf(key, value);
    return found instanceof Promise ? found.then(ownerOf) : ownerOf(found);
  }
}

/** Entries that a row has no more, and those that it did not have like that. */
function differences(
  before: readonly IndexEntry[],
  after: readonly IndexEntry[],
): { readonly gone: readonly Uint8Array[]; readonly changed: readonly IndexEntry[] } {
  const nameOf = ({ key }: IndexEntry): string => binaryText(key);
  const left = new Map(before.map((entry) => [nameOf(entry), entry]));
  const changed = after.filter((entry) => {
    const name = nameOf(entry);
    const old = left.get(name);
    left.delete(name);
    return old === undefined || !bytesEqual(old.value, entry.value);
  });
  return { gone: [...left.values()].map(({ key }) => key), changed };
}

/** Whether a row that conflicts in an index leaves what is there. */
function isLeft({ onConflict = "error", conflictIndex }: InsertOptions, index: number): boolean {
  return onConflict === "nothing" && (conflictIndex === undefined || conflictIndex === index);
}
