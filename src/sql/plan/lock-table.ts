import type { Node } from "libpg-query";
import { notSupported, SqlError } from "../error.ts";
import type { NodeOf } from "../parse/statement.ts";
import type { PlanEnv } from "./env.ts";
import { commandPlan, type Plan, type RunContext } from "./plan.ts";
import { planSelect } from "./select.ts";

/** ACCESS SHARE, the weakest: of all commands those alone wait for it that drop or alter tables. */
const ACCESS_SHARE = 1;

/**
 * LOCK TABLE … IN ACCESS SHARE MODE, in a transaction that reads one state: that keeps its tables
 * as they are, whatever others drop or alter meanwhile, which is what the lock is for.
 */
export async function planLock(
  env: PlanEnv,
  { relations = [], mode }: NodeOf<"LockStmt">,
): Promise<Plan> {
  if (mode !== ACCESS_SHARE) {
    const hint = "Lock rows by SELECT … FOR UPDATE, use SERIALIZABLE, or an advisory lock.";
    throw notSupported("LOCK TABLE in another mode than ACCESS SHARE", hint);
  }
  // As a query reads it: it is there, and may be read.
  for (const relation of relations) await planSelect(env, { ...READ, fromClause: [relation] });
  return { ...commandPlan("LOCK TABLE", begin), tables: env.used, objects: env.usedObjects };
}

const READ = {
  targetList: [] as Node[],
  limitOption: "LIMIT_OPTION_DEFAULT",
  op: "SETOP_NONE",
} as const;

async function begin({ transaction }: RunContext): Promise<void> {
  if (!transaction.isExplicit) {
    throw new SqlError("25P01", "LOCK TABLE can only be used in transaction blocks");
  }
  if (transaction.modes.isolation === "read committed") {
    const hint = "Begin the transaction as REPEATABLE READ or SERIALIZABLE.";
    throw notSupported("LOCK TABLE at READ COMMITTED", hint);
  }
  await transaction.rows();
}
