import { expect, test } from "vitest";
import { LIMITS } from "../../src/base/limits.ts";
import type { AccountCatalog } from "../../src/catalog/catalog.ts";
import type { Batch } from "../../src/pointer/port.ts";
import { FaultyPointerStore } from "../support/faulty-pointer-store.ts";
import { tidyReceipts } from "../support/housekeeping.ts";
import { ACTOR, openTestCatalog, testStores } from "../support/open-catalog.ts";
import { SleepIsTime, VirtualClock } from "../support/virtual-clock.ts";
import { draft, FAULTS, heldCommit, keyed, mark, opened, pair, REF } from "./support/keyed.ts";

test("the second request of a key is answered as the first, and does nothing", async () => {
  const { namespaces, tables } = await opened();
  const first = await namespaces.create(keyed(), REF, { a: "b" });
  const again = keyed();
  const second = await namespaces.create(again, REF, { a: "b" });
  expect(again.idempotency.replayed).toBe(true);
  expect(second).toEqual(first);
  const key = "0199d8a0-0000-7000-8000-000000000002";
  const table = { ...REF, name: "t" };
  const made = await tables.create(keyed(key), "create-table", table, draft("file:///w/t"));
  const same = await tables.create(keyed(key), "create-table", table, draft("file:///w/u"));
  expect(same).toEqual(made);
});

test("what a request was answered is answered again, whatever happened since", async () => {
  const { namespaces } = await opened();
  await namespaces.create(ACTOR, REF, {});
  await namespaces.drop(keyed(), REF);
  await namespaces.create(ACTOR, REF, {});
  await namespaces.drop(keyed(), REF);
  await namespaces.exists(REF);
  const refused = keyed("0199d8a0-0000-7000-8000-000000000003");
  const taken = { kind: "AlreadyExists", code: "NAMESPACE_ALREADY_EXISTS" };
  await expect(namespaces.create(refused, REF, {})).rejects.toMatchObject(taken);
  await namespaces.drop(ACTOR, REF);
  const again = keyed(refused.idempotency.key);
  await expect(namespaces.create(again, REF, {})).rejects.toMatchObject({
    ...taken,
    context: { namespace: "a" },
  });
  expect(again.idempotency.replayed).toBe(true);
});

test("what the current state does not tell is in the receipt", async () => {
  const { namespaces } = await opened();
  await namespaces.create(ACTOR, REF, { x: "1" });
  const change = () => ({ properties: {}, detail: "first" });
  expect(await namespaces.update(keyed(), REF, change)).toBe("first");
  const other = () => ({ properties: { y: "2" }, detail: "second" });
  expect(await namespaces.update(keyed(), REF, other)).toBe("first");
  expect((await namespaces.get(REF)).entity.properties).toEqual({});
});

test("a request that changed nothing is remembered too", async () => {
  const { namespaces } = await opened();
  await namespaces.create(ACTOR, REF, {});
  const nothing = () => ({ properties: undefined, detail: "nothing" });
  expect(await namespaces.update(keyed(), REF, nothing)).toBe("nothing");
  const late = () => ({ properties: { y: "2" }, detail: "late" });
  expect(await namespaces.update(keyed(), REF, late)).toBe("nothing");
});

test("a key that another request used is refused", async () => {
  const { namespaces } = await opened();
  await namespaces.create(keyed(), REF, {});
  const reused = { kind: "Invalid", code: "IDEMPOTENCY_KEY_REUSED" };
  await expect(namespaces.create(keyed(undefined, 2), REF, {})).rejects.toMatchObject(reused);
  const stranger = { ...keyed(), principal: "somebody else" };
  await expect(namespaces.create(stranger, REF, {})).rejects.toMatchObject(reused);
  const first = keyed();
  await namespaces.create(first, REF, {});
  expect(first.idempotency.replayed).toBe(true);
});

