import { notSupported } from "../../error.ts";
import type { NodeOf } from "../../parse/statement.ts";
import type { PlanEnv } from "../env.ts";
import type { Plan } from "../plan.ts";
import { objectNamed } from "./comments.ts";
import { assertMay, type DdlPorts, type DdlRun, ddlPlan, objectWords, tableOf } from "./ddl-run.ts";

/*
 * Who owns what is not kept: privileges say who may do what. OWNER TO changes nothing, of an object
 * that is there and may be altered, so that dumps and migrations of PostgreSQL's pass.
 */

const OWNED: ReadonlySet<string> = new Set(["SCHEMA", "TYPE", "DOMAIN"]);

/** ALTER SCHEMA, TYPE and DOMAIN … OWNER TO. */
export function planAlterOwner(
  env: PlanEnv,
  { objectType, object }: NodeOf<"AlterOwnerStmt">,
  ports: DdlPorts,
): Plan {
  const kind = objectWords(objectType);
  if (!OWNED.has(kind)) throw notSupported(`ALTER ${kind} … OWNER TO`);
  return ddlPlan(env, `ALTER ${kind}`, async (on) => {
    await objectNamed(env, on, ports, { objtype: objectType, object });
  });
}

/** Whether all that ALTER TABLE says is OWNER TO: then any relation may be meant. */
export function isOfOwner({ cmds = [] }: NodeOf<"AlterTableStmt">): boolean {
  return cmds.every(
    (node) => "AlterTableCmd" in node && node.AlterTableCmd.subtype === "AT_ChangeOwner",
  );
}

/** A table, view or sequence that may be altered. @throws SqlError 42P01, 42501. */
export async function ownedRelation(
  env: PlanEnv,
  on: DdlRun,
  ports: DdlPorts,
  { relation = {}, missing_ok: isOptional = false }: NodeOf<"AlterTableStmt">,
): Promise<void> {
  const { schemaname, relname = "" } = relation;
  if ((await env.sequence(schemaname, relname, ["alter"])) !== undefined) return;
  const view = await ports.viewNamed(on.rows, schemaname, relname);
  if (view === undefined) await tableOf(on, ports, relation, isOptional);
  else await assertMay(on, "alter", view);
}
