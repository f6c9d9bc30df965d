import { SqlError } from "../error.ts";
import { kindOf, type NodeOf, type Statement } from "../parse/statement.ts";
import { commandPlan, type Plan, type Prepared, type RunContext } from "../plan/plan.ts";

/** What PREPARE and EXECUTE need of the planner. */
export interface PreparePorts {
  /** OIDs of the types that PREPARE names. */
  readonly typesOf: (types: NonNullable<NodeOf<"PrepareStmt">["argtypes"]>) => readonly number[];
  readonly prepare: (
    statement: Statement,
    types: readonly number[],
    isSql: boolean,
  ) => Promise<Prepared>;
  /** A plan that runs another one, with the values of the arguments. */
  readonly execute: (
    prepared: Prepared,
    args: NonNullable<NodeOf<"ExecuteStmt">["params"]>,
    statement: Statement,
  ) => Plan;
}

/** PREPARE: the statement is planned when it is prepared. */
export function planPrepare(
  { name = "", argtypes = [], query }: NodeOf<"PrepareStmt">,
  statement: Statement,
  ports: PreparePorts,
): Plan {
  if (query === undefined) throw new SqlError("42601", "PREPARE needs a statement");
  const inner: Statement = { ...statement, kind: kindOf(query), node: query };
  const types = ports.typesOf(argtypes);
  return commandPlan("PREPARE", async (run) => {
    if (run.prepared.has(name)) {
      throw new SqlError("42P05", `prepared statement "${name}" already exists`);
    }
    run.prepared.set(name, await ports.prepare(inner, types, true));
    return undefined;
  });
}

/** EXECUTE. */
export function planExecute(
  { name = "", params = [] }: NodeOf<"ExecuteStmt">,
  statement: Statement,
  prepared: ReadonlyMap<string, Prepared | undefined>,
  ports: PreparePorts,
): Plan {
  const found = prepared.get(name);
  if (found === undefined) throw notFound(name);
  return ports.execute(found, params, statement);
}

/** DEALLOCATE. */
export function planDeallocate({ name = "", isall = false }: NodeOf<"DeallocateStmt">): Plan {
  if (isall || name === "") {
    return commandPlan("DEALLOCATE ALL", (run) => run.prepared.clear());
  }
  return commandPlan("DEALLOCATE", (run: RunContext) => {
    if (!run.prepared.delete(name)) throw notFound(name);
    return undefined;
  });
}

function notFound(name: string): SqlError {
  return new SqlError("26000", `prepared statement "${name}" does not exist`);
}
