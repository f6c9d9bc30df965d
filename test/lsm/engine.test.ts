import { afterEach, describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../src/base/bytes.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import type { Scan } from "../../src/lsm/read/scan.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import { FaultyBlobStore } from "../support/faulty-blob-store.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";
import { KINDS, type Kind, makeWorld, Processes, type World } from "./support/worlds.ts";

const worlds: World[] = [];
const world = (kind: Kind): World => {
  const made = makeWorld(kind);
  worlds.push(made);
  return made;
};

afterEach(() => {
  for (const made of worlds.splice(0)) made.end();
});

async function texts(scan: Scan): Promise<readonly string[]> {
  const rows: string[] = [];
  for await (const batch of scan) {
    for (const { key, value } of batch) rows.push(`${utf8Text(key)}=${utf8Text(value)}`);
  }
  return rows;
}

describe.each(KINDS)("an engine over a $store store, log of $wal", (kind) => {
  it("reads what it wrote, before and after a flush and a reopening", async () => {
    const at = world(kind);
    let engine = await at.open();
    const check = async (): Promise<void> => {
      expect(await engine.get(utf8("a"))).toEqual(new Uint8Array(utf8("1")));
      expect(await engine.get(utf8("b"))).toBeUndefined();
      expect(await texts(engine.scan())).toEqual(["a=1", "c=3"]);
      expect(await texts(engine.scan({ reverse: true }))).toEqual(["c=3", "a=1"]);
    };
    await engine.write([
      { op: "put", key: utf8("a"), value: utf8("1") },
      { op: "put", key: utf8("b"), value: utf8("2") },
      { op: "put", key: utf8("c"), value: utf8("3") },
    ]);
    await engine.delete(utf8("b"), { durable: true });
    await check();
    engine = await at.open();
    await check();
    await engine.flush();
    await check();
    await engine.close();
    engine = await at.open();
    await check();
    await engine.close();
  });

  it("closes also where no table can be written: the log has everything", async () => {
    const at = world(kind);
    const store = new FaultyBlobStore(at.store, (_index, method) =>
      method === "putStream" ? { fault: "refused" } : undefined,
    );
    const engine = await at.open({ store });
    await engine.put(utf8("a"), utf8("1"));
    await engine.close();
    const next = await at.open();
    expect(await texts(next.scan())).toEqual(["a=1"]);
    await next.close();
  });
});

it("a read that waits while the engine is closed hears that, and of no damage", async () => {
  const clock = new SleepIsTime();
  const prng = new SeededPrng(1);
  const slow = new FaultyBlobStore(new MemoryBlobStore(clock), (_index, method) =>
    method === "getSuffix" ? { fault: "stalled", applied: "before" } : undefined,
  );
  const wal = new ObjectWalStore(slow, { clock, prng, prefix: "wal/" });
  const node = new Processes().start();
  const engine = await Engine.open({ store: slow, wal, clock, prng, node });
  await engine.put(utf8("a"), utf8("1"));
  await engine.flush();
  const reading = Promise.resolve(engine.get(utf8("a")));
  await engine.close();
  await slow.releaseAll();
  await expect(reading).rejects.toMatchObject({ kind: "Unavailable", code: "LSM_CLOSED" });
});
