import { expect, test } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { InlineMerger } from "../../src/lsm/compaction/inline-merger.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import type { WriteOp } from "../../src/lsm/write/write-path.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { costOf, expectShortTurns } from "../support/turns.ts";

const KEYS = 40_000;
/** Entries that a scan passes at most before it gives way. */
const STEPS = 2_048;
const BATCH = 1_000;
const keyOf = (n: number): Uint8Array => utf8(`k${String(n).padStart(7, "0")}`);

class CountingClock extends SystemClock {
  turns = 0;

  override async sleep(ms: number, ended?: AbortSignal): Promise<void> {
    if (ms === 0) this.turns++;
    await super.sleep(ms, ended);
  }
}

/** An engine of so many keys, of which all but the first and the last were deleted again. */
async function withTombstones(clock: CountingClock): Promise<Engine> {
  const store = new MemoryBlobStore(clock);
  const engine = await Engine.open({
    ...{ store, clock, prng: new SeededPrng(1), merger: new InlineMerger(clock) },
    wal: new ObjectWalStore(store, { clock, prng: new SeededPrng(2), prefix: "wal/" }),
    node: { node: "n", host: "h", pid: 1, bootId: "b", url: "", sight: () => "dead" },
  });
  const batches = async (last: number, op: (n: number) => WriteOp): Promise<void> => {
    for (let n = 0; n < last; n += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, last - n) }, (_, i) => op(n + i));
      await (await engine.write(batch)).durable();
    }
  };
  await batches(KEYS, (n) => ({ op: "put", key: keyOf(n), value: utf8("v") }));
  await batches(KEYS - 2, (n) => ({ op: "delete", key: keyOf(n + 1) }));
  return engine;
}

test("a scan over tombstones gives way", async () => {
  const clock = new CountingClock();
  const engine = await withTombstones(clock);
  try {
    for (const reverse of [false, true]) {
      const found: string[] = [];
      clock.turns = 0;
      const cost = await costOf(async () => {
        for await (const rows of engine.scan({ reverse })) {
          for (const { key } of rows) found.push(Buffer.from(key).toString());
        }
      });
      const ends = ["k0000000", `k${String(KEYS - 1).padStart(7, "0")}`];
      expect(found).toEqual(reverse ? ends.toReversed() : ends);
      expect(clock.turns).toBeGreaterThanOrEqual(Math.floor(KEYS / STEPS));
      expectShortTurns(reverse ? "backward" : "forward", cost);
    }
    const transaction = engine.transaction();
    const inTransaction = await costOf(async () => {
      for await (const _ of transaction.scan({}));
    });
    transaction.rollback();
    expectShortTurns("in a transaction", inTransaction);
  } finally {
    await engine.close();
  }
});