test("a receipt that has expired is forgotten", async () => {
  const clock = new VirtualClock();
  const { namespaces } = await opened(testStores({ clock }));
  await namespaces.create(keyed(), REF, {});
  clock.skip(LIMITS.receiptLifeMs + 2 * LIMITS.clockSkewMs);
  await namespaces.drop(ACTOR, REF);
  const again = keyed();
  await namespaces.create(again, REF, {});
  expect(again.idempotency.replayed).toBe(false);
});

test("of two requests of a key at once one is carried out and both are answered so", async () => {
  const stores = testStores({ clock: new SleepIsTime() });
  const first = await opened(stores);
  const second = await openTestCatalog({ ...stores, prng: testStores({ seed: 2 }).prng });
  await first.namespaces.create(ACTOR, REF, {});
  for (let i = 0; i < 40; i++) {
    const key = `0199d8a0-0000-7000-8000-0000000001${String(i).padStart(2, "0")}`;
    const ref = { ...REF, name: `t${i}` };
    const create = ({ tables }: AccountCatalog, at: string) =>
      tables.create(keyed(key), "create-table", ref, draft(`file:///w/${i}-${at}`));
    const [a, b] = await Promise.all([create(first, "x"), create(second, "y")]);
    expect(a).toEqual(b);
  }
  expect((await first.tables.list(REF, {})).items).toHaveLength(40);
});

test("a request that is sent until it is answered happens once, whatever is lost", async () => {
  let runs = 0;
  for (const fault of FAULTS) {
    for (let at = 0; at < 14; at++) {
      const stores = testStores({ clock: new SleepIsTime() });
      const honest = await opened(stores);
      await honest.namespaces.create(ACTOR, REF, {});
      await honest.namespaces.update(ACTOR, REF, () => ({ properties: { n: "0" }, detail: "" }));
      let call = 0;
      let broken = false;
      // The call of that index fails, and the store stays full until the client asks again.
      const pointers = new FaultyPointerStore(stores.pointers, (_index, method) => {
        if (call++ === at) broken = true;
        return broken && method === "commit" ? fault : undefined;
      });
      const node = await openTestCatalog({ ...testStores({ seed: 4 }), ...stores, pointers });
      call = 0;
      broken = false;
      const ask = () =>
        node.namespaces.update(keyed(), REF, ({ properties }) => {
          const n = String(Number(properties["n"]) + 1);
          return { properties: { n }, detail: n };
        });
      for (let tries = 0; tries < 4; tries++) {
        const answered = await ask().then(
          () => true,
          () => false,
        );
        broken = false;
        await pointers.releaseAll();
        if (answered) break;
      }
      expect(await ask()).toBe("1");
      expect((await honest.namespaces.get(REF)).entity.properties).toEqual({ n: "1" });
      runs++;
    }
  }
  expect(runs).toBe(70);
});

test("a refusal that cannot be recorded is not an answer: another of the key may win", async () => {
  const stores = testStores({ clock: new SleepIsTime() });
  const honest = await opened(stores);
  await honest.namespaces.create(ACTOR, REF, {});
  // The second request reads that the key is free, and then the first one wins while it hangs.
  let first: (() => Promise<unknown>) | undefined;
  const pointers = new FaultyPointerStore(stores.pointers, (_index, method, [key]) => {
    const work = first;
    if (work === undefined || method !== "get" || !String(key).includes("/idempotency/")) {
      return undefined;
    }
    first = undefined;
    const until = async () => {
      await work();
      await stores.clock.sleep(2 * LIMITS.attemptMs);
    };
    return { fault: "stalled", applied: "before", until };
  });
  const node = await openTestCatalog({ ...testStores({ seed: 4 }), ...stores, pointers });
  first = () => honest.namespaces.drop(keyed(), REF);
  const second = node.namespaces.drop(keyed(), REF);
  await expect(second).rejects.toMatchObject({ kind: "Unknown" });
  await node.namespaces.drop(keyed(), REF);
});

