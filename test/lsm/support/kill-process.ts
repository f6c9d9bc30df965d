import { join } from "node:path";
import { LocalBlobStore } from "../../../src/blob/local.ts";
import { LocalDisk } from "../../../src/lsm/disk/local.ts";
import { Engine } from "../../../src/lsm/engine/engine.ts";
import { SegmentWalStore } from "../../../src/lsm/wal/segments.ts";
import { SystemClock } from "../../../src/runtime/clock.ts";
import { nodeIdentity } from "../../../src/runtime/node-identity.ts";
import { SystemPrng } from "../../../src/runtime/prng.ts";
import { tell } from "../../support/tell.ts";

/**
 * A process that writes until it is killed. It tells what it found, then each acknowledgement:
 * `found N`: batches 1 to N stand, whole and without a gap; `ack N`: batch N is durable.
 */
const [directory = ""] = process.argv.slice(2);
const ports = { clock: new SystemClock(), prng: new SystemPrng() };

const keyOf = (half: string, batch: number): Uint8Array =>
  Buffer.from(`${half}${String(batch).padStart(9, "0")}`);

const engine = await Engine.open({
  ...ports,
  store: new LocalBlobStore(join(directory, "store"), ports),
  wal: new SegmentWalStore(new LocalDisk(join(directory, "wal")), {
    ...ports,
    segmentBytes: 262_144,
    sliceBytes: 65_536,
  }),
  node: nodeIdentity({ prng: ports.prng, oneHost: true }),
  // Flushes all the time, so that kills meet tables and manifests as well as the log.
  forTests: { memtableBytes: 20_000, gcMinAgeMs: 0 },
});

/** Batches in one half of the keys; the numbers must have no gap. */
async function count(half: string): Promise<number> {
  let batches = 0;
  for await (const rows of engine.scan({ prefix: Buffer.from(half) })) {
    for (const { value } of rows) {
      batches++;
      if (Buffer.from(value).toString() !== String(batches)) throw new Error(`gap at ${batches}`);
    }
  }
  return batches;
}

const found = await count("a");
if ((await count("b")) !== found) throw new Error("half a batch");
if (found !== engine.lastSequence / 2) throw new Error("sequences and rows differ");
tell(`found ${found}`);

let next = found;
const writer = async (): Promise<never> => {
  for (;;) {
    const batch = ++next;
    const value = Buffer.from(String(batch));
    const ops = ["a", "b"].map((half) => ({ op: "put" as const, key: keyOf(half, batch), value }));
    await engine.write(ops, { durable: true });
    tell(`ack ${batch}`);
  }
};
await Promise.all([writer(), writer(), writer()]);
