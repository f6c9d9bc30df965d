import { describe, expect, it } from "vitest";
import type { FirnError } from "../../../src/base/error.ts";
import type { Engine } from "../../../src/lsm/engine/engine.ts";
import { decodeManifest } from "../../../src/lsm/format/manifest.ts";
import type { Checkpoint } from "../../../src/lsm/format/manifest-records.ts";
import { ManifestHistory } from "../../../src/lsm/manifest/history.ts";
import { manifestPath } from "../../../src/lsm/manifest/objects.ts";
import { verifyShard } from "../../../src/lsm/tools/verify.ts";
import { ObjectReader } from "../../../src/lsm/wal/reader.ts";
import { type Fault, FaultyBlobStore } from "../../support/faulty-blob-store.ts";
import { readOne, TimedShard } from "../support/timed-shard.ts";

const HOUR = 3_600_000;

/** Writes over everything, and lets the collector have what it may. */
async function replaceAll(shard: TimedShard, engine: Engine, value: string): Promise<void> {
  await shard.flush(engine, value);
  await shard.run(engine.compact());
  await shard.run(engine.collectGarbage());
}

async function findings(shard: TimedShard): Promise<readonly unknown[]> {
  const { store, clock } = shard;
  const wal = new ObjectReader(store, "wal/");
  const found: unknown[] = [];
  for await (const one of verifyShard({ store, prefix: "", clock, wal })) found.push(one);
  return found;
}

describe("a checkpoint", () => {
  it("keeps its manifest and its tables until it is deleted", async () => {
    const shard = new TimedShard();
    const engine = await shard.open({ gcMinAgeMs: 0 });
    await shard.flush(engine, "1");
    const kept = await shard.run(engine.checkpoint("before"));
    expect(kept).toMatchObject({ name: "before", sequence: 50, expiresAtMs: undefined });
    const tables = await shard.names("sst/");
    for (const value of ["2", "3"]) await replaceAll(shard, engine, value);
    expect(await shard.names("sst/")).toEqual(expect.arrayContaining([...tables]));
    expect(await shard.names("sst/")).toHaveLength(2);
    expect(await findings(shard)).toEqual([]);
    expect(engine.checkpoints()).toEqual([kept]);
    await shard.run(engine.deleteCheckpoint("before"));
    await shard.run(engine.collectGarbage());
    expect(await shard.names("sst/")).toHaveLength(1);
    expect(await shard.names("manifest/")).toHaveLength(1);
    expect(await shard.run(readOne(engine))).toBe("3");
    expect(engine.checkpoints()).toEqual([]);
  });

  it("is in doubt while an attempt may land yet, whatever the next one comes to", async () => {
    const shard = new TimedShard();
    let puts = -1;
    const store = new FaultyBlobStore(shard.store, (_index, method) => {
      if (puts < 0 || method !== "put") return undefined;
      return ++puts === 1 ? { fault: "late", lands: "release" } : { fault: "refused" };
    });
    const engine = await shard.open({ gcMinAgeMs: 0 }, store);
    await shard.flush(engine, "1");
    puts = 0;
    const making = shard.run(engine.checkpoint("one"));
    await expect(making).rejects.toMatchObject({ kind: "Unknown" });
    await store.releaseAll();
    expect((await shard.newest()).checkpoints.map(({ name }) => name)).toEqual(["one"]);
  });

  it("holds what was in memory alone, and outlives the engine that made it", async () => {
    const shard = new TimedShard();
    const first = await shard.open({ gcMinAgeMs: 0 });
    await shard.run(Promise.resolve(first.put(Buffer.from("k"), Buffer.from("v"))));
    expect((await shard.run(first.checkpoint("one"))).sequence).toBe(1);
    const second = await shard.open({ gcMinAgeMs: 0 });
    await replaceAll(shard, second, "2");
    const [kept] = second.checkpoints();
    const manifestId = (await shard.newest()).checkpoints[0]?.manifestId ?? 0;
    const blob = await shard.store.get(manifestPath("", manifestId));
    expect(decodeManifest(blob?.bytes ?? new Uint8Array())).toMatchObject({ lastSequence: 1 });
    expect(kept?.sequence).toBe(1);
    expect(await findings(shard)).toEqual([]);
  });

  it("ends with its life: its name is free, what it kept goes after the least age", async () => {
    const shard = new TimedShard();
    const engine = await shard.open({ gcMinAgeMs: HOUR });
    await shard.flush(engine, "1");
    await shard.run(engine.checkpoint("short", { ttlMs: 10 * HOUR }));
    await shard.clock.advance(2 * HOUR);
    await replaceAll(shard, engine, "2");
    await shard.clock.advance(2 * HOUR);
    await shard.run(engine.collectGarbage());
    expect(await shard.names("sst/")).toHaveLength(2);
    await shard.clock.advance(6 * HOUR);
    expect(engine.checkpoints()).toEqual([]);
    // A reader with a slower clock counts on it still.
    await shard.run(engine.collectGarbage());
    expect(await shard.names("sst/")).toHaveLength(2);
    await shard.clock.advance(HOUR);
    await shard.run(engine.collectGarbage());
    expect(await shard.names("sst/")).toHaveLength(1);
    expect((await shard.newest()).checkpoints).toEqual([]);
    await shard.run(engine.checkpoint("short"));
    expect(engine.checkpoints().map(({ sequence }) => sequence)).toEqual([100]);
  });
});

