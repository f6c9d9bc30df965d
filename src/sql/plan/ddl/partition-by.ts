import type { ColumnSpec, ColumnType, IndexSpec, TableDescriptor } from "../../../rows/index.ts";
import { bindExpr } from "../../bind/bind-expression.ts";
import { settled } from "../../bind/coerce.ts";
import { type Expr, isRowFree, someExpr } from "../../bind/expr.ts";
import { textsOf } from "../../bind/names.ts";
import { formatType } from "../../catalog/system/format-type.ts";
import { systemShapes } from "../../catalog/system/shapes.ts";
import type { NewTable } from "../../catalog/view.ts";
import { notSupported, SqlError } from "../../error.ts";
import { hashOf } from "../../functions/partition-hash.ts";
import { expressionText } from "../../parse/deparse.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import { type PlanEnv, scopeOf } from "../env.ts";
import { specTable } from "../table-columns.ts";
import type { Elements } from "./elements.ts";

type Partitioned = NonNullable<NewTable["partitioned"]>;

const STRATEGIES: Readonly<Record<string, Partitioned["strategy"]>> = {
  PARTITION_STRATEGY_RANGE: "range",
  PARTITION_STRATEGY_LIST: "list",
  PARTITION_STRATEGY_HASH: "hash",
};

/** PARTITION BY. @throws SqlError 42703, 42P17, 42704, 0A000. */
export async function partitionedBy(
  env: PlanEnv,
  table: string,
  { columns }: Pick<Elements, "columns">,
  { strategy: word, partParams = [] }: NodeOf<"PartitionSpec">,
): Promise<Partitioned> {
  const strategy = STRATEGIES[String(word)] ?? "range";
  if (strategy === "list" && partParams.length > 1) {
    const message = 'cannot use "list" partition strategy with more than one column';
    throw new SqlError("42P17", message);
  }
  const parts: Partitioned["parts"][number][] = [];
  for (const node of partParams) {
    const element = contentOf(node, "PartitionElem") ?? {};
    parts.push(await keyPart(env, table, columns, strategy, element));
  }
  return { strategy, parts };
}

async function keyPart(
  env: PlanEnv,
  table: string,
  columns: readonly ColumnSpec[],
  strategy: Partitioned["strategy"],
  element: NodeOf<"PartitionElem">,
): Promise<Partitioned["parts"][number]> {
  const { name, expr: tree, location, collation = [], opclass = [] } = element;
  const at = env.source.position(location);
  const collated = textsOf(collation).at(-1);
  if (collated !== undefined && !["C", "POSIX", "default"].includes(collated)) {
    throw notSupported(`the collation "${collated}"`, 'Text is ordered as COLLATE "C" says.');
  }
  const classNamed = textsOf(opclass).at(-1);
  if (classNamed !== undefined) refuseClass(strategy, classNamed);
  if (name !== undefined) {
    const column = columns.find((one) => one.name === name);
    if (column === undefined) {
      const message = `column "${name}" named in partition key does not exist`;
      throw new SqlError("42703", message).at(at);
    }
    if (column.generated !== undefined) throw generatedKey(name).at(at);
    refuseType(env, strategy, column.type);
    return { column: name };
  }
  const scope = scopeOf(
    env,
    [specTable(env.functions.types, table, columns)],
    "partition key expressions",
  );
  const bound = settled(scope, bindExpr(scope, tree as never));
  const computed = columns.find(
    (one) => one.generated !== undefined && someExpr(bound, (part) => isColumn(part, one.name)),
  );
  if (computed !== undefined) throw generatedKey(computed.name).at(at);
  if (someExpr(bound, isMutable)) {
    const message = "functions in partition key expression must be marked IMMUTABLE";
    throw new SqlError("42P17", message);
  }
  if (isRowFree(bound)) {
    throw new SqlError("42P17", "cannot use constant expression as partition key");
  }
  const { types } = env.functions;
  const type = types.toColumnType(bound.oid, bound.typmod);
  refuseType(env, strategy, type);
  return { expression: await expressionText(tree as never), type };
}

