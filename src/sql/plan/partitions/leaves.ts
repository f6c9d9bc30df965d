import { type Datum, visibleColumns } from "../../../rows/index.ts";
import { SqlError } from "../../error.ts";
import type { EvalContext } from "../../exec/evaluate.ts";
import type { Row } from "../../exec/run.ts";
import { typeName } from "../../functions/coercion.ts";
import type { PlanEnv } from "../env.ts";
import { reader } from "../returning.ts";
import type { TableUse } from "../table-use.ts";
import { partName } from "./key-parts.ts";
import { type PartitionKey, partitionKey } from "./partition-key.ts";
import { type Router, routerOf } from "./router.ts";

/** A table with rows, and how its columns stand beside those of the table at the top. */
export interface Leaf {
  readonly use: TableUse;
  /** By slot of the top: the slot of the leaf. */
  readonly slots: readonly number[];
  /** By slot of the top: the id of the leaf's column. */
  readonly ids: readonly number[];
  /** The part that it has of an index of the top; 0 is the primary key. */
  readonly indexOf: (index: number) => number | undefined;
  /** A row of the leaf, as the store gives it, with the columns of the top. */
  readonly read: (row: Row) => Datum[];
}

/** One level of a partitioned table. */
export interface Level {
  readonly use: TableUse;
  readonly key: PartitionKey;
  readonly router: Router;
  /** Of each member. */
  readonly below: readonly (Level | Leaf)[];
  /** By slot of this level: the slot of the top. */
  readonly fromTop: readonly number[];
}

export interface PartitionTree {
  readonly top: Level;
  readonly leaves: readonly Leaf[];
  /** The leaf of a row of the top. @throws SqlError 23514. */
  readonly leafOf: (row: Row, context: EvalContext) => Leaf;
}

export function isLevel(one: Level | Leaf): one is Level {
  return "below" in one;
}

/** The partitions of a table that is named, down to those with rows. */
export function partitionTree(env: PlanEnv, use: TableUse): PartitionTree {
  const leaves: Leaf[] = [];
  const topNames = visibleColumns(use.descriptor).map(({ name }) => name);
  const leaf = (one: TableUse, above: readonly TableUse[]): Leaf => {
    const columns = visibleColumns(one.descriptor);
    const slots = topNames.map((name) => columns.findIndex((column) => column.name === name));
    const ids = slots.map((slot) => (columns[slot] as (typeof columns)[0]).id);
    const own = reader(one.descriptor);
    const made: Leaf = {
      use: one,
      slots,
      ids,
      indexOf: (index) => partOfIndex([...above.slice(1), one], index),
      read: (row) => {
        const read = own(row);
        return slots.map((slot) => read[slot] as Datum);
      },
    };
    leaves.push(made);
    return made;
  };
  const level = (one: TableUse, above: readonly TableUse[]): Level => {
    const path = [...above, one];
    const key = partitionKey(env, one);
    const names = visibleColumns(one.descriptor).map(({ name }) => name);
    return {
      use: one,
      key,
      router: routerOf(env.functions.types, one.descriptor.partitioned as never, key.types),
      below: (one.partitions?.members ?? []).map(({ use: member }) =>
        member.partitions === undefined ? leaf(member, path) : level(member, path),
      ),
      fromTop: names.map((name) => topNames.indexOf(name)),
    };
  };
  const top = level(use, []);
  const leafOf = (row: Row, context: EvalContext): Leaf => {
    let at = top;
    for (;;) {
      const own = at === top ? row : at.fromTop.map((slot) => row[slot] as Datum);
      const values = at.key.valuesOf(own, context);
      const place = at.router(values);
      if (place === undefined) throw noPartition(env, at, values, context);
      const next = at.below[place] as Level | Leaf;
      if (!isLevel(next)) return next;
      at = next;
    }
  };
  return { top, leaves, leafOf };
}

/** @param path below the top, down to the leaf. */
function partOfIndex(path: readonly TableUse[], index: number): number | undefined {
  let own: number | undefined = index;
  for (const { descriptor } of path) {
    if (own === undefined || own === 0) return own;
    const above: number = own;
    own = descriptor.indexes.find(({ partOf }) => partOf === above)?.id;
  }
  return own;
}

function noPartition(
  { functions: { types } }: PlanEnv,
  { use: { descriptor }, key }: Level,
  values: readonly Datum[],
  { sql }: EvalContext,
): SqlError {
  const names = (descriptor.partitioned?.parts ?? []).map((part) => partName(descriptor, part));
  const texts = key.types.map(({ codec, oid }, i) => {
    const value = values[i] ?? null;
    if (value === null) return "null";
    if (typeName(types, oid) === "boolean") return value === true ? "t" : "f";
    return codec.output(value, sql);
  });
  const shown = `(${names.join(", ")}) = (${texts.join(", ")})`;
  const message = `no partition of relation "${descriptor.name}" found for row`;
  return new SqlError("23514", message, {
    detail: `Partition key of the failing row contains ${shown}.`,
  });
}
