import { CatalogError } from "../base/error.ts";
import { describe } from "../http/failure.ts";
import { isUlid } from "../lsm/format/ulid.ts";
import { inspectLog, inspectShard, inspectTable } from "../lsm/inspect.ts";
import { noShard, type ShardFiles } from "../lsm/shard-files.ts";
import { verifyShard } from "../lsm/verify.ts";
import type { ChangesRequest } from "../runtime/change-lines.ts";
import { SystemClock } from "../runtime/clock.ts";
import { hasShard, shardFilesOf } from "../runtime/local-shard.ts";
import { SystemPrng } from "../runtime/prng.ts";
import type { Settings } from "../runtime/settings.ts";
import type { ThrottleRequest } from "../runtime/shard-desk.ts";
import { type CheckpointCommand, checkpoint } from "./lsm-checkpoint.ts";
import {
  changes,
  compactAt,
  compactShard,
  hot,
  requireServerUrl,
  throttle,
} from "./lsm-operate.ts";
import { type ReadCommand, read } from "./lsm-read.ts";
import { type RestoreCommand, restore } from "./lsm-restore.ts";
import type { Output } from "./output.ts";

/** A line of `firn lsm`, as it was understood. */
export type LsmCommand =
  | {
      readonly command: "inspect";
      readonly dir: string;
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
  | { readonly command: "verify"; readonly dir: string; readonly shard: string }
  /** By the server at an URL; or by this process, which becomes the owner. */
  | { readonly command: "compact"; readonly at: string | Settings }
  | { readonly command: "hot"; readonly url: string }
  | ({ readonly command: "throttle"; readonly url: string } & ThrottleRequest)
  | ({ readonly command: "changes"; readonly url: string } & ChangesRequest)
  | CheckpointCommand
  | RestoreCommand
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
        return await look(command, output);
      case "compact":
        return await compact(command.at, output);
      case "hot":
        return await hot(requireServerUrl(command.url), output);
      case "throttle":
        return await throttle(requireServerUrl(command.url), command, output);
      case "changes":
        return await changes(requireServerUrl(command.url), command, output);
      case "checkpoint create":
      case "checkpoint list":
      case "checkpoint delete":
        return await checkpoint(command, output);
      case "restore":
        return await restore(command, output);
      case "scan":
      case "get":
      case "history":
        return await read(command, output);
    }
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error;
    output.printError(`firn: ${describe(error.message, error.context)} [${error.code}]\n`);
    if (error.code === "LSM_SEQUENCE_GONE") output.printError(GONE_HELP);
    if (error.code === "LSM_OWNED") output.printError(ownedHelp(command, error.context["url"]));
    return error.code === "OPERATOR_URL_INVALID" ? USAGE : 1;
  }
}

const GONE_HELP = `A server keeps of its log what it needs, and what --log-retention says. Or a
restore has replaced the state. Take that whole, with firn lsm scan, and go on behind its sequence.
`;

function ownedHelp({ command }: LsmCommand, url: unknown): string {
  if (command === "restore") return RESTORE_HELP;
  const line = command === "checkpoint create" ? "checkpoint create NAME" : command;
  const where = typeof url === "string" && url !== "" ? url : "http://127.0.0.1:8181";
  return `A server has it open, which can do the same while it serves:
  firn lsm ${line} ${where}
`;
}

const RESTORE_HELP = `A server has it open. Stop it, wait for its end with --standby, or end its
service now with --takeover.
`;

function compact(at: string | Settings, output: Output): Promise<number> {
  const clock = new SystemClock();
  return typeof at === "string"
    ? compactAt(requireServerUrl(at), clock, output)
    : compactShard(at, clock, output);
}

type Look = Extract<LsmCommand, { readonly command: "inspect" | "verify" }>;

/** Changes none of the files. */
async function look(command: Look, output: Output): Promise<number> {
  const { dir, shard } = command;
  if (!hasShard(dir, shard)) throw noShard(dir);
  const files = shardFilesOf(dir, shard, { clock: new SystemClock(), prng: new SystemPrng() });
  if (command.command === "verify") return verify(files, output);
  const lines = linesOf(files, command);
  if (lines === undefined) {
    output.printError("firn: --block wants TABLE:OFFSET, --table a table, --wal a number\n");
    return USAGE;
  }
  await print(lines, command.limit, output);
  return 0;
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
      output.print(`cut after ${limit} lines: --limit prints more\n`);
      return;
    }
    output.print(`${line}\n`);
  }
}

async function verify(files: ShardFiles, { print: out }: Output): Promise<number> {
  const verifying = verifyShard(files);
  for (let findings = 0; ; findings++) {
    const { done, value } = await verifying.next();
    if (done === true) {
      const { manifests, tables, tableBytes, entries, walGroups, unreferenced } = value;
      out(
        `${manifests} manifests, ${tables} tables of ${tableBytes} bytes, ${entries} entries, ` +
          `${walGroups} groups of the log, ${unreferenced} tables that no manifest names\n` +
          `${findings} findings\n`,
      );
      return findings === 0 ? 0 : 1;
    }
    const { file, offset, what } = value;
    out(`${file}${offset === undefined ? "" : `, offset ${offset}`}: ${what}\n`);
  }
}
