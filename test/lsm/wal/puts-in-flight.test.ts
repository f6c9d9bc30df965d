import { describe, expect, it } from "vitest";
import { FirnError } from "../../../src/base/error.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { decodeBatch, encodeBatch } from "../../../src/lsm/wal/batch.ts";
import { walId, walName } from "../../../src/lsm/wal/names.ts";
import { ObjectWalStore } from "../../../src/lsm/wal/objects.ts";
import type { TailGroup, Wal, WalBatch, WalGroup, WalSalvage } from "../../../src/lsm/wal/port.ts";
import { ObjectReader } from "../../../src/lsm/wal/reader.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { batch, openWal, START } from "./support.ts";

const PREFIX = "w/";
const MIN_AGE_MS = 3_600_000;

/** A store whose puts of some numbers are on their way until they are let through. */
class SlowPuts {
  readonly clock = new VirtualClock();
  readonly blobs: BlobStore = new MemoryBlobStore(this.clock);
  readonly #held = new Map<number, PromiseWithResolvers<void>>();

  /** The store as the writer sees it whose puts are slow. */
  get slow(): BlobStore {
    return new Proxy(this.blobs, {
      get: (blobs, name) => {
        if (name === "put") {
          return async (...args: Parameters<BlobStore["put"]>) => {
            const id = walId(args[0].slice(PREFIX.length)) ?? 0;
            await this.#held.get(id)?.promise;
            return await blobs.put(...args);
          };
        }
        const method = Reflect.get(blobs, name) as (...args: readonly unknown[]) => unknown;
        return (...args: readonly unknown[]) => method.apply(blobs, [...args]);
      },
    });
  }

  hold(id: number): void {
    this.#held.set(id, Promise.withResolvers());
  }

  letThrough(id: number): void {
    this.#held.get(id)?.resolve();
    this.#held.delete(id);
  }

  fail(id: number, error: Error): void {
    this.#held.get(id)?.reject(error);
    this.#held.delete(id);
  }

  log(blobs: BlobStore = this.blobs, seed = 1, attemptMs = 0): ObjectWalStore {
    const ports = { clock: this.clock, prng: new SeededPrng(seed), prefix: PREFIX };
    return new ObjectWalStore(blobs, { ...ports, minAgeMs: MIN_AGE_MS, attemptMs });
  }

  async ids(): Promise<readonly number[]> {
    return (await this.reader().list()).map(({ id }) => id);
  }

  reader(): ObjectReader {
    return new ObjectReader(this.blobs, PREFIX);
  }

  /** What one sees who owns nothing: replayed, read from its start on, and as a repair reads it. */
  async seen() {
    const replayed: WalGroup[] = [];
    await this.reader().replay(START, (group) => void replayed.push(group));
    const tail: TailGroup[] = [];
    for await (const each of this.reader().tail(BEGIN)) tail.push(each);
    const salvaged: WalSalvage[] = [];
    for await (const each of this.reader().salvage(START)) salvaged.push(each);
    return {
      replayed: keysOf(replayed),
      told: keysOf(tail.map(({ group }) => group)),
      salvaged: keysOf(salvaged.filter((each) => "batches" in each)),
      damage: salvaged.filter((each) => "what" in each),
    };
  }
}

/** Groups of one operation each, which puts a key of one letter. */
async function appendKeys(wal: Wal, keys: string): Promise<void> {
  for (const key of keys) await wal.append([batchOf(wal.stats().lastSequence + 1, key)]);
}

function batchOf(sequence: number, key: string): WalBatch {
  const op = { op: "put", key: Buffer.from(key), value: Buffer.from("v") } as const;
  return batch(sequence, encodeBatch([op]));
}

function keysOf(groups: Iterable<Pick<WalGroup, "batches">>): string {
  const batches = [...groups].flatMap((group) => group.batches);
  const ops = batches.flatMap(({ payload, count }) => decodeBatch(payload, count));
  return ops.map((op) => ("key" in op ? Buffer.from(op.key).toString() : "?")).join("");
}

const BEGIN = { file: 0, offset: 0, sequence: 0 };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A writer of "a" whose puts of two more groups are on their way, of numbers 3 and 4. */
async function twoOnTheirWay() {
  const store = new SlowPuts();
  const { wal } = await openWal(store.log(store.slow), 1);
  await appendKeys(wal, "a");
  for (const id of [3, 4]) store.hold(id);
  const settled: string[] = [];
  const appends = ["b", "c"].map((key, i) => wal.append([batchOf(2 + i, key)]));
  for (const [i, append] of appends.entries()) {
    const note = (what: string): void => void settled.push(`${i}: ${what}`);
    append.then(
      () => note("acknowledged"),
      (error: FirnError) => note(`${error.kind} ${error.code}`),
    );
  }
  await turn();
  return { store, wal, settled };
}

