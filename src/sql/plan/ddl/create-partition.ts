import type { Node } from "libpg-query";
import {
  type ForeignKeyDescriptor,
  isTemporaryId,
  type TableDescriptor,
  visibleColumns,
} from "../../../rows/index.ts";
import type { NewForeignKey } from "../../catalog/catalog-changes.ts";
import type { NewTable } from "../../catalog/view.ts";
import { notSupported, SqlError } from "../../error.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import type { PlanEnv } from "../env.ts";
import { boundOf } from "../partitions/new-bound.ts";
import { type DdlPorts, type DdlRun, tableOf } from "./ddl-run.ts";
import { type Elements, type Given, noElements } from "./elements.ts";
import { foreignKeySpec } from "./foreign-keys.ts";
import { relationNames } from "./index-names.ts";
import { addIndexes, columnLike, IDENTITY } from "./like.ts";
import { partitionedBy, refuseNarrowKeys } from "./partition-by.ts";
import { PartitionTreeChange } from "./partition-tree.ts";
import { addConstraint, defaultOf } from "./table-elements.ts";

/** A partition to be made: its name and place. */
export interface PartitionPlace {
  readonly path: readonly string[];
  readonly name: string;
  /** What stands behind the columns: ON COMMIT, a shard. */
  readonly more: Partial<NewTable>;
}

/** CREATE TABLE … PARTITION OF. @throws SqlError 42P17, 42P16, 42809 and others. */
export async function createPartition(
  env: PlanEnv,
  on: DdlRun,
  ports: DdlPorts,
  create: NodeOf<"CreateStmt">,
  { path, name, more }: PartitionPlace,
): Promise<void> {
  const { inhRelations = [], partbound = {}, tableElts = [], partspec } = create;
  const range = contentOf(inhRelations[0], "RangeVar") ?? {};
  const parent = (await tableOf(on, ports, range, false))?.table as TableDescriptor;
  refuseParent(on, parent, path);
  const tree = new PartitionTreeChange(env, on);
  const bound = boundOf(env, parent, partbound);
  await tree.refuseOverlap(parent, name, bound);
  const taken = await relationNames(on, path);
  const elements = partitionElements(name, parent, (one) => taken.has(one));
  const given = await addOwn(env, elements, tableElts);
  const keys = await foreignKeysOf(on, parent);
  for (const one of given) await addConstraint(env, name, elements, one);
  for (const one of elements.foreignKeys) {
    const isTaken = (key: string): boolean => keys.some((other) => other.name === key);
    keys.push(await foreignKeySpec(on, ports, name, one, isTaken));
  }
  const partitioned = partspec && (await partitionedBy(env, name, elements, partspec));
  if (partitioned !== undefined) refuseNarrowKeys(name, elements, partitioned);
  const members = parent.partitioned?.members ?? [];
  const partitionOf = await tree.partOf(parent, bound, members);
  const { columns, indexes, checks, primaryKey } = elements;
  const spec: NewTable = {
    name,
    columns,
    indexes,
    checks,
    ...(primaryKey && { primaryKey }),
    ...(partitioned && { partitioned }),
    ...more,
    partitionOf,
  };
  await on.names.createTable(on.rows, { path, name }, spec, keys);
  const made = (await on.names.find(on.rows, { path, name })) as TableDescriptor;
  // A parent that has a foreign key to itself has changed by now.
  await tree.join(await on.rows.tables.get(parent.id), made, bound);
}

/** @throws SqlError 42P17, 42809. */
function refuseParent(on: DdlRun, parent: TableDescriptor, path: readonly string[]): void {
  if (parent.partitioned === undefined) {
    throw new SqlError("42P17", `"${parent.name}" is not partitioned`);
  }
  const isTemporary = path.length === 1 && path[0] === on.names.temporarySchema;
  if (isTemporary === isTemporaryId(parent.id)) return;
  const [own, other] = isTemporary ? ["temporary", "permanent"] : ["permanent", "temporary"];
  const message = `cannot create a ${own} relation as partition of ${other} relation`;
  throw new SqlError("42809", `${message} "${parent.name}"`);
}

/** What a partition has of its parent: all but what numbers the rows of the parent. */
function partitionElements(
  name: string,
  parent: TableDescriptor,
  isTaken: (name: string) => boolean,
): Elements {
  const elements = noElements();
  const keys = new Set(parent.primaryKey.map(({ columnId }) => columnId));
  for (const column of visibleColumns(parent)) {
    elements.columns.push(columnLike(column, keys.has(column.id), (bit) => bit !== IDENTITY));
  }
  for (const one of parent.constraints) {
    if (one.kind !== "check") continue;
    elements.checks.push({ name: one.name, expression: one.expression });
  }
  addIndexes(name, elements, parent, { isTaken });
  return elements;
}

/** What the statement adds: defaults, NOT NULL, and constraints, which are returned. */
async function addOwn(
  env: PlanEnv,
  elements: Elements,
  nodes: readonly Node[],
): Promise<readonly Given[]> {
  const given: Given[] = [];
  const seen = new Set<string>();
  for (const node of nodes) {
    const constraint = contentOf(node, "Constraint");
    if (constraint !== undefined) {
      given.push({ constraint, column: undefined });
      continue;
    }
    const { colname = "", constraints = [] } = contentOf(node, "ColumnDef") ?? {};
    if (seen.has(colname)) {
      throw new SqlError("42701", `column "${colname}" specified more than once`);
    }
    seen.add(colname);
    const at = elements.columns.findIndex((one) => one.name === colname);
    const column = elements.columns[at];
    if (column === undefined) {
      throw new SqlError("42703", `column "${colname}" does not exist`);
    }
    let own = column;
    for (const each of constraints) {
      const one = contentOf(each, "Constraint") ?? {};
      if (one.contype === "CONSTR_NOTNULL") own = { ...own, nullable: false };
      else if (one.contype === "CONSTR_DEFAULT") {
        own = { ...own, default: await defaultOf(env, column, one.raw_expr as Node) };
      } else if (one.contype === "CONSTR_GENERATED" || one.contype === "CONSTR_IDENTITY") {
        throw notSupported("another generation of a column of a partition");
      } else if (one.contype !== "CONSTR_NULL") given.push({ constraint: one, column: colname });
    }
    elements.columns[at] = own;
  }
  return given.filter(({ constraint }) => !isInherited(elements, constraint));
}

/** A check of the parent's by its name. */
function isInherited({ checks }: Elements, { contype, conname }: NodeOf<"Constraint">): boolean {
  return contype === "CONSTR_CHECK" && checks.some(({ name }) => name === conname);
}

/** The foreign keys of a table, for another one with its columns. */
export async function foreignKeysOf(
  { rows }: DdlRun,
  parent: TableDescriptor,
): Promise<NewForeignKey[]> {
  const keys: NewForeignKey[] = [];
  for (const one of parent.constraints) {
    if (one.kind !== "foreign key") continue;
    const target = await rows.tables.get(one.references.table);
    keys.push(keyLike(parent, one, target));
  }
  return keys;
}

function keyLike(
  parent: TableDescriptor,
  { kind: _, references, columns, onDeleteColumns: set, ...key }: ForeignKeyDescriptor,
  target: TableDescriptor,
): NewForeignKey {
  const names = (of: TableDescriptor, ids: readonly number[]): readonly string[] =>
    ids.map((id) => of.columns.find((column) => column.id === id)?.name ?? "");
  return {
    ...key,
    columns: names(parent, columns),
    references: { table: target.id, columns: names(target, references.columns) },
    ...(set !== undefined && { onDeleteColumns: names(parent, set) }),
  };
}
