import type { Command } from "commander";
import type { RestoreRequest } from "../runtime/restore-store.ts";
import type { Settings } from "../runtime/settings.ts";
import type { BesideRequest } from "../service/backup/beside.ts";
import { catalogAt, type RunHousekeeping, SERVER_HELP } from "./housekeeping-program.ts";
import { absoluteUri, instant, rootLocation } from "./option-values.ts";
import { addSettings, HOUSEKEEPING_FLAGS, type SettingsContext } from "./setting-options.ts";

/** A line of `firn restore`, as it was understood. */
export interface RestoreLine extends RestoreRequest {
  readonly settings: Settings;
  readonly json: boolean;
}

/**
 * Adds `firn restore`.
 *
 * @param runBeside runs it into a store that is in use.
 */
export function addRestore(
  program: Command,
  context: SettingsContext,
  run: (line: RestoreLine | undefined) => Promise<void>,
  runBeside: RunHousekeeping,
): void {
  const restore = program
    .command("restore")
    .description(
      "Restore a backup into an empty store, which no server may have open; or with --as one " +
        "catalog of it under another name into a store in use. Data files are not copied.",
    )
    .argument("<uri>", "a directory, file:///path or s3://bucket/prefix")
    .option("--backup <id>", "restore this backup of the location; default: the newest")
    .option("--at <time>", "restore the state as of a time within the backup's history", instant)
    .option("--account <name>", "restore this account alone; default: all, default for --catalog")
    .option("--catalog <name>", "restore this catalog alone; default: all of the backup")
    .option("--as <name>", "make --catalog again under this name, beside what the store holds")
    .option(
      "--location <uri>",
      "root of that catalog; default: a directory of the warehouse",
      (uri: string) => rootLocation(uri, context.cwd),
    )
    .option("--server <place>", `with --as: ${SERVER_HELP}`)
    .option("--verify-only", "read the whole backup and check it; restore nothing")
    .option("--json", "print JSON");
  addSettings(restore, HOUSEKEEPING_FLAGS);
  restore.action((_uri: string, values: Readonly<Record<string, unknown>>) => {
    const found = catalogAt(values, 1, restore.args, ["catalog"], context);
    if (found === undefined) return run(undefined);
    const [uri = ""] = found.words;
    const wrong = misuseOf(values);
    if (wrong !== undefined) {
      context.printError(`firn: ${wrong}\n`);
      return run(undefined);
    }
    const json = values["json"] === true;
    if (values["as"] !== undefined) {
      const request = besideOf(absoluteUri(uri, context.cwd), values);
      return runBeside({ command: "restore", at: found.at, json, request });
    }
    if ("server" in found.at) return run(undefined);
    return run({
      settings: found.at,
      uri: absoluteUri(uri, context.cwd),
      account: values["account"] as string | undefined,
      catalog: values["catalog"] as string | undefined,
      id: values["backup"] as string | undefined,
      atMs: values["at"] as number | undefined,
      verifyOnly: values["verifyOnly"] === true,
      json,
    });
  });
}

type Values = Readonly<Record<string, unknown>>;

/** What does not go together, in words; undefined where all does. */
function misuseOf(values: Values): string | undefined {
  const { as, catalog, location, server, verifyOnly } = values;
  if (as === undefined) {
    const alone = [location && "--location", server && "--server"].filter(Boolean);
    return alone.length === 0 ? undefined : `${alone.join(" and ")} needs --as`;
  }
  if (catalog === undefined) return "--as needs --catalog: name the catalog of the backup";
  return verifyOnly === true ? "--verify-only restores nothing: leave out --as" : undefined;
}

function besideOf(uri: string, values: Values): BesideRequest {
  const {
    account,
    catalog,
    as,
    backup: id,
    at: atMs,
    location,
  } = values as Readonly<Record<string, string | undefined>>;
  return {
    uri,
    catalog: catalog ?? "",
    as: as ?? "",
    ...(account !== undefined && { account }),
    ...(id !== undefined && { id }),
    ...(atMs !== undefined && { atMs: Number(atMs) }),
    ...(location !== undefined && { location }),
  };
}
