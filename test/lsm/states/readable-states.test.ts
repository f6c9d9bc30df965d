import { describe, expect, it } from "vitest";
import { utf8 } from "../../../src/base/bytes.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { ManifestHistory } from "../../../src/lsm/manifest/history.ts";
import { type ReadableStates, readableStates } from "../../../src/lsm/tools/readable-states.ts";
import { ObjectReader } from "../../../src/lsm/wal/reader.ts";
import { TimedShard } from "../support/timed-shard.ts";

const HOUR = 3_600_000;

function look(shard: TimedShard, gcMinAgeMs: number, store: BlobStore = shard.store) {
  const { clock } = shard;
  const wal = new ObjectReader(store, "wal/");
  const options = { gcMinAgeMs };
  return shard.run(readableStates({ store, wal, clock, prng: new SeededPrng(9), options }));
}

/** The oldest state and the first time can be asked for; what lies before them cannot. */
async function prove(shard: TimedShard, gcMinAgeMs: number, found: ReadableStates): Promise<void> {
  const read = async (at: { readonly sequence: number } | { readonly timeMs: number }) => {
    const reader = await shard.read({ at }, { gcMinAgeMs });
    const { sequence } = reader;
    await shard.run(reader.close());
    return sequence;
  };
  const gone = { code: "LSM_HISTORY_GONE" };
  expect(await read({ sequence: found.oldest })).toBe(found.oldest);
  if (found.oldest > 0) await expect(read({ sequence: found.oldest - 1 })).rejects.toThrow();
  const { fromMs = 0 } = found;
  expect(await read({ timeMs: fromMs })).toBeGreaterThanOrEqual(found.oldest);
  await expect(read({ timeMs: fromMs - 1 })).rejects.toMatchObject(gone);
}

describe("what can be reached", () => {
  it("is what is kept for a least age, and then what something keeps", async () => {
    const shard = new TimedShard();
    const engine = await shard.open({ gcMinAgeMs: HOUR });
    await shard.clock.advance(60_000);
    await shard.flush(engine, "1");
    const one = await shard.run(engine.checkpoint("one", { ttlMs: 10 * HOUR }));
    for (const value of ["2", "3", "4"]) {
      await shard.clock.advance(HOUR / 2);
      await shard.flush(engine, value);
      await shard.run(engine.compact());
      await shard.run(engine.collectGarbage());
    }
    await shard.run(Promise.resolve(engine.put(utf8("k"), utf8("v"), { durable: true })));
    const found = await look(shard, HOUR);
    expect(found).toMatchObject({ newest: 201, oldest: 50, checkpoints: [one], readers: [] });
    await prove(shard, HOUR, found);

    const reader = await shard.read({ at: { sequence: 150 } }, { gcMinAgeMs: HOUR });
    await shard.run(engine.deleteCheckpoint("one"));
    for (let hour = 0; hour < 2; hour++) {
      await shard.clock.advance(HOUR);
      await shard.flush(engine, `5.${hour}`);
      await shard.run(engine.compact());
      await shard.run(engine.collectGarbage());
    }
    const later = await look(shard, HOUR);
    expect(later).toMatchObject({ newest: 301, oldest: 150, checkpoints: [] });
    expect(later.readers.map(({ sequence }) => sequence)).toEqual([150]);
    await shard.run(reader.close());
    await shard.run(engine.collectGarbage());
    const last = await look(shard, HOUR);
    expect(last.readers).toEqual([]);
    expect(last.oldest).toBeGreaterThan(150);
    await prove(shard, HOUR, last);
  });

  it("leaves out what a collector has given up and not deleted yet", async () => {
    const shard = new TimedShard();
    const engine = await shard.open({ gcMinAgeMs: HOUR });
    const ids: number[] = [];
    for (const value of ["1", "2", "3"]) {
      await shard.flush(engine, value);
      ids.push((await shard.newest()).id);
    }
    const history = new ManifestHistory(shard.store, "", shard.clock);
    expect(await shard.run(history.raise(ids[0] ?? 0))).toBe(true);
    expect(await look(shard, HOUR)).toMatchObject({ newest: 150, oldest: 100 });
    const gone = shard.read({ at: { sequence: 50 } }, { gcMinAgeMs: HOUR });
    await expect(gone).rejects.toMatchObject({ code: "LSM_HISTORY_GONE" });
  });

  it("of a disk is the newest state, beside an owner that collects at once", async () => {
    const shard = new TimedShard();
    const engine = await shard.open({ gcMinAgeMs: 0 });
    await shard.flush(engine, "1");
    // What was listed vanishes under the look.
    const list = shard.store.list.bind(shard.store);
    let once = true;
    shard.store.list = async (prefix, options) => {
      const found = await list(prefix, options);
      if (once && prefix === "manifest/") {
        once = false;
        await shard.flush(engine, "2");
        await shard.run(engine.compact());
        await shard.run(engine.collectGarbage());
      }
      return found;
    };
    expect(await look(shard, 0)).toMatchObject({ newest: 100, oldest: 100 });
    await expect(look(new TimedShard(), 0)).rejects.toMatchObject({ code: "LSM_NO_SHARD" });
  });
});
