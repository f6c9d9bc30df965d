import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { createMetrics, type Metrics } from "../../src/base/metrics.ts";
import {
  CachedBlobStore,
  type CachedBlobStoreOptions,
  isContentHashed,
} from "../../src/blob/cached.ts";
import { DiskCache } from "../../src/blob/cached-disk.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { textOf } from "../contract/blob-store-checks.ts";
import { describeBlobStore } from "../contract/describe-blob-store.ts";
import { type Fault, FaultyBlobStore } from "../support/faulty-blob-store.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "firn-cache-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const everything = () => true;

async function cached(
  inner: MemoryBlobStore | FaultyBlobStore,
  options: Partial<CachedBlobStoreOptions> = {},
  metrics: Metrics = createMetrics(),
) {
  const store = await CachedBlobStore.open(inner, {
    isImmutable: everything,
    memoryBytes: 1_000_000,
    metrics,
    ...options,
  });
  /** Reads by where they were found. */
  const found = async (): Promise<Record<string, number>> => {
    const values = metrics.samples("firn_blob_cache_reads_total");
    return Object.fromEntries(values.map(({ labels, value }) => [labels["found"], value]));
  };
  return { store, found };
}

const onDisk = (bytes = 1_000_000) => ({ disk: { directory: folder, bytes } });

// Kept whatever the path: what is written here must be seen here, even of paths that do change.
describeBlobStore(
  "a cache in memory",
  async () => {
    const { store } = await cached(new MemoryBlobStore(new VirtualClock()));
    return { store };
  },
  { anyPath: true, raceRounds: 20 },
);
describeBlobStore(
  "a cache on a disk",
  async () => {
    // So little memory that most is found on the disk.
    const bounds = { memoryBytes: 600, maxBlobBytes: 200_000, ...onDisk() };
    const { store } = await cached(new MemoryBlobStore(new VirtualClock()), bounds);
    return { store, close: () => store.settled() };
  },
  { anyPath: true, raceRounds: 5 },
);

describe("a cache of blobs", () => {
  it("asks the store once for each, together with whoever asks meanwhile", async () => {
    const inner = new FaultyBlobStore(new MemoryBlobStore(new VirtualClock()), () => undefined);
    await inner.put("a", utf8("content"));
    const { store, found } = await cached(inner);
    const texts = await Promise.all([1, 2, 3].map(() => textOf(store, "a")));
    expect(texts).toEqual(["content", "content", "content"]);
    expect(await textOf(store, "a")).toBe("content");
    expect(Buffer.from((await store.getRange("a", 1, 3))!.bytes).toString()).toBe("ont");
    expect(inner.history.map(({ method }) => method)).toEqual(["put", "get"]);
    expect(await found()).toEqual({ store: 1, memory: 2 });
    expect(await store.get("none")).toBeUndefined();
    expect(await store.get("none")).toBeUndefined();
    expect(await found()).toMatchObject({ nowhere: 2 });
  });

  it("keeps only what never changes", async () => {
    const inner = new MemoryBlobStore(new VirtualClock());
    const { store } = await cached(inner, { isImmutable: isContentHashed });
    const hashed = `a/${"0123456789abcdef".repeat(4)}.pb`;
    for (const path of [hashed, "a/current"]) {
      await store.put(path, utf8("one"));
      await inner.put(path, utf8("two"));
    }
    expect(await textOf(store, hashed)).toBe("one");
    expect(await textOf(store, "a/current")).toBe("two");
    const others = ["a/x.pb", `${"0".repeat(64)}/x`, `x${"0".repeat(64)}.pb`, "0".repeat(63)];
    expect(others.filter(isContentHashed)).toEqual([]);
  });

  it("holds no more in memory than it may, the least recently used going first", async () => {
    const inner = new FaultyBlobStore(new MemoryBlobStore(new VirtualClock()), () => undefined);
    const bounds = { memoryBytes: 3_600, maxBlobBytes: 1_000 };
    const { store } = await cached(inner, bounds);
    for (const path of ["a", "b", "c"]) await store.put(path, new Uint8Array(1_000));
    await store.get("a");
    await store.put("d", new Uint8Array(1_000));
    await store.put("huge", new Uint8Array(1_001));
    const asked = async (path: string): Promise<boolean> => {
      const before = inner.history.length;
      await store.get(path);
      return inner.history.length > before;
    };
    expect(await asked("a")).toBe(false);
    expect(await asked("d")).toBe(false);
    expect(await asked("b")).toBe(true);
    expect(await asked("huge")).toBe(true);
    expect(await asked("huge")).toBe(true);
  });

  it("does not keep what a read brings that was overtaken by a write", async () => {
    const faults: (Fault | undefined)[] = [undefined, { fault: "stalled", applied: "before" }];
    const inner = new FaultyBlobStore(
      new MemoryBlobStore(new VirtualClock()),
      (index) => faults[index],
    );
    await inner.put("a", utf8("old"));
    const { store } = await cached(inner, onDisk());
    const early = textOf(store, "a");
    await expect.poll(() => inner.held).toBe(1);
    await store.put("a", utf8("new"));
    await inner.release(1);
    expect(await early).toBe("old");
    expect(await textOf(store, "a")).toBe("new");
    await store.settled();
    const again = await cached(inner, onDisk());
    expect(await textOf(again.store, "a")).toBe("new");
    expect(await again.found()).toEqual({ disk: 1 });
  });

  it("forgets what it could not write", async () => {
    const faults: (Fault | undefined)[] = [undefined, { fault: "answerLost" }];
    const inner = new FaultyBlobStore(
      new MemoryBlobStore(new VirtualClock()),
      (index) => faults[index],
    );
    const { store } = await cached(inner, onDisk());
    await store.put("a", utf8("old"));
    await expect(store.put("a", utf8("new"))).rejects.toMatchObject({ kind: "Unknown" });
    expect(await textOf(store, "a")).toBe("new");
  });
});

