import { describe, expect, it } from "vitest";
import { utf8 } from "../../../src/base/bytes.ts";
import { FirnError } from "../../../src/base/error.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import type { Engine } from "../../../src/lsm/engine/engine.ts";
import type { LsmOptions } from "../../../src/lsm/options.ts";
import { readableStates } from "../../../src/lsm/tools/readable-states.ts";
import { ObjectReader } from "../../../src/lsm/wal/reader.ts";
import { type Fault, FaultyBlobStore } from "../../support/faulty-blob-store.ts";
import { dyingStore } from "../support/every-call.ts";
import { readOne, TimedShard } from "../support/timed-shard.ts";

const NOW: Partial<LsmOptions> = { gcMinAgeMs: 0 };
const INTO = "clones/a/";
const DELETED = { kind: "NotFound", code: "LSM_SHARD_DELETED" };

function codeOf(error: unknown): string {
  if (error instanceof FirnError) return error.code;
  throw error;
}

/** State "2" in tables but for its last key, which the log alone holds; a checkpoint of "1". */
async function prepare(shard: TimedShard): Promise<Engine> {
  const engine = await shard.open(NOW);
  await shard.flush(engine, "1");
  await shard.run(engine.checkpoint("one"));
  await shard.flush(engine, "2");
  await shard.run(Promise.resolve(engine.put(utf8("z"), utf8("z"), { durable: true })));
  return engine;
}

async function pinsOf(shard: TimedShard): Promise<number> {
  const { checkpoints } = await shard.newest();
  return checkpoints.filter(({ kind }) => kind === "clone").length;
}

/** What whoever opens it finds; of a shard that is deleted, once the next call has finished it. */
async function settled(shard: TimedShard): Promise<string> {
  const found = await shard.open(NOW).catch(codeOf);
  if (typeof found !== "string") {
    const last = await shard.run(Promise.resolve(found.get(utf8("z"))));
    const value = `${await shard.run(readOne(found))}${last === undefined ? "" : " z"}`;
    await shard.run(found.close());
    expect(await shard.findings()).toEqual([]);
    return value;
  }
  for (let again = 0; again < 2; again++) {
    await shard.run(shard.delete());
    expect(await shard.names("sst/")).toEqual([]);
    for (const [rest, count] of Object.entries({ "manifest/": 1, "wal/": 2, "gc/": 1 })) {
      expect([rest, (await shard.names(rest)).length]).toEqual([rest, count]);
    }
    await expect(shard.open(NOW)).rejects.toMatchObject(DELETED);
    expect(await shard.findings()).toEqual([]);
  }
  return found;
}

describe("a shard that is deleted", () => {
  it("is there for nobody any more, nor is its place", async () => {
    const shard = new TimedShard("p/");
    const engine = await prepare(shard);
    const follower = await shard.read({ follow: { pollMs: 0 } }, NOW);
    const reader = await shard.read({ checkpoint: "one" }, NOW);
    await shard.run(shard.delete());
    const late = Promise.resolve(engine.put(utf8("k"), utf8("v"), { durable: true }));
    await expect(shard.run(late)).rejects.toMatchObject({ code: "WAL_FENCED" });
    await expect(shard.run(follower.refresh())).rejects.toMatchObject(DELETED);
    const read = Promise.resolve(reader.get(utf8("key 07")));
    await expect(shard.run(read)).rejects.toMatchObject(DELETED);
    await shard.run(reader.close());
    await shard.run(follower.close());
    const next = shard.read({ follow: { pollMs: 0 } }, NOW);
    await expect(next).rejects.toMatchObject(DELETED);
    await expect(shard.run(shard.clone(INTO))).rejects.toMatchObject(DELETED);
    const restored = shard.run(shard.restore({ checkpoint: "one" }));
    await expect(restored).rejects.toMatchObject(DELETED);
    const other = new TimedShard("q/", shard);
    await prepare(other);
    const taken = { code: "LSM_SHARD_EXISTS", context: { isDeleted: true } };
    await expect(other.run(other.clone("p/"))).rejects.toMatchObject(taken);
    expect(await settled(shard)).toBe("LSM_SHARD_DELETED");
    const parts = { store: shard.store, prefix: "p/", clock: shard.clock, prng: new SeededPrng(1) };
    const log = new ObjectReader(shard.store, "p/wal/");
    await expect(readableStates({ ...parts, wal: log })).rejects.toMatchObject(DELETED);
    const nothing = new TimedShard("r/", shard);
    await expect(nothing.run(nothing.delete())).rejects.toMatchObject({ code: "LSM_NO_SHARD" });
  });

  it("has no clones that need it, and needs its own parent no more", async () => {
    const first = new TimedShard("1/");
    const engine = await prepare(first);
    await first.run(first.clone("2/"));
    const second = new TimedShard("2/", first);
    await second.run(second.clone("3/"));
    const cloned = { kind: "Conflict", code: "LSM_SHARD_CLONED", context: { clones: 1 } };
    await expect(first.run(first.delete())).rejects.toMatchObject(cloned);
    await expect(second.run(second.delete())).rejects.toMatchObject(cloned);
    // Whoever writes it was not disturbed.
    await first.run(Promise.resolve(engine.put(utf8("k"), utf8("v"), { durable: true })));
    const third = new TimedShard("3/", first);
    await third.run(third.delete());
    expect([await pinsOf(second), await pinsOf(first)]).toEqual([0, 1]);
    await second.run(second.delete());
    expect(await pinsOf(first)).toBe(0);
    expect(await first.run(readOne(engine))).toBe("2");
    await first.run(first.delete());
    for (const shard of [first, second, third]) {
      expect(await settled(shard)).toBe("LSM_SHARD_DELETED");
    }
  });
});

