import { resolve } from "node:path";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { fromEnv, fromFlags, readSettings, type SettingSource } from "../runtime/read-settings.ts";
import { envOf, flagOf } from "../runtime/setting-names.ts";
import {
  FLAG_NAMES,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type Settings,
} from "../runtime/settings.ts";
import { packageVersion } from "../runtime/version.ts";
import type { LsmCommand } from "./lsm.ts";

/** What the process gives a command. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly serve: (settings: Settings) => Promise<number>;
  readonly storageInit: (settings: Settings) => Promise<number>;
  readonly lsm: (command: LsmCommand) => Promise<number>;
  readonly printError: (text: string) => void;
}

/** Settings that cannot be used, as `sysexits.h` and most tools number it. */
const USAGE = 2;

/**
 * Runs one command line.
 *
 * @returns the exit code.
 */
export async function run(args: readonly string[], context: CommandContext): Promise<number> {
  let exitCode = 0;
  const program = new Command("firn")
    .description("A lakehouse catalog that needs nothing but a bucket.")
    .version(packageVersion());
  const serve = program
    .command("serve")
    .description("serve the catalog over HTTP until a signal asks to stop");
  withSettings(serve, [], context, async (settings) => {
    exitCode = settings === undefined ? USAGE : await context.serve(settings);
  });
  const init = program
    .command("storage")
    .description("what profiles aws and bucket keep their catalog in")
    .command("init")
    .description("make bucket and table where absent, and try them; with the settings of serve");
  withSettings(init, [NO_SECRET], context, async (settings) => {
    exitCode = settings === undefined ? USAGE : await context.storageInit(settings);
  });
  const lsm = addLsm(program, async (command) => {
    const at = "dir" in command ? { dir: resolve(context.cwd, command.dir) } : {};
    exitCode = await context.lsm({ ...command, ...at });
  });
  addCompact(lsm, context, async (at) => {
    exitCode = at === undefined ? USAGE : await context.lsm({ command: "compact", at });
  });
  try {
    await program.parseAsync([...args], { from: "user" });
  } catch (error) {
    // Commander has said what is wrong with the line, or printed the help.
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : USAGE;
  }
  return exitCode;
}

/** Reads settings from the command's flags and the environment; refused ones are told. */
function withSettings(
  command: Command,
  others: readonly SettingSource[],
  context: CommandContext,
  action: (settings: Settings | undefined) => Promise<void>,
): void {
  addSettings(command);
  command.action((values: Values) => action(settingsOf(values, command.args, others, context)));
}

function addSettings(command: Command): void {
  command
    // Left to us, so that every problem is named at once, with what was meant.
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText("after", ENVIRONMENT_HELP);
  for (const name of FLAG_NAMES) command.addOption(optionOf(name));
}

type Values = Readonly<Record<string, unknown>>;

/** @param left what the command line holds besides. */
function settingsOf(
  values: Values,
  left: readonly string[],
  others: readonly SettingSource[],
  { env, cwd, printError }: CommandContext,
): Settings | undefined {
  const flags = fromFlags(flagValues(values), left);
  const result = readSettings([flags, fromEnv(env), ...others], cwd);
  if (result.ok) return result.settings;
  for (const problem of result.problems) printError(`firn: ${problem}\n`);
  printError("See: firn serve --help\n");
  return undefined;
}

/** Who makes a bucket signs nothing yet: where no secret is given, any will do. */
const NO_SECRET: SettingSource = {
  values: new Map([["secret", ["0".repeat(64)]]]),
  label: envOf,
  problems: [],
};

