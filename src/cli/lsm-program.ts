import { resolve } from "node:path";
import type { Command } from "commander";
import type { RunLsm } from "./lsm.ts";
import { addStates, onStore, STORE } from "./lsm-state-program.ts";
import { absoluteUri, amount, positive, sequence } from "./option-values.ts";
import type { ServerAt } from "./server-at.ts";
import {
  addSettings,
  COMPACT_FLAGS,
  dirOf,
  placeOf,
  type SettingsContext,
  wordsOf,
} from "./setting-options.ts";

/** Adds `firn lsm` and all that is below it. */
export function addLsm(program: Command, context: SettingsContext, run: RunLsm): void {
  const lsm = program
    .command("lsm")
    .description("Inspect, read and operate the storage engine of profiles local and bucket.");
  addLooks(lsm, context, run);
  addRepair(lsm, context, run);
  addOperations(lsm, context, run);
  addCompact(lsm, context, run);
  addStates(lsm, context, run);
}

/** Looks at the files of a shard, and changes none. */
function addLooks(lsm: Command, context: SettingsContext, run: RunLsm): void {
  const inspect = lsm
    .command("inspect")
    .description("Print the manifest, tables and log of a shard, or the content of one file.")
    .argument("[dir]", STORE)
    .option("--table <id>", "print the blocks of a table")
    .option("--block <id:offset>", "print the entries of the block at this offset of a table")
    .option("--wal <number>", "print the groups of a log file")
    .option("--limit <lines>", "print at most this many lines", positive, 1_000);
  onStore(inspect, 0, context, run, (place, _words, { limit, table, block, wal }) => ({
    command: "inspect",
    ...place,
    limit: Number(limit),
    ...(table === undefined ? {} : { table: String(table) }),
    ...(block === undefined ? {} : { block: String(block) }),
    ...(wal === undefined ? {} : { wal: String(wal) }),
  }));
  const verify = lsm
    .command("verify")
    .description(
      "Read a whole shard and print each damage with file and offset. Exit 1 if there is any.",
    )
    .argument("[dir]", STORE);
  onStore(verify, 0, context, run, (place) => ({ command: "verify", ...place }));
}

/** Makes a new store of a damaged one, which it leaves as it is. */
function addRepair(lsm: Command, context: SettingsContext, run: RunLsm): void {
  const repair = lsm
    .command("repair")
    .description(
      "Copy every row that a checksum proves from a damaged store into a new one. Print what is " +
        "lost by file and key range. The damaged store stays as it is. Exit 1 if anything is lost.",
    )
    .argument("[dir]", STORE)
    .requiredOption(
      "--into <place>",
      "an empty directory for profile local, s3://bucket/prefix for profile bucket",
    );
  onStore(repair, 0, context, run, (place, _words, { into }) => ({
    command: "repair",
    ...place,
    into: absoluteUri(String(into), context.cwd),
  }));
}

/** What only the process can do that owns the shard. */
function addOperations(lsm: Command, context: SettingsContext, run: RunLsm): void {
  const server = ["<server>", "a running server: its --dir, or http://host:port"] as const;
  const token = [
    "--dir <path>",
    "directory of the server, which stores the token for its URL",
  ] as const;
  const serverAt = (at: string, { dir }: ServerOptions): ServerAt => ({
    server: /^https?:/.test(at) ? at : resolve(context.cwd, at),
    dir: dirOf(dir, context),
  });
  lsm
    .command("hot")
    .description(
      "Print the key prefixes, row tables and indexes with the most recent reads and writes.",
    )
    .argument(...server)
    .option(...token)
    .action((at: string, options: ServerOptions) =>
      run({ command: "hot", at: serverAt(at, options) }),
    );
  lsm
    .command("throttle")
    .description(
      "Rate-limit writes below a key prefix for a time. The server answers excess writes with 429.",
    )
    .argument(...server)
    .option(...token)
    .requiredOption(
      "--prefix <text>",
      "key prefix as `hot` prints it: ASCII, and \\xNN for other bytes",
    )
    .requiredOption("--writes-per-second <number>", "rate limit for all writers together", amount)
    .option("--for <seconds>", "duration of the limit; 0 removes it now", amount, 600)
    .action((server: string, options: ThrottleOptions) => {
      const { prefix, writesPerSecond, for: forSeconds } = options;
      const at = serverAt(server, options);
      return run({ command: "throttle", at, prefix, writesPerSecond, forSeconds });
    });
  lsm
    .command("changes")
    .description("Print the change feed: each durable batch as one JSON line.")
    .argument(...server)
    .option(...token)
    .requiredOption(
      "--from <sequence>",
      "first sequence number to print: the last one you have seen, plus 1",
      sequence,
    )
    .option("--follow", "keep printing new batches until you stop the command")
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
    .description("Compact a shard into one sorted run, dropping obsolete versions.")
    .argument(
      "[target]",
      "a running server, http://host:port, whose --dir stores the token; or the --dir of a " +
        "stopped server. Without it, the options or FIRN_ variables name the shard.",
    );
  addSettings(compact, COMPACT_FLAGS);
  compact.action((_target: string | undefined, values: Readonly<Record<string, unknown>>) => {
    const { words, left } = wordsOf(compact.args, 1);
    const at = placeOf(words[0], left, values, context);
    return run(at === undefined ? undefined : { command: "compact", at });
  });
}
