import { notSupported, SqlError } from "../../error.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import type { PlanEnv } from "../env.ts";
import type { Plan } from "../plan.ts";
import { type DdlPorts, type DdlRun, ddlPlan, tableOf } from "./ddl-run.ts";
import { findIndex, refuseBlock } from "./indexes.ts";

/**
 * REINDEX. It names what there is and is refused where PostgreSQL refuses it, and there is nothing
 * to be done: a row and its entries are written together.
 *
 * @throws SqlError 42601, 42P01, 42809, 3F000, 25001; 0A000.
 */
export function planReindex(
  env: PlanEnv,
  { kind, relation = {}, name = "", params = [] }: NodeOf<"ReindexStmt">,
  ports: DdlPorts,
): Plan {
  const options = params.map((node) => contentOf(node, "DefElem") ?? {});
  for (const { defname = "", location } of options) {
    if (defname === "tablespace") throw notSupported("REINDEX into a tablespace");
    if (defname === "verbose" || defname === "concurrently") continue;
    const message = `unrecognized REINDEX option "${defname}"`;
    throw new SqlError("42601", message).at(env.source.position(location));
  }
  const isConcurrent = options.some(({ defname }) => defname === "concurrently");
  const words = String(kind).replace("REINDEX_OBJECT_", "");
  const isOne = kind === "REINDEX_OBJECT_TABLE" || kind === "REINDEX_OBJECT_INDEX";
  return ddlPlan(env, "REINDEX", async (on) => {
    if (!isOne) refuseBlock(on.run, `REINDEX ${words}`);
    if (isConcurrent) refuseBlock(on.run, "REINDEX CONCURRENTLY");
    if (kind === "REINDEX_OBJECT_SCHEMA") await refuseSchema(on, name);
    else if (!isOne) throw notSupported(`REINDEX ${words}`, "Name a table, an index or a schema.");
    else await refuseRelation(on, ports, relation, kind === "REINDEX_OBJECT_INDEX");
  });
}

async function refuseSchema(on: DdlRun, name: string): Promise<void> {
  if (/^(pg_|information_schema$)/.test(name)) throw notSupported("REINDEX of a system schema");
  const path = name.split(".");
  if (!(await on.names.hasNamespace(path))) {
    throw new SqlError("3F000", `schema "${name}" does not exist`);
  }
  await on.names.assertHeldOn(path, "drop");
}

async function refuseRelation(
  on: DdlRun,
  ports: DdlPorts,
  relation: NodeOf<"RangeVar">,
  isIndex: boolean,
): Promise<void> {
  const { schemaname, relname = "" } = relation;
  const isOfSystem = /^(pg_(?!temp)|information_schema$)/.test(schemaname ?? relname);
  if (isOfSystem) throw notSupported("REINDEX of a system catalog");
  const index = await findIndex(on, ports, schemaname, relname);
  if (index !== undefined) {
    await on.names.assertHeld({ path: index.path, name: index.table.name }, ["alter"]);
    if (isIndex) {
      if (index.table.partitioned !== undefined) refuseBlock(on.run, "REINDEX INDEX");
      return;
    }
    throw new SqlError("42809", `"${relname}" is not a table or materialized view`);
  }
  const found = await tableOf(on, ports, relation, false, ["write-data"]);
  if (found !== undefined && isIndex) throw new SqlError("42809", `"${relname}" is not an index`);
  if (found?.table.partitioned !== undefined) refuseBlock(on.run, "REINDEX TABLE");
}
