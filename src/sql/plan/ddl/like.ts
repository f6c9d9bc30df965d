import type {
  ColumnDescriptor,
  ColumnSpec,
  IndexSpec,
  TableDescriptor,
} from "../../../rows/index.ts";
import { visibleColumns } from "../../../rows/index.ts";
import type { NodeOf } from "../../parse/statement.ts";
import type { PlanEnv } from "../env.ts";
import { madeName } from "./ddl-run.ts";
import type { Elements } from "./elements.ts";

/** Bits of INCLUDING, as the grammar writes them. */
const CONSTRAINTS = 0x04;
const DEFAULTS = 0x08;
const GENERATED = 0x10;
export const IDENTITY = 0x20;
const INDEXES = 0x40;

/** LIKE in CREATE TABLE: adds what it takes of another table. @throws SqlError 42P01. */
export async function addLike(
  env: PlanEnv,
  table: string,
  elements: Elements,
  { relation = {}, options = 0 }: NodeOf<"TableLikeClause">,
): Promise<void> {
  const { descriptor } = await env.table(relation, ["read-metadata"]);
  const has = (bit: number): boolean => (options & bit) !== 0;
  const keys = new Set(descriptor.primaryKey.map(({ columnId }) => columnId));
  for (const column of visibleColumns(descriptor)) {
    elements.columns.push(columnLike(column, keys.has(column.id), has));
  }
  if (has(CONSTRAINTS)) {
    for (const one of descriptor.constraints) {
      if (one.kind !== "check") continue;
      elements.checks.push({ name: one.name, expression: one.expression });
    }
  }
  if (has(INDEXES)) addIndexes(table, elements, descriptor);
}

/** A column as another table has it. @param has whether a part of it is taken. */
export function columnLike(
  { name, type, nullable, default: given, generated, identity }: ColumnDescriptor,
  isKey: boolean,
  has: (bit: number) => boolean,
): ColumnSpec {
  return {
    name,
    type,
    nullable: nullable && !isKey,
    ...(has(DEFAULTS) && given !== undefined && { default: given }),
    ...(has(GENERATED) && generated !== undefined && { generated }),
    ...(has(IDENTITY) && identity !== undefined && { identity }),
  };
}

/** @param partition they are parts of those of the other table. */
export function addIndexes(
  table: string,
  elements: Elements,
  source: TableDescriptor,
  partition?: { readonly isTaken: (name: string) => boolean },
): void {
  const nameOf = (id: number): string => source.columns.find((one) => one.id === id)?.name ?? "";
  const isHidden = source.primaryKey.some(
    ({ columnId }) => source.columns.find(({ id }) => id === columnId)?.hidden === true,
  );
  if (!isHidden && elements.primaryKey === undefined) {
    const parts = source.primaryKey.map(({ columnId, direction, nulls }) => ({
      column: nameOf(columnId),
      direction,
      nulls,
    }));
    elements.primaryKey = { name: madeName(table, [], "pkey", () => false), parts };
  }
  for (const index of source.indexes) {
    if (index.state !== "public") continue;
    const parts = index.parts.map((part): IndexSpec["parts"][number] => {
      if (!("columnId" in part)) return part;
      const { columnId, ...how } = part;
      return { column: nameOf(columnId), ...how };
    });
    const words = parts.map((part) => ("column" in part ? part.column : "expr"));
    const isConstraint = source.constraints.some(
      (one) => one.kind === "unique" && one.index === index.id,
    );
    const include = index.include.map(nameOf);
    const isTaken = (name: string): boolean =>
      elements.indexes.some((one) => one.name === name) || partition?.isTaken(name) === true;
    elements.indexes.push({
      name: madeName(table, [...words, ...include], isConstraint ? "key" : "idx", isTaken),
      parts,
      ...(index.method !== undefined && { method: index.method }),
      include,
      unique: index.unique,
      ...(index.unique && !isConstraint && { isBare: true }),
      nullsNotDistinct: index.nullsNotDistinct,
      ...(partition !== undefined && { partOf: index.id }),
      ...(index.predicate !== undefined && { predicate: index.predicate }),
    });
  }
}
