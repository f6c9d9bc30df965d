import { describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../src/base/bytes.ts";
import { encodeGcBoundary } from "../../src/lsm/format/gc-boundary.ts";
import { ManifestHistory } from "../../src/lsm/manifest/history.ts";
import { boundaryPath, ManifestObjects, manifestPath } from "../../src/lsm/manifest/objects.ts";
import type { ManifestState } from "../../src/lsm/manifest/store.ts";
import { tablePath } from "../../src/lsm/read/table-cache.ts";
import { FaultyBlobStore } from "../support/faulty-blob-store.ts";
import { readOne, TimedShard } from "./support/timed-shard.ts";

const HOUR = 3_600_000;

/** A store of which single calls hang, before they take place or behind. */
function hangingStore(world: TimedShard, applied: "before" | "after") {
  let stalls: ((method: string, path: string) => boolean) | undefined;
  const gates: (() => void)[] = [];
  const store = new FaultyBlobStore(world.store, (_index, method, [path]) => {
    if (stalls?.(method, String(path)) !== true) return undefined;
    stalls = undefined;
    const until = () => new Promise<void>((resolve) => gates.push(resolve));
    return { fault: "stalled", applied, until };
  });
  /** Begins work that hangs in a call. What is answered lets it go on, and waits for its end. */
  const hang = async (at: typeof stalls, work: () => Promise<void>) => {
    stalls = at;
    const before = gates.length;
    const working = work();
    for (let i = 0; i < 200 && gates.length === before; i++) await world.clock.advance(0);
    expect(gates).toHaveLength(before + 1);
    return async (): Promise<void> => {
      gates[before]?.();
      await world.run(working);
    };
  };
  return { store, hang };
}

describe("garbage collection", () => {
  it("deletes the inputs of a compaction at once where nobody else sees the store", async () => {
    const world = new TimedShard();
    const engine = await world.open({ gcMinAgeMs: 0 });
    for (const value of ["1", "2", "3"]) await world.flush(engine, value);
    await world.run(engine.compact());
    expect(await world.names("sst/")).toHaveLength(4);
    await world.run(engine.collectGarbage());
    expect(await world.names("sst/")).toHaveLength(1);
    expect(await world.names("manifest/")).toHaveLength(1);
    expect(engine.stats().gc).toMatchObject({ obsoleteBytes: 0, failures: 0 });
    expect(await world.run(readOne(engine))).toBe("3");
  });

  it("leaves what is too young, or named by a manifest that was newest until of late", async () => {
    const world = new TimedShard();
    const engine = await world.open({ gcMinAgeMs: HOUR });
    for (const value of ["1", "2", "3"]) await world.flush(engine, value);
    await world.clock.advance(2 * HOUR);
    await world.run(engine.compact());
    // The inputs are old, but the manifest that names them was the newest until just now.
    await world.run(engine.collectGarbage());
    expect(await world.names("sst/")).toHaveLength(4);
    await world.clock.advance(HOUR - 1_000);
    await world.run(engine.collectGarbage());
    expect(await world.names("sst/")).toHaveLength(4);
    await world.clock.advance(2_000);
    await world.run(engine.collectGarbage());
    expect(await world.names("sst/")).toHaveLength(1);
  });

  it("counts what waits to be deleted", async () => {
    const world = new TimedShard();
    const engine = await world.open({ gcMinAgeMs: 0 });
    await world.flush(engine, "1");
    await world.flush(engine, "2");
    const scan = engine.scan();
    const before = engine.stats().tree.fileBytes;
    await world.run(engine.compact());
    await world.run(engine.collectGarbage());
    // The scan reads them still, and gets all of what it began with.
    expect(engine.stats().gc.obsoleteBytes).toBe(before);
    expect(await world.names("sst/")).toHaveLength(3);
    let rows = 0;
    for (;;) {
      const batch = await world.run(Promise.resolve(scan.next()));
      if (batch === undefined) break;
      rows += batch.length;
    }
    expect(rows).toBe(50);
    await world.run(engine.collectGarbage());
    expect(engine.stats().gc.obsoleteBytes).toBe(0);
    expect(await world.names("sst/")).toHaveLength(1);
  });
});

describe("garbage collection beside writers", () => {
  it("leaves what is being written, and takes what a dead process left behind", async () => {
    const world = new TimedShard();
    const first = await world.open({ gcMinAgeMs: 0 });
    await world.flush(first, "1");
    await world.store.put("sst/01JD4Y0Q3Z8K6V5T2R1P0NMHGF.sst", utf8("left behind"));
    await world.store.put("sst/notes.txt", utf8("somebody else's"));
    await world.run(first.collectGarbage());
    const names = await world.names("sst/");
    expect(names).toContain("sst/notes.txt");
    expect(names).not.toContain("sst/01JD4Y0Q3Z8K6V5T2R1P0NMHGF.sst");
    expect(names).toHaveLength(2);
    // A flush whose table is stored while its manifest is not: the table is nobody's yet.
    let stall: (() => void) | undefined;
    let isOpen = false;
    const faulty = new FaultyBlobStore(world.store, (_index, method, [path]) => {
      const publishes = method === "put" && String(path).startsWith("manifest/");
      if (!isOpen || !publishes || stall !== undefined) return undefined;
      const until = () =>
        new Promise<void>((resolve) => {
          stall = resolve;
        });
      return { fault: "stalled", applied: "after", until };
    });
    const second = await world.open({ gcMinAgeMs: 0 }, faulty);
    isOpen = true;
    const writing = world.flush(second, "2");
    for (let i = 0; i < 200 && stall === undefined; i++) await world.clock.advance(0);
    expect(stall).toBeDefined();
    const before = await world.names("sst/");
    const collecting = second.collectGarbage();
    await world.clock.advance(0);
    stall?.();
    await writing;
    await world.run(collecting);
    expect(await world.names("sst/")).toEqual(before);
    expect(await world.run(readOne(second))).toBe("2");
  });

  it("leaves what was unpublished when it looked, and superseded when it deletes", async () => {
    const world = new TimedShard();
    const { store, hang } = hangingStore(world, "before");
    const engine = await world.open({ gcMinAgeMs: 0 }, store);
    await world.flush(engine, "1");
    await world.run(engine.checkpoint("first"));
    await world.flush(engine, "2");
    const [first] = (await world.newest()).checkpoints;
    const older = manifestPath("", first?.manifestId ?? 0);
    // A table lies in the store, and no manifest names it yet: the answer to its put hangs.
    const flush = await hang(
      (method, path) => method.startsWith("put") && path.startsWith("sst/"),
      () => world.flush(engine, "3"),
    );
    // A collection has seen it and the newest manifest, when its read of an older one hangs.
    const collect = await hang(
      (method, path) => method === "get" && path === older,
      () => engine.collectGarbage(),
    );
    // Meanwhile it is published, kept, and given up again.
    await flush();
    await world.run(engine.checkpoint("kept"));
    await world.run(engine.compact());
    await collect();
    const reader = await world.read({ checkpoint: "kept" }, { gcMinAgeMs: 0 });
    const value = await world.run(Promise.resolve(reader.get(utf8("key 07"))));
    expect(value && utf8Text(value)).toBe("3");
    await world.run(reader.close());
    expect(await world.findings()).toEqual([]);
    // What nobody keeps any more is garbage like any other.
    for (const name of ["first", "kept"]) await world.run(engine.deleteCheckpoint(name));
    await world.run(engine.collectGarbage());
    expect(await world.names("sst/")).toHaveLength(1);
  });
});

describe("garbage collection that stops midway", () => {
  it.each([1, 2, 3, 4, 5, 6, 8, 10])(
    "leaves what a manifest names that a list does not show yet, %s writes behind",
    async (lag) => {
      const world = new TimedShard();
      let isLate = false;
      const faulty = new FaultyBlobStore(world.store, (_index, method, [path]) =>
        isLate && method === "list" && path === "manifest/" ? { fault: "stale", lag } : undefined,
      );
      const engine = await world.open({ gcMinAgeMs: 0 }, faulty);
      for (const value of ["1", "2", "3"]) await world.flush(engine, value);
      await world.run(engine.compact());
      isLate = true;
      await world.run(engine.collectGarbage());
      // Anybody may keep what lies above the boundary.
      const history = new ManifestHistory(world.store, "", world.clock);
      const through = (await history.boundary())?.manifestThrough ?? 0;
      const tables = await world.names("sst/");
      for (const { id } of await history.list()) {
        if (id <= through) continue;
        const { level0 = [], runs = [] } = (await history.read(id)) ?? {};
        const named = [...level0, ...runs.flatMap((run) => run.tables)];
        for (const table of named) expect(tables).toContain(tablePath("", table.id));
      }
      isLate = false;
      await world.run(engine.collectGarbage());
      expect(await world.names("sst/")).toHaveLength(1);
    },
  );

  it("is stopped where another process has taken the shard over", async () => {
    const world = new TimedShard();
    const stale = await world.open({ gcMinAgeMs: 0 });
    await world.flush(stale, "1");
    const fresh = await world.open({ gcMinAgeMs: 0 });
    await world.flush(fresh, "2");
    const names = await world.names("");
    await expect(world.run(stale.collectGarbage())).rejects.toMatchObject({ code: "LSM_FENCED" });
    expect(await world.names("")).toEqual(names);
    expect(await world.run(readOne(fresh))).toBe("2");
  });

  it("leaves what a restore has named again, whose old manifest its successor took", async () => {
    const world = new TimedShard();
    const { store, hang } = hangingStore(world, "after");
    const stale = await world.open({ gcMinAgeMs: 0 }, store);
    await world.flush(stale, "1");
    await world.run(stale.checkpoint("old"));
    await world.flush(stale, "2");
    await world.run(stale.compact());
    const [old] = (await world.newest()).checkpoints;
    const older = manifestPath("", old?.manifestId ?? 0);
    const collect = await hang(
      (method, path) => method === "get" && path === older,
      () => stale.collectGarbage(),
    );
    await world.run(world.restore({ checkpoint: "old" }));
    const fresh = await world.open({ gcMinAgeMs: 0 });
    await world.run(fresh.deleteCheckpoint("old"));
    await world.run(fresh.collectGarbage());
    expect(await world.names("manifest/")).not.toContain(older);
    const tables = await world.names("sst/");
    await expect(collect()).rejects.toMatchObject({ code: "LSM_FENCED" });
    expect(await world.names("sst/")).toEqual(tables);
    expect(await world.run(readOne(fresh))).toBe("1");
  });

  it("deletes nothing where the boundary was raised by somebody else meanwhile", async () => {
    const world = new TimedShard();
    const history = new ManifestHistory(world.store, "", world.clock);
    expect(await history.raise(3)).toBe(true);
    const rival = encodeGcBoundary({
      id: 3,
      walThrough: 0,
      manifestThrough: 8,
      raisedAtMs: 1,
      optionalFeatures: 0,
      unknown: [],
    });
    const faulty = new FaultyBlobStore(world.store, () => undefined);
    const late = new ManifestHistory(faulty, "", world.clock);
    const put = world.store.put.bind(world.store);
    // Between its look and its put, others have raised it twice and deleted what they replaced.
    world.store.put = async (path, bytes, condition) => {
      world.store.put = put;
      await put(boundaryPath("", 3), rival);
      return put(path, bytes, condition);
    };
    expect(await late.raise(5)).toBe(false);
    expect((await history.boundary())?.manifestThrough).toBe(8);
  });
});

describe("a manifest that is published late", () => {
  /** A stalled writer's put lands where the manifest of its rival was, and was deleted. */
  async function schedule(readsBoundary: boolean): Promise<boolean> {
    const world = new TimedShard();
    const engine = await world.open({ gcMinAgeMs: 0 });
    await world.flush(engine, "1");
    const stale = new ManifestObjects({ ...world, prefix: "", gcMinAgeMs: 0 });
    const seen = await stale.latest();
    if (seen === undefined) throw new Error("there is a manifest");
    const fresh = await world.open({ gcMinAgeMs: 0 });
    for (const value of ["2", "3"]) await world.flush(fresh, value);
    await world.run(fresh.compact());
    await world.run(fresh.collectGarbage());
    if (!readsBoundary) {
      for (const path of await world.names("gc/")) await world.store.delete(path);
    }
    const { id: _id, writtenAtMs: _at, ...state } = seen;
    const mine: ManifestState = { ...state, lastSequence: seen.lastSequence + 1_000 };
    return (await stale.publish(mine, seen.id)) !== undefined;
  }

  it("is a lost race, as the boundary says; without it, it would be acknowledged", async () => {
    expect(await schedule(true)).toBe(false);
    expect(await schedule(false)).toBe(true);
  });
});
