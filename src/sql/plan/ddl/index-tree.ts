import type {
  IndexDescriptor,
  IndexPart,
  IndexSpec,
  TableDescriptor,
} from "../../../rows/index.ts";
import { SqlError } from "../../error.ts";
import { type DdlRun, madeName } from "./ddl-run.ts";
import { dropIndex } from "./drop-constraint.ts";
import { relationNames } from "./index-names.ts";

/** Makes an index of a partitioned table: one of each partition is a part of it. */
export async function createIndexTree(
  on: DdlRun,
  table: TableDescriptor,
  spec: IndexSpec,
  isOnly: boolean,
): Promise<TableDescriptor> {
  const { rows } = on;
  const next = await rows.createIndex(table.id, spec);
  const made = next.indexes.find(({ name }) => name === spec.name) as IndexDescriptor;
  if (isOnly) return next;
  for (const { table: id } of next.partitioned?.members ?? []) {
    await addPart(on, await rows.tables.get(id), next, made);
  }
  return next;
}

/** Gives a partition its part of an index: one that is there, or a new one. */
export async function addPart(
  on: DdlRun,
  table: TableDescriptor,
  parent: TableDescriptor,
  index: IndexDescriptor,
): Promise<void> {
  const { rows } = on;
  const shape = shapeOf(parent, index);
  const found = table.indexes.find(
    (one) => one.partOf === undefined && shapeOf(table, one) === shape,
  );
  if (found !== undefined) {
    const isConstraint = isOfConstraint(parent, index);
    if (!isConstraint || isOfConstraint(table, found)) {
      await rows.alter(table.id, { kind: "set part of", index: found.name, partOf: index.id });
      return;
    }
  }
  const taken = await relationNames(on, table.namespace);
  const spec = specOf(parent, index);
  const words = spec.parts.map((part) => ("column" in part ? part.column : "expr"));
  const label = isOfConstraint(parent, index) ? "key" : "idx";
  const all = [...words, ...(spec.include ?? [])];
  const name = madeName(table.name, all, label, (one) => taken.has(one));
  await createIndexTree(on, table, { ...spec, name, partOf: index.id }, false);
}

function isOfConstraint({ constraints }: TableDescriptor, { id }: IndexDescriptor): boolean {
  return constraints.some((one) => one.kind === "unique" && one.index === id);
}

function columnName({ columns }: TableDescriptor, id: number): string {
  return columns.find((column) => column.id === id)?.name ?? "";
}

/** An index by the names of its columns, for another table that has them. */
function specOf(table: TableDescriptor, index: IndexDescriptor): IndexSpec {
  const { name, unique, isBare, nullsNotDistinct, include, predicate, method } = index;
  return {
    name,
    parts: index.parts.map((part: IndexPart) => {
      if (!("columnId" in part)) return part;
      const { columnId, ...how } = part;
      return { column: columnName(table, columnId), ...how };
    }),
    unique,
    nullsNotDistinct,
    include: include.map((id) => columnName(table, id)),
    ...(isBare === true && { isBare }),
    ...(predicate !== undefined && { predicate }),
    ...(method !== undefined && { method }),
  };
}

/** What two indexes have in common that are parts of one. */
function shapeOf(table: TableDescriptor, index: IndexDescriptor): string {
  const { name: _, isBare: _bare, ...spec } = specOf(table, index);
  return JSON.stringify(spec);
}

/** The parts of an index, of all levels below a table. */
async function partsBelow(
  { rows }: DdlRun,
  table: TableDescriptor,
  index: number,
): Promise<readonly { readonly table: TableDescriptor; readonly index: IndexDescriptor }[]> {
  const all: { readonly table: TableDescriptor; readonly index: IndexDescriptor }[] = [];
  for (const member of table.partitioned?.members ?? []) {
    const below = await rows.tables.get(member.table);
    const part = below.indexes.find(({ partOf }) => partOf === index);
    if (part === undefined) continue;
    all.push(...(await partsBelow({ rows } as DdlRun, below, part.id)), {
      table: below,
      index: part,
    });
  }
  return all;
}

/** Drops an index with its parts. */
export async function dropIndexTree(
  on: DdlRun,
  table: TableDescriptor,
  index: IndexDescriptor,
  isCascade: boolean,
): Promise<TableDescriptor> {
  for (const part of await partsBelow(on, table, index.id)) {
    await dropIndex(on, part.table, part.index, isCascade);
  }
  return await dropIndex(on, table, index, isCascade);
}

/** @throws SqlError 2BP01 for a part of an index of a partitioned table. */
export async function refusePart(
  { rows }: DdlRun,
  table: TableDescriptor,
  { name, partOf }: IndexDescriptor,
): Promise<void> {
  const parent = table.partitionOf && (await rows.tables.find(table.partitionOf.parent));
  const above = parent?.indexes.find(({ id }) => id === partOf);
  if (above === undefined || partOf === undefined) return;
  const message = `cannot drop index ${name} because index ${above.name} requires it`;
  throw new SqlError("2BP01", message, { hint: `You can drop index ${above.name} instead.` });
}

/** ALTER INDEX … ATTACH PARTITION. @throws SqlError 42P17, 55000. */
export async function attachIndex(
  on: DdlRun,
  parent: { readonly table: TableDescriptor; readonly name: string },
  part: { readonly table: TableDescriptor; readonly name: string },
): Promise<void> {
  const refused = (why: string): SqlError => {
    const message = `cannot attach index "${part.name}" as a partition of index "${parent.name}"`;
    return new SqlError("42P17", message, { detail: why });
  };
  if (part.table.partitionOf?.parent !== parent.table.id) {
    throw refused(
      `Index "${part.name}" is not an index on any partition of table "${parent.table.name}".`,
    );
  }
  const isKey = ({ table, name }: typeof parent): boolean =>
    table.constraints.some((one) => one.kind === "primary key" && one.name === name);
  // A primary key is a part of that of its parent by itself.
  if (isKey(parent) && isKey(part)) return;
  const above = parent.table.indexes.find(({ name }) => name === parent.name);
  const own = part.table.indexes.find(({ name }) => name === part.name);
  if (above === undefined || own === undefined) {
    throw refused("The index definitions do not match.");
  }
  if (own.partOf === above.id) return;
  if (own.partOf !== undefined) {
    throw refused(`Index "${part.name}" is already attached to another index.`);
  }
  if (shapeOf(parent.table, above) !== shapeOf(part.table, own)) {
    throw refused("The index definitions do not match.");
  }
  if (part.table.indexes.some(({ partOf }) => partOf === above.id)) {
    throw refused(`Another index is already attached for partition "${part.table.name}".`);
  }
  const change = { kind: "set part of", index: part.name, partOf: above.id } as const;
  await on.rows.alter(part.table.id, change);
}
