import { textOfKey } from "../base/printable.ts";
import { END_OF_KEYS } from "../lsm/index.ts";
import type { Loss } from "../lsm/tools.ts";
import { SystemClock } from "../runtime/clock.ts";
import { mintNodeId } from "../runtime/node-identity.ts";
import { SystemPrng } from "../runtime/prng.ts";
import { repairStore } from "../runtime/repair-store.ts";
import type { Settings } from "../runtime/settings.ts";
import { shellWord } from "./lsm-text.ts";
import type { Output } from "./output.ts";

/** A repair, as its line was understood. */
export interface RepairCommand {
  readonly command: "repair";
  readonly at: Settings;
  readonly shard: string;
  /** A directory, or `s3://bucket/prefix`. */
  readonly into: string;
}

/**
 * Makes a new store of a damaged one, and prints what is lost.
 *
 * @returns the exit code: 1 where rows or objects are lost, or may be.
 * @throws FirnError as `repairStore`.
 */
export async function repair(
  { at, shard: name, into }: RepairCommand,
  { print, printError, drained }: Output,
): Promise<number> {
  const [clock, prng] = [new SystemClock(), new SystemPrng()];
  const { shard, copied, damaged } = await repairStore(at, name, into, {
    clock,
    prng,
    nodeId: mintNodeId(prng),
    onDefect: () => undefined,
    notify: (text) => printError(`${text}\n`),
  });
  for (const loss of shard.losses) {
    print(lossText(loss));
    await drained();
  }
  for (const { path, what } of damaged) print(`${path}: ${what}; not copied\n`);
  for (const checkpoint of shard.checkpoints) {
    print(`checkpoint "${textOfKey(Buffer.from(checkpoint).toString("latin1"))}": not copied\n`);
  }
  const { manifestId = "none", tablesRead, batchesRead, rows, tables, tableBytes } = shard;
  print(
    `read manifest ${manifestId}, ${tablesRead} tables, ${batchesRead} batches of the log\n` +
      `wrote ${rows} rows in ${tables} tables of ${tableBytes} bytes, ` +
      `${copied.objects} other objects of ${copied.bytes} bytes\n`,
  );
  const lossy = shard.losses.filter(({ keys }) => keys !== undefined);
  print(
    lossy.length + damaged.length === 0 ? "nothing is lost\n" : lostText(lossy, damaged.length),
  );
  print(nextSteps(at, into));
  return lossy.length + damaged.length === 0 ? 0 : 1;
}

function lossText({ file, offset, what, keys, doubtful }: Loss): string {
  const place = offset === undefined ? file : `${file}, offset ${offset}`;
  if (keys === undefined) return `${place}: ${what}; no row is lost\n`;
  const { from, to } = keys;
  const range =
    from === "" && to === END_OF_KEYS
      ? "any key"
      : `keys "${textOfKey(from)}" ${to === END_OF_KEYS ? "and later" : `to "${textOfKey(to)}"`}`;
  const doubt =
    doubtful === 0
      ? ""
      : `; ${doubtful} rows in this range may be out of date, or may have been deleted`;
  return `${place}: ${what}; rows may be lost: ${range}${doubt}\n`;
}

function lostText(losses: readonly Loss[], objects: number): string {
  const other = objects === 0 ? "" : `, ${objects} other objects are lost`;
  return `${losses.length} places may have held rows that are lost${other}\n`;
}

function nextSteps({ profile, dir, s3Bucket = "" }: Settings, into: string): string {
  if (profile === "bucket") {
    const [, , bucket = s3Bucket, ...prefix] = into.split("/");
    const place = `--s3-bucket ${bucket} --s3-prefix ${prefix.join("/")}`;
    return `Serve it: firn serve --profile bucket ${place}\n`;
  }
  const [old, made] = [`${dir}/store`, `${into}/store`].map(shellWord);
  return `Put it in place of the damaged one, with the server stopped:
  mv ${old} ${shellWord(`${dir}/store.damaged`)} && mv ${made} ${old}
`;
}
