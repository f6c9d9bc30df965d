import type { Node } from "libpg-query";
import { visibleColumns } from "../../../rows/index.ts";
import { textsOf } from "../../bind/names.ts";
import { SqlError } from "../../error.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import { type PlanEnv, withRelations } from "../env.ts";
import { commandPlan, type Plan, type RunContext } from "../plan.ts";

/** Options of VACUUM, and those that ANALYZE has too. */
const VACUUM_OPTIONS: ReadonlySet<string> = new Set([
  "verbose",
  "skip_locked",
  "analyze",
  "freeze",
  "full",
  "disable_page_skipping",
  "index_cleanup",
  "process_toast",
  "truncate",
  "parallel",
]);
const ANALYZE_OPTIONS: ReadonlySet<string> = new Set(["verbose", "skip_locked"]);

/**
 * VACUUM and ANALYZE. Both name what there is and are refused where PostgreSQL refuses them, and
 * there is nothing to be done: the engine compacts by itself, and estimates by its files.
 *
 * @throws SqlError 42601, 42P01, 42703, 25001.
 */
export function planMaintenance(env: PlanEnv, node: NodeOf<"VacuumStmt">): Plan {
  const { options = [], rels = [], is_vacuumcmd: isVacuum = false } = node;
  const tag = isVacuum ? "VACUUM" : "ANALYZE";
  const given = optionsOf(env, options, isVacuum);
  return commandPlan(tag, async (run) => {
    if (isVacuum) refuseBlock(run);
    for (const each of rels) {
      const { relation = {}, va_cols } = contentOf(each, "VacuumRelation") ?? {};
      if (va_cols !== undefined && isVacuum && !given.has("analyze")) {
        const message = "ANALYZE option must be specified when a column list is provided";
        throw new SqlError("0A000", message);
      }
      await checkRelation(env, relation, textsOf(va_cols));
    }
  });
}

function optionsOf(env: PlanEnv, options: readonly Node[], isVacuum: boolean): ReadonlySet<string> {
  const known = isVacuum ? VACUUM_OPTIONS : ANALYZE_OPTIONS;
  const given = new Set<string>();
  for (const each of options) {
    const { defname = "", location } = contentOf(each, "DefElem") ?? {};
    if (!known.has(defname)) {
      const message = `unrecognized ${isVacuum ? "VACUUM" : "ANALYZE"} option "${defname}"`;
      throw new SqlError("42601", message).at(env.source.position(location));
    }
    given.add(defname);
  }
  return given;
}

/** It stands alone: neither in a block nor beside other statements of one text. */
function refuseBlock({ transaction, isOfMany }: RunContext): void {
  if (!transaction.isExplicit && transaction.statements <= 1 && !isOfMany) return;
  throw new SqlError("25001", "VACUUM cannot run inside a transaction block");
}

async function checkRelation(
  env: PlanEnv,
  range: NodeOf<"RangeVar">,
  columns: readonly string[],
): Promise<void> {
  const { relname = "" } = range;
  const found = await withRelations(env, () => env.relation(range, ["write-data"]));
  if (found.kind !== "table") return;
  const { descriptor } = found.use;
  const seen = new Set<string>();
  for (const name of columns) {
    if (!visibleColumns(descriptor).some((column) => column.name === name)) {
      const message = `column "${name}" of relation "${relname}" does not exist`;
      throw new SqlError("42703", message);
    }
    if (seen.has(name)) {
      const message = `column "${name}" of relation "${relname}" appears more than once`;
      throw new SqlError("42701", message);
    }
    seen.add(name);
  }
}
