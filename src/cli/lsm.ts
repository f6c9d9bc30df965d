import { CatalogError } from "../base/error.ts";
import { describe } from "../http/failure.ts";
import { isUlid } from "../lsm/format/ulid.ts";
import { inspectLog, inspectShard, inspectTable } from "../lsm/inspect.ts";
import { noShard, type ShardFiles } from "../lsm/shard-files.ts";
import { verifyShard } from "../lsm/verify.ts";
import { SystemClock } from "../runtime/clock.ts";
import { hasShard, shardFilesOf } from "../runtime/local-shard.ts";
import { SystemPrng } from "../runtime/prng.ts";

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
  | { readonly command: "verify"; readonly dir: string; readonly shard: string };

export interface Output {
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
}

const USAGE = 2;

/**
 * Looks at the files of a shard, and changes none of them.
 *
 * @returns the exit code: 1 where something is damaged, missing, or cannot be read; 2 where the
 *   line makes no sense.
 */
export async function lsm(command: LsmCommand, output: Output): Promise<number> {
  const { dir, shard } = command;
  try {
    if (!hasShard(dir, shard)) throw noShard(dir);
    const files = shardFilesOf(dir, shard, { clock: new SystemClock(), prng: new SystemPrng() });
    if (command.command === "verify") return await verify(files, output);
    const lines = linesOf(files, command);
    if (lines === undefined) {
      output.printError("firn: --block wants TABLE:OFFSET, --table a table, --wal a number\n");
      return USAGE;
    }
    await print(lines, command.limit, output);
    return 0;
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error;
    output.printError(`firn: ${describe(error.message, error.context)} [${error.code}]\n`);
    return 1;
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
