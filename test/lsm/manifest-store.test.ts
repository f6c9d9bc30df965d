import { describe, expect, it } from "vitest";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { encodeGcBoundary } from "../../src/lsm/format/gc-boundary.ts";
import type { Manifest } from "../../src/lsm/format/manifest.ts";
import { ManifestLog } from "../../src/lsm/manifest/log.ts";
import { boundaryPath, ManifestObjects, manifestPath } from "../../src/lsm/manifest/objects.ts";
import type { ManifestState } from "../../src/lsm/manifest/store.ts";
import { type Fault, FaultyBlobStore, type Method } from "../support/faulty-blob-store.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const GC_MIN_AGE_MS = 3_600_000;

const state = (lastSequence: number, writerEpoch = 1): ManifestState => ({
  writerEpoch,
  compactorEpoch: 0,
  walFrom: 0,
  lastSequence,
  level0: [],
  runs: [],
  checkpoints: [],
  operators: [],
  samples: [],
  owner: undefined,
  optionalFeatures: 0,
  unknown: [],
});

/** A store in which the next call of a method suffers a fault, once it is set. */
function world() {
  const clock = new VirtualClock();
  const next: { fault?: Fault; method?: Method } = {};
  const inner = new MemoryBlobStore(clock);
  const store = new FaultyBlobStore(inner, (_index, method) => {
    if (method !== next.method) return undefined;
    const { fault } = next;
    delete next.method;
    return fault;
  });
  const open = () => new ManifestObjects({ store, clock, prefix: "p/", gcMinAgeMs: GC_MIN_AGE_MS });
  /** As a collector does: the boundary first, then what lies below it. */
  const collect = async (through: number, boundaryId: number): Promise<void> => {
    const boundary = encodeGcBoundary({
      id: boundaryId,
      walThrough: 0,
      manifestThrough: through,
      raisedAtMs: 0,
      optionalFeatures: 0,
      unknown: [],
    });
    await inner.put(boundaryPath("p/", boundaryId), boundary);
    for (let id = 1; id <= through; id++) await inner.delete(manifestPath("p/", id));
  };
  return { clock, next, store, inner, open, collect };
}

async function publishAll(manifests: ManifestObjects, count: number): Promise<Manifest> {
  let last: Manifest | undefined;
  for (let i = 1; i <= count; i++) last = await manifests.publish(state(i), i - 1);
  if (last === undefined) throw new Error("not published");
  return last;
}

describe("manifests as numbered objects", () => {
  it("of concurrent publications after one state exactly one wins", async () => {
    const { open } = world();
    for (let previous = 0; previous < 20; previous++) {
      const racers = Array.from({ length: 8 }, (_, i) => open().publish(state(i), previous));
      const won = (await Promise.all(racers)).filter((manifest) => manifest !== undefined);
      expect(won).toHaveLength(1);
      expect(await open().latest()).toEqual(won[0]);
    }
  });

  it("a put whose answer was lost has won, where it is what stands there", async () => {
    const { open, next } = world();
    const manifests = open();
    Object.assign(next, { method: "put", fault: { fault: "answerLost" } });
    const published = await manifests.publish(state(1), 0);
    expect(published?.id).toBe(1);
    Object.assign(next, { method: "put", fault: { fault: "notSent" } });
    await expect(manifests.publish(state(2), 1)).rejects.toMatchObject({ kind: "Unknown" });
    Object.assign(next, { method: "put", fault: { fault: "refused" } });
    await expect(manifests.publish(state(2), 1)).rejects.toMatchObject({ kind: "Unavailable" });
    expect((await manifests.publish(state(2), 1))?.id).toBe(2);
  });

  it("a put whose answer was lost is in doubt, where it cannot be read back", async () => {
    const clock = new VirtualClock();
    let putsLost = true;
    const store = new FaultyBlobStore(new MemoryBlobStore(clock), (_index, method) => {
      if (method === "put" && putsLost) return { fault: "answerLost" };
      return method === "get" ? { fault: "refused" } : undefined;
    });
    const manifests = new ManifestObjects({ store, clock, prefix: "", gcMinAgeMs: 0 });
    await expect(manifests.publish(state(1), 0)).rejects.toMatchObject({ kind: "Unknown" });
    // What stands there may be its own: a store may send a request again.
    putsLost = false;
    await expect(manifests.publish(state(1), 0)).rejects.toMatchObject({ kind: "Unknown" });
  });

  it("one that is stored and cannot be looked at further is in doubt, never denied", async () => {
    const { open, next } = world();
    const manifests = open();
    for (const fault of ["refused", "notSent", "answerLost"] as const) {
      const newest = (await open().latest())?.id ?? 0;
      Object.assign(next, { method: "list", fault: { fault } });
      const published = manifests.publish(state(newest + 1), newest);
      await expect(published).rejects.toMatchObject({ kind: "Unknown" });
      expect((await open().latest())?.id).toBe(newest + 1);
    }
  });

  it("a number that may have been deleted is a lost race", async () => {
    const { open, collect } = world();
    const manifests = open();
    const last = await publishAll(manifests, 9);
    await collect(7, 1);
    expect(await open().publish(state(99), 3)).toBeUndefined();
    // What it left behind is nobody's state.
    expect(await manifests.newerThan(3, Number.POSITIVE_INFINITY)).toEqual(last);
    expect(await manifests.latest()).toEqual(last);
  });
});