const files = (): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe("its part on the disk", () => {
  it("survives a restart, and takes no more than it may", async () => {
    const inner = new MemoryBlobStore(new VirtualClock());
    const first = await cached(inner, onDisk(5_000));
    for (let i = 0; i < 10; i++) await first.store.put(`p/${i}`, new Uint8Array(1_000).fill(i));
    await first.store.settled();
    expect(files()).toHaveLength(4);
    const second = await cached(inner, onDisk(5_000));
    for (let i = 6; i < 10; i++) {
      expect((await second.store.get(`p/${i}`))?.bytes).toEqual(
        Buffer.from(new Uint8Array(1_000).fill(i)),
      );
    }
    expect(await second.found()).toEqual({ disk: 4 });
    const third = await cached(inner, onDisk(2_500));
    await third.store.settled();
    expect(files()).toHaveLength(2);
  });

  it("answers etags as the store did", async () => {
    const inner = new MemoryBlobStore(new VirtualClock());
    const { store } = await cached(inner, { memoryBytes: 0, maxBlobBytes: 100, ...onDisk() });
    const { etag } = await store.put("a", utf8("x"));
    await store.settled();
    expect((await store.get("a"))?.etag).toBe(etag);
    expect((await store.getSuffix("a", 1))?.etag).toBe(etag);
  });

  it("never answers what was damaged, cut short or put in another's place", async () => {
    const inner = new MemoryBlobStore(new VirtualClock());
    for (const harm of ["flip", "cut", "swap", "empty", "gone"] as const) {
      const before = await cached(inner, onDisk());
      await before.store.put("a", utf8("the content"));
      await before.store.put("b", utf8("the other"));
      await before.store.settled();
      const fileOf = (text: string) => files().find((f) => readFileSync(f).includes(text)) ?? "";
      const file = fileOf("the content");
      const bytes = readFileSync(file);
      if (harm === "flip") bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      if (harm === "gone") rmSync(file);
      else if (harm === "cut") writeFileSync(file, bytes.subarray(0, -1));
      else if (harm === "empty") writeFileSync(file, "");
      else writeFileSync(file, harm === "swap" ? readFileSync(fileOf("the other")) : bytes);
      const after = await cached(inner, onDisk());
      if (harm === "gone") {
        // Taken away while it is open.
        await after.store.get("b");
        rmSync(fileOf("the other"));
      }
      expect(await textOf(after.store, "a")).toBe("the content");
      const { damaged = 0, store } = await after.found();
      expect([damaged, store]).toEqual([harm === "gone" ? 0 : 1, 1]);
      await after.store.settled();
      const healed = await cached(inner, onDisk());
      expect(await textOf(healed.store, "a")).toBe("the content");
      expect(await healed.found()).toEqual({ disk: 1 });
    }
  });
});

describe("its part on a disk that fails, is full or slow", () => {
  it("does without a disk that fails", async () => {
    const inner = new MemoryBlobStore(new VirtualClock());
    const { store } = await cached(inner, { memoryBytes: 0, maxBlobBytes: 100, ...onDisk() });
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "a file where the directory was");
    await store.put("a", utf8("x"));
    await store.settled();
    expect(await textOf(store, "a")).toBe("x");
    await expect(cached(inner, onDisk())).rejects.toMatchObject({ kind: "Unavailable" });
  });

  it("holds nothing of what a disk that is full did not take, there or in memory", async () => {
    const cache = await DiskCache.open({ directory: folder, bytes: 1_000_000_000 });
    const name = (path: string) => createHash("sha256").update(path).digest("hex");
    // No file can be renamed to a directory: what is written before that is in the way.
    const paths = Array.from({ length: 40 }, (_, i) => `p/${i}`);
    for (const path of paths) {
      mkdirSync(join(folder, name(path).slice(0, 2), name(path), "x"), { recursive: true });
    }
    const heldMib = (): number => {
      collect();
      return process.memoryUsage().arrayBuffers / 1_048_576;
    };
    const before = heldMib();
    for (const path of paths) {
      cache.write(path, { bytes: new Uint8Array(1_048_576), etag: "x" });
      await cache.settled();
    }
    // A collector sweeps in the background.
    await expect.poll(() => heldMib() - before).toBeLessThan(20);
    expect(files()).toEqual([]);
    expect(await cache.read("p/0")).toBe("absent");
  });

  it("lets no more wait for a slow disk than it may, and one of any size", async () => {
    const cache = await DiskCache.open({ directory: folder, bytes: 1_000_000_000 });
    const blob = { bytes: new Uint8Array(10_000_000), etag: "x" };
    const large = { bytes: new Uint8Array(34_000_000), etag: "y" };
    for (const path of ["a", "b", "c", "d"]) cache.write(path, blob);
    cache.write("e", large);
    await cache.settled();
    expect(await Promise.all(["d", "e"].map((path) => cache.read(path)))).toEqual([
      ...["absent", "absent"],
    ]);
    cache.write("e", large);
    await cache.settled();
    const found = await Promise.all(["a", "b", "c", "e"].map((path) => cache.read(path)));
    expect(found.map((each) => typeof each)).toEqual(Array.from({ length: 4 }, () => "object"));
  });
});