describe("a request for a checkpoint", () => {
  it("is refused under a name that stands, or is none, and more than there may be", async () => {
    const shard = new TimedShard();
    const engine = await shard.open();
    await shard.flush(engine, "1");
    await shard.run(engine.checkpoint("a", { ttlMs: HOUR }));
    const refused = (name: string, ttlMs?: number) =>
      expect(shard.run(engine.checkpoint(name, ttlMs === undefined ? {} : { ttlMs }))).rejects;
    await refused("a").toMatchObject({ kind: "AlreadyExists", code: "LSM_CHECKPOINT_EXISTS" });
    await refused("").toMatchObject({ code: "LSM_CHECKPOINT_INVALID" });
    await refused("é".repeat(128)).toMatchObject({ code: "LSM_CHECKPOINT_INVALID" });
    await refused("b", 0).toMatchObject({ code: "LSM_CHECKPOINT_INVALID" });
    await refused("b", 1.5).toMatchObject({ kind: "Invalid", code: "LSM_CHECKPOINT_INVALID" });
    const missing = { kind: "NotFound", code: "LSM_CHECKPOINT_NOT_FOUND" };
    await expect(shard.run(engine.deleteCheckpoint("b"))).rejects.toMatchObject(missing);
    // One that has ended makes room for another of its name.
    await shard.clock.advance(HOUR);
    expect((await shard.run(engine.checkpoint("a"))).expiresAtMs).toBeUndefined();
  });

  it.each<Fault>([
    { fault: "answerLost" },
    { fault: "notSent" },
    { fault: "late", lands: "release" },
    { fault: "refused" },
  ])("is made and deleted once, or not at all, where an answer is lost: %j", async (fault) => {
    for (const call of ["make", "delete"]) {
      const shard = new TimedShard();
      let armed = false;
      const store = new FaultyBlobStore(shard.store, (_index, method, [path]) => {
        if (!armed || method !== "put" || !String(path).startsWith("manifest/")) return undefined;
        armed = false;
        return fault;
      });
      const engine = await shard.open({ gcMinAgeMs: 0 }, store);
      await shard.flush(engine, "1");
      if (call === "delete") await shard.run(engine.checkpoint("one"));
      armed = true;
      const work: Promise<unknown> =
        call === "make" ? engine.checkpoint("one") : engine.deleteCheckpoint("one");
      const failure = await shard.run(work).then(
        () => undefined,
        (error: unknown) => error,
      );
      await store.releaseAll();
      const { checkpoints } = await shard.newest();
      const isThere = checkpoints.length === 1;
      const isDone = isThere === (call === "make");
      if (failure === undefined) expect(isDone).toBe(true);
      else {
        expect((failure as FirnError).kind).toBe("Unavailable");
        expect(isDone).toBe(false);
      }
    }
  });
});

describe("a checkpoint and its manifest", () => {
  it("of which the manifest is gone, or another, is damage", async () => {
    const shard = new TimedShard();
    const engine = await shard.open({ gcMinAgeMs: 0 });
    await shard.flush(engine, "1");
    await shard.run(engine.checkpoint("one"));
    await shard.clock.advance(HOUR);
    await shard.flush(engine, "2");
    const newest = await shard.newest();
    const [kept] = newest.checkpoints;
    if (kept === undefined) throw new Error("there is a checkpoint");
    const samples = newest.samples.toReversed();
    const wrong = { ...newest, checkpoints: [{ ...kept, sequence: 49 }], samples };
    await shard.manifests.publish(wrong, newest.id);
    const file = manifestPath("", newest.id + 1);
    expect(await findings(shard)).toMatchObject([{ file }, { file }]);
    await shard.manifests.publish({ ...newest, writerEpoch: newest.writerEpoch }, newest.id + 1);
    await shard.store.delete(manifestPath("", kept.manifestId));
    expect(await findings(shard)).toMatchObject([{ file: manifestPath("", newest.id + 2) }]);
  });

  it("of an older manifest is safe from a collection that had begun before", async () => {
    const shard = new TimedShard();
    const engine = await shard.open({ gcMinAgeMs: 0 });
    await shard.flush(engine, "1");
    const { id, ...older } = await shard.newest();
    await shard.run(engine.compact());
    await shard.flush(engine, "2");
    await shard.run(engine.compact());
    // The collector has decided by now, and raises the boundary: another process comes in between.
    const { store } = shard;
    const put = store.put.bind(store);
    store.put = async (path, bytes, condition) => {
      if (!path.startsWith("gc/")) return await put(path, bytes, condition);
      store.put = put;
      const newest = await shard.newest();
      const reader: Checkpoint = {
        name: "r",
        manifestId: id,
        sequence: older.lastSequence,
        createdAtMs: 1,
        expiresAtMs: undefined,
        kind: "reader",
        unknown: [],
      };
      const pinned = { ...newest, checkpoints: [reader] };
      expect(await shard.manifests.publish(pinned, newest.id)).toBeDefined();
      return await put(path, bytes, condition);
    };
    await shard.run(engine.collectGarbage());
    const history = new ManifestHistory(store, "", shard.clock);
    expect(await history.read(id)).toMatchObject({ lastSequence: older.lastSequence });
    expect(await findings(shard)).toEqual([]);
  });
});
