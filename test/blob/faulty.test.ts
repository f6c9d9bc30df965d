import { describe, expect, it } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { pathsOf, textOf } from "../contract/blob-store-checks.ts";
import { describeBlobStore } from "../contract/describe-blob-store.ts";
import { type Fault, FaultyBlobStore, seededFaults } from "../support/faulty-blob-store.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const UNKNOWN = { kind: "Unknown" };
const UNAVAILABLE = { kind: "Unavailable" };

/** A store whose k-th call suffers the k-th fault. */
function faulty(...faults: readonly (Fault | undefined)[]) {
  const inner = new MemoryBlobStore(new VirtualClock());
  return { inner, store: new FaultyBlobStore(inner, (index) => faults[index]) };
}

describeBlobStore(
  "a network without faults",
  async () => ({
    store: new FaultyBlobStore(new MemoryBlobStore(new VirtualClock()), () => undefined),
  }),
  { anyPath: true, raceRounds: 10 },
);

describe("a faulty network", () => {
  it("does not send, loses the answer, or refuses", async () => {
    const faults: Fault[] = [{ fault: "notSent" }, { fault: "answerLost" }, { fault: "refused" }];
    const { inner, store } = faulty(...faults, ...faults, ...faults);
    await expect(store.put("a", utf8("x"))).rejects.toMatchObject(UNKNOWN);
    await expect(store.put("b", utf8("x"))).rejects.toMatchObject(UNKNOWN);
    await expect(store.put("c", utf8("x"))).rejects.toMatchObject(UNAVAILABLE);
    expect(await pathsOf(inner)).toEqual(["b"]);
    for (let i = 0; i < 3; i++) await expect(store.get("b")).rejects.toMatchObject(UNAVAILABLE);
    await expect(store.delete("b")).rejects.toMatchObject(UNKNOWN);
    expect(await pathsOf(inner)).toEqual(["b"]);
    await expect(store.delete("b")).rejects.toMatchObject(UNKNOWN);
    expect(await pathsOf(inner)).toEqual([]);
    await expect(store.deleteMany([])).rejects.toMatchObject(UNAVAILABLE);
    expect(store.history.map(({ method }) => method)).toHaveLength(9);
  });

  it("delivers late, before a call or when released, the bytes as they were sent", async () => {
    const { inner, store } = faulty(
      { fault: "late", lands: { beforeCall: 2 } },
      { fault: "late", lands: "release" },
    );
    const mine = utf8("first");
    await expect(store.put("a", mine)).rejects.toMatchObject(UNKNOWN);
    mine.fill(0);
    await expect(store.putStream("b", (async function* () {})())).rejects.toMatchObject(UNKNOWN);
    expect(await pathsOf(inner)).toEqual([]);
    expect(await textOf(store, "a")).toBe("first");
    expect(store.held).toBe(1);
    await store.release(1);
    expect(await pathsOf(inner)).toEqual(["a", "b"]);
    expect(store.history[0]?.landings).toMatchObject([{ outcome: "stored" }]);
  });

  it("delivers a put twice", async () => {
    const { inner, store } = faulty({ fault: "duplicated", lands: "release" });
    expect((await store.put("a", utf8("x"), "absent")).outcome).toBe("stored");
    await store.delete("a");
    await store.releaseAll();
    expect(await textOf(inner, "a")).toBe("x");
    expect(store.history[0]?.landings).toHaveLength(2);
  });

  it("stalls exactly the call it is told to, before or after it is applied", async () => {
    for (const applied of ["before", "after"] as const) {
      const { inner, store } = faulty(undefined, { fault: "stalled", applied });
      await store.put("a", utf8("x"));
      let answered = false;
      const deletion = store.delete("a").then(() => {
        answered = true;
      });
      await store.put("b", utf8("x"));
      expect(answered).toBe(false);
      expect(await pathsOf(inner)).toEqual(applied === "before" ? ["b"] : ["a", "b"]);
      await store.release(1);
      await deletion;
      expect(await pathsOf(inner)).toEqual(["b"]);
    }
  });

  it("leaves half of a torn put", async () => {
    const torn: Fault = { fault: "torn", bytes: 2 };
    const { inner, store } = faulty(torn, undefined, torn);
    await expect(store.put("a", utf8("whole"), "absent")).rejects.toMatchObject(UNKNOWN);
    expect(await textOf(inner, "a")).toBe("wh");
    await store.put("b", utf8("x"));
    await expect(store.deleteMany(["a", "b"])).rejects.toMatchObject(UNKNOWN);
    expect(await pathsOf(inner)).toEqual(["b"]);
  });

  it("lists what stood some writes ago", async () => {
    const { store } = faulty(...Array(4), { fault: "stale", lag: 2 }, undefined);
    for (const path of ["a", "b"]) await store.put(path, utf8("x"));
    await store.delete("a");
    await store.put("c", utf8("x"));
    expect((await store.list("")).map(({ path }) => path)).toEqual(["a", "b"]);
    expect(await pathsOf(store)).toEqual(["b", "c"]);
  });

  it("does by seed what it did before, each fault among them", async () => {
    const run = async (seed: number) => {
      const inner = new MemoryBlobStore(new VirtualClock());
      const options = { rate: 0.5, torn: true, stale: true };
      const script = seededFaults(new SeededPrng(seed), options);
      const store = new FaultyBlobStore(inner, script);
      for (let i = 0; i < 200; i++) {
        const call = i % 3 === 0 ? store.list("") : store.put(`${i % 7}`, utf8(`${i}`));
        await call.catch(() => undefined);
      }
      await store.releaseAll();
      return store.history.map(({ fault }) => fault?.fault);
    };
    const faults = await run(7);
    expect(await run(7)).toEqual(faults);
    expect(await run(8)).not.toEqual(faults);
    const kinds = ["notSent", "answerLost", "late", "duplicated", "refused", "torn", "stale"];
    expect(new Set(faults)).toEqual(new Set([undefined, ...kinds]));
  });
});
