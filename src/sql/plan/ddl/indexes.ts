import type { Node } from "libpg-query";
import {
  type IndexDescriptor,
  type IndexMethod,
  type IndexSpec,
  isSpatialType,
  isTemporaryId,
  type OperatorClass,
} from "../../../rows/index.ts";
import { bindExpr } from "../../bind/bind-expression.ts";
import { coerceToBool, settled } from "../../bind/coerce.ts";
import { textsOf } from "../../bind/names.ts";
import { formatType } from "../../catalog/system/format-type.ts";
import { notSupported, SqlError } from "../../error.ts";
import { expressionText } from "../../parse/deparse.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import { OID } from "../../types/oids.ts";
import { type PlanEnv, scopeOf } from "../env.ts";
import type { Plan, RunContext } from "../plan.ts";
import { columnName } from "../query.ts";
import { scopeTable } from "../table-columns.ts";
import type { TableUse } from "../table-use.ts";
import {
  type DdlPorts,
  type DdlRun,
  ddlPlan,
  type FoundTable,
  madeName,
  skip,
  tableOf,
} from "./ddl-run.ts";
import { relationNames } from "./index-names.ts";
import { attachIndex, createIndexTree, dropIndexTree, refusePart } from "./index-tree.ts";
import { refuseNarrowIndex } from "./partition-by.ts";

/** CREATE INDEX. */
export function planCreateIndex(env: PlanEnv, create: NodeOf<"IndexStmt">, ports: DdlPorts): Plan {
  const { relation = {}, idxname, if_not_exists: isOptional = false, concurrent } = create;
  const method = methodOf(create);
  if ((create.options ?? []).length > 0) throw notSupported("WITH options of an index");
  return ddlPlan(env, "CREATE INDEX", async (on) => {
    if (concurrent === true) refuseBlock(on.run, "CREATE INDEX CONCURRENTLY");
    const found = (await tableOf(on, ports, relation, false)) as FoundTable;
    const taken = await relationNames(on, found.path);
    if (idxname !== undefined && taken.has(idxname)) {
      const message = `relation "${idxname}" already exists`;
      if (!isOptional) throw new SqlError("42P07", message);
      skip(on, "42P07", message);
      return;
    }
    const spec = await indexSpec(env, found, { create, method }, (name) => taken.has(name));
    const { partitioned } = found.table;
    if (partitioned !== undefined) {
      if (concurrent === true) {
        const { name } = found.table;
        const message = `cannot create index on partitioned table "${name}" concurrently`;
        throw new SqlError("0A000", message);
      }
      if (spec.unique === true) refuseNarrowIndex(found.table, spec);
      await createIndexTree(on, found.table, spec, relation.inh !== true);
      return;
    }
    const isTemporary = isTemporaryId(found.table.id);
    const isOnline =
      !isTemporary &&
      isAlone(on.run) &&
      (concurrent === true || (await isLarge(on, found, method)));
    if (!isOnline) {
      await on.rows.createIndex(found.table.id, spec);
      return;
    }
    // The build is many transactions, which this one must not stand in the way of.
    const { transaction, signal } = on.run;
    await transaction.commit();
    await on.names.buildIndex(found.table.id, spec, signal);
  });
}

/** Rows whose entries fit one transaction, whatever the index has in them. */
const LARGE_ROWS = 20_000;
/** The same where a row has an entry for each of its terms, of which large rows have many. */
const LARGE_ROWS_OF_TERMS = 2_000;
const LARGE_BYTES_OF_TERMS = 2_097_152;

async function isLarge(
  { rows }: DdlRun,
  { table }: FoundTable,
  method: IndexMethod | undefined,
): Promise<boolean> {
  const estimate = await rows.estimate(table, 0);
  if (method !== "gin") return estimate.rows > LARGE_ROWS;
  return estimate.rows > LARGE_ROWS_OF_TERMS || estimate.bytes > LARGE_BYTES_OF_TERMS;
}

function isAlone({ transaction }: RunContext): boolean {
  return !transaction.isExplicit && transaction.statements <= 1;
}

/** @throws SqlError 25001 for what PostgreSQL runs by itself alone. */
export function refuseBlock(run: RunContext, what: string): void {
  if (isAlone(run) && !run.isOfMany) return;
  throw new SqlError("25001", `${what} cannot run inside a transaction block`);
}

