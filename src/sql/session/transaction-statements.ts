import type { Node } from "libpg-query";
import { notSupported, SqlError } from "../error.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import type { RunContext } from "../plan/plan.ts";
import { commandPlan, type Plan } from "../plan/plan.ts";
import type { Isolation, TransactionModes } from "./transaction.ts";

/** BEGIN, COMMIT, ROLLBACK, SAVEPOINT and their kin. @throws SqlError 0A000. */
export function planTransaction(statement: NodeOf<"TransactionStmt">): Plan {
  const { kind, savepoint_name: name = "", options = [], chain = false } = statement;
  const control = { isControl: true };
  const ends = { isControl: true, endsTransaction: true };
  switch (kind) {
    case "TRANS_STMT_BEGIN":
    case "TRANS_STMT_START": {
      const modes = modesOf(options);
      const tag = kind === "TRANS_STMT_BEGIN" ? "BEGIN" : "START TRANSACTION";
      return commandPlan(tag, (run) => begin(run, modes), control);
    }
    case "TRANS_STMT_COMMIT":
      return commandPlan("COMMIT", (run) => end(run, true, chain), ends);
    case "TRANS_STMT_ROLLBACK":
      return commandPlan("ROLLBACK", (run) => end(run, false, chain), ends);
    case "TRANS_STMT_SAVEPOINT":
      return commandPlan("SAVEPOINT", (run) => block(run, "SAVEPOINT").savepoint(name), control);
    case "TRANS_STMT_RELEASE":
      return commandPlan(
        "RELEASE",
        (run) => block(run, "RELEASE SAVEPOINT").release(name),
        control,
      );
    case "TRANS_STMT_ROLLBACK_TO": {
      const back = (run: RunContext) => block(run, "ROLLBACK TO SAVEPOINT").rollbackTo(name);
      return commandPlan("ROLLBACK", back, ends);
    }
    default:
      throw notSupported("two-phase commit");
  }
}

function begin(run: RunContext, modes: Partial<TransactionModes>): undefined {
  if (!run.transaction.begin({ ...modes, ...atOf(run, modes) })) return;
  const message = "there is already a transaction in progress";
  run.notice({ severity: "WARNING", sqlState: "25001", message });
}

/** The time that a transaction is to read. @throws SqlError 42601 beside READ WRITE. */
export function atOf(
  { atMs }: RunContext,
  { readOnly }: Partial<TransactionModes>,
): Partial<TransactionModes> {
  if (atMs === undefined) return {};
  if (readOnly !== true) {
    throw new SqlError("42601", "AS OF SYSTEM TIME specified with READ WRITE mode");
  }
  return { atMs };
}

async function end(run: RunContext, commits: boolean, chains: boolean): Promise<string> {
  const { transaction } = run;
  if (!transaction.isExplicit) {
    const message = "there is no transaction in progress";
    if (chains) {
      const what = commits ? "COMMIT" : "ROLLBACK";
      throw new SqlError("25P01", `${what} AND CHAIN can only be used in transaction blocks`);
    }
    run.notice({ severity: "WARNING", sqlState: "25P01", message });
  }
  const { modes } = transaction;
  let isCommitted = false;
  if (commits) isCommitted = await transaction.commit();
  else await transaction.rollback();
  if (chains) transaction.begin({ ...modes, state: undefined });
  return isCommitted ? "COMMIT" : "ROLLBACK";
}

/** The transaction, where it is one of BEGIN. @throws SqlError 25P01. */
function block({ transaction }: RunContext, what: string): RunContext["transaction"] {
  if (transaction.isExplicit) return transaction;
  throw new SqlError("25P01", `${what} can only be used in transaction blocks`);
}

const LEVELS: Readonly<Record<string, Isolation>> = {
  serializable: "serializable",
  "repeatable read": "repeatable read",
  "read committed": "read committed",
  "read uncommitted": "read uncommitted",
};

/** The modes of BEGIN and SET TRANSACTION. */
export function modesOf(options: readonly Node[]): Partial<TransactionModes> {
  let modes: Partial<TransactionModes> = {};
  for (const option of options) {
    const { defname, arg } = contentOf(option, "DefElem") ?? {};
    const value = contentOf(arg, "A_Const");
    if (defname === "transaction_isolation") {
      const isolation = LEVELS[value?.sval?.sval ?? ""];
      if (isolation !== undefined) modes = { ...modes, isolation };
    } else if (defname === "transaction_read_only") {
      modes = { ...modes, readOnly: (value?.ival?.ival ?? 0) !== 0 };
    } else if (defname === "transaction_deferrable") {
      modes = { ...modes, deferrable: (value?.ival?.ival ?? 0) !== 0 };
    }
  }
  return modes;
}