describe("the deletion of a shard", () => {
  it.each(["before", "after"] as const)(
    "ends at any call, %s it is applied: it is whole, or says what it is",
    async (applied) => {
      const outcomes = new Map<string, number>();
      for (let at = 0, wasMet = true; wasMet; at++) {
        const { parent, clone } = await cloned();
        const { store, died, met } = dyingStore(clone.store, at, applied);
        await clone.run(Promise.race([clone.delete({}, store), died]));
        wasMet = met();
        const found = await settled(clone);
        outcomes.set(found, (outcomes.get(found) ?? 0) + 1);
        expect([at, found, await pinsOf(parent)]).toEqual([at, found, found === "2 z" ? 1 : 0]);
      }
      expect([...outcomes.keys()].sort()).toEqual(["2 z", "LSM_SHARD_DELETED"]);
      for (const count of outcomes.values()) expect(count).toBeGreaterThan(8);
    },
  );

  it.each<Fault>([
    { fault: "answerLost" },
    { fault: "notSent" },
    { fault: "refused" },
    { fault: "late", lands: "release" },
  ])("is told as it was, whichever call suffers %j", async (fault) => {
    for (let at = 0, met = true; met; at++) {
      const { clone } = await cloned();
      met = false;
      const store = new FaultyBlobStore(clone.store, (index, method) => {
        if (index !== at) return undefined;
        met = true;
        return "lands" in fault && !method.startsWith("put") ? undefined : fault;
      });
      const outcome = await clone.run(
        clone.delete({}, store).then(
          () => "deleted",
          (error: unknown) => (error instanceof FirnError ? error.kind : String(error)),
        ),
      );
      await store.releaseAll();
      const found = await settled(clone);
      const gone = found === "LSM_SHARD_DELETED";
      expect([at, outcome, found]).toEqual([at, outcome, expect.stringMatching(/^2 z$|^LSM_/)]);
      if (outcome === "deleted") expect([at, gone]).toEqual([at, true]);
      // What failed behind the put that decides is in doubt, and is gone on with.
      if (outcome === "Unavailable") expect([at, gone]).toEqual([at, false]);
    }
  });

  it.each(["a deletion", "a clone"] as const)(
    "and a clone that is made of it do not both come to be, where the other meets %s",
    async (struck) => {
      const outcomes = new Set<string>();
      for (let at = 0, met = true; met; at++) {
        const shard = new TimedShard("p/");
        await prepare(shard);
        met = false;
        const beside = new TimedShard("p/", shard);
        const clone = new TimedShard(INTO, beside);
        const told = (work: Promise<unknown>) => work.then(() => "done", codeOf);
        const rival = Promise.withResolvers<string>();
        const until = async () => {
          const other = struck === "a clone" ? beside.delete() : beside.clone(INTO);
          rival.resolve(await told(other));
        };
        const store = new FaultyBlobStore(shard.store, (index) => {
          if (index !== at) return undefined;
          met = true;
          return { fault: "stalled", applied: "after", until };
        });
        const work = struck === "a clone" ? shard.clone(INTO, undefined, {}, store) : undefined;
        const own = await shard.run(told(work ?? shard.delete({}, store)));
        if (!met) break;
        const other = await rival.promise;
        const [cloning, deleting] = struck === "a clone" ? [own, other] : [other, own];
        outcomes.add(`${cloning} ${deleting}`);
        const isThere = (await clone.manifests.latest()) !== undefined;
        const found = isThere ? await settled(clone) : "nothing";
        const left = await settled(shard);
        expect([at, cloning, found === "2 z"]).toEqual([at, cloning, cloning === "done"]);
        const isGone = left === "LSM_SHARD_DELETED";
        expect([at, deleting, isGone]).toEqual([at, deleting, deleting === "done"]);
        expect([at, cloning === "done" && isGone]).toEqual([at, false]);
      }
      expect([...outcomes]).toEqual(
        expect.arrayContaining(["done LSM_SHARD_CLONED", "LSM_SHARD_DELETED done"]),
      );
    },
  );
});

/** A clone that was opened, with a key that its log alone holds. */
async function cloned(): Promise<{ parent: TimedShard; clone: TimedShard }> {
  const parent = new TimedShard();
  await prepare(parent);
  await parent.run(parent.clone(INTO));
  const clone = new TimedShard(INTO, parent);
  const own = await clone.open(NOW);
  await clone.run(Promise.resolve(own.put(utf8("z"), utf8("y"), { durable: true })));
  return { parent, clone };
}
