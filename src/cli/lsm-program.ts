import { resolve } from "node:path";
import type { Command } from "commander";
import type { LsmCommand, RunLsm } from "./lsm.ts";
import { addStates } from "./lsm-state-program.ts";
import { amount, positive, sequence } from "./option-values.ts";
import { addSettings, placeOf, type SettingsContext, wordsOf } from "./setting-options.ts";

/** Adds `firn lsm` and all that is below it. */
export function addLsm(program: Command, context: SettingsContext, run: RunLsm): void {
  const lsm = program
    .command("lsm")
    .description("look at the files of the storage engine, beside a server too; or operate it")
    .exitOverride();
  addLooks(lsm, context, run);
  addOperations(lsm, run);
  addCompact(lsm, context, run);
  addStates(lsm, context, run);
}

/** Looking at the engine's files needs no settings: it works on any copy of a directory. */
function addLooks(lsm: Command, { cwd }: SettingsContext, run: RunLsm): void {
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
      run({ command: "inspect", dir: resolve(cwd, at), ...options }),
    );
  lsm
    .command("verify")
    .description("read a shard whole and print what is damaged, with file and offset; 1 if any is")
    .argument(...dir)
    .option(...shard)
    .action((at: string, options: { readonly shard: string }) =>
      run({ command: "verify", dir: resolve(cwd, at), ...options }),
    );
}

/** What only the process can do that owns the shard. */
function addOperations(lsm: Command, run: RunLsm): void {
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
  lsm
    .command("changes")
    .description("print what was written, batch by batch, as JSON lines")
    .argument(...url)
    .requiredOption(
      "--from <sequence>",
      "of the first operation; the last one seen, and 1",
      sequence,
    )
    .option("--follow", "go on with what is written from now on, until you end it")
    .action((at: string, { from, follow = false }: ChangesOptions) =>
      run({ command: "changes", url: at, from, follow }),
    );
}

interface ChangesOptions {
  readonly from: number;
  readonly follow?: boolean;
}

interface ThrottleOptions {
  readonly prefix: string;
  readonly writesPerSecond: number;
  readonly for: number;
}

function addCompact(lsm: Command, context: SettingsContext, run: RunLsm): void {
  const compact = lsm
    .command("compact")
    .description("make one sorted run of a shard, without what nobody can read any more")
    .argument(
      "[target]",
      "a server of this machine, http://host:port; or what --dir names, while no server has it " +
        "open; or nothing, and the settings of serve name a bucket",
    );
  addSettings(compact);
  compact.action((_target: string | undefined, values: Readonly<Record<string, unknown>>) => {
    const { words, left } = wordsOf(compact.args, 1);
    const at = placeOf(words[0], left, values, context);
    return run(at === undefined ? undefined : { command: "compact", at });
  });
}

type Inspect = Extract<LsmCommand, { readonly command: "inspect" }>;
