import type { Node } from "libpg-query";
import type { ColumnSpec, Datum } from "../../../rows/index.ts";
import { textsOf } from "../../bind/names.ts";
import { notSupported, SqlError } from "../../error.ts";
import { type ExecRun, eachRow, type Row } from "../../exec/run.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import { OID } from "../../types/oids.ts";
import { type PlanEnv, withRelations } from "../env.ts";
import { execRun } from "../exec-parts.ts";
import { openNode, type PlanNode, UNOBSERVED } from "../node.ts";
import type { Plan, RunContext } from "../plan.ts";
import type { Query } from "../query.ts";
import { planSelect } from "../select.ts";
import { changesRows, planSelectWithin } from "../with.ts";
import { changeNode } from "../with-parts.ts";
import { createMaterialized } from "./create-materialized.ts";
import { onCommitOf, placeIn } from "./create-table.ts";
import { type DdlPorts, type DdlRun, refuseTaken, skip } from "./ddl-run.ts";

type Into = NodeOf<"IntoClause">;

/** What a statement makes a table of: `CREATE TABLE … AS` and `SELECT … INTO`. */
export interface TableQuery {
  readonly select: Node;
  readonly into: Into;
  readonly isOptional: boolean;
  readonly isMaterialized?: boolean;
}

/** Undefined for a statement that makes no table. @throws SqlError 0A000. */
export function tableQueryOf(node: Node): TableQuery | undefined {
  const create = contentOf(node, "CreateTableAsStmt");
  if (create !== undefined) {
    const isMaterialized = create.objtype === "OBJECT_MATVIEW";
    const { query, into = {}, if_not_exists: isOptional = false } = create;
    if (contentOf(query, "SelectStmt") === undefined) {
      throw notSupported("CREATE TABLE AS EXECUTE", "Write the query.");
    }
    return { select: query as Node, into, isOptional, isMaterialized };
  }
  const select = contentOf(node, "SelectStmt");
  const first = select === undefined ? undefined : firstOf(select);
  if (select === undefined || first?.intoClause === undefined) return undefined;
  return {
    select: { SelectStmt: withoutInto(select) },
    into: first.intoClause,
    isOptional: false,
  };
}

type Select = NodeOf<"SelectStmt">;

/** Of a set operation INTO stands in its first query. */
function firstOf(select: Select): Select {
  return select.larg === undefined ? select : firstOf(select.larg);
}

function withoutInto({ intoClause: _, ...select }: Select): Select {
  const { larg } = select;
  return larg === undefined ? select : { ...select, larg: withoutInto(larg) };
}

/** Plans a table that is made of a query. @throws SqlError. */
export async function planTableAs(
  env: PlanEnv,
  { select, into, isOptional, isMaterialized = false }: TableQuery,
  ports: DdlPorts,
): Promise<Plan> {
  const { rel = {} } = into;
  const hasParts = changesRows(contentOf(select, "SelectStmt")?.withClause);
  if (isMaterialized && hasParts) {
    const message = "materialized views must not use data-modifying statements in WITH";
    throw new SqlError("0A000", message);
  }
  const placed = placeIn({ options: into.options ?? [], relation: rel });
  const query = await withRelations(env, () => planQuery(env, select, hasParts));
  const columns = columnsOf(env, query, textsOf(into.colNames));
  const name = rel.relname ?? "";
  const none = isMaterialized ? "CREATE MATERIALIZED VIEW" : "CREATE TABLE AS";
  const start = async (run: RunContext, parameters: readonly Datum[]): Promise<string> => {
    run.transaction.strengthen();
    const exec = execRun(env, run, parameters, hasParts);
    const rows = await exec.transaction();
    const on: DdlRun = { run, rows, names: run.transaction.names };
    const path = await ports.namespaceFor(rel.schemaname, rel.relpersistence === "t");
    const ends = onCommitOf(on, path, into.onCommit);
    if (isOptional && (await refuseTaken(on, path, name, true))) {
      skip(on, "42P07", `relation "${name}" already exists`);
      return none;
    }
    await refuseTaken(on, path, name, false);
    const at = { path, name };
    const given = { ...at, select, into, columns };
    if (isMaterialized) await createMaterialized(env, on, ports, { ...given, ...placed });
    else await on.names.createTable(rows, at, { name, columns, ...ends, ...placed }, []);
    if (into.skipData === true) return none;
    return `SELECT ${await fill(on, at, query.node, exec)}`;
  };
  return {
    tag: "SELECT",
    parameterTypes: env.parameters.types.map((oid) => (oid === 0 ? OID.text : oid)),
    isRetried: true,
    tables: env.used,
    objects: env.usedObjects,
    start: async (run, parameters) => {
      const tag = await start(run, parameters);
      return { kind: "done", finish: () => tag };
    },
  };
}

async function planQuery(env: PlanEnv, select: Node, hasParts: boolean): Promise<Query> {
  if (!hasParts) {
    const { columns, plan } = env.bindQuery(env, select);
    return { columns, node: plan() };
  }
  const change = await planSelectWithin(env, contentOf(select, "SelectStmt") ?? {}, planSelect);
  return { columns: change.returning ?? [], node: changeNode(change) };
}

function columnsOf(env: PlanEnv, query: Query, names: readonly string[]): readonly ColumnSpec[] {
  if (names.length > query.columns.length) {
    throw new SqlError("42601", "too many column names were specified");
  }
  const { types } = env.functions;
  return query.columns.map(({ name, oid, typmod }, i) => {
    const type = types.toColumnType(oid === OID.unknown ? OID.text : oid, typmod);
    return { name: names[i] ?? name, type };
  });
}

const BATCH = 500;

/** Puts the rows of a query into a table. */
export async function fill(
  { rows, names }: Pick<DdlRun, "rows" | "names">,
  at: { readonly path: readonly string[]; readonly name: string },
  node: PlanNode,
  exec: ExecRun,
): Promise<number> {
  const table = await names.find(rows, at);
  if (table === undefined) throw new SqlError("XX000", "the new table is missing");
  let batch: Row[] = [];
  let count = 0;
  const put = async (): Promise<void> => {
    await rows.insert(table, batch);
    count += batch.length;
    batch = [];
    await exec.pause();
  };
  for await (const row of eachRow(await openNode(node, exec, UNOBSERVED), exec)) {
    batch.push(row);
    if (batch.length === BATCH) await put();
  }
  if (batch.length > 0) await put();
  return count;
}