describe("the newest manifest", () => {
  it("a boundary above every state that is there is damage: the newest one stays", async () => {
    const { open, inner, collect } = world();
    await publishAll(open(), 3);
    await collect(3, 1);
    const lost = {
      kind: "Corrupt",
      code: "LSM_MANIFEST_LOST",
      context: { path: manifestPath("p/", 4) },
    };
    await expect(open().publish(state(9), 0)).rejects.toMatchObject(lost);
    await inner.put(boundaryPath("p/", 1), Buffer.from("no boundary"));
    await expect(open().publish(state(9), 1)).rejects.toMatchObject({
      kind: "Corrupt",
      context: { path: boundaryPath("p/", 1) },
    });
  });

  it("a gap behind a state is not proof, once what was there may have been deleted", async () => {
    const { open, collect } = world();
    const manifests = open();
    const last = await publishAll(manifests, 9);
    await collect(8, 1);
    expect(await manifests.newerThan(3, 0)).toBeUndefined();
    expect(await manifests.newerThan(3, GC_MIN_AGE_MS)).toEqual(last);
    expect(await manifests.newerThan(9, GC_MIN_AGE_MS)).toBeUndefined();
  });

  it.each([
    ["a look", "get", "arrives", (manifests: ManifestObjects) => manifests.newerThan(3, 0)],
    ["a list", "list", "is answered", (manifests: ManifestObjects) => manifests.latest()],
  ] as const)("nor is one, where %s (%s) %s so late", async (_, method, late, look) => {
    const { clock, inner, open, next, collect } = world();
    await publishAll(open(), 3);
    const kept = (await inner.get(manifestPath("p/", 3)))?.bytes ?? new Uint8Array();
    let last: Manifest | undefined;
    const until = async () => {
      clock.skip(2 * GC_MIN_AGE_MS);
      for (let id = 4; id <= 9; id++) last = await open().publish(state(id), id - 1);
      await collect(8, 1);
      // A checkpoint keeps it.
      await inner.put(manifestPath("p/", 3), kept);
    };
    const applied = late === "arrives" ? "after" : "before";
    Object.assign(next, { method, fault: { fault: "stalled", applied, until } });
    expect(await look(open())).toEqual(last);
    expect(last?.id).toBe(9);
  });

  it("of states that are all gone none is made up", async () => {
    const { open, collect } = world();
    await publishAll(open(), 3);
    await collect(3, 1);
    const lost = { kind: "Corrupt", code: "LSM_MANIFEST_LOST" };
    await expect(open().newerThan(2, GC_MIN_AGE_MS)).rejects.toMatchObject(lost);
  });

  it("what is far ahead is found by a list, not by a look at each state", async () => {
    const { open, store } = world();
    const last = await publishAll(open(), 300);
    const before = store.history.length;
    expect(await open().newerThan(1, 0)).toEqual(last);
    expect(store.history.length - before).toBeLessThan(25);
    expect(await open().newerThan(290, 0)).toEqual(last);
    expect(await open().newerThan(300, 0)).toBeUndefined();
  });

  it("a list that lags is made good by looking on", async () => {
    const { open, next } = world();
    const last = await publishAll(open(), 5);
    Object.assign(next, { method: "list", fault: { fault: "stale", lag: 2 } });
    expect(await open().latest()).toEqual(last);
  });

  it("a state under another's name is corrupt", async () => {
    const { open, inner } = world();
    await publishAll(open(), 1);
    const one = await inner.get(manifestPath("p/", 1));
    await inner.put(manifestPath("p/", 4), one?.bytes ?? new Uint8Array());
    await expect(open().latest()).rejects.toMatchObject({ code: "LSM_MANIFEST_MISPLACED" });
  });
});

describe("a log of manifests", () => {
  it("makes a change again of what won, and hears of every state in order", async () => {
    const { open } = world();
    const first = await publishAll(open(), 1);
    const seen: number[] = [];
    const log = new ManifestLog(open(), first, ({ id }) => seen.push(id));
    const rival = new ManifestLog(open(), first, () => undefined);
    await rival.update((manifest) => ({ ...manifest, walFrom: 7 }));
    const raise = () =>
      log.update((manifest) => ({ ...manifest, lastSequence: manifest.lastSequence + 1 }));
    await Promise.all([raise(), raise(), log.check(0)]);
    expect(log.current).toMatchObject({ id: 4, walFrom: 7, lastSequence: 3 });
    expect(seen).toEqual([2, 3, 4]);
  });

  it("is fenced by a grown epoch alone, and publishes nothing then", async () => {
    const { open } = world();
    const first = await publishAll(open(), 1);
    const log = new ManifestLog(open(), first, () => undefined);
    await open().publish(state(1, 2), 1);
    const fenced = { kind: "Unavailable", code: "LSM_FENCED" };
    await expect(log.update((manifest) => manifest)).rejects.toMatchObject(fenced);
    await expect(log.check(0)).rejects.toMatchObject(fenced);
    expect((await open().latest())?.id).toBe(2);
  });

  it("finds that a change has been made whose answer was lost", async () => {
    const { open, next } = world();
    const log = new ManifestLog(open(), await publishAll(open(), 1), () => undefined);
    const once = () =>
      log.update((manifest) => (manifest.walFrom === 5 ? undefined : { ...manifest, walFrom: 5 }));
    Object.assign(next, { method: "put", fault: { fault: "late", lands: "release" } });
    await expect(once()).rejects.toMatchObject({ kind: "Unknown" });
    await once();
    expect(log.current).toMatchObject({ id: 2, walFrom: 5 });
  });
});
