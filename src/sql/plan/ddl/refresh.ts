import { SqlError } from "../../error.ts";
import type { NodeOf } from "../../parse/statement.ts";
import { type PlanEnv, withRelations } from "../env.ts";
import { execRun } from "../exec-parts.ts";
import type { Plan } from "../plan.ts";
import { bindView } from "../view-relation.ts";
import { fill } from "./create-table-as.ts";
import { type DdlPorts, ddlPlan } from "./ddl-run.ts";
import { materializedNamed } from "./materialized-views.ts";

const TAG = "REFRESH MATERIALIZED VIEW";

/**
 * REFRESH MATERIALIZED VIEW. Readers go on with the rows of before until it commits, so that
 * CONCURRENTLY does the same, where PostgreSQL allows it.
 */
export function planRefresh(
  env: PlanEnv,
  { relation = {}, concurrent = false, skipData = false }: NodeOf<"RefreshMatViewStmt">,
  ports: DdlPorts,
): Plan {
  if (concurrent && skipData) {
    const message = "REFRESH options CONCURRENTLY and WITH NO DATA cannot be used together";
    throw new SqlError("42601", message);
  }
  return ddlPlan(env, TAG, async (on) => {
    const view = await materializedNamed(on, ports, relation, "0A000");
    const id = view?.materialized?.table;
    const table = id && (await on.rows.tables.find(id));
    if (view === undefined || id === undefined || table === undefined) {
      const { schemaname, relname = "" } = relation;
      const shown = schemaname === undefined ? relname : `${schemaname}.${relname}`;
      throw new SqlError("42P01", `relation "${shown}" does not exist`);
    }
    if (concurrent) {
      if (view.materialized?.isPopulated !== true) {
        const message = "CONCURRENTLY cannot be used when the materialized view is not populated";
        throw new SqlError("0A000", message);
      }
      if (!table.indexes.some(({ unique, predicate }) => unique && predicate === undefined)) {
        const shown = `${view.namespace.join(".")}.${view.name}`;
        const message = `cannot refresh materialized view "${shown}" concurrently`;
        throw new SqlError("55000", message, {
          hint:
            "Create a unique index with no WHERE clause on one or more columns of the " +
            "materialized view.",
        });
      }
    }
    const query = await ports.parse(view.query);
    const node = await withRelations(env, () => bindView(env, { view, oid: 0, query }).plan());
    const exec = execRun(env, on.run, []);
    await on.rows.truncate(id, [id]);
    if (!skipData) await fill(on, { path: view.namespace, name: view.name }, node, exec);
    const materialized = { table: id, isPopulated: !skipData };
    await on.rows.objects.replace(view, { ...view, materialized });
  });
}
