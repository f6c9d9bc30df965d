import type { Clock } from "../../src/base/clock.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import type { Maybe } from "../../src/lsm/maybe.ts";
import type { LsmTuning } from "../../src/lsm/options.ts";
import { SegmentWalStore } from "../../src/lsm/wal/segments.ts";
import type { KeyFamily } from "../../src/pointer/key.ts";
import { LsmPointerStore } from "../../src/pointer/lsm.ts";
import { InlineMerger } from "./inline-merger.ts";
import { ModelledDisk } from "./modelled-disk.ts";

/**
 * So small that a few batches fill a memtable: pointers are read from tables too, and tables are
 * compacted and collected while they are.
 */
const OPTIONS: Partial<LsmTuning> = {
  memtableBytes: 32_768,
  blockBytes: 1_024,
  tableBytes: 65_536,
  compactionL0Tables: 2,
  l0Tables: [1_000, 2_000],
  gcMinAgeMs: 0,
};
const SIZES = { segmentBytes: 131_072, sliceBytes: 0 };

/** Pointers in an engine of their own, as profile `local` keeps them, with nothing on a disk. */
export function enginePointers(families: readonly KeyFamily[], clock: Clock): LsmPointerStore {
  return restartablePointers(families, clock).pointers;
}

/**
 * Likewise; `restart` ends the engine without a word, as its process would, and another one takes
 * over what lies in log and store. It does so between two commits, so that who stands at the store
 * knows of each what became of it.
 */
export function restartablePointers(
  families: readonly KeyFamily[],
  clock: Clock,
): { readonly pointers: LsmPointerStore; readonly restart: () => Promise<void> } {
  const prng = new SeededPrng(4_711);
  const disk = new ModelledDisk();
  const store = new MemoryBlobStore(clock);
  let engine: Maybe<Engine> | undefined;
  const open = async (): Promise<Engine> => {
    engine = await Engine.open({
      store,
      clock,
      prng,
      forTests: OPTIONS,
      wal: new SegmentWalStore(disk, { clock, prng, ...SIZES }),
      merger: new InlineMerger(clock),
      node: {
        node: "test",
        host: "host",
        pid: 1,
        bootId: "boot",
        url: "",
        sight: () => "dead",
      },
    });
    return engine;
  };
  const serving = () => {
    engine ??= open();
    return engine;
  };
  const pointers = new LsmPointerStore({ families, clock, engine: serving });
  let turn: Promise<unknown> = Promise.resolve();
  const writing = new Set<Promise<unknown>>();
  const commit = pointers.commit.bind(pointers);
  pointers.commit = async (batch) => {
    await turn;
    const done = commit(batch);
    writing.add(done);
    try {
      return await done;
    } finally {
      writing.delete(done);
    }
  };
  const restart = (): Promise<void> => {
    const next = turn.then(async () => {
      await Promise.allSettled(writing);
      engine = undefined;
      await serving();
    });
    turn = next;
    return next;
  };
  return { pointers, restart };
}
