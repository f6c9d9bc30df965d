import { describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import { FirnError } from "../../../src/base/error.ts";
import type { Engine } from "../../../src/lsm/engine/engine.ts";
import { tablesIn } from "../../../src/lsm/format/manifest.ts";
import { LSM_LIMITS } from "../../../src/lsm/limits.ts";
import type { LsmOptions } from "../../../src/lsm/options.ts";
import { int64Bytes, int64Of } from "../../../src/lsm/read/operators.ts";
import type { Reader } from "../../../src/lsm/read/reader.ts";
import type { Moment } from "../../../src/lsm/states/resolve.ts";
import { type Fault, FaultyBlobStore } from "../../support/faulty-blob-store.ts";
import { dyingStore } from "../support/every-call.ts";
import { TimedShard } from "../support/timed-shard.ts";

const KEY = utf8("key 07");
const COUNT = utf8("count");
const NOW: Partial<LsmOptions> = { gcMinAgeMs: 0 };
const INTO = "clones/a/";

function codeOf(error: unknown): string {
  if (error instanceof FirnError) return error.code;
  throw error;
}

async function add(shard: TimedShard, engine: Engine, value: string): Promise<number> {
  const ops = [
    { op: "put", key: KEY, value: utf8(value) },
    { op: "merge", key: COUNT, operator: "add", value: int64Bytes(1n) },
  ] as const;
  const written = await shard.run(Promise.resolve(engine.write(ops, { durable: true })));
  return written.sequence;
}

async function state(shard: TimedShard, source: Engine | Reader): Promise<string> {
  const value = await shard.run(Promise.resolve(source.get(KEY)));
  const count = await shard.run(Promise.resolve(source.get(COUNT)));
  const rows: string[] = [];
  const read = async () => {
    for await (const batch of source.scan({ prefix: utf8("key") })) {
      rows.push(...batch.map((row) => utf8Text(row.key)));
    }
  };
  await shard.run(read());
  expect([0, 50]).toContain(rows.length);
  return `${value && utf8Text(value)} ${count === undefined ? 0 : int64Of(count)}`;
}

/** A checkpoint of state "1 0", then "2 1" in tables, then "3 2" and "4 3" in the log alone. */
async function prepare(shard: TimedShard): Promise<{ log: number; last: number; engine: Engine }> {
  const engine = await shard.open(NOW);
  await shard.flush(engine, "1");
  await shard.run(engine.checkpoint("one"));
  await add(shard, engine, "2");
  await shard.run(engine.flush());
  const log = await add(shard, engine, "3");
  const last = await add(shard, engine, "4");
  return { log, last, engine };
}

/** Everything that the parent can do away with goes. */
async function tidy(shard: TimedShard, engine: Engine, value: string): Promise<void> {
  await shard.flush(engine, value);
  await shard.run(engine.compact());
  await shard.run(engine.collectGarbage());
}

async function pinsOf(shard: TimedShard): Promise<readonly (number | undefined)[]> {
  const { checkpoints } = await shard.newest();
  return checkpoints.filter(({ kind }) => kind === "clone").map(({ expiresAtMs }) => expiresAtMs);
}

async function homesOf(shard: TimedShard): Promise<readonly (string | undefined)[]> {
  return tablesIn(await shard.newest()).map(({ home }) => home);
}

async function inherits(shard: TimedShard): Promise<string> {
  const engine = await shard.open(NOW);
  const found = await state(shard, engine);
  await shard.run(engine.close());
  return found;
}

describe("a clone", () => {
  it("names the parent's tables where they lie, and writes what lay in the log", async () => {
    const parent = new TimedShard("parents/p/");
    const { last, engine } = await prepare(parent);
    const before = await parent.names("sst/");
    const made = await parent.run(parent.clone(INTO));
    expect(made).toMatchObject({ sequence: last, sharedTables: 2, writtenTables: 1 });
    expect(await parent.names("sst/")).toEqual(before);
    const clone = new TimedShard(INTO, parent);
    expect((await clone.names("sst/")).length).toBe(1);
    expect(await homesOf(clone)).toEqual([undefined, "parents/p/", "parents/p/"]);
    expect(await pinsOf(parent)).toEqual([undefined]);
    const own = await clone.open(NOW);
    expect([own.lastSequence, await state(clone, own)]).toEqual([last, "4 3"]);
    expect(own.stats().tree).toMatchObject({ foreignTables: 2, foreignBytes: made.sharedBytes });
    // Each goes its own way, and the parent's owner was never in doubt.
    await add(clone, own, "c");
    await add(parent, engine, "p");
    await tidy(parent, engine, "q");
    expect([await state(clone, own), await state(parent, engine)]).toEqual(["c 4", "q 4"]);
    expect(engine.failure).toBeUndefined();
    expect(await clone.findings()).toEqual([]);
    expect(await parent.findings()).toEqual([]);
    await clone.run(own.close());
    expect(await inherits(clone)).toBe("c 4");
  });

  it.each<readonly [string, string, (at: { log: number; ms: number }) => Moment]>([
    ["a checkpoint", "1 0", () => ({ checkpoint: "one" })],
    ["a sequence", "3 2", ({ log }) => ({ sequence: log })],
    ["a time", "4 3", ({ ms }) => ({ timeMs: ms })],
  ])("is made of %s", async (_, found, momentOf) => {
    const parent = new TimedShard();
    const { log, engine } = await prepare(parent);
    const ms = parent.clock.nowMs();
    await parent.clock.advance(30_000);
    await parent.run(Promise.resolve(engine.put(utf8("later"), KEY, { durable: true })));
    await parent.run(engine.flush());
    await parent.run(parent.clone(INTO, momentOf({ log, ms })));
    await tidy(parent, engine, "5");
    const clone = new TimedShard(INTO, parent);
    expect(await inherits(clone)).toBe(found);
    expect(await clone.findings()).toEqual([]);
    expect(await parent.findings()).toEqual([]);
  });
});

describe("a clone and its parent", () => {
  it("that is compacted whole needs its parent no more, whose garbage then goes", async () => {
    const parent = new TimedShard();
    const { engine } = await prepare(parent);
    await parent.run(parent.clone(INTO));
    await parent.run(engine.deleteCheckpoint("one"));
    await tidy(parent, engine, "5");
    const kept = (await parent.names("sst/")).length;
    const clone = new TimedShard(INTO, parent);
    const own = await clone.open(NOW);
    await clone.run(own.collectGarbage());
    expect(await pinsOf(parent)).toEqual([undefined]);
    // A scan that has begun reads the parent's tables to its end.
    const scan = own.scan({ batchRows: 1 });
    await clone.run(Promise.resolve(scan.next()));
    await clone.run(own.compact());
    await clone.run(own.collectGarbage());
    expect([await homesOf(clone), await pinsOf(parent)]).toEqual([[undefined], [undefined]]);
    scan.close();
    await clone.run(own.collectGarbage());
    expect(await pinsOf(parent)).toEqual([]);
    const newest = await clone.newest();
    expect(newest.parent).toBeUndefined();
    await tidy(parent, engine, "6");
    expect((await parent.names("sst/")).length).toBeLessThan(kept);
    expect([await state(clone, own), await state(parent, engine)]).toEqual(["4 3", "6 3"]);
    // Nothing in it needs to be known to read it: an older version can.
    const path = `${INTO}manifest/${String(newest.id).padStart(20, "0")}.manifest`;
    expect(Buffer.from((await clone.store.get(path))?.bytes ?? []).readUInt32LE(12)).toBe(0);
    await clone.run(own.close());
    expect(await clone.findings()).toEqual([]);
  });

  it("keeps its parent's tables while a state that it keeps names them", async () => {
    const parent = new TimedShard();
    const { engine } = await prepare(parent);
    await parent.run(parent.clone(INTO));
    const clone = new TimedShard(INTO, parent);
    const own = await clone.open(NOW);
    await clone.run(own.checkpoint("kept"));
    await add(clone, own, "c");
    await clone.run(own.compact());
    const reader = await clone.read({ checkpoint: "kept" }, NOW);
    await clone.run(own.deleteCheckpoint("kept"));
    for (const pins of [[undefined], []]) {
      await clone.run(own.collectGarbage());
      await tidy(parent, engine, "6");
      expect(await pinsOf(parent)).toEqual(pins);
      if (pins.length > 0) expect(await state(clone, reader)).toBe("4 3");
      await clone.run(reader.close());
    }
    expect(await state(clone, own)).toBe("c 4");
  });
});

describe("a clone as a shard", () => {
  it("can be restored to a state that names them, and read by others", async () => {
    const parent = new TimedShard();
    const { engine } = await prepare(parent);
    await parent.run(parent.clone(INTO));
    const clone = new TimedShard(INTO, parent);
    const own = await clone.open(NOW);
    const found = own.lastSequence;
    await clone.run(own.checkpoint("kept"));
    await add(clone, own, "c");
    await clone.run(own.compact());
    await clone.run(own.collectGarbage());
    await clone.run(own.close());
    await clone.run(clone.restore({ checkpoint: "kept" }));
    await tidy(parent, engine, "6");
    const reader = await clone.read({ follow: { pollMs: 0 } }, NOW);
    expect([reader.sequence, await state(clone, reader)]).toEqual([found + 3, "4 3"]);
    await clone.run(reader.close());
    expect(await inherits(clone)).toBe("4 3");
    expect(await clone.findings()).toEqual([]);
  });

  it("is followed from its own log on", async () => {
    const parent = new TimedShard();
    const { last } = await prepare(parent);
    await parent.run(parent.clone(INTO));
    const clone = new TimedShard(INTO, parent);
    const own = await clone.open(NOW);
    const subscription = own.subscribe(last + 1);
    await add(clone, own, "c");
    const next = await clone.run(subscription.next());
    expect(next?.[0]).toMatchObject({ firstSequence: last + 1 });
    const before = own.subscribe(last);
    const gone = { kind: "NotFound", code: "LSM_SEQUENCE_GONE" };
    await expect(clone.run(before.next())).rejects.toMatchObject(gone);
  });

  it("of a clone leaves each parent what those after it need", async () => {
    const first = new TimedShard("1/");
    const { engine } = await prepare(first);
    await first.run(first.clone("2/"));
    const second = new TimedShard("2/", first);
    await second.run(second.clone("3/"));
    const third = new TimedShard("3/", second);
    // The second one wrote what lay in the first one's log.
    expect(await homesOf(third)).toEqual(["2/", "1/", "1/"]);
    const middle = await second.open(NOW);
    await add(second, middle, "m");
    await second.run(middle.compact());
    await second.run(middle.collectGarbage());
    await tidy(first, engine, "6");
    expect([await homesOf(second), await pinsOf(first)]).toEqual([[undefined], [undefined]]);
    expect(await inherits(third)).toBe("4 3");
    const last = await third.open(NOW);
    await third.run(last.compact());
    await third.run(last.collectGarbage());
    expect([await pinsOf(second), await pinsOf(first)]).toEqual([[], [undefined]]);
    await second.run(middle.collectGarbage());
    expect(await pinsOf(first)).toEqual([]);
    await first.run(engine.deleteCheckpoint("one"));
    await tidy(first, engine, "7");
    expect((await first.names("sst/")).length).toBe(1);
    expect([await state(second, middle), await state(third, last)]).toEqual(["m 4", "4 3"]);
  });

  it("moves what nothing overlaps, where it lies", async () => {
    const parent = new TimedShard();
    const { engine } = await prepare(parent);
    await parent.run(engine.compact());
    await parent.run(parent.clone(INTO));
    const clone = new TimedShard(INTO, parent);
    const lively = { compaction: "auto", compactionSpacePercent: 1, tableBytes: 600 } as const;
    const own = await clone.open({ ...NOW, ...lively });
    await clone.run(Promise.resolve(own.put(utf8("z"), utf8("behind all of them"))));
    await clone.run(own.flush());
    await clone.clock.advance(1_000);
    expect(own.stats().compaction.movedTables).toBeGreaterThan(0);
    expect(new Set(await homesOf(clone))).toContain("");
    await tidy(parent, engine, "6");
    await clone.run(own.close());
    expect(await inherits(clone)).toBe("4 3");
  });
});

describe("a request for a clone", () => {
  it("of nothing, or in no place of its own, is refused", async () => {
    const parent = new TimedShard("p/");
    const refused = async (from: TimedShard, into: string, moment?: Moment): Promise<unknown> =>
      await from.run(from.clone(into, moment)).then(
        () => "made",
        (error: unknown) => codeOf(error),
      );
    expect(await refused(parent, INTO)).toBe("LSM_NO_SHARD");
    const { last } = await prepare(parent);
    for (const into of ["p/", "x", "/x/", "x//", "../x/", "x/./", "p/sst/", "p/wal/x/", "\0/"]) {
      expect([into, await refused(parent, into)]).toEqual([into, "LSM_CLONE_INVALID"]);
    }
    expect(await refused(parent, INTO, { sequence: last + 9 })).toBe("LSM_SEQUENCE_AHEAD");
    expect(await refused(parent, INTO, { sequence: 3 })).toBe("LSM_HISTORY_GONE");
    expect(await refused(parent, INTO, { checkpoint: "two" })).toBe("LSM_CHECKPOINT_NOT_FOUND");
    expect(await refused(parent, INTO, { timeMs: 9e14 })).toBe("LSM_TIME_AHEAD");
    expect(await pinsOf(parent)).toEqual([]);
    expect(await parent.store.list(INTO)).toEqual([]);
    expect(await refused(parent, INTO)).toBe("made");
    expect(await refused(parent, INTO)).toBe("LSM_SHARD_EXISTS");
    expect(await pinsOf(parent)).toEqual([undefined]);
  });

  it("of an empty shard, or into the root of the store, is one like others", async () => {
    const parent = new TimedShard("p/");
    const engine = await parent.open(NOW);
    await parent.run(parent.clone("e/"));
    await prepare(parent);
    await parent.run(parent.clone(""));
    const empty = new TimedShard("e/", parent);
    expect(await inherits(empty)).toBe("undefined 0");
    expect(await inherits(new TimedShard("", parent))).toBe("4 3");
    const own = await empty.open(NOW);
    await empty.run(own.collectGarbage());
    expect((await empty.newest()).parent).toBeUndefined();
    expect((await pinsOf(parent)).length).toBe(1);
    expect(engine.failure).toBeUndefined();
  });

  it("whose parent keeps nothing for it is told apart, and made again", async () => {
    const parent = new TimedShard();
    const { engine } = await prepare(parent);
    await parent.run(parent.clone(INTO));
    const clone = new TimedShard(INTO, parent);
    const { manifests } = parent;
    const newest = await parent.newest();
    // As its life would have ended, had whoever made it stood still before it was made to stay.
    const checkpoints = newest.checkpoints.filter(({ kind }) => kind !== "clone");
    await manifests.publish({ ...newest, checkpoints }, newest.id);
    const heir = await parent.open(NOW);
    await tidy(parent, heir, "6");
    const unfinished = { kind: "NotFound", code: "LSM_CLONE_UNFINISHED" };
    await expect(clone.open(NOW)).rejects.toMatchObject(unfinished);
    const follow = { follow: { pollMs: 0 } };
    await expect(clone.read(follow, NOW)).rejects.toMatchObject(unfinished);
    await expect(clone.run(clone.restore({ sequence: 5 }))).rejects.toMatchObject(unfinished);
    await expect(clone.run(clone.clone("other/"))).rejects.toMatchObject(unfinished);
    expect((await clone.findings()).length).toBeGreaterThan(0);
    expect((await clone.newest()).writerEpoch).toBe(0);
    const { lastSequence } = await clone.newest();
    await parent.run(parent.clone(INTO));
    // What was never made is not a state of the past either.
    const past = clone.read({ at: { sequence: lastSequence } }, NOW);
    await expect(past).rejects.toMatchObject({ kind: "NotFound", code: "LSM_HISTORY_GONE" });
    expect(await inherits(clone)).toBe("6 3");
    expect(engine.failure).toBeUndefined();
  });
});

/** What stands at the clone's place, whatever the parent has done meanwhile, and a retry brings. */
async function settled(parent: TimedShard, due: readonly string[]): Promise<string> {
  const clone = new TimedShard(INTO, parent);
  const engine = await parent.open(NOW);
  await tidy(parent, engine, "p");
  await parent.clock.advance(2 * LSM_LIMITS.readerLifeMs);
  await tidy(parent, engine, "q");
  let found = "nothing";
  if ((await clone.manifests.latest()) !== undefined) {
    found = await inherits(clone).catch((error: unknown) => codeOf(error));
  }
  if (found === "nothing" || found === "LSM_CLONE_UNFINISHED") {
    await parent.run(parent.clone(INTO));
    expect(await inherits(clone)).toMatch(/^q /);
  } else {
    expect(due).toContain(found);
    const again = parent.run(parent.clone(INTO));
    await expect(again).rejects.toMatchObject({ code: "LSM_SHARD_EXISTS" });
  }
  expect(await clone.findings()).toEqual([]);
  expect(await parent.findings()).toEqual([]);
  const own = await clone.open(NOW);
  await clone.run(own.compact());
  await clone.run(own.collectGarbage());
  await clone.run(own.close());
  await parent.run(engine.deleteCheckpoint("one"));
  await tidy(parent, engine, "r");
  expect([await pinsOf(parent), (await parent.names("sst/")).length]).toEqual([[], 1]);
  return found;
}

const MOMENTS = ["newest", "past"] as const;

describe("cloning", () => {
  it.each(
    MOMENTS.flatMap((moment) =>
      (["before", "after"] as const).map((when) => [moment, when] as const),
    ),
  )("the %s state may end at any call, %s it is applied", async (which, applied) => {
    const outcomes = new Map<string, number>();
    for (let at = 0, wasMet = true; wasMet; at++) {
      const parent = new TimedShard();
      const { log } = await prepare(parent);
      const { store, died, met } = dyingStore(parent.store, at, applied);
      const moment = which === "past" ? { sequence: log } : undefined;
      await parent.run(Promise.race([parent.clone(INTO, moment, {}, store), died]));
      wasMet = met();
      const found = await settled(parent, [which === "past" ? "3 2" : "4 3"]);
      outcomes.set(found, (outcomes.get(found) ?? 0) + 1);
    }
    expect(outcomes.get("nothing")).toBeGreaterThan(10);
    expect(outcomes.get("LSM_CLONE_UNFINISHED")).toBeGreaterThan(1);
    expect(outcomes.get(which === "past" ? "3 2" : "4 3")).toBeGreaterThan(1);
  });

  it.each<Fault>([
    { fault: "answerLost" },
    { fault: "notSent" },
    { fault: "refused" },
    { fault: "late", lands: "release" },
    { fault: "duplicated", lands: "release" },
  ])("is told as it was, whichever call suffers %j", async (fault) => {
    for (let at = 0, met = true; met; at++) {
      const parent = new TimedShard();
      const { log } = await prepare(parent);
      met = false;
      const store = new FaultyBlobStore(parent.store, (index, method) => {
        if (index !== at) return undefined;
        met = true;
        return "lands" in fault && !method.startsWith("put") ? undefined : fault;
      });
      const outcome = await parent.run(
        parent.clone(INTO, { sequence: log }, {}, store).then(
          () => "made",
          (error: unknown) => (error instanceof FirnError ? error.kind : String(error)),
        ),
      );
      await store.releaseAll();
      const found = await settled(parent, ["3 2"]);
      const nothing = ["nothing", "LSM_CLONE_UNFINISHED"];
      const due = { made: ["3 2"], Unavailable: nothing, Unknown: [...nothing, "3 2"] }[outcome];
      expect([at, outcome, found, due?.includes(found)]).toEqual([at, outcome, found, true]);
    }
  });

  it.each(MOMENTS)("the %s state holds whatever the parent does at any call", async (which) => {
    let made = 0;
    for (let at = 0, met = true; met; at++) {
      const parent = new TimedShard();
      const { log, engine } = await prepare(parent);
      met = false;
      const until = async () => {
        await tidy(parent, engine, "9");
        await tidy(parent, engine, "10");
      };
      const store = new FaultyBlobStore(parent.store, (index) => {
        if (index !== at) return undefined;
        met = true;
        return { fault: "stalled", applied: "after", until };
      });
      const moment = which === "past" ? { sequence: log } : undefined;
      const outcome = await parent.run(
        parent.clone(INTO, moment, {}, store).then(
          () => "made",
          (error: unknown) => codeOf(error),
        ),
      );
      const found = await settled(parent, which === "past" ? ["3 2"] : ["4 3", "9 3", "10 3"]);
      const isDue = outcome === "made" ? !/^[nL]/.test(found) : found === "nothing";
      const mayMiss = which === "past" && outcome === "LSM_HISTORY_GONE";
      expect([at, outcome, found, isDue]).toEqual([at, outcome, found, true]);
      expect([at, outcome === "made" || mayMiss]).toEqual([at, true]);
      made += outcome === "made" ? 1 : 0;
    }
    expect(made).toBeGreaterThan(8);
  });
});

describe("cloning that others overtake", () => {
  it("that stands still for longer than its pin lives makes nothing, and says so", async () => {
    const outcomes = new Set<string>();
    for (let at = 0, met = true; met; at++) {
      const parent = new TimedShard();
      const { engine } = await prepare(parent);
      met = false;
      const collected = async () => {
        parent.clock.skip(2 * LSM_LIMITS.readerLifeMs);
        await tidy(parent, engine, "9");
      };
      // All that the process does waits, the renewal of what it reads too.
      let still: Promise<void> | undefined;
      const until = () => (still ??= collected());
      const store = new FaultyBlobStore(parent.store, (index) => {
        if (index < at) return undefined;
        met = true;
        return { fault: "stalled", applied: "after", until };
      });
      const outcome = await parent.run(
        parent.clone(INTO, undefined, {}, store).then(
          () => "made",
          (error: unknown) => codeOf(error),
        ),
      );
      const found = await settled(parent, ["4 3", "9 3"]);
      outcomes.add(outcome);
      const isMade = found === "4 3" || found === "9 3";
      expect([at, outcome, found, isMade]).toEqual([at, outcome, found, outcome === "made"]);
    }
    const due = ["made", "LSM_HISTORY_GONE", "LSM_CLONE_UNFINISHED"];
    expect([...outcomes]).toEqual(expect.arrayContaining(due));
  });

  it("into one place at once is done by one, who loses nothing by it", async () => {
    for (let at = 0, met = true; met; at++) {
      const parent = new TimedShard();
      const { log } = await prepare(parent);
      met = false;
      const rival = Promise.withResolvers<unknown>();
      const until = async () => {
        const beside = new TimedShard("", parent);
        const cloning = beside.clone(INTO, { sequence: log });
        rival.resolve(await cloning.catch((error: unknown) => error));
      };
      const store = new FaultyBlobStore(parent.store, (index) => {
        if (index !== at) return undefined;
        met = true;
        return { fault: "stalled", applied: "after", until };
      });
      const own = await parent.run(
        parent.clone(INTO, undefined, {}, store).catch((error: unknown) => error),
      );
      if (!met) break;
      const outcomes = [own, await rival.promise];
      const lost = outcomes.filter((one) => one instanceof FirnError);
      expect([at, lost]).toMatchObject([at, [{ code: "LSM_SHARD_EXISTS" }]]);
      expect(await pinsOf(parent)).toEqual([undefined]);
      await settled(parent, [own instanceof FirnError ? "3 2" : "4 3"]);
    }
  });
});

describe("letting go of a parent", () => {
  /** A clone whose newest state is its own, and an older one, which nobody keeps, names others'. */
  async function outgrown(): Promise<{
    parent: TimedShard;
    clone: TimedShard;
    own: Engine;
    engine: Engine;
    found: number;
  }> {
    const parent = new TimedShard();
    const { engine } = await prepare(parent);
    await parent.run(parent.clone(INTO));
    const clone = new TimedShard(INTO, parent);
    const own = await clone.open(NOW);
    const found = own.lastSequence;
    await add(clone, own, "c");
    await clone.run(own.compact());
    return { parent, clone, own, engine, found };
  }

  it.each(["reader", "clone", "restore"] as const)(
    "meets a %s of an older state at any call",
    async (kind) => {
      const outcomes = new Set<string>();
      for (let at = 0, met = true; met; at++) {
        const { parent, clone, own, engine, found } = await outgrown();
        met = false;
        const target = { at: { sequence: found } };
        const store = new FaultyBlobStore(clone.store, (index) => {
          if (index !== at) return undefined;
          met = true;
          const until = async () => {
            await clone.run(own.collectGarbage()).catch(() => undefined);
            await tidy(parent, engine, "9");
          };
          return { fault: "stalled", applied: "after", until };
        });
        let outcome: string;
        if (kind === "reader") {
          const reader = await clone.read(target, NOW, store).catch(codeOf);
          outcome = typeof reader === "string" ? reader : await state(clone, reader);
        } else if (kind === "clone") {
          const made = clone.clone("third/", target.at, {}, store);
          outcome = await clone.run(made.then(() => "made", codeOf));
          if (outcome === "made") outcome = await inherits(new TimedShard("third/", clone));
        } else {
          const made = clone.restore(target.at, {}, store);
          outcome = await clone.run(made.then(() => "made", codeOf));
          await tidy(parent, engine, "10");
          if (outcome === "made") outcome = await inherits(clone);
        }
        outcomes.add(outcome);
        expect([at, outcome]).toEqual([at, expect.stringMatching(/^4 3$|^LSM_HISTORY_GONE$/)]);
      }
      expect([...outcomes].sort()).toEqual(["4 3", "LSM_HISTORY_GONE"]);
    },
  );

  it.each<Fault>([
    { fault: "answerLost" },
    { fault: "refused" },
    { fault: "stale", lag: 3 },
    { fault: "late", lands: "release" },
  ])("is done in the end, whichever call suffers %j", async (fault) => {
    for (let at = 0, met = true; met; at++) {
      const { parent, clone, own, engine } = await outgrown();
      await clone.run(own.close());
      met = false;
      let armed = false;
      let from = 0;
      const store = new FaultyBlobStore(clone.store, (index, method) => {
        if (!armed) from = index + 1;
        if (!armed || index !== from + at) return undefined;
        met = true;
        return "lands" in fault && !method.startsWith("put") ? undefined : fault;
      });
      const heir = await clone.open(NOW, store);
      armed = true;
      await clone.run(heir.collectGarbage()).catch(() => undefined);
      await store.releaseAll();
      await tidy(parent, engine, "9");
      const again = await clone.open(NOW);
      await clone.run(again.collectGarbage());
      expect([at, await pinsOf(parent), (await clone.newest()).parent]).toEqual([
        at,
        [],
        undefined,
      ]);
      expect(await state(clone, again)).toBe("c 4");
    }
  });
});
