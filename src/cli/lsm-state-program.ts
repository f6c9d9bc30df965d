import { type Command, InvalidArgumentError } from "commander";
import type { Moment } from "../lsm/states/resolve.ts";
import type { Settings } from "../runtime/settings.ts";
import type { LsmCommand, RunLsm } from "./lsm.ts";
import { instant, keyBytes, positive, sequence, span, spanOrNone } from "./option-values.ts";
import type { ServerAt } from "./server-at.ts";
import { addSettings, placeOf, type SettingsContext, wordsOf } from "./setting-options.ts";

export const STORE = "what --dir names; or nothing, and the settings of serve name it";
const TARGET = `a running server, http://host:port, whose token lies in --dir; or ${STORE}`;

const SHARD = ["--shard <name>", "which shard of it", "system"] as const;
const WEEK_MS = 604_800_000;

/** Options of a command line, by name in camel case. */
type Values = Readonly<Record<string, unknown>>;

/** Adds what is done with states of a shard: those of the past, and the newest one. */
export function addStates(lsm: Command, context: SettingsContext, run: RunLsm): void {
  addCheckpoints(lsm, context, run);
  addRestore(lsm, context, run);
  addReads(lsm, context, run);
}

function addCheckpoints(lsm: Command, context: SettingsContext, run: RunLsm): void {
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

function addRestore(lsm: Command, context: SettingsContext, run: RunLsm): void {
  const restore = lsm
    .command("restore")
    .description("make a state of the past the newest one; what was written since is not in it")
    .argument("[dir]", STORE)
    .option("--dry-run", "say what it would do")
    .option("--yes", "do it")
    .option("--keep <span>", "keep what it replaces so long, 0 not at all", spanOrNone, WEEK_MS);
  addMoment(restore);
  onStore(restore, 0, context, run, (place, _words, values) => {
    const moment = momentOf(values);
    if (moment === undefined) {
      throw new InvalidArgumentError("--checkpoint, --sequence or --time says which state");
    }
    const { dryRun = false, yes = false, keep } = values;
    return {
      ...{ command: "restore", ...place, moment, dryRun: dryRun === true, yes: yes === true },
      keepMs: keep === 0 ? undefined : (keep as number),
    };
  });
}

function addReads(lsm: Command, context: SettingsContext, run: RunLsm): void {
  const scan = lsm
    .command("scan")
    .description("print rows of a state as JSON lines: the key as text, the value as base64")
    .argument("[dir]", STORE)
    .option("--prefix <text>", "only keys that begin with it; as keys are printed", keyBytes)
    .option("--from <text>", "the first key", keyBytes)
    .option("--to <text>", "the end, which is not among them", keyBytes)
    .option("--limit <rows>", "print at most so many rows", positive, 1_000)
    .option("--reverse", "from the last one on")
    .option("--keys", "without their values");
  addMoment(scan);
  onStore(scan, 0, context, run, (place, _words, values) => {
    const bounds = ["prefix", "from", "to"].filter((name) => values[name] !== undefined);
    return {
      ...{ command: "scan", ...place, moment: momentOf(values) },
      range: Object.fromEntries(bounds.map((name) => [name, values[name] as Uint8Array])),
      reverse: values["reverse"] === true,
      limit: Number(values["limit"]),
      keysOnly: values["keys"] === true,
    };
  });
  const get = lsm
    .command("get")
    .description("print what a state holds under keys, as scan does; null where there is nothing")
    .argument("<keys...>", "as they are printed: ASCII, and \\xNN for other bytes");
  addMoment(get);
  onStore(get, Number.POSITIVE_INFINITY, context, run, (place, words, values) => ({
    ...{ command: "get", ...place, moment: momentOf(values), keys: words.map(keyBytes) },
  }));
  const history = lsm
    .command("history")
    .description("print which states can be read and restored, and what keeps them")
    .argument("[dir]", STORE);
  onStore(history, 0, context, run, (place) => ({ command: "history", ...place }));
}

function addMoment(command: Command): void {
  command
    .option("--checkpoint <name>", "the state that is kept under a name")
    .option("--sequence <number>", "the state up to it, the end of a batch", sequence)
    .option("--time <iso>", "the last state of a time, such as 2026-01-31T12:00:00Z", instant);
}

/** @throws InvalidArgumentError */
function momentOf({ checkpoint, sequence: at, time }: Values): Moment | undefined {
  const given = [
    ...(checkpoint === undefined ? [] : [{ checkpoint: String(checkpoint) }]),
    ...(at === undefined ? [] : [{ sequence: Number(at) }]),
    ...(time === undefined ? [] : [{ timeMs: Number(time) }]),
  ];
  if (given.length < 2) return given[0];
  throw new InvalidArgumentError("--checkpoint, --sequence and --time are one too many: give one");
}

/** Where a command finds its shard. */
interface Place<At> {
  readonly at: At;
  readonly shard: string;
}

/**
 * Makes a command of a line that says where the shard is: behind so many words of its own, or by
 * settings.
 *
 * @param understand may throw InvalidArgumentError.
 */
function onPlace(
  command: Command,
  own: number,
  context: SettingsContext,
  run: RunLsm,
  understand: (
    place: Place<ServerAt | Settings>,
    words: readonly string[],
    values: Values,
  ) => LsmCommand,
): void {
  command.option(...SHARD);
  addSettings(command);
  command.action(() => {
    const { words, left } = wordsOf(command.args, own + 1);
    const values = command.opts<Values>();
    const at = placeOf(words[own], left, values, context);
    if (at === undefined || words.length < Math.min(own, 1)) return run(undefined);
    let understood: LsmCommand;
    try {
      understood = understand({ at, shard: String(values["shard"]) }, words, values);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      context.printError(`firn: ${error.message}\n`);
      return run(undefined);
    }
    return run(understood);
  });
}

/** As `onPlace`, of what is done on the store itself, beside a server or without. */
export function onStore(
  command: Command,
  own: number,
  context: SettingsContext,
  run: RunLsm,
  understand: (place: Place<Settings>, words: readonly string[], values: Values) => LsmCommand,
): void {
  onPlace(command, own, context, run, ({ at, shard }, words, values) => {
    if (!("server" in at)) return understand({ at, shard }, words, values);
    throw new InvalidArgumentError("no server does this: name what its --dir names");
  });
}