const METHODS = { range: "403", list: "403", hash: "405" } as const;

/** @throws SqlError 0A000 for an operator class that PostgreSQL does not begin with. */
function refuseClass(strategy: Partitioned["strategy"], name: string): void {
  const rows = systemShapes().fixed["pg_opclass"] ?? [];
  if (rows.some((row) => row[1] === METHODS[strategy] && row[2] === name)) return;
  throw notSupported(`the operator class "${name}"`, "Leave it out: each type has one.");
}

function isColumn(part: Expr, name: string): boolean {
  return part.kind === "column" && part.name === name;
}

function isMutable(part: Expr): boolean {
  if (part.kind === "call") return part.isVolatile || part.isStable === true;
  return part.kind === "cast" && part.cast.isStable;
}

function generatedKey(name: string): SqlError {
  const detail = `Column "${name}" is a generated column.`;
  return new SqlError("42P17", "cannot use generated column in partition key", { detail });
}

/** @throws SqlError 42704 for a type without an order; 0A000 for one without a hash. */
function refuseType(env: PlanEnv, strategy: Partitioned["strategy"], type: ColumnType): void {
  const { types } = env.functions;
  const { oid } = types.fromColumnType(type);
  if (strategy === "hash") {
    hashOf(types.baseOf(oid));
    return;
  }
  if (types.get(types.baseOf(oid)).codec.compare !== undefined) return;
  const shown = formatType(types, oid, null);
  const message = `data type ${shown} has no default operator class for access method "btree"`;
  throw new SqlError("42704", message, {
    hint:
      "You must specify a btree operator class or define a default btree operator class " +
      "for the data type.",
  });
}

/**
 * A key of a partitioned table is one of each partition: rows of two of them cannot have the same.
 *
 * @throws SqlError 0A000.
 */
export function refuseNarrowKey(
  table: string,
  partitioned: Partitioned,
  columns: readonly string[],
  isPrimary: boolean,
): void {
  const kind = isPrimary ? "PRIMARY KEY" : "UNIQUE";
  for (const part of partitioned.parts) {
    if (!("column" in part)) {
      const message = `unsupported ${kind} constraint with partition key definition`;
      const detail = `${kind} constraints cannot be used when partition keys include expressions.`;
      throw new SqlError("0A000", message, { detail });
    }
    if (columns.includes(part.column)) continue;
    const message = "unique constraint on partitioned table must include all partitioning columns";
    const detail =
      `${kind} constraint on table "${table}" lacks column "${part.column}" ` +
      "which is part of the partition key.";
    throw new SqlError("0A000", message, { detail });
  }
}

/** As `refuseNarrowKey`, for all keys of a table that is being made. */
export function refuseNarrowKeys(
  table: string,
  elements: Elements,
  partitioned: Partitioned,
): void {
  const { primaryKey, indexes } = elements;
  if (primaryKey !== undefined) {
    const columns = primaryKey.parts.map(({ column }) => column);
    refuseNarrowKey(table, partitioned, columns, true);
  }
  for (const { unique, parts } of indexes) {
    if (unique !== true) continue;
    const columns = parts.flatMap((part) => ("column" in part ? [part.column] : []));
    refuseNarrowKey(table, partitioned, columns, false);
  }
}

/** As `refuseNarrowKey`, for a table that is there. */
export function refuseNarrow(
  { name, partitioned, columns }: TableDescriptor,
  names: readonly string[],
  isPrimary: boolean,
): void {
  if (partitioned === undefined) return;
  const { strategy, parts } = partitioned;
  const named = parts.map((part) => {
    if ("expression" in part) return part;
    return { column: columns.find(({ id }) => id === part.columnId)?.name ?? "" };
  });
  refuseNarrowKey(name, { strategy, parts: named }, names, isPrimary);
}

export function refuseNarrowIndex(table: TableDescriptor, { parts }: IndexSpec): void {
  const names = parts.flatMap((part) => ("column" in part ? [part.column] : []));
  refuseNarrow(table, names, false);
}
