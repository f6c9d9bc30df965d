import { resolve } from "node:path";
import type { Command } from "commander";
import type { RunLsm } from "./lsm.ts";
import { addStates, onStore, STORE } from "./lsm-state-program.ts";
import { amount, positive, sequence } from "./option-values.ts";
import type { ServerAt } from "./server-at.ts";
import { addSettings, dirOf, placeOf, type SettingsContext, wordsOf } from "./setting-options.ts";

/** Adds `firn lsm` and all that is below it. */
export function addLsm(program: Command, context: SettingsContext, run: RunLsm): void {
  const lsm = program
    .command("lsm")
    .description("look at the files of the storage engine, beside a server too; or operate it");
  addLooks(lsm, context, run);
  addOperations(lsm, context, run);
  addCompact(lsm, context, run);
  addStates(lsm, context, run);
}

/** Looks at the files of a shard, and changes none. */
function addLooks(lsm: Command, context: SettingsContext, run: RunLsm): void {
  const inspect = lsm
    .command("inspect")
    .description("print a shard's manifest, tables and log; or what one of its files holds")
    .argument("[dir]", STORE)
    .option("--table <id>", "the blocks of a table")
    .option("--block <id:offset>", "the entries of the block of a table that begins there")
    .option("--wal <number>", "the groups of a file of the log")
    .option("--limit <lines>", "print at most so many lines", positive, 1_000);
  onStore(inspect, 0, context, run, (place, _words, { limit, table, block, wal }) => ({
    ...{ command: "inspect", ...place, limit: Number(limit) },
    ...(table === undefined ? {} : { table: String(table) }),
    ...(block === undefined ? {} : { block: String(block) }),
    ...(wal === undefined ? {} : { wal: String(wal) }),
  }));
  const verify = lsm
    .command("verify")
    .description("read a shard whole and print what is damaged, with file and offset; 1 if any is")
    .argument("[dir]", STORE);
  onStore(verify, 0, context, run, (place) => ({ command: "verify", ...place }));
}

/** What only the process can do that owns the shard. */
function addOperations(lsm: Command, context: SettingsContext, run: RunLsm): void {
  const server = ["<server>", "a running server: its --dir, or http://host:port"] as const;
  const token = ["--dir <path>", "of the server, for the token that its URL needs"] as const;
  const serverAt = (at: string, { dir }: ServerOptions): ServerAt => ({
    server: /^https?:/.test(at) ? at : resolve(context.cwd, at),
    dir: dirOf(dir, context),
  });
  lsm
    .command("hot")
    .description("print which prefixes of keys the latest reads and writes met most")
    .argument(...server)
    .option(...token)
    .action((at: string, options: ServerOptions) =>
      run({ command: "hot", at: serverAt(at, options) }),
    );
  lsm
    .command("throttle")
    .description("hold writes below a prefix back for a while: what is more is answered 429")
    .argument(...server)
    .option(...token)
    .requiredOption("--prefix <text>", "as hot prints it: ASCII, and \\xNN for other bytes")
    .requiredOption("--writes-per-second <number>", "of all writers together", amount)
    .option("--for <seconds>", "then it ends by itself; 0 ends it now", amount, 600)
    .action((server: string, options: ThrottleOptions) => {
      const { prefix, writesPerSecond, for: forSeconds } = options;
      const at = serverAt(server, options);
      return run({ command: "throttle", at, prefix, writesPerSecond, forSeconds });
    });
  lsm
    .command("changes")
    .description("print what was written, batch by batch, as JSON lines")
    .argument(...server)
    .option(...token)
    .requiredOption(
      "--from <sequence>",
      "of the first operation; the last one seen, and 1",
      sequence,
    )
    .option("--follow", "go on with what is written from now on, until you end it")
    .action((server: string, options: ChangesOptions) => {
      const { from, follow = false } = options;
      return run({ command: "changes", at: serverAt(server, options), from, follow });
    });
}

interface ServerOptions {
  readonly dir?: string;
}

interface ChangesOptions extends ServerOptions {
  readonly from: number;
  readonly follow?: boolean;
}

interface ThrottleOptions extends ServerOptions {
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
      "a running server, http://host:port, whose token lies in --dir; or what --dir names, " +
        "while no server has it open; or nothing, and the settings of serve name a bucket",
    );
  addSettings(compact);
  compact.action((_target: string | undefined, values: Readonly<Record<string, unknown>>) => {
    const { words, left } = wordsOf(compact.args, 1);
    const at = placeOf(words[0], left, values, context);
    return run(at === undefined ? undefined : { command: "compact", at });
  });
}
