import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { SeededPrng } from "../../../src/base/prng.ts";
import { LocalDisk } from "../../../src/lsm/disk/local.ts";
import { SegmentWalStore } from "../../../src/lsm/wal/segments.ts";
import { SystemClock } from "../../../src/runtime/clock.ts";
import { appendTexts, openWal } from "./support.ts";

/** What was acknowledged to this process, and how often it took over. */
export interface OwnerReport {
  readonly acknowledged: readonly (readonly [sequence: number, text: string])[];
  readonly takeOvers: number;
}

/** Takes over again and again, and writes each time until it is fenced or has written enough. */
async function own(directory: string, rounds: number): Promise<OwnerReport> {
  const acknowledged: [number, string][] = [];
  let takeOvers = 0;
  const store = new SegmentWalStore(new LocalDisk(join(directory, "wal")), {
    clock: new SystemClock(),
    prng: new SeededPrng(process.pid),
    segmentBytes: 16_384,
    sliceBytes: 16_384,
  });
  for (let round = 0; round < rounds; round++) {
    try {
      const { wal } = await openWal(store, nextEpoch(directory));
      takeOvers++;
      for (let write = 0; write < 6; write++) {
        const sequence = wal.stats().lastSequence + 1;
        const text = `${process.pid}-${round}-${write}`;
        await appendTexts(wal, [text]);
        acknowledged.push([sequence, text]);
      }
      await wal.close();
    } catch (error) {
      if ((error as { code?: string }).code !== "WAL_FENCED") throw error;
    }
  }
  return { acknowledged, takeOvers };
}

/** As a manifest's compare-and-set: no two owners have one epoch. */
function nextEpoch(directory: string): number {
  for (let epoch = 1; ; epoch++) {
    try {
      closeSync(openSync(join(directory, `epoch-${epoch}`), "wx"));
      return epoch;
    } catch (error) {
      if ((error as { code?: string }).code !== "EEXIST") throw error;
    }
  }
}

const [directory = "", rounds = "0"] = process.argv.slice(2);
const report = await own(directory, Number(rounds));
process.send?.(report, () => process.disconnect());
