import type { Node } from "libpg-query";
import type { RowTransaction } from "../../rows/index.ts";
import { SqlError } from "../error.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import type { RunContext } from "../plan/plan.ts";
import { commandPlan, type Plan } from "../plan/plan.ts";
import { rowsOf, textColumn } from "./rows-of.ts";
import { SETTING_RULES } from "./setting-table.ts";
import { type Isolation, modeText } from "./transaction.ts";
import { atOf, modesOf } from "./transaction-statements.ts";

/** SET and RESET. */
export function planSet(statement: NodeOf<"VariableSetStmt">): Plan {
  const { kind, name = "", args = [], is_local: isLocal = false } = statement;
  switch (kind) {
    case "VAR_RESET_ALL":
      return commandPlan("RESET", (run) => run.settings.resetAll());
    case "VAR_RESET":
      return commandPlan("RESET", (run) => set(run, name, undefined, false));
    case "VAR_SET_DEFAULT":
      return commandPlan("SET", (run) => set(run, name, undefined, isLocal));
    case "VAR_SET_CURRENT":
      return commandPlan("SET", (run) => set(run, name, run.settings.get(name), isLocal));
    case "VAR_SET_MULTI":
      return planSetMany(name, args);
    default: {
      const value = settingText(name, args);
      return commandPlan("SET", (run) => set(run, name, value, isLocal));
    }
  }
}

/** Parameters that are modes of the transaction. */
const MODES: ReadonlySet<string> = new Set([
  "transaction_isolation",
  "transaction_read_only",
  "transaction_deferrable",
]);

function set(
  run: RunContext,
  name: string,
  value: string | undefined,
  isLocal: boolean,
): undefined {
  const lower = name.toLowerCase();
  if (MODES.has(lower)) {
    run.settings.set(name, value, true);
    const isolation = run.settings.get("transaction_isolation");
    const isOn = run.settings.get(name) === "on";
    if (lower === "transaction_read_only") run.transaction.setModes({ readOnly: isOn });
    else if (lower === "transaction_deferrable") run.transaction.setModes({ deferrable: isOn });
    else run.transaction.setModes({ isolation: isolation as Isolation });
    return;
  }
  if (isLocal && !run.transaction.isExplicit) {
    const message = "SET LOCAL can only be used in transaction blocks";
    run.notice({ severity: "WARNING", sqlState: "25P01", message });
  }
  run.settings.set(name, value, isLocal);
}

/** SET TRANSACTION, and SET SESSION CHARACTERISTICS AS TRANSACTION. */
function planSetMany(name: string, args: readonly Node[]): Plan {
  if (name === "TRANSACTION SNAPSHOT") {
    const id = contentOf(args[0], "A_Const")?.sval?.sval ?? "";
    return commandPlan("SET", (run) =>
      inTransaction(run, () => run.transaction.importSnapshot(id)),
    );
  }
  const modes = modesOf(args);
  if (name === "TRANSACTION") {
    const set = (run: RunContext) => run.transaction.setModes({ ...modes, ...atOf(run, modes) });
    return commandPlan("SET", (run) => inTransaction(run, () => set(run)));
  }
  return commandPlan("SET", ({ settings }) => {
    if (modes.isolation) settings.set("default_transaction_isolation", modes.isolation, false);
    if (modes.readOnly !== undefined) {
      settings.set("default_transaction_read_only", modes.readOnly ? "on" : "off", false);
    }
    if (modes.deferrable !== undefined) {
      settings.set("default_transaction_deferrable", modes.deferrable ? "on" : "off", false);
    }
    return undefined;
  });
}

/** What a block alone keeps. */
function inTransaction(run: RunContext, work: () => void): undefined {
  if (!run.transaction.isExplicit) {
    const message = "SET TRANSACTION can only be used in transaction blocks";
    run.notice({ severity: "WARNING", sqlState: "25P01", message });
  }
  work();
}

/** Names are quoted in lists of names, as `SHOW search_path` shows them. */
function settingText(name: string, args: readonly Node[]): string {
  const isList = name.toLowerCase() === "search_path";
  const values = args.map((arg) => {
    const constant = contentOf(arg, "A_Const") ?? contentOf(intervalOf(arg), "A_Const");
    const { sval, ival, fval, boolval } = constant ?? {};
    if (sval !== undefined) return isList ? quotedName(sval.sval ?? "") : (sval.sval ?? "");
    if (fval !== undefined) return fval.fval ?? "";
    if (boolval !== undefined) return boolval.boolval === true ? "true" : "false";
    if (constant !== undefined) return String(ival?.ival ?? 0);
    throw new SqlError("22023", `SET ${name} takes only constants`);
  });
  return values.join(", ");
}

/** `SET TIME ZONE INTERVAL '…'` has a cast around its constant. */
function intervalOf(arg: Node): Node | undefined {
  return contentOf(arg, "TypeCast")?.arg;
}

function quotedName(name: string): string {
  return /^[a-z_][a-z0-9_$]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** SHOW. */
export function planShow({ name = "" }: NodeOf<"VariableShowStmt">): Plan {
  if (name.toLowerCase() === "all") {
    const columns = ["name", "setting", "description"].map((each) => textColumn(each));
    const rowsNow = ({ settings }: RunContext) =>
      settings.all().map(([key, value]) => [key, value, ""]);
    return {
      tag: "SHOW",
      parameterTypes: [],
      columns,
      start: (run) => rowsOf(columns, rowsNow(run), () => "SHOW"),
    };
  }
  const shown = SETTING_RULES.find((rule) => rule.name.toLowerCase() === name.toLowerCase());
  const columns = [textColumn(shown?.name ?? name)];
  return {
    tag: "SHOW",
    parameterTypes: [],
    columns,
    start: (run) => rowsOf(columns, [[current(run, name)]], () => "SHOW"),
  };
}

function current({ settings, transaction }: RunContext, name: string): string {
  const mode = modeText(transaction.modes, name);
  if (mode !== undefined) return mode;
  const value = settings.get(name);
  if (settings.isKnown(name)) return value;
  throw new SqlError("42704", `unrecognized configuration parameter "${name}"`);
}

/** DISCARD. */
export function planDiscard({ target }: NodeOf<"DiscardStmt">): Plan {
  const words = { DISCARD_ALL: "ALL", DISCARD_PLANS: "PLANS", DISCARD_SEQUENCES: "SEQUENCES" };
  const tag = `DISCARD ${words[target as keyof typeof words] ?? "TEMP"}`;
  return commandPlan(tag, async (run) => {
    if (target === "DISCARD_SEQUENCES") run.sequences.forgetAll();
    if (target === "DISCARD_TEMP") await discardTemporary(run);
    if (target !== "DISCARD_ALL") return undefined;
    if (run.transaction.isExplicit) {
      throw new SqlError("25001", "DISCARD ALL cannot run inside a transaction block");
    }
    await discardTemporary(run);
    run.settings.resetAll();
    run.prepared.clear();
    run.sequences.forgetAll();
    run.cursors.closeAll();
    run.locks.releaseAll();
    return undefined;
  });
}

/** Drops all temporary tables and sequences of the session, in its transaction. */
async function discardTemporary({ transaction }: RunContext): Promise<void> {
  const { temporarySchema } = transaction.names;
  if (temporarySchema === undefined) return;
  const rows = (await transaction.rows()) as RowTransaction;
  await rows.discardTemporary();
}
