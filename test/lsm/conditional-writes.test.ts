import { describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../src/base/bytes.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import type { LsmTuning } from "../../src/lsm/options.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import { MemoryBudget } from "../../src/lsm/write/budget.ts";
import type { Written } from "../../src/lsm/write/write-path.ts";
import { FaultyBlobStore } from "../support/faulty-blob-store.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { Processes } from "./support/worlds.ts";

const clock = new VirtualClock();
let hold = "";
let isLogShut = false;

async function open(forTests: Partial<LsmTuning> = {}) {
  const prng = new SeededPrng(1);
  const store = new FaultyBlobStore(new MemoryBlobStore(clock), (_index, method, [path]) => {
    const isHeld = hold !== "" && method.startsWith("get") && String(path).startsWith(hold);
    const isPut = isLogShut && method === "put" && String(path).startsWith("wal/");
    return isHeld || isPut ? { fault: "stalled", applied: "before" } : undefined;
  });
  const wal = new ObjectWalStore(store, { clock, prng, prefix: "wal/" });
  const node = new Processes().start();
  const budget = new MemoryBudget(100_000_000, 0);
  const engine = await Engine.open({ store, wal, clock, prng, node, forTests, budget });
  return { engine, store };
}

const a = utf8("a");
const b = utf8("b");
const one = utf8("1");
const put = (key: Uint8Array) => [{ op: "put", key, value: one }] as const;
const failed = { kind: "Conflict", code: "LSM_CONDITION_FAILED" };

describe("a conditional write", () => {
  it("of many for one new key lets one through, at once where all is in memory", async () => {
    const { engine } = await open();
    const check = [{ key: a, is: "absent" }] as const;
    const first = engine.write(put(a), { check });
    expect(first).not.toBeInstanceOf(Promise);
    const racers = Array.from({ length: 20 }, () => engine.write(put(a), { check }));
    for (const { status } of await Promise.allSettled(racers)) expect(status).toBe("rejected");
    await expect(engine.write(put(b), { check })).rejects.toMatchObject({
      ...failed,
      context: { key: "61", is: "absent" },
    });
    await engine.write(put(b), { check: [{ key: a, is: "present" }] });
    await engine.delete(a);
    await engine.write(put(a), {
      check: [
        { key: a, is: "absent" },
        { key: b, is: "present" },
      ],
    });
  });

  it("judges what lies in tables, and what is written while these are read", async () => {
    const { engine, store } = await open({ recentBytes: 1 });
    for (const key of ["A", "a", "z"]) await engine.put(utf8(key), one);
    await engine.flush();
    for (const overtakes of [false, true]) {
      const key = utf8(overtakes ? "k2" : "k1");
      const fresh = Uint8Array.from(key);
      hold = "sst/";
      const writing = Promise.resolve(
        engine.write([{ op: "put", key: fresh, value: one }], {
          check: [{ key: fresh, is: "absent" }],
        }),
      ).catch((error: unknown) => error);
      const late = engine.write(put(utf8("m")), { check: [{ key: a, is: "absent" }] });
      const refused = expect(late).rejects.toMatchObject(failed);
      await clock.advance(0);
      fresh.fill(0);
      if (overtakes) {
        await engine.put(key, utf8("2"));
        hold = "";
        await engine.flush();
      }
      hold = "";
      await store.releaseAll();
      await refused;
      const outcome = await writing;
      if (overtakes) expect(outcome).toMatchObject(failed);
      else expect((outcome as Written).sequence).toBe(engine.lastSequence);
      expect(utf8Text((await engine.get(key)) ?? one)).toBe(overtakes ? "2" : "1");
    }
    await engine.close();
  });

  it("judges a key by the sequence of a view, also over flushes and compactions", async () => {
    const { engine } = await open({ recentBytes: 1 });
    await engine.put(a, one);
    await engine.put(b, one);
    const view = engine.readView();
    const { sequence } = view;
    await engine.flush();
    await engine.delete(a);
    await engine.put(utf8("c"), one);
    await engine.compact();
    await expect(engine.write(put(a), { check: [{ key: a, is: sequence }] })).rejects.toMatchObject(
      failed,
    );
    await engine.write(put(b), { check: [{ key: b, is: sequence }] });
    view.close();
    const gone = expect.objectContaining({ code: "LSM_HISTORY_GONE" });
    expect(() => engine.write(put(b), { check: [{ key: b, is: sequence }] })).toThrow(gone);
    expect(() => engine.readView({ sequence })).toThrow(gone);
    const ahead = expect.objectContaining({ code: "LSM_SEQUENCE_AHEAD" });
    expect(() => engine.readView({ sequence: engine.lastSequence + 1 })).toThrow(ahead);
    const invalid = expect.objectContaining({ code: "LSM_CONDITION_INVALID" });
    for (const is of [-1, 0.5, engine.lastSequence + 1]) {
      expect(() => engine.write(put(b), { check: [{ key: b, is }] })).toThrow(invalid);
    }
  });
});

describe("a conditional write beside writes that are not durable", () => {
  it("is refused by tables once all that was written before is durable", async () => {
    const { engine, store } = await open({ recentBytes: 1 });
    await engine.put(a, one);
    const view = engine.readView();
    await engine.delete(a);
    await engine.flush();
    const { durable } = await engine.put(utf8("c"), one);
    await durable();
    isLogShut = true;
    const last = await engine.put(b, one);
    let isAnswered = false;
    const refused = Promise.resolve(
      engine.write(put(a), { check: [{ key: a, is: view.sequence }] }),
    ).catch((error: unknown) => {
      isAnswered = true;
      return error;
    });
    await clock.advance(100);
    expect(isAnswered).toBe(false);
    isLogShut = false;
    await store.releaseAll();
    expect(await refused).toMatchObject({ ...failed, context: { sequence: last.sequence } });
    expect(engine.stats().durableSequence).toBe(last.sequence);
    view.close();
    await engine.close();
  });
});
