import type { Datum, RowTransaction, TableDescriptor } from "../../../rows/index.ts";
import { visibleColumns } from "../../../rows/index.ts";
import { SqlError } from "../../error.ts";
import type { ExecRun, Row } from "../../exec/run.ts";
import type { PlanEnv } from "../env.ts";
import { type KeyNames, keyNames } from "../key-names.ts";
import { reader } from "../returning.ts";
import { storedColumns } from "../table-columns.ts";
import type { TableUse } from "../table-use.ts";
import { atSlots, idsAt } from "../told-columns.ts";
import { type Leaf, type PartitionTree, partitionTree } from "./leaves.ts";
import { layoutOf, type PartitionedLayout } from "./partitioned-relation.ts";

/** Where a row is. */
export interface Place {
  readonly table: TableDescriptor;
  readonly key: Row;
  /** Different for each row of any table. */
  readonly name: string;
  /** A row of that table, as the store gives it, by the slots of the relation. */
  readonly read: (row: Row) => Datum[];
  readonly leaf: Leaf | undefined;
  /** ON CONFLICT: an update may not move it to another partition. */
  readonly isPinned?: boolean;
}

/** A row as it is behind a change. */
export interface Changed {
  /** By the slots of the relation that names know. */
  readonly row: Row;
  /** Undefined where its key is hidden. */
  readonly name: string | undefined;
}

/** Changes of the rows of a table, by the slots of its relation. */
export interface RowPlaces {
  /** Slots from here on are none that the store has under them. */
  readonly columns: number;
  /** How many slots the relation has. */
  readonly width: number;
  readonly keySlots: readonly number[];
  /** Ids of the columns at some slots; undefined where rows are always read whole. */
  readonly idsAt: (isAt: (slot: number) => boolean) => readonly number[] | undefined;
  /** @param row by the slots of the relation, its key among them. */
  readonly placeOf: (row: Row) => Place;
  /** The place of a row of a table, which is the relation's own or one of its partitions. */
  readonly conflictAt: (use: TableUse, key: Row) => Place;
  /**
   * @param row as it is, by the slots of the relation.
   * @param told ids of the columns to tell, as of `idsAt`; the others are NULL. All if absent.
   */
  readonly update: (
    run: ExecRun,
    place: Place,
    row: Row,
    changes: ReadonlyMap<number, Datum | undefined>,
    told?: readonly number[],
  ) => Promise<Changed | undefined>;
  readonly delete: (
    run: ExecRun,
    place: Place,
    told?: readonly number[],
  ) => Promise<Changed | undefined>;
}

export function rowPlaces(env: PlanEnv, use: TableUse): RowPlaces {
  return use.partitions === undefined ? plainPlaces(env, use) : partedPlaces(env, use);
}

function plainPlaces(env: PlanEnv, { descriptor }: TableUse): RowPlaces {
  const stored = storedColumns(descriptor);
  const names = keyNames(env.functions.types, descriptor);
  const read = reader(descriptor);
  const keySlots = descriptor.primaryKey.map(({ columnId }) =>
    stored.findIndex(({ id }) => id === columnId),
  );
  const own = (one: Row): Datum[] => [...read(one)];
  const at = (key: Row): Place => {
    return { table: descriptor, key, name: names.ofKey(key), read: own, leaf: undefined };
  };
  const changed = (
    row: Row | undefined,
    told: readonly number[] | undefined,
  ): Changed | undefined => {
    if (row === undefined) return undefined;
    const made = read(told ? atSlots(descriptor, told, row) : row);
    return { row: made, name: names.ofRow(made) };
  };
  return {
    columns: stored.length,
    width: stored.length,
    keySlots,
    idsAt: (isAt) => idsAt(descriptor, isAt),
    placeOf: (row) => at(keySlots.map((slot) => row[slot] as Datum)),
    conflictAt: (_use, key) => at(key),
    update: async (run, { key }, _row, changes, told) =>
      changed(await (await run.transaction()).update(descriptor, key, changes, told), told),
    delete: async (run, { key }, told) =>
      changed(await (await run.transaction()).delete(descriptor, key, told), told),
  };
}

/** What stands behind the columns of a row. */
function inLeaf(leaf: Leaf, row: Row): Datum[] {
  return [...leaf.read(row), leaf.use.oid];
}

