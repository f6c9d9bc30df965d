import type { Command } from "commander";
import type { RunLsm } from "./lsm.ts";
import type { StateCommand } from "./lsm-states.ts";
import { span } from "./option-values.ts";
import { addSettings, placeOf, type SettingsContext, wordsOf } from "./setting-options.ts";

const TARGET =
  "a server of this machine, http://host:port; or what --dir names; or nothing, and the settings " +
  "of serve name it";

const SHARD = ["--shard <name>", "which shard of it", "system"] as const;

/** Options of a command line, by name in camel case. */
type Values = Readonly<Record<string, unknown>>;

/** Adds what is done with states of a shard: those of the past, and the newest one. */
export function addStates(lsm: Command, context: SettingsContext, run: RunLsm): void {
  const checkpoint = lsm.command("checkpoint").description("states of a shard under names");
  const create = checkpoint
    .command("create")
    .description("keep the state of this moment under a name")
    .argument("<name>")
    .argument("[target]", TARGET)
    .option("--ttl <span>", "let go of it after 90s, 30m, 12h, 7d; else when it is deleted", span);
  const list = checkpoint
    .command("list")
    .description("print the states that are kept under names")
    .argument("[target]", TARGET);
  const remove = checkpoint
    .command("delete")
    .description("let go of a state: what only it needs is deleted by the next collection")
    .argument("<name>")
    .argument("[target]", TARGET);
  onPlace(create, 1, context, run, (place, [name = ""], { ttl }) => ({
    ...{ command: "checkpoint create", ...place, name, ttlMs: ttl as number | undefined },
  }));
  onPlace(list, 0, context, run, (place) => ({ command: "checkpoint list", ...place }));
  onPlace(remove, 1, context, run, (place, [name = ""]) => ({
    ...{ command: "checkpoint delete", ...place, name },
  }));
}

/** Where a command finds its shard. */
type Place = Pick<StateCommand, "at" | "shard">;

/**
 * Makes a command of a line that says where the shard is: behind so many words of its own, or by
 * settings.
 */
function onPlace(
  command: Command,
  own: number,
  context: SettingsContext,
  run: RunLsm,
  understand: (place: Place, words: readonly string[], values: Values) => StateCommand,
): void {
  command.option(...SHARD);
  addSettings(command);
  command.action(() => {
    const { words, left } = wordsOf(command.args, own + 1);
    const values = command.opts<Values>();
    const at = placeOf(words[own], left, values, context);
    if (at === undefined || words.length < own) return run(undefined);
    return run(understand({ at, shard: String(values["shard"]) }, words, values));
  });
}