test("who lost every race under a key is not carried out later, by an earlier try", async () => {
  const early = heldCommit();
  const { stores, honest, node } = await pair(early.script);
  early.arm();
  const first = node.namespaces.update(keyed(), REF, mark("mine"));
  first.catch(() => undefined);
  await early.reached;
  let rivals = 0;
  const overtaken = new FaultyPointerStore(stores.pointers, (_index, method, [batch]) => {
    const ops = method === "commit" ? (batch as Batch).ops : [];
    if (!ops.some(({ key }) => key.includes("/namespaces/by-id/"))) return undefined;
    const rival = `rival${++rivals}`;
    const until = async () => void (await honest.namespaces.update(ACTOR, REF, mark(rival)));
    return { fault: "stalled", applied: "after", until };
  });
  const second = await openTestCatalog({
    ...testStores({ seed: 5 }),
    ...stores,
    pointers: overtaken,
  });
  const contended = { kind: "Conflict", code: "CONTENDED" };
  const asked = second.namespaces.update(keyed(), REF, mark("mine"));
  await expect(asked).rejects.toMatchObject(contended);
  expect(rivals).toBeGreaterThan(5);
  early.go();
  await expect(first).rejects.toMatchObject(contended);
  expect((await honest.namespaces.get(REF)).entity.properties).not.toHaveProperty("mine");
});

test("who was told that nothing had to be changed is not carried out after that", async () => {
  const early = heldCommit();
  const { stores, honest, node } = await pair(early.script);
  early.arm();
  const set = ({ properties }: { readonly properties: Record<string, string> }) =>
    properties["x"] === "mine"
      ? { properties: undefined, detail: "there" }
      : { properties: { x: "mine" }, detail: "set" };
  const first = node.namespaces.update(keyed(), REF, set);
  first.catch(() => undefined);
  await early.reached;
  await honest.namespaces.update(ACTOR, REF, () => ({ properties: { x: "mine" }, detail: "" }));
  // The store takes nothing of the second try, until the client asks once more.
  let full = true;
  const pointers = new FaultyPointerStore(stores.pointers, (_index, method) =>
    full && method === "commit" ? { fault: "refused" } : undefined,
  );
  const second = await openTestCatalog({ ...testStores({ seed: 5 }), ...stores, pointers });
  const unheard = second.namespaces.update(keyed(), REF, set);
  await expect(unheard).rejects.toMatchObject({ kind: "Overloaded" });
  full = false;
  expect(await second.namespaces.update(keyed(), REF, set)).toBe("there");
  await honest.namespaces.update(ACTOR, REF, () => ({ properties: { x: "theirs" }, detail: "" }));
  early.go();
  expect(await first).toBe("there");
  expect((await honest.namespaces.get(REF)).entity.properties).toEqual({ x: "theirs" });
});

test("a key that is used again is good for one request, however the store is tidied", async () => {
  const early = heldCommit();
  const { stores, honest, node } = await pair(early.script);
  await honest.namespaces.update(keyed(), REF, mark("first"));
  await stores.clock.sleep(LIMITS.receiptLifeMs + 2 * LIMITS.clockSkewMs);
  early.arm();
  const count = ({ properties }: { readonly properties: Record<string, string> }) => {
    const n = String(Number(properties["n"] ?? 0) + 1);
    return { properties: { n }, detail: n };
  };
  const slow = node.namespaces.update(keyed(undefined, 2), REF, count);
  slow.catch(() => undefined);
  await early.reached;
  expect(await tidyReceipts(stores.pointers, stores.clock)).not.toEqual([]);
  await tidyReceipts(stores.pointers, stores.clock);
  expect(await honest.namespaces.update(keyed(undefined, 2), REF, count)).toBe("1");
  early.go();
  expect(await slow).toBe("1");
  expect((await honest.namespaces.get(REF)).entity.properties).toEqual({ n: "1" });
});