/** Looking at the engine's files needs no settings: it works on any copy of a directory. */
function addLsm(program: Command, run: (command: LsmCommand) => Promise<void>): Command {
  const lsm = program
    .command("lsm")
    .description("look at the files of the storage engine, beside a server too; or operate it")
    .exitOverride();
  const dir = ["<dir>", "what --dir names, or a copy of it"] as const;
  const shard = ["--shard <name>", "which shard of it", "system"] as const;
  lsm
    .command("inspect")
    .description("print a shard's manifest, tables and log; or what one of its files holds")
    .argument(...dir)
    .option(...shard)
    .option("--table <id>", "the blocks of a table")
    .option("--block <id:offset>", "the entries of the block of a table that begins there")
    .option("--wal <number>", "the groups of a file of the log")
    .option("--limit <lines>", "print at most so many lines", positive, 1_000)
    .action((at: string, options: Omit<Inspect, "command" | "dir">) =>
      run({ command: "inspect", dir: at, ...options }),
    );
  lsm
    .command("verify")
    .description("read a shard whole and print what is damaged, with file and offset; 1 if any is")
    .argument(...dir)
    .option(...shard)
    .action((at: string, options: { readonly shard: string }) =>
      run({ command: "verify", dir: at, ...options }),
    );
  const url = ["<url>", "where a server of this machine listens"] as const;
  lsm
    .command("hot")
    .description("print which prefixes of keys the latest reads and writes met most")
    .argument(...url)
    .action((at: string) => run({ command: "hot", url: at }));
  lsm
    .command("throttle")
    .description("hold writes below a prefix back for a while: what is more is answered 429")
    .argument(...url)
    .requiredOption("--prefix <text>", "as hot prints it: ASCII, and \\xNN for other bytes")
    .requiredOption("--writes-per-second <number>", "of all writers together", amount)
    .option("--for <seconds>", "then it ends by itself; 0 ends it now", amount, 600)
    .action((at: string, { prefix, writesPerSecond, for: forSeconds }: ThrottleOptions) =>
      run({ command: "throttle", url: at, prefix, writesPerSecond, forSeconds }),
    );
  return lsm;
}

interface ThrottleOptions {
  readonly prefix: string;
  readonly writesPerSecond: number;
  readonly for: number;
}

/** @param run told where; undefined where the line makes no sense, which has been said then. */
function addCompact(
  lsm: Command,
  context: CommandContext,
  run: (at: string | Settings | undefined) => Promise<void>,
): void {
  const compact = lsm
    .command("compact")
    .description("make one sorted run of a shard, without what nobody can read any more")
    .argument(
      "[target]",
      "a server of this machine, http://host:port; or what --dir names, while no server has it " +
        "open; or nothing, and the settings of serve name a bucket",
    );
  addSettings(compact);
  compact.action((target: string | undefined, values: Values) => {
    const named = target === undefined || target.startsWith("-") ? undefined : target;
    const left = named === undefined ? compact.args : compact.args.slice(1);
    if (named !== undefined && /^https?:/.test(named)) {
      if (left.length === 0 && flagValues(values).size === 0) return run(named);
      context.printError("firn: a server has settings of its own: name its URL alone\n");
      return run(undefined);
    }
    const directory = named === undefined ? {} : { dir: named, profile: "local" };
    return run(settingsOf({ ...values, ...directory }, left, [NO_SECRET], context));
  });
}

type Inspect = Extract<LsmCommand, { readonly command: "inspect" }>;

function positive(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("a whole number above 0 is wanted.");
}

function amount(text: string): number {
  if (/^\d{1,9}(?:\.\d{1,6})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("a number that is not below 0 is wanted.");
}

const ENVIRONMENT_HELP = `
Every flag has an environment variable, which it overrides; repeatable ones hold commas there.
Unknown flags and unknown FIRN_ variables refuse the start.

Without a flag, as others can see a command line:
${SETTING_NAMES.filter((name) => SETTINGS[name].secret)
  .map((name) => `  ${envOf(name)}  ${SETTINGS[name].doc}`)
  .join("\n")}`;

function optionOf(name: SettingName): Option {
  const { placeholder, doc, fallbackText, repeatable } = SETTINGS[name];
  const facts = [
    fallbackText === "" || placeholder === "" ? "" : `default ${fallbackText}`,
    repeatable ? "repeatable" : "",
    envOf(name),
  ].filter((fact) => fact !== "");
  const flags = placeholder === "" ? flagOf(name) : `${flagOf(name)} ${placeholder}`;
  const option = new Option(flags, `${doc} [${facts.join("; ")}]`);
  // A switch has no text to parse: it is there, or it is not.
  if (placeholder === "") return option;
  return option.argParser((value: string, earlier: readonly string[] | undefined) =>
    repeatable ? [...(earlier ?? []), value] : [value],
  );
}

function flagValues(
  values: Readonly<Record<string, unknown>>,
): ReadonlyMap<SettingName, readonly string[]> {
  const flags = new Map<SettingName, readonly string[]>();
  for (const name of FLAG_NAMES) {
    const value = values[name];
    if (value !== undefined) flags.set(name, Array.isArray(value) ? value : [String(value)]);
  }
  return flags;
}
