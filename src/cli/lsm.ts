import { FirnError } from "../base/error.ts";
import type { ChangesRequest } from "../http/admin/change-lines.ts";
import type { ThrottleRequest } from "../http/admin/shard-admin.ts";
import { describe } from "../http/failure.ts";
import {
  inspectLog,
  inspectShard,
  inspectTable,
  isUlid,
  type ShardFiles,
  verifyShard,
} from "../lsm/tools.ts";
import { SystemClock } from "../runtime/clock.ts";
import type { Settings } from "../runtime/settings.ts";
import { type CheckpointCommand, checkpoint } from "./lsm-checkpoint.ts";
import { changes, compactAt, compactShard, hot, throttle } from "./lsm-operate.ts";
import { type ReadCommand, read } from "./lsm-read.ts";
import { type RepairCommand, repair } from "./lsm-repair.ts";
import { type RestoreCommand, restore } from "./lsm-restore.ts";
import { shellWord } from "./lsm-text.ts";
import type { Output } from "./output.ts";
import type { ServerAt } from "./server-at.ts";
import { openShard } from "./shard-at.ts";

/** A line of `firn lsm`, as it was understood. */
export type LsmCommand =
  | {
      readonly command: "inspect";
      readonly at: Settings;
      readonly shard: string;
      /** At most so many lines. */
      readonly limit: number;
      /** The blocks of a table. */
      readonly table?: string;
      /** The entries of a block: `table:offset`. */
      readonly block?: string;
      /** The groups of a file of the log. */
      readonly wal?: string;
    }
  | { readonly command: "verify"; readonly at: Settings; readonly shard: string }
  /** By a running server; or by this process, which becomes the owner. */
  | { readonly command: "compact"; readonly at: ServerAt | Settings }
  | { readonly command: "hot"; readonly at: ServerAt }
  | ({ readonly command: "throttle"; readonly at: ServerAt } & ThrottleRequest)
  | ({ readonly command: "changes"; readonly at: ServerAt } & ChangesRequest)
  | CheckpointCommand
  | RestoreCommand
  | RepairCommand
  | ReadCommand;

/** Runs a line; undefined where it makes no sense, which has been said then. */
export type RunLsm = (command: LsmCommand | undefined) => Promise<void>;

const USAGE = 2;

/**
 * Looks at the files of a shard, or asks its owner for something.
 *
 * @returns the exit code: 1 where something is damaged, missing, refused or cannot be read; 2 where
 *   the line makes no sense.
 */
export async function lsm(command: LsmCommand, output: Output): Promise<number> {
  try {
    switch (command.command) {
      case "inspect":
      case "verify":
        return await inspectOrVerify(command, output);
      case "compact":
        return await compact(command.at, output);
      case "hot":
        return await hot(command.at, output);
      case "throttle":
        return await throttle(command.at, command, output);
      case "changes":
        return await changes(command.at, command, output);
      case "checkpoint create":
      case "checkpoint list":
      case "checkpoint delete":
        return await checkpoint(command, output);
      case "restore":
        return await restore(command, output);
      case "repair":
        return await repair(command, output);
      case "scan":
      case "get":
      case "history":
        return await read(command, output);
    }
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    const message = describe(error.message, error.context);
    output.printError(`firn: ${message} [${error.code}]\n`);
    if (error.code === "LSM_SEQUENCE_GONE") output.printError(goneHelp(command, message));
    if (error.code === "LSM_OWNED") output.printError(ownedHelp(command, error.context["url"]));
    return error.code === "OPERATOR_URL_INVALID" ? USAGE : 1;
  }
}

/** What to do where the log no longer goes back that far. */
function goneHelp(line: LsmCommand, message: string): string {
  const { server, dir } = "at" in line && "server" in line.at ? line.at : { server: "", dir: "" };
  const [, oldest = "SEQUENCE"] = /oldest=(\d+)/.exec(message) ?? [];
  const token = /^https?:/.test(server) ? ` --dir ${shellWord(dir)}` : "";
  return `The oldest sequence in the log is ${oldest}. To continue from there:
  firn lsm changes ${shellWord(server)} --from ${oldest}${token}
To copy everything, read the whole state first: firn lsm scan DIR prints its sequence on stderr.
Continue with the next sequence. By default a server retains only the log that recovery needs.
To retain more, start it with --log-retention 7d and --log-retention-mib.
`;
}

