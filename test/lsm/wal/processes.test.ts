import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SeededPrng } from "../../../src/base/prng.ts";
import { LocalDisk } from "../../../src/lsm/disk/local.ts";
import { SegmentWalStore } from "../../../src/lsm/wal/segments.ts";
import { scratchDirectory } from "../../support/open-iceberg.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import type { OwnerReport } from "./owner-process.ts";
import { openWal, textsOf } from "./support.ts";

/** Of each process; hundreds by hand: each costs some ten syncs of the real disk. */
const ROUNDS = 15;

it("two processes take over from each other, and lose no acknowledgement", async () => {
  const directory = scratchDirectory();
  const program = join(import.meta.dirname, "owner-process.ts");
  const reports = await Promise.all(
    [1, 2].map(async (): Promise<OwnerReport> => {
      const child = fork(program, [directory, `${ROUNDS}`], { execArgv: [] });
      const died = once(child, "exit").then(([code]) => {
        throw new Error(`an owner ended with ${code} and no report`);
      });
      died.catch(() => undefined);
      const [report] = await Promise.race([once(child, "message"), died]);
      return report as OwnerReport;
    }),
  );
  const store = new SegmentWalStore(new LocalDisk(join(directory, "wal")), {
    clock: new VirtualClock(),
    prng: new SeededPrng(1),
    segmentBytes: 16_384,
  });
  const { wal, groups } = await openWal(store, 1_000_000);
  const texts = textsOf(groups).flat();
  const told = reports.flatMap(({ acknowledged }) => acknowledged);
  for (const [sequence, text] of told) expect(texts[sequence - 1]).toBe(text);
  // How often they come to write depends on the machine: each fences the other as fast as it can.
  expect(told.length).toBeGreaterThan(0);
  for (const { takeOvers } of reports) expect(takeOvers).toBeGreaterThan(0);
  await wal.close();
});
