import type { ConstraintName, RowTransaction, TableDescriptor } from "../../../rows/index.ts";
import { SqlError } from "../../error.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import { commandPlan, type Plan, type RunContext } from "../plan.ts";
import type { DdlPorts } from "./ddl-run.ts";

/** SET CONSTRAINTS. */
export function planSetConstraints(
  { constraints = [], deferred: isDeferred = false }: NodeOf<"ConstraintsSetStmt">,
  ports: Pick<DdlPorts, "searchPath">,
): Plan {
  const names = constraints.map((node) => contentOf(node, "RangeVar") ?? {});
  return commandPlan("SET CONSTRAINTS", async (run: RunContext) => {
    if (!run.transaction.isExplicit) {
      const message = "SET CONSTRAINTS can only be used in transaction blocks";
      run.notice({ severity: "WARNING", sqlState: "25P01", message });
    }
    const rows = (await run.transaction.rows()) as RowTransaction;
    const path = ports.searchPath();
    const found: ConstraintName[] = [];
    for (const { schemaname, relname = "" } of names) {
      const paths = schemaname === undefined ? path : [schemaname.split(".")];
      const tablesIn = (at: readonly string[]) => run.transaction.names.tablesIn(rows, at);
      found.push(...(await constraintsNamed(tablesIn, paths, relname)));
    }
    await rows.setConstraints(names.length === 0 ? "all" : found, isDeferred);
  });
}

/** All of a name in the first schema that has one. @throws SqlError 42704, 42809. */
async function constraintsNamed(
  tablesIn: (path: readonly string[]) => Promise<readonly TableDescriptor[]>,
  paths: readonly (readonly string[])[],
  name: string,
): Promise<readonly ConstraintName[]> {
  for (const path of paths) {
    const found = (await tablesIn(path))
      .flatMap(({ id, constraints }) => constraints.map((constraint) => ({ id, constraint })))
      .filter(({ constraint }) => constraint.name === name);
    if (found.length === 0) continue;
    for (const { constraint } of found) {
      if (constraint.kind === "foreign key" && constraint.deferrable) continue;
      throw new SqlError("42809", `constraint "${name}" is not deferrable`);
    }
    return found.map(({ id }) => ({ table: id, name }));
  }
  throw new SqlError("42704", `constraint "${name}" does not exist`);
}