async function indexSpec(
  env: PlanEnv,
  { table }: FoundTable,
  {
    create,
    method,
  }: { readonly create: NodeOf<"IndexStmt">; readonly method: IndexMethod | undefined },
  isTaken: (name: string) => boolean,
): Promise<IndexSpec> {
  const { indexParams = [], indexIncludingParams = [], whereClause } = create;
  const use: TableUse = { descriptor: table, oid: 0 };
  const scope = scopeOf(env, [scopeTable(env.functions.types, use)], "index expressions");
  const parts: IndexSpec["parts"][number][] = [];
  const words: string[] = [];
  for (const node of indexParams) {
    const element = contentOf(node, "IndexElem") ?? {};
    const tree = element.expr ?? columnRef(element.name ?? "");
    const expr = settled(scope, bindExpr(scope, tree));
    const order = method === undefined ? orderOf(element) : classOf(env, method, element, expr.oid);
    if (element.name !== undefined) {
      words.push(element.name);
      parts.push({ column: element.name, ...order });
      continue;
    }
    const type = env.functions.types.toColumnType(expr.oid, expr.typmod);
    words.push(columnName(tree) === "?column?" ? "expr" : columnName(tree));
    parts.push({ expression: await expressionText(tree), type, ...order });
  }
  const include = indexIncludingParams.map((node) => {
    const { name } = contentOf(node, "IndexElem") ?? {};
    if (name !== undefined) return name;
    throw notSupported("an expression in INCLUDE");
  });
  if (whereClause !== undefined) {
    const own = { ...scope, clause: "index predicates" };
    coerceToBool(own, bindExpr(own, whereClause), "WHERE");
  }
  return {
    name: create.idxname ?? madeName(table.name, [...words, ...include], "idx", isTaken),
    parts,
    ...(method !== undefined && { method }),
    include,
    unique: create.unique === true,
    ...(create.unique === true && { isBare: true }),
    nullsNotDistinct: create.nulls_not_distinct === true,
    ...(whereClause !== undefined && { predicate: await expressionText(whereClause) }),
  };
}

function orderOf(
  element: NodeOf<"IndexElem">,
): Pick<IndexDescriptor["parts"][0], "direction" | "nulls"> {
  const { ordering, nulls_ordering: nulls, collation = [], opclass = [] } = element;
  const collated = textsOf(collation).at(-1);
  if (collated !== undefined && !["C", "POSIX", "default"].includes(collated)) {
    throw notSupported(`the collation "${collated}"`, 'Text is ordered as COLLATE "C" says.');
  }
  const operators = textsOf(opclass).at(-1);
  // Keys are in byte order, so that a pattern's prefix is a range in every index.
  if (operators !== undefined && !/^(text|varchar|bpchar)_pattern_ops$/.test(operators)) {
    if (!operators.endsWith("_ops")) {
      const message = `operator class "${operators}" does not exist for access method "btree"`;
      throw new SqlError("42704", message);
    }
  }
  const direction = ordering === "SORTBY_DESC" ? "desc" : "asc";
  const fallback = direction === "asc" ? "last" : "first";
  const said =
    nulls === "SORTBY_NULLS_FIRST" ? "first" : nulls === "SORTBY_NULLS_LAST" ? "last" : fallback;
  return { direction, nulls: said };
}

function columnRef(name: string): Node {
  return { ColumnRef: { fields: [{ String: { sval: name } }] } };
}

/** What PostgreSQL has, and Firn has not. */
const OTHER_METHODS: ReadonlySet<string> = new Set(["hash", "gist", "spgist", "brin"]);

/** @throws SqlError 42704 for an access method that does not exist; 0A000. */
function methodOf(create: NodeOf<"IndexStmt">): IndexMethod | undefined {
  const method = create.accessMethod ?? "btree";
  if (method === "btree") return undefined;
  if (OTHER_METHODS.has(method)) {
    throw notSupported(`the access method "${method}"`, "Use btree, which keeps keys in order.");
  }
  if (method !== "gin" && method !== "hilbert")
    throw new SqlError("42704", `access method "${method}" does not exist`);
  const without = (what: string): SqlError =>
    new SqlError("0A000", `access method "${method}" does not support ${what}`);
  if (create.unique === true) throw without("unique indexes");
  if ((create.indexIncludingParams ?? []).length > 0) throw without("included columns");
  for (const node of create.indexParams ?? []) {
    const { ordering, nulls_ordering: nulls } = contentOf(node, "IndexElem") ?? {};
    if (ordering !== undefined && ordering !== "SORTBY_DEFAULT") throw without("ASC/DESC options");
    if (nulls !== undefined && nulls !== "SORTBY_NULLS_DEFAULT") {
      throw without("NULLS FIRST/LAST options");
    }
  }
  const columns = create.indexParams?.length ?? 0;
  if (method === "hilbert" && (columns < 2 || columns > 3)) {
    throw new SqlError("42P17", 'access method "hilbert" has two or three columns');
  }
  return method;
}

const GIN_CLASSES: ReadonlySet<string> = new Set([
  "array_ops",
  "jsonb_ops",
  "jsonb_path_ops",
  "tsvector_ops",
]);

