import { resolve } from "node:path";
import type { Command } from "commander";
import type { RestoreRequest } from "../runtime/restore-store.ts";
import type { Settings } from "../runtime/settings.ts";
import { instant } from "./option-values.ts";
import {
  addSettings,
  HOUSEKEEPING_FLAGS,
  type SettingsContext,
  settingsAt,
} from "./setting-options.ts";

/** A line of `firn restore`, as it was understood. */
export interface RestoreLine extends RestoreRequest {
  readonly settings: Settings;
  readonly json: boolean;
}

/** Adds `firn restore`. */
export function addRestore(
  program: Command,
  context: SettingsContext,
  run: (line: RestoreLine | undefined) => Promise<void>,
): void {
  const restore = program
    .command("restore")
    .description(
      "Restore a backup into an empty store, which no server may have open. Locations of tables " +
        "stay; their files are neither read nor written.",
    )
    .argument("<uri>", "a directory, file:///path or s3://bucket/prefix")
    .option("--backup <id>", "restore this backup of the location; default: the newest")
    .option("--at <time>", "restore the state as of a time within the backup's history", instant)
    .option("--verify-only", "read the whole backup and check it; restore nothing")
    .option("--json", "print JSON");
  addSettings(restore, HOUSEKEEPING_FLAGS);
  restore.action((_uri: string, values: Readonly<Record<string, unknown>>) => {
    const found = settingsAt(undefined, 1, restore.args, values, context);
    if (found === undefined || "server" in found.at) return run(undefined);
    const [uri = ""] = found.words;
    return run({
      settings: found.at,
      uri: /^[A-Za-z][A-Za-z0-9+.-]*:/.test(uri) ? uri : resolve(context.cwd, uri),
      id: values["backup"] as string | undefined,
      atMs: values["at"] as number | undefined,
      verifyOnly: values["verifyOnly"] === true,
      json: values["json"] === true,
    });
  });
}