function partedPlaces(env: PlanEnv, use: TableUse): RowPlaces {
  const tree = partitionTree(env, use);
  const layout = layoutOf(tree);
  const leaves = new Map(
    tree.leaves.map((leaf) => {
      const names = keyNames(env.functions.types, leaf.use.descriptor);
      return [leaf.use.oid, { leaf, names }] as const;
    }),
  );
  const at = (oid: number, all: Row): Place => {
    const found = leaves.get(oid);
    const { leaf, names } = found as { readonly leaf: Leaf; readonly names: KeyNames };
    const { descriptor } = leaf.use;
    const key = all.slice(0, descriptor.primaryKey.length);
    const read = (one: Row): Datum[] => inLeaf(leaf, one);
    return { table: descriptor, key, name: names.ofKey(key), read, leaf };
  };
  const changed = (leaf: Leaf, row: Row | undefined): Changed | undefined => {
    if (row === undefined) return undefined;
    const own = leaves.get(leaf.use.oid)?.names.ofRow(reader(leaf.use.descriptor)(row));
    return { row: inLeaf(leaf, row), name: own };
  };
  return {
    columns: layout.oidSlot,
    width: layout.width,
    keySlots: [layout.oidSlot, ...layout.keySlots],
    idsAt: () => undefined,
    placeOf: (row) => {
      const key = layout.keySlots.map((slot) => row[slot] as Datum);
      return at(row[layout.oidSlot] as number, key);
    },
    conflictAt: ({ oid }, key) => at(oid, key),
    update: async (run, place, row, changes) => {
      const rows = await run.transaction();
      await rows.rely(use.descriptor);
      const leaf = place.leaf as Leaf;
      const moved = await movedRow({ tree, layout, use }, rows, run, row, changes);
      if (moved === undefined || moved.leaf === leaf) {
        return changed(
          leaf,
          await rows.update(place.table, place.key, changesOf(tree, leaf, changes, moved?.row)),
        );
      }
      if (place.isPinned === true) throw wouldMove();
      if ((await rows.delete(place.table, place.key)) === undefined) return undefined;
      const [made] = await insertInto(rows, use, moved.leaf, [moved.row], {});
      return changed(moved.leaf, made?.row);
    },
    delete: async (run, place) => {
      const rows = await run.transaction();
      return changed(place.leaf as Leaf, await rows.delete(place.table, place.key));
    },
  };
}

function wouldMove(): SqlError {
  const detail = "The result tuple would appear in a different partition than the original tuple.";
  return new SqlError("0A000", "invalid ON UPDATE specification", { detail });
}

interface Parted {
  readonly tree: PartitionTree;
  readonly layout: PartitionedLayout;
  readonly use: TableUse;
}

/** Changes of the top's columns as those of a leaf; `whole` has the values of defaults. */
function changesOf(
  { top }: PartitionTree,
  leaf: Leaf,
  changes: ReadonlyMap<number, Datum | undefined>,
  whole: Row | undefined,
): ReadonlyMap<number, Datum | undefined> {
  const columns = visibleColumns(top.use.descriptor);
  const own = new Map<number, Datum | undefined>();
  for (const [id, value] of changes) {
    const slot = columns.findIndex((column) => column.id === id);
    const isComputed = columns[slot]?.generated !== undefined;
    const given = value === undefined && !isComputed ? whole?.[slot] : value;
    own.set(leaf.ids[slot] as number, given);
  }
  return own;
}

/** The row as it will be, and its leaf; undefined where it stays, and needs no default. */
async function movedRow(
  { tree, use }: Parted,
  rows: RowTransaction,
  run: ExecRun,
  row: Row,
  changes: ReadonlyMap<number, Datum | undefined>,
): Promise<{ readonly row: Row; readonly leaf: Leaf } | undefined> {
  const columns = visibleColumns(use.descriptor);
  const isKey = [...changes.keys()].some((id) => isOfKey(tree, id));
  const hasDefaults = [...changes.values()].includes(undefined);
  if (!isKey && !hasDefaults) return undefined;
  const given = columns.flatMap((column, slot) => (column.generated === undefined ? [slot] : []));
  const values = given.map((slot) => {
    const { id } = columns[slot] as (typeof columns)[0];
    return changes.has(id) ? changes.get(id) : (row[slot] as Datum);
  });
  const ids = given.map((slot) => (columns[slot] as (typeof columns)[0]).id);
  const options = { columns: ids, overridesIdentity: true };
  const [whole] = await rows.complete(use.descriptor, [values], options);
  const read = reader(use.descriptor)(whole as Row);
  return { row: read, leaf: tree.leafOf(read, run.evaluation) };
}

/** Whether a column of the top is of the key of any level, or what is computed of it may be. */
function isOfKey({ top }: PartitionTree, id: number): boolean {
  const columns = visibleColumns(top.use.descriptor);
  if (columns.some(({ generated }) => generated !== undefined)) return true;
  const slot = columns.findIndex((column) => column.id === id);
  const isOf = (level: PartitionTree["top"]): boolean =>
    [...level.key.slots].some((own) => level.fromTop[own] === slot) ||
    level.below.some((one) => "below" in one && isOf(one));
  return isOf(top);
}

type InsertOptions = NonNullable<Parameters<RowTransaction["insert"]>[2]>;

/** Inserts whole rows of the top into a leaf, which computes what is generated itself. */
export function insertInto(
  rows: RowTransaction,
  { descriptor }: TableUse,
  leaf: Leaf,
  batch: readonly Row[],
  options: Pick<InsertOptions, "onConflict" | "conflictIndex">,
): ReturnType<RowTransaction["insert"]> {
  const given = visibleColumns(descriptor).flatMap(({ generated }, slot) =>
    generated === undefined ? [slot] : [],
  );
  const columns = given.map((slot) => leaf.ids[slot] as number);
  const values = batch.map((row) => given.map((slot) => row[slot] as Datum));
  const all = { ...options, columns, overridesIdentity: true };
  return rows.insert(leaf.use.descriptor, values, all);
}
