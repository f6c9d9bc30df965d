import type { Command } from "commander";
import type { GcCommand } from "./gc.ts";
import {
  addSettings,
  GC_FLAGS,
  placeOf,
  type SettingsContext,
  wordsOf,
} from "./setting-options.ts";

/** Runs a line; undefined where it makes no sense, which has been said then. */
export type RunGc = (command: GcCommand | undefined) => Promise<void>;

/** Adds `firn gc`. */
export function addGc(program: Command, context: SettingsContext, run: RunGc): void {
  const gc = program
    .command("gc")
    .description(
      "Print what garbage collection would delete now, by kind. Servers collect by themselves; " +
        "--force takes the next step at once.",
    )
    .argument(
      "[target]",
      "a running server, http://host:port, whose --dir stores the token; or the --dir of a " +
        "local store. Without it, the options or FIRN_ variables name the store.",
    )
    .option("--dry-run", "delete nothing (the default)")
    .option("--force", "mark, and delete what two marks missed. Does not shorten --gc-grace.")
    .option("--json", "print one JSON line");
  addSettings(gc, GC_FLAGS);
  gc.action((_target: string | undefined, values: Readonly<Record<string, unknown>>) => {
    const { dryRun, force, json, ...settings } = values;
    const { words, left } = wordsOf(gc.args, 1);
    if (dryRun === true && force === true) {
      context.printError("firn: give either --dry-run or --force\n");
      return run(undefined);
    }
    const at = placeOf(words[0], left, settings, context);
    if (at === undefined) return run(undefined);
    return run({ at, force: force === true, json: json === true });
  });
}