describe("two groups on their way", () => {
  it("are acknowledged in their order, whichever is there first", async () => {
    const { store, wal, settled } = await twoOnTheirWay();
    store.letThrough(4);
    await turn();
    expect(await store.ids()).toEqual([1, 2, 4]);
    expect(settled).toEqual([]);
    expect(wal.stats()).toMatchObject({ lastSequence: 1 });
    // Whoever owns nothing sees the log as far as it is whole, and no damage.
    expect(await store.seen()).toMatchObject({
      replayed: "a",
      told: "a",
      salvaged: "a",
      damage: [],
    });
    store.letThrough(3);
    await turn();
    expect(settled).toEqual(["0: acknowledged", "1: acknowledged"]);
    expect(wal.stats()).toMatchObject({ lastSequence: 3 });
    expect((await store.seen()).replayed).toBe("abc");
  });

  it("of which the first is certainly not there, neither is", async () => {
    const { store, settled } = await twoOnTheirWay();
    store.letThrough(4);
    store.fail(3, new FirnError("Unavailable", "BLOB_UNAVAILABLE", "not there"));
    await turn();
    expect(settled).toEqual(["0: Unavailable WAL_UNWRITTEN", "1: Unavailable WAL_DEAD"]);
    const { groups } = await openWal(store.log(), 2);
    expect(keysOf(groups)).toBe("a");
  });

  it("of which the first may be there, may both be there", async () => {
    const { store, settled } = await twoOnTheirWay();
    store.letThrough(4);
    store.fail(3, new FirnError("Unknown", "BLOB_UNKNOWN", "perhaps"));
    await turn();
    expect(settled).toEqual(["0: Unknown WAL_WRITE_UNKNOWN", "1: Unknown WAL_WRITE_UNKNOWN"]);
  });

  it("are refused where one before them is missing, unless it was on its way too", async () => {
    const store = new SlowPuts();
    const { wal } = await openWal(store.log(), 1);
    await appendKeys(wal, "abc");
    await store.blobs.delete(`${PREFIX}${walName(3)}`);
    const damaged = { kind: "Corrupt", code: "WAL_CORRUPT" };
    await expect(openWal(store.log(), 2)).rejects.toMatchObject(damaged);
    await expect(store.reader().replay(START, () => undefined)).rejects.toMatchObject(damaged);
  });
});

describe("a take-over while two groups are on their way", () => {
  it("stops both where neither is there yet", async () => {
    const { store, settled } = await twoOnTheirWay();
    const { wal, groups } = await openWal(store.log(), 2);
    expect(keysOf(groups)).toBe("a");
    await appendKeys(wal, "d");
    store.letThrough(4);
    store.letThrough(3);
    await turn();
    expect(settled).toEqual(["0: Unavailable WAL_FENCED", "1: Unavailable WAL_FENCED"]);
    expect((await store.seen()).replayed).toBe("ad");
  });

  it("leaves the second a stray where only that is there", async () => {
    const { store, settled } = await twoOnTheirWay();
    store.letThrough(4);
    await turn();
    const { wal, groups } = await openWal(store.log(), 2);
    expect(keysOf(groups)).toBe("a");
    await appendKeys(wal, "de");
    store.letThrough(3);
    await turn();
    expect(settled).toEqual(["0: Unavailable WAL_FENCED", "1: Unavailable WAL_FENCED"]);
    await expectNoStray(store, "ade");
  });

  it("leaves the second a stray that comes between the two objects of its fence", async () => {
    const { store } = await twoOnTheirWay();
    const { put } = store.blobs;
    store.blobs.put = async (...args) => {
      const answer = await put.apply(store.blobs, args);
      if (args[0].endsWith(walName(3))) {
        store.blobs.put = put;
        store.letThrough(4);
        await turn();
      }
      return answer;
    };
    const { wal } = await openWal(store.log(), 2);
    await appendKeys(wal, "de");
    await expectNoStray(store, "ade");
  });

  it("that ends between the two objects of its fence is taken over in its turn", async () => {
    const { store } = await twoOnTheirWay();
    const { put } = store.blobs;
    store.blobs.put = async (...args) => {
      if (args[0].endsWith(walName(4))) throw new FirnError("Internal", "ENDED", "it ended");
      return await put.apply(store.blobs, args);
    };
    await expect(openWal(store.log(), 2)).rejects.toMatchObject({ code: "ENDED" });
    store.blobs.put = put;
    store.letThrough(4);
    await turn();
    const { wal } = await openWal(store.log(), 3);
    await appendKeys(wal, "de");
    await expectNoStray(store, "ade");
  });
});

/** To no reader of any kind, at no place, and behind no release. */
async function expectNoStray(store: SlowPuts, keys: string): Promise<void> {
  const ids = await store.ids();
  const all = { replayed: keys, told: keys, salvaged: keys, damage: [] };
  expect(await store.seen()).toMatchObject(all);
  const { wal, groups } = await openWal(store.log(), 9);
  expect(keysOf(groups)).toBe(keys);
  await expectToldAnywhere(store, keys);
  // Sequence 2 is of the group behind the fence, for those who look for it in the past too.
  const holding = await store.reader().holding(2, (ids.at(-1) ?? 0) + 1);
  const { groups: held } = await store.reader().read("file" in holding ? holding.file : 0);
  expect(keysOf(held)).toBe(keys[1]);
  // What is released takes the fence only with all that it stops.
  await appendKeys(wal, "fgh");
  await store.clock.advance(2 * MIN_AGE_MS);
  for (let file = 2; file <= wal.lowWater(wal.stats().lastSequence - 1); file++) {
    await wal.release(file);
    const [oldest = 0] = await store.ids();
    const { groups: first } = await store.reader().read(oldest);
    expect(keysOf(first), `released below ${file}`).not.toBe("c");
  }
}

/** A reader that goes on from any place is told the rest. */
async function expectToldAnywhere(store: SlowPuts, keys: string): Promise<void> {
  let told = "";
  for await (const { group, place } of store.reader().tail(BEGIN)) {
    told += keysOf([group]);
    const rest: WalGroup[] = [];
    for await (const { group: next } of store.reader().tail(place)) rest.push(next);
    expect(told + keysOf(rest)).toBe(keys);
  }
}