function ownedHelp(line: LsmCommand, url: unknown): string {
  const { command } = line;
  if (command === "restore") return RESTORE_HELP;
  if (command === "repair") return REPAIR_HELP;
  const words = command === "checkpoint create" ? "checkpoint create NAME" : command;
  const dir = "at" in line && "profile" in line.at ? line.at.dir : "DIR";
  const where = typeof url === "string" && url !== "" ? url : "http://127.0.0.1:8181";
  return `A running server owns the shard. Ask that server:
  firn lsm ${words} ${where} --dir ${dir}
`;
}

const RESTORE_HELP = `A running server owns the shard. Stop it, wait for its end with --standby, or
fence it now with --takeover.
`;

const REPAIR_HELP = "A running server owns the shard. Stop it first.\n";

function compact(at: ServerAt | Settings, output: Output): Promise<number> {
  const clock = new SystemClock();
  return "server" in at ? compactAt(at, clock, output) : compactShard(at, clock, output);
}

type InspectCommand = Extract<LsmCommand, { readonly command: "inspect" | "verify" }>;

/** Changes none of the files, wherever they are stored. */
async function inspectOrVerify(command: InspectCommand, output: Output): Promise<number> {
  const { reading, close } = await openShard(command.at, command.shard, output);
  const files = { ...reading, prefix: reading.prefix ?? "" };
  try {
    if (command.command === "verify") return await verify(files, output);
    const lines = linesOf(files, command);
    if (lines === undefined) {
      output.printError(
        "firn: invalid argument: --block takes TABLE:OFFSET, --table a table id, --wal a number\n",
      );
      return USAGE;
    }
    await print(lines, command.limit, output);
    return 0;
  } finally {
    await close();
  }
}

function linesOf(
  files: ShardFiles,
  { table, block, wal }: Extract<LsmCommand, { command: "inspect" }>,
): AsyncIterable<string> | undefined {
  if (block !== undefined) {
    const [id = "", offset = ""] = block.split(":");
    return isUlid(id) && isNumber(offset) ? inspectTable(files, id, Number(offset)) : undefined;
  }
  if (table !== undefined) return isUlid(table) ? inspectTable(files, table, undefined) : undefined;
  if (wal !== undefined) return isNumber(wal) ? inspectLog(files, Number(wal)) : undefined;
  return inspectShard(files);
}

function isNumber(text: string): boolean {
  return /^\d{1,15}$/.test(text);
}

async function print(lines: AsyncIterable<string>, limit: number, output: Output): Promise<void> {
  let left = limit;
  for await (const line of lines) {
    if (left-- === 0) {
      output.print(`stopped after ${limit} lines; raise --limit for more\n`);
      return;
    }
    output.print(`${line}\n`);
    await output.drained();
  }
}

async function verify(files: ShardFiles, { print: out, drained }: Output): Promise<number> {
  const verifying = verifyShard(files);
  for (let findings = 0; ; findings++) {
    const { done, value } = await verifying.next();
    if (done === true) {
      const { manifests, tables, tableBytes, entries, walGroups, unreferenced } = value;
      const { values, unreferencedValues } = value;
      const apart =
        values + unreferencedValues === 0
          ? ""
          : `${values} values apart, ${unreferencedValues} without a reference\n`;
      out(
        `${manifests} manifests, ${tables} tables of ${tableBytes} bytes, ${entries} entries, ` +
          `${walGroups} log groups, ${unreferenced} tables without a manifest entry\n` +
          `${apart}${findings} findings\n`,
      );
      return findings === 0 ? 0 : 1;
    }
    const { file, offset, what } = value;
    out(`${file}${offset === undefined ? "" : `, offset ${offset}`}: ${what}\n`);
    await drained();
  }
}
