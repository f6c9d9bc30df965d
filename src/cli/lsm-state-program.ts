import { type Command, InvalidArgumentError } from "commander";
import type { Moment } from "../lsm/index.ts";
import type { Settings } from "../runtime/settings.ts";
import type { LsmCommand, RunLsm } from "./lsm.ts";
import { instant, keyBytes, positive, sequence, span, spanOrNone } from "./option-values.ts";
import type { ServerAt } from "./server-at.ts";
import {
  addSettings,
  placeOf,
  RESTORE_FLAGS,
  type SettingsContext,
  STORE_FLAGS,
  wordsOf,
} from "./setting-options.ts";

export const STORE =
  "the --dir of a server. Without it, the options or FIRN_ variables name the shard.";
const TARGET = `a running server, http://host:port, whose --dir stores the token; or ${STORE}`;

const SHARD = ["--shard <name>", "name of the shard", "system"] as const;
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
  const checkpoint = lsm
    .command("checkpoint")
    .description("Create, list and delete checkpoints of a shard.");
  const create = checkpoint
    .command("create")
    .description("Create a checkpoint of the current state.")
    .argument("<name>")
    .argument("[target]", TARGET)
    .option("--ttl <span>", "expire the checkpoint after 90s, 30m, 12h, 7d; default: never", span);
  const list = checkpoint
    .command("list")
    .description("List checkpoints.")
    .argument("[target]", TARGET);
  const remove = checkpoint
    .command("delete")
    .description("Delete a checkpoint. The next garbage collection frees its space.")
    .argument("<name>")
    .argument("[target]", TARGET);
  onPlace(create, 1, context, run, (place, [name = ""], { ttl }) => ({
    command: "checkpoint create",
    ...place,
    name,
    ttlMs: ttl as number | undefined,
  }));
  onPlace(list, 0, context, run, (place) => ({ command: "checkpoint list", ...place }));
  onPlace(remove, 1, context, run, (place, [name = ""]) => ({
    command: "checkpoint delete",
    ...place,
    name,
  }));
}

function addRestore(lsm: Command, context: SettingsContext, run: RunLsm): void {
  const restore = lsm
    .command("restore")
    .description("Restore a shard to an earlier state. Later writes are not part of it.")
    .argument("[dir]", STORE)
    .option("--dry-run", "print what the restore would do")
    .option("--yes", "restore")
    .option(
      "--keep <span>",
      "keep the replaced state as a checkpoint for this long; 0: do not keep it",
      spanOrNone,
      WEEK_MS,
    );
  addMoment(restore);
  onStore(restore, 0, context, run, (place, _words, values) => {
    const moment = momentOf(values);
    if (moment === undefined) {
      throw new InvalidArgumentError("no state given: use --checkpoint, --sequence or --time");
    }
    const { dryRun = false, yes = false, keep } = values;
    return {
      command: "restore",
      ...place,
      moment,
      dryRun: dryRun === true,
      yes: yes === true,
      keepMs: keep === 0 ? undefined : (keep as number),
    };
  });
}

function addReads(lsm: Command, context: SettingsContext, run: RunLsm): void {
  const scan = lsm
    .command("scan")
    .description("Print rows of a state as JSON lines: the key as text, the value as base64.")
    .argument("[dir]", STORE)
    .option(
      "--prefix <text>",
      "print only keys with this prefix, written as scan prints keys",
      keyBytes,
    )
    .option("--from <text>", "first key, inclusive", keyBytes)
    .option("--to <text>", "last key, exclusive", keyBytes)
    .option("--limit <rows>", "print at most this many rows", positive, 1_000)
    .option("--reverse", "print in descending key order")
    .option("--keys", "print keys only");
  addMoment(scan);
  onStore(scan, 0, context, run, (place, _words, values) => {
    const bounds = ["prefix", "from", "to"].filter((name) => values[name] !== undefined);
    return {
      command: "scan",
      ...place,
      moment: momentOf(values),
      range: Object.fromEntries(bounds.map((name) => [name, values[name] as Uint8Array])),
      reverse: values["reverse"] === true,
      limit: Number(values["limit"]),
      keysOnly: values["keys"] === true,
    };
  });
  const get = lsm
    .command("get")
    .description("Print the values of keys in a state, as scan does; null if a key is absent.")
    .argument("<keys...>", "keys as scan prints them: ASCII, and \\xNN for other bytes");
  addMoment(get);
  onStore(get, Number.POSITIVE_INFINITY, context, run, (place, words, values) => ({
    command: "get",
    ...place,
    moment: momentOf(values),
    keys: words.map(keyBytes),
  }));
  const history = lsm
    .command("history")
    .description("Print the states that can be read and restored, and what retains them.")
    .argument("[dir]", STORE);
  onStore(history, 0, context, run, (place) => ({ command: "history", ...place }));
}

function addMoment(command: Command): void {
  command
    .option("--checkpoint <name>", "the state of a checkpoint")
    .option(
      "--sequence <number>",
      "the state after this operation, the last one of a batch",
      sequence,
    )
    .option(
      "--time <iso>",
      "the last known state at a time, such as 2026-01-31T12:00:00Z",
      instant,
    );
}

/** @throws InvalidArgumentError */
function momentOf({ checkpoint, sequence: at, time }: Values): Moment | undefined {
  const given = [
    ...(checkpoint === undefined ? [] : [{ checkpoint: String(checkpoint) }]),
    ...(at === undefined ? [] : [{ sequence: Number(at) }]),
    ...(time === undefined ? [] : [{ timeMs: Number(time) }]),
  ];
  if (given.length < 2) return given[0];
  throw new InvalidArgumentError(
    "more than one state given: use one of --checkpoint, --sequence and --time",
  );
}

/** Where a command finds its shard. */
interface Place<At> {
  readonly at: At;
  readonly shard: string;
}

/**
 * Makes a command of a line. The argument after the first `own` words, or settings, name the shard.
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
  addSettings(command, command.name() === "restore" ? RESTORE_FLAGS : STORE_FLAGS);
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
    throw new InvalidArgumentError("a server does not do this: give its --dir instead of its URL");
  });
}
