import { resolve } from "node:path";
import type { Command } from "commander";
import type { SettingName } from "../runtime/settings.ts";
import type { BackupRequest } from "../service/backup/store.ts";
import { failureOf } from "./failure-text.ts";
import type { HousekeepingCommand } from "./housekeeping.ts";
import { absoluteUri } from "./option-values.ts";
import {
  addSettings,
  HOUSEKEEPING_FLAGS,
  type SettingsContext,
  settingsAt,
  withoutOptions,
} from "./setting-options.ts";
import { type Where, whereOf } from "./where.ts";

/** Runs a line; undefined where it makes no sense, which has been said then. */
export type RunHousekeeping = (line: HousekeepingCommand | undefined) => Promise<void>;

type Values = Readonly<Record<string, unknown>>;
type Line<T = HousekeepingCommand> = T extends unknown ? Omit<T, "at" | "json"> : never;

/** Adds `firn dropped`, `firn undrop` and `firn jobs`. */
export function addHousekeeping(
  program: Command,
  context: SettingsContext,
  run: RunHousekeeping,
): void {
  const dropped = program
    .command("dropped")
    .description("List what was dropped and can be restored, the next to be purged first.");
  onCatalog(dropped, 0, context, run, () => ({ command: "dropped" }));
  const undrop = program
    .command("undrop")
    .description("Restore a dropped table, view, namespace or catalog.")
    .argument("<target>", "its id, or its name: table, namespace.table or catalog.namespace.table")
    .option("--as <name>", "restore it under another name");
  onCatalog(undrop, 1, context, run, ([target = ""], { as }) => ({
    command: "undrop",
    target,
    name: as === undefined ? undefined : String(as),
  }));
  const backup = program
    .command("backup")
    .description(
      "Back up all accounts to a directory or bucket while a server writes. Copies what the " +
        "location does not hold yet, and reads it back. Does not copy data files of tables.",
    )
    .argument("<uri>", "a directory, file:///path or s3://bucket/prefix")
    .option("--account <name>", "back up this account alone; default: all, default for --catalog")
    .option("--catalog <name>", "back up this catalog alone; default: all catalogs");
  const lineOfBackup = ([uri = ""]: readonly string[], { account, catalog }: Values): Line => {
    const request = { uri: absoluteUri(uri, context.cwd), account, catalog } as BackupRequest;
    return { command: "backup", request };
  };
  onCatalog(backup, 1, context, run, lineOfBackup, ["catalog"]);
  const jobs = program.command("jobs").description("List, show, retry and cancel background jobs.");
  const list = jobs
    .command("list", { isDefault: true })
    .description("List jobs with their error codes. Jobs that are over stay for 7 days.");
  onCatalog(list, 0, context, run, () => ({ command: "jobs list" }));
  const show = jobs.command("show").description("Show a job.").argument("<id>");
  onCatalog(show, 1, context, run, ([id = ""]) => ({ command: "jobs show", id }));
  const retry = jobs
    .command("retry")
    .description(
      "Run a failed job now, without its pause. Exit 1 if it fails again. A running server runs " +
        "it; otherwise this command does.",
    )
    .argument("<id>");
  onCatalog(retry, 1, context, run, ([id = ""]) => ({ command: "jobs retry", id }));
  const cancel = jobs
    .command("cancel")
    .description(
      "Cancel a recursive drop. Keeps what it has not dropped yet; firn undrop restores the rest.",
    )
    .argument("<id>");
  onCatalog(cancel, 1, context, run, ([id = ""]) => ({ command: "jobs cancel", id }));
}

function onCatalog(
  command: Command,
  most: number,
  context: SettingsContext,
  run: RunHousekeeping,
  lineOf: (words: readonly string[], values: Values) => Line,
  own: readonly SettingName[] = [],
): void {
  command.option("--server <place>", SERVER_HELP).option("--json", "print JSON: one object a line");
  // What only an operator may do is not asked by a URL.
  const isForAll = own.length === 0;
  if (isForAll) {
    command
      .option("--url <url>", "a server, such as http://127.0.0.1:8181 [FIRN_URL]")
      .option("--context <name>", "a context of firn context [FIRN_CONTEXT]");
  }
  addSettings(command, HOUSEKEEPING_FLAGS);
  command.action(async (...given: readonly unknown[]) => {
    const values = given[most] as Values;
    const found = catalogAt(values, most, command.args, own, context);
    if (found === undefined) return run(undefined);
    const { words } = found;
    const { json, server } = values;
    let at: HousekeepingCommand["at"] = found.at;
    if (isForAll && server === undefined) {
      const where = await named(values, context);
      if (where === undefined) return run(undefined);
      at = where.kind === "url" ? where : where.settings;
    }
    return run({ ...lineOf(words, values), at, json: json === true } as HousekeepingCommand);
  });
}

/** As the verbs of every day are told; undefined after printing what makes no sense. */
async function named(values: Values, context: SettingsContext): Promise<Where | undefined> {
  try {
    return await whereOf(values, context);
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    context.printError(failure.text);
    return undefined;
  }
}

/** The help of `--server`. */
export const SERVER_HELP: string =
  "a running server: its --dir, or http://host:port with --dir for the token. Default: the " +
  "server of --dir if one runs, otherwise the store itself";

/** Where a line is to ask. @param own options of the command that are called like settings. */
export function catalogAt(
  values: Values,
  most: number,
  args: readonly string[],
  own: readonly SettingName[],
  context: SettingsContext,
  others: Parameters<typeof settingsAt>[5] = undefined,
): ReturnType<typeof settingsAt> {
  const { server } = values;
  const named = typeof server === "string" && !/^https?:/.test(server);
  const where = named ? resolve(context.cwd, server) : (server as string | undefined);
  return settingsAt(where, most, args, withoutOptions(values, own), context, others);
}
