import type { Command } from "commander";
import { parseLocation } from "../runtime/location.ts";
import type { SettingName, Settings } from "../runtime/settings.ts";
import {
  addSettings,
  INIT_FLAGS,
  NO_SECRET,
  type SettingsContext,
  STORE_FLAGS,
  settingsOf,
  withSettings,
  wordsOf,
} from "./setting-options.ts";
import type { StorageCheckCommand } from "./storage.ts";
import type { RunLine } from "./verbs/noun-program.ts";
import { addWhere } from "./where.ts";

const CHECK_FLAGS: readonly SettingName[] = [...STORE_FLAGS, "vendRole", "vendStsEndpoint"];
const USAGE = 2;
/** No path and no URI: those are locations. */
const PROFILE_NAME = /^(?:id:)?[^/:-][^/:]*$/;

/** What runs the lines of `firn storage`. */
export interface StorageCommands {
  readonly storageInit: (settings: Settings) => Promise<number>;
  readonly storageCheck: (command: StorageCheckCommand) => Promise<number>;
}

/** Adds `firn storage init` and `firn storage check`. */
export function addStorage(
  program: Command,
  context: SettingsContext & StorageCommands,
  ends: (code: number | Promise<number>) => Promise<void>,
  ask: RunLine,
): void {
  const storage = program
    .command("storage")
    .description("Create and check buckets, the table of profile aws, and storage profiles.");
  const init = storage
    .command("init")
    .description("Create the bucket and the table if they do not exist, and check both.");
  withSettings(init, INIT_FLAGS, [NO_SECRET], context, (settings) =>
    ends(settings === undefined ? USAGE : context.storageInit(settings)),
  );
  const check = storage
    .command("check")
    .description(
      "Find out by real requests what a store in S3 enforces, and whether it is safe to sign " +
        "writes to it for clients. Removes what it writes. Exit 0 if the store is safe, 1 if it " +
        "is not, 2 if the check could not finish.",
    )
    .argument(
      "[location|profile]",
      "s3://bucket/prefix, or the name of a storage profile. Without it, the catalog's bucket " +
        "and the warehouse that the options or FIRN_ variables name.",
    )
    .option("--json", "print each store as one JSON line");
  addSettings(check, CHECK_FLAGS);
  addWhere(check);
  check.action((_location: string | undefined, values: Readonly<Record<string, unknown>>) => {
    const [given] = check.args;
    if (given !== undefined && check.args.length === 1 && PROFILE_NAME.test(given)) {
      return ask({ run: { operation: "checkStorageProfile" }, words: check.args, values });
    }
    const { json, url, context: _context, ...settings } = values;
    if (url !== undefined) {
      context.printError("firn: --url needs the name of a storage profile\n");
      return ends(USAGE);
    }
    const { words, left } = wordsOf(check.args, 1);
    const read = settingsOf(settings, left, [NO_SECRET], context);
    const location = words[0] === undefined ? undefined : s3Location(words[0], context);
    if (read === undefined || location === null) return ends(USAGE);
    return ends(context.storageCheck({ settings: read, location, json: json === true }));
  });
}

/** Null after printing why it is not one. */
function s3Location(text: string, { cwd, printError }: SettingsContext): string | null {
  try {
    const location = parseLocation(text, cwd);
    if (location.startsWith("s3://")) return location;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    printError(`firn: location ${error.message}\n`);
    return null;
  }
  printError("firn: a location must begin with s3://\n");
  return null;
}
