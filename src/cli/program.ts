import { Argument, Command, CommanderError } from "commander";
import { FLAG_NAMES, type Settings } from "../runtime/settings.ts";
import { packageVersion } from "../runtime/version.ts";
import {
  type Candidate,
  complete,
  completionText,
  SCRIPTS,
  SHELLS,
  type Shell,
} from "./completion.ts";
import type { FsckCommand } from "./fsck.ts";
import { addFsck } from "./fsck-program.ts";
import type { GcCommand } from "./gc.ts";
import { addGc } from "./gc-program.ts";
import { homeText } from "./home.ts";
import type { HousekeepingCommand } from "./housekeeping.ts";
import { addHousekeeping, type RunHousekeeping } from "./housekeeping-program.ts";
import type { KeysCommand } from "./keys.ts";
import { addKeys, addResetAdmin, type RunKeys } from "./keys-program.ts";
import type { LsmCommand } from "./lsm.ts";
import { addLsm } from "./lsm-program.ts";
import { addRestore, type RestoreLine } from "./restore-program.ts";
import type { Screen } from "./screen.ts";
import { type SettingsContext, withSettings } from "./setting-options.ts";
import type { StorageCheckCommand } from "./storage.ts";
import { addStorage } from "./storage-program.ts";
import type { CatalogLine } from "./verbs/catalog-line.ts";
import { addContext, addDaily } from "./verbs/daily-program.ts";
import { addNouns, type RunLine } from "./verbs/noun-program.ts";

/** What the process gives a command. */
export interface CommandContext extends SettingsContext {
  readonly serve: (settings: Settings) => Promise<number>;
  readonly storageInit: (settings: Settings) => Promise<number>;
  readonly storageCheck: (command: StorageCheckCommand) => Promise<number>;
  readonly housekeeping: (line: HousekeepingCommand) => Promise<number>;
  readonly keys: (line: KeysCommand) => Promise<number>;
  readonly restore: (line: RestoreLine) => Promise<number>;
  readonly lsm: (command: LsmCommand) => Promise<number>;
  readonly fsck: (command: FsckCommand) => Promise<number>;
  readonly gc: (command: GcCommand) => Promise<number>;
  readonly catalog: (line: CatalogLine) => Promise<number>;
  readonly print: (text: string) => void;
  /** How wide standard output is, and whether it takes colours. */
  readonly look: Pick<Screen, "hasColour" | "columns">;
  /** Names that may stand for a word. */
  readonly names: (kind: "catalog" | "context", typed: string) => Promise<readonly Candidate[]>;
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
    .description("Run and operate Firn, a lakehouse catalog that needs nothing but a bucket.")
    .version(packageVersion())
    // The process ends when its output has been read.
    .exitOverride();
  const serve = program
    .command("serve")
    .description("Serve the catalog over HTTP until a signal stops it.");
  withSettings(serve, FLAG_NAMES, [], context, async (settings) => {
    exitCode = settings === undefined ? USAGE : await context.serve(settings);
  });
  const catalog: RunLine = async (line) => {
    exitCode = await context.catalog(line);
  };
  const storageEnds = async (code: number | Promise<number>): Promise<void> => {
    exitCode = await code;
  };
  addStorage(program, context, storageEnds, catalog);
  addFsck(program, context, async (command) => {
    exitCode = command === undefined ? USAGE : await context.fsck(command);
  });
  const housekeeping: RunHousekeeping = async (line) => {
    exitCode = line === undefined ? USAGE : await context.housekeeping(line);
  };
  addHousekeeping(program, context, housekeeping);
  addGc(program, context, async (command) => {
    exitCode = command === undefined ? USAGE : await context.gc(command);
  });
  const restore = async (line: RestoreLine | undefined): Promise<void> => {
    exitCode = line === undefined ? USAGE : await context.restore(line);
  };
  addRestore(program, context, restore, housekeeping);
  const keys: RunKeys = async (line) => {
    exitCode = line === undefined ? USAGE : await context.keys(line);
  };
  addKeys(program, context, keys);
  addLsm(program, context, async (command) => {
    exitCode = command === undefined ? USAGE : await context.lsm(command);
  });
  addCompletion(program, context.print);
  const operate = new Set(program.commands.map((command) => command.name()));
  // Most of its verbs are operations of the native API.
  operate.delete("storage");
  addDaily(program, catalog);
  addContext(program, catalog);
  addNouns(program, catalog);
  const access = program.commands.find((command) => command.name() === "access");
  if (access !== undefined) addResetAdmin(access, context, keys);
  if (args.length === 0) {
    context.print(homeText(program, packageVersion(), context.look));
    return 0;
  }
  if (args[0] === COMPLETE) return printCandidates(program, args.slice(1), context);
  const line = operate.has(args[0] ?? "") ? args : withJsonFields(args);
  try {
    await program.parseAsync([...line], { from: "user" });
  } catch (error) {
    // Commander has said what is wrong with the line, or printed the help.
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : USAGE;
  }
  return exitCode;
}

/** Asked by the scripts of shells, with the words of a line after `--`. */
const COMPLETE = "__complete";

async function printCandidates(
  program: Command,
  args: readonly string[],
  context: CommandContext,
): Promise<number> {
  const words = args[0] === "--" ? args.slice(1) : args;
  const { candidates, names } = complete(program, words);
  const named = names === undefined ? [] : await context.names(names, words.at(-1) ?? "");
  context.print(completionText([...candidates, ...named]));
  return 0;
}

function addCompletion(program: Command, print: CommandContext["print"]): void {
  program
    .command("completion")
    .description("Print a script that completes lines of firn: source <(firn completion bash)")
    .addArgument(new Argument("<shell>").choices(SHELLS))
    .action((shell: Shell) => print(SCRIPTS[shell]));
}

/**
 * `--json=a,b` as two options: commander has none whose value stands behind `=` alone, and would
 * take the next word of `--json NAME` for it.
 */
function withJsonFields(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  return args.flatMap((arg, i) => {
    const isOption = arg.startsWith("--json=") && (end < 0 || i < end);
    return isOption ? ["--json", `--json-fields=${arg.slice("--json=".length)}`] : [arg];
  });
}