/** @throws SqlError 42704, 42804: no operator class for the type, or another type's. */
function classOf(
  { functions: { types } }: PlanEnv,
  method: IndexMethod,
  { opclass = [] }: NodeOf<"IndexElem">,
  oid: number,
): { readonly operatorClass?: OperatorClass } {
  const named = textsOf(opclass).at(-1);
  const base = types.baseOf(oid);
  if (method === "hilbert") {
    const isPoint = isSpatialType(types.toColumnType(base, -1));
    if (named === undefined && isPoint) return {};
  }
  const usual = base === OID.jsonb ? "jsonb_ops" : types.isArray(base) ? "array_ops" : undefined;
  if (named === undefined) {
    if (usual !== undefined && method === "gin") return {};
    const type = formatType(types, oid, null);
    const what = `data type ${type} has no default operator class for access method "${method}"`;
    throw new SqlError("42704", what, {
      hint:
        "You must specify an operator class for the index or define a default operator class " +
        "for the data type.",
    });
  }
  if (method === "hilbert" || !GIN_CLASSES.has(named)) {
    const what = `operator class "${named}" does not exist for access method "${method}"`;
    throw new SqlError("42704", what);
  }
  if (named === usual) return {};
  if (named === "jsonb_path_ops" && usual === "jsonb_ops") return { operatorClass: named };
  const type = formatType(types, oid, null);
  throw new SqlError("42804", `operator class "${named}" does not accept data type ${type}`);
}

/** DROP INDEX. */
export function planDropIndex(env: PlanEnv, drop: NodeOf<"DropStmt">, ports: DdlPorts): Plan {
  const { objects = [], missing_ok: isOptional = false, concurrent, behavior } = drop;
  const names = objects.map((object) => textsOf(contentOf(object, "List")?.items));
  if (concurrent === true && names.length > 1) {
    const message = "DROP INDEX CONCURRENTLY does not support dropping multiple objects";
    throw new SqlError("0A000", message);
  }
  return ddlPlan(env, "DROP INDEX", async (on) => {
    if (concurrent === true) refuseBlock(on.run, "DROP INDEX CONCURRENTLY");
    for (const path of names) {
      const name = path.at(-1) ?? "";
      const found = await findIndex(on, ports, path.at(-2), name);
      if (found === undefined) {
        const message = `index "${name}" does not exist`;
        if (!isOptional) throw new SqlError("42704", message);
        skip(on, "00000", message);
        continue;
      }
      await on.names.assertHeld({ path: found.path, name: found.table.name }, ["alter"]);
      refuseConstraint(found, name);
      const index = found.table.indexes.find((one) => one.name === name);
      if (index === undefined) continue;
      await refusePart(on, found.table, index);
      await dropIndexTree(on, found.table, index, behavior === "DROP_CASCADE");
    }
  });
}

/** The table that has an index of a name. */
export async function findIndex(
  on: DdlRun,
  ports: DdlPorts,
  schema: string | undefined,
  name: string,
): Promise<FoundTable | undefined> {
  const paths = schema === undefined ? ports.searchPath() : [schema.split(".")];
  for (const path of paths) {
    const tables = await on.names.tablesIn(on.rows, path);
    const table = tables.find(({ indexes, constraints }) =>
      [...indexes, ...constraints.filter(({ kind }) => kind === "primary key")].some(
        (one) => one.name === name,
      ),
    );
    if (table !== undefined) return { table, path };
  }
  return undefined;
}

/** @throws SqlError 2BP01 for the index of a constraint. */
function refuseConstraint({ table }: FoundTable, name: string): void {
  const constraint = table.constraints.find((one) => one.name === name);
  if (constraint?.kind !== "primary key" && constraint?.kind !== "unique") return;
  const what = `constraint ${name} on table ${table.name}`;
  throw new SqlError("2BP01", `cannot drop index ${name} because ${what} requires it`, {
    hint: `You can drop ${what} instead.`,
  });
}

/** ALTER INDEX … ATTACH PARTITION. @throws SqlError 42704, 42P17. */
export function planAttachIndex(
  env: PlanEnv,
  { relation = {}, cmds = [] }: NodeOf<"AlterTableStmt">,
  ports: DdlPorts,
): Plan {
  return ddlPlan(env, "ALTER INDEX", async (on) => {
    for (const node of cmds) {
      const command = contentOf(node, "AlterTableCmd") ?? {};
      if (command.subtype !== "AT_AttachPartition") throw notSupported("ALTER INDEX");
      const { name = {} } = contentOf(command.def, "PartitionCmd") ?? {};
      const [parent, part] = [
        await indexNamed(on, ports, relation),
        await indexNamed(on, ports, name),
      ];
      await attachIndex(on, parent, part);
    }
  });
}

async function indexNamed(
  on: DdlRun,
  ports: DdlPorts,
  { schemaname, relname = "" }: NodeOf<"RangeVar">,
): Promise<FoundTable & { readonly name: string }> {
  const found = await findIndex(on, ports, schemaname, relname);
  if (found === undefined) throw new SqlError("42P01", `relation "${relname}" does not exist`);
  await on.names.assertHeld({ path: found.path, name: found.table.name }, ["alter"]);
  return { ...found, name: relname };
}
