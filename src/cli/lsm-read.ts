import { textOfKey } from "../base/printable.ts";
import { type Moment, openReader, type Range, type Reader } from "../lsm/index.ts";
import { type ReadableStates, readableStates } from "../lsm/tools.ts";
import type { Settings } from "../runtime/settings.ts";
import { stateText, timeText } from "./lsm-text.ts";
import type { Output } from "./output.ts";
import { openShard } from "./shard-at.ts";

/** A line that reads a shard beside its owner, as it was understood. */
export type ReadCommand = { readonly at: Settings; readonly shard: string } & (
  | {
      readonly command: "scan";
      /** The newest state if undefined. */
      readonly moment: Moment | undefined;
      readonly range: Range;
      readonly reverse: boolean;
      /** At most so many rows. */
      readonly limit: number;
      readonly keysOnly: boolean;
    }
  | {
      readonly command: "get";
      readonly moment: Moment | undefined;
      readonly keys: readonly Uint8Array[];
    }
  | { readonly command: "history" }
);

/** @returns the exit code. @throws FirnError as `openShardHandle` and `openReader`. */
export async function read(command: ReadCommand, output: Output): Promise<number> {
  const handle = await openShard(command.at, command.shard, output);
  try {
    if (command.command === "history") {
      printReadableStates(await readableStates(handle.reading), output);
      return 0;
    }
    const { moment } = command;
    const target =
      moment === undefined
        ? { follow: { pollMs: 0 } }
        : "checkpoint" in moment
          ? moment
          : { at: moment };
    const reader = await openReader(handle.reading, target);
    try {
      output.printError(`sequence ${reader.sequence}\n`);
      if (command.command === "get") await get(reader, command.keys, output);
      else await scan(reader, command, output);
      return 0;
    } finally {
      await reader.close();
    }
  } finally {
    await handle.close();
  }
}

async function get(reader: Reader, keys: readonly Uint8Array[], output: Output): Promise<void> {
  const values = await reader.getMany(keys);
  for (const [i, key] of keys.entries()) printRow(key, values[i] ?? null, output);
}

async function scan(
  reader: Reader,
  { range, reverse, limit, keysOnly }: Extract<ReadCommand, { readonly command: "scan" }>,
  output: Output,
): Promise<void> {
  let left = limit;
  // One more, to know whether there are more.
  for await (const rows of reader.scan({ ...range, reverse, limit: limit + 1 })) {
    for (const { key, value } of rows) {
      if (left-- === 0) {
        output.printError(`stopped after ${limit} rows; raise --limit for more\n`);
        return;
      }
      printRow(key, keysOnly ? undefined : value, output);
    }
    await output.drained();
  }
}

/** @param value null: there is none; undefined: it was not asked for. */
function printRow(key: Uint8Array, value: Uint8Array | null | undefined, { print }: Output): void {
  const row = {
    key: textOfKey(Buffer.from(key).toString("latin1")),
    value: value && Buffer.from(value).toString("base64"),
  };
  print(`${JSON.stringify(row)}\n`);
}

function printReadableStates(
  { newest, oldest, fromMs, ...kept }: ReadableStates,
  { print }: Output,
): void {
  print(`newest state: sequence ${newest}\n`);
  print(`oldest readable state: sequence ${oldest}\n`);
  if (fromMs !== undefined) print(`readable by time since: ${timeText(fromMs)}\n`);
  for (const kind of ["checkpoints", "readers", "clones"] as const) {
    print(`${kind}: ${kept[kind].length}\n`);
    for (const one of kept[kind]) print(`  ${stateText(one)}\n`);
  }
}
