import type { Command } from "commander";
import type { FsckCommand } from "./fsck.ts";
import {
  addSettings,
  FSCK_FLAGS,
  placeOf,
  type SettingsContext,
  wordsOf,
} from "./setting-options.ts";

/** Runs a line; undefined where it makes no sense, which has been said then. */
export type RunFsck = (command: FsckCommand | undefined) => Promise<void>;

/** Adds `firn fsck`. */
export function addFsck(program: Command, context: SettingsContext, run: RunFsck): void {
  const fsck = program
    .command("fsck")
    .description(
      "Check everything that is stored. Exit 0 if nothing is damaged, 1 if something is, " +
        "2 if the check could not finish.",
    )
    .argument(
      "[target]",
      "a running server, http://host:port, whose --dir stores the token; or the --dir of a " +
        "local store. Without it, the options or FIRN_ variables name the store.",
    )
    .option("--repair", "rewrite derived pointers that are missing or wrong; change nothing else")
    .option("--json", "print each finding, and the summary, as one JSON line");
  addSettings(fsck, FSCK_FLAGS);
  fsck.action((_target: string | undefined, values: Readonly<Record<string, unknown>>) => {
    const { repair, json, ...settings } = values;
    const { words, left } = wordsOf(fsck.args, 1);
    const at = placeOf(words[0], left, settings, context);
    if (at === undefined) return run(undefined);
    return run({ at, repair: repair === true, json: json === true });
  });
}
