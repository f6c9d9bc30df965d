import { describe, expect, test } from "vitest";
import { sha256Hex } from "../../src/base/hash.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { KEY_FAMILIES } from "../../src/catalog/keys.ts";
import { MemoryPointerStore } from "../../src/pointer/memory.ts";
import type { Item, PointerStore } from "../../src/pointer/port.ts";
import { FINDING_LEVELS, type FindingCode } from "../../src/service/fsck/findings.ts";
import type { FsckFinding, FsckSummary } from "../../src/service/fsck/fsck.ts";
import { SERVICE_LIMITS } from "../../src/service/limits.ts";
import { enginePointers } from "../support/engine-pointers.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { commitOf, openInMemory, SCHEMA, VIEW } from "../support/open-iceberg.ts";
import { addSnapshot, metadataOf, setRef } from "../support/snapshots.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";
import { putParts } from "./support/parts.ts";
import { DAMAGES, PLANTED_OTHERWISE } from "./support/planted-damage.ts";

const NS = { catalog: "c", namespace: ["a"] } as const;
const STORES = {
  memory: (clock: SleepIsTime): PointerStore =>
    new MemoryPointerStore({ families: KEY_FAMILIES, clock }),
  engine: (clock: SleepIsTime): PointerStore => enginePointers(KEY_FAMILIES, clock),
};

/** A store with something of every kind in it, and time enough gone by for payloads to be old. */
async function open(kind: keyof typeof STORES, clock = new SleepIsTime()) {
  const stores = testStores({ clock, pointers: STORES[kind](clock) });
  const files = new MemoryBlobStore(clock);
  const node = await openInMemory(stores, files);
  const { iceberg } = node;
  await iceberg.createNamespace(ACTOR, NS, {});
  await iceberg.createNamespace(ACTOR, { ...NS, namespace: ["a", "b"] }, {});
  for (const name of ["t", "u", "gone"]) {
    const request = { name, schema: SCHEMA, properties: {}, stageCreate: false };
    await iceberg.createTable(ACTOR, NS, request);
  }
  const T = { ...NS, table: "t" };
  for (const id of [1_001n, 1_002n]) {
    const loaded = await iceberg.loadTable(ACTOR, T, { snapshots: "all" });
    const updates = [addSnapshot(metadataOf(loaded), id), setRef("main", id)];
    await iceberg.commitTable(ACTOR, T, commitOf(updates));
  }
  await iceberg.createView(ACTOR, NS, VIEW);
  await putParts(node, { ...T, snapshotId: 1_002n });
  await iceberg.dropTable(ACTOR, { ...NS, table: "gone" }, { purgeRequested: false });
  await iceberg.reportMetrics(ACTOR, T, { "report-type": "scan-report" });
  await node.reports.settled();
  await node.catalog.context.background.settled();
  await clock.sleep(SERVICE_LIMITS.maxPutToCommitMs + 1);
  const blobs = stores.blobs as MemoryBlobStore;
  return {
    ...node,
    planted: { pointers: stores.pointers, blobs, files, nowMs: clock.nowMs() },
    clock,
  };
}

type Opened = Awaited<ReturnType<typeof open>>;

async function check({ fsck, clock }: Pick<Opened, "fsck" | "clock">, repair = false) {
  const found: FsckFinding[] = [];
  const run = fsck(new MemoryBlobStore(clock)).run(repair);
  for (;;) {
    const step = await run.next();
    if (step.done === true) return { found, summary: step.value };
    found.push(step.value);
  }
}

async function everything({ planted: { pointers, blobs } }: Opened) {
  const items = new Map<string, Item>();
  for await (const item of pointers.sweep("/")) items.set(item.key, item);
  const paths = new Map<string, string>();
  for (const { path } of await blobs.list("")) {
    paths.set(path, sha256Hex((await blobs.get(path))?.bytes as Uint8Array));
  }
  return { items, paths };
}

describe.each(["memory", "engine"] as const)("over %s", (kind) => {
  test("a store that nothing happened to is clean", async () => {
    const world = await open(kind);
    const { found, summary } = await check(world);
    expect(found).toEqual([]);
    expect(summary).toMatchObject({ damage: 0, derived: 0, leftover: 0, busy: 0, repaired: 0 });
    expect(summary.pointers).toBeGreaterThan(60);
    expect(summary.payloads).toBeGreaterThan(10);
  });

  test.each(DAMAGES.map((damage) => [`${damage.code}: ${damage.what}`, damage] as const))(
    "%s",
    async (_what, { code, plant, also = [] }) => {
      const world = await open(kind);
      const subject = await plant(world.planted);
      // What is younger may be on its way to its pointer.
      if (code.startsWith("PAYLOAD_") && FINDING_LEVELS[code] === "leftover") {
        await world.clock.sleep(SERVICE_LIMITS.maxPutToCommitMs + 1);
      }
      const { found } = await check(world);
      const codes = new Set<FindingCode>(found.map((one) => one.code));
      expect(found.map((one) => `${one.code} ${one.subject}`)).toContain(`${code} ${subject}`);
      // A damage by hand leaves no record.
      const known = [code, ...also, "CHANGE_MISSING", "CHANGE_GAP", "PAYLOAD_ORPHANED"];
      expect([...codes].filter((one) => !known.includes(one))).toEqual([]);
      const before = await everything(world);
      const repaired = await check(world, true);
      const after = await everything(world);
      if (FINDING_LEVELS[code] === "derived") {
        const own = repaired.found.filter((one) => one.level === "derived");
        expect(own.length).toBeGreaterThan(0);
        for (const one of own) expect(one.repaired, one.code).toBe("repaired");
        const { summary } = await check(world);
        expect(summary.derived).toBe(0);
      } else {
        const derived = repaired.found.filter((one) => one.repaired !== undefined);
        expect(derived.every(({ level }) => level === "derived")).toBe(true);
        if (derived.length === 0) expect(after).toEqual(before);
        expect(after.items.get(subject)).toEqual(before.items.get(subject));
        const again = await check(world);
        expect(again.found.map((one) => `${one.code} ${one.subject}`)).toContain(
          `${code} ${subject}`,
        );
      }
      expect([...before.paths].every(([path, sha]) => after.paths.get(path) === sha)).toBe(true);
    },
    60_000,
  );
});

test("a key of no family, and a tombstone that lives for years, are found", async () => {
  const world = await open("memory");
  const stray: Item = { state: "live", key: "/stray", version: 1n, writerId: "w" };
  const deadUntilMs = world.clock.nowMs() + 10 * 365 * 86_400_000;
  const dead: Item = {
    state: "absent",
    key: "/system/keys/x",
    version: 1n,
    writerId: "w",
    deadUntilMs,
  };
  const { pointers } = world.planted;
  const sweep = pointers.sweep.bind(pointers);
  const get = pointers.get.bind(pointers);
  const getMany = pointers.getMany.bind(pointers);
  const planted = new Map<string, Item>([stray, dead].map((item) => [item.key, item]));
  pointers.sweep = async function* (prefix, options) {
    yield* sweep(prefix, options);
    if (prefix === "/") yield* planted.values();
  };
  pointers.get = async (key) => planted.get(key) ?? get(key);
  pointers.getMany = async (keys) => {
    const own = keys.filter((key) => !planted.has(key));
    const items = new Map((await getMany(own)).map((item) => [item.key, item]));
    return keys.map((key) => planted.get(key) ?? (items.get(key) as Item));
  };
  const { found } = await check(world);
  expect(found.map(({ code, subject }) => `${code} ${subject}`)).toEqual([
    "KEY_UNKNOWN /stray",
    "TOMBSTONE_LIFE_INVALID /system/keys/x",
  ]);
});

test("every kind of finding is planted by some test", () => {
  // Those of shards: `rows/row-lifecycle.test.ts`, `rows/row-long-values.test.ts`.
  const ofRows = [
    ...["ROW_TABLE_LOST", "ROW_TABLE_UNREADABLE"],
    ...["ROW_INDEX_MISMATCH", "ROW_VALUES_MISMATCH", "ROW_COLUMNS_MISMATCH"],
  ];
  const planted = new Set([...DAMAGES.map(({ code }) => code), ...PLANTED_OTHERWISE, ...ofRows]);
  expect([...planted].sort()).toEqual(Object.keys(FINDING_LEVELS).sort());
  expect(planted.size).toBeGreaterThanOrEqual(30);
});

test("beside writers nothing is found that does not stand", async () => {
  const world = await open("memory");
  const { iceberg, planted, clock } = world;
  let writes = 0;
  const { pointers } = planted;
  // Between any two requests of the check somebody writes.
  const busy = async (): Promise<void> => {
    const n = writes++;
    if (n % 3 !== 0 || n > 300) return;
    const name = `w${n}`;
    const request = { name, schema: SCHEMA, properties: {}, stageCreate: false };
    await iceberg.createTable(ACTOR, NS, request);
    const [from, to] = [name, `${name}r`].map((table) => ({ ...NS, table }));
    if (from === undefined || to === undefined) return;
    await iceberg.renameTable(ACTOR, { catalog: "c", from, to });
    if (n % 2 === 0) {
      await iceberg.dropTable(ACTOR, { ...NS, table: `${name}r` }, { purgeRequested: false });
    }
  };
  const getMany = pointers.getMany.bind(pointers);
  let within = false;
  const write = async (): Promise<void> => {
    if (within) return;
    within = true;
    await busy();
    within = false;
  };
  const checked: PointerStore = {
    get: (key) => pointers.get(key),
    commit: (batch) => pointers.commit(batch),
    list: (...of) => pointers.list(...of),
    async *sweep(...of) {
      for await (const item of pointers.sweep(...of)) {
        await write();
        yield item;
      }
    },
    forget: (...of) => pointers.forget(...of),
    getMany: async (keys) => {
      const items = await getMany(keys);
      await write();
      return items;
    },
  };
  const { Fsck } = await import("../../src/service/fsck/fsck.ts");
  const { prng, ids } = world.catalog.context;
  const parts = { pointers: checked, blobs: planted.blobs, clock, prng, ids };
  const found: FsckFinding[] = [];
  const run = new Fsck({ ...parts, scratch: new MemoryBlobStore(clock) }).run();
  let summary: FsckSummary | undefined;
  for (;;) {
    const step = await run.next();
    if (step.done === true) {
      summary = step.value;
      break;
    }
    found.push(step.value);
  }
  expect(writes).toBeGreaterThan(20);
  expect(found).toEqual([]);
  expect(summary.busy).toBe(0);
});

test("a table that is renamed within a look, and within the next, is not found", async () => {
  const { iceberg, planted, clock, catalog } = await open("memory");
  const { pointers, blobs } = planted;
  let renames = 0;
  const rename = async (): Promise<void> => {
    const [from, to] = [renames, ++renames].map((n) => ({ ...NS, table: n === 0 ? "t" : `t${n}` }));
    if (from !== undefined && to !== undefined) {
      await iceberg.renameTable(ACTOR, { catalog: "c", from, to });
    }
  };
  const moved: PointerStore = {
    commit: (batch) => pointers.commit(batch),
    list: (...of) => pointers.list(...of),
    sweep: (...of) => pointers.sweep(...of),
    forget: (...of) => pointers.forget(...of),
    getMany: async (keys) => {
      const asksForName = keys.some((key) => key.endsWith("/relations/by-name/t"));
      if (renames === 0 && asksForName) await rename();
      return pointers.getMany(keys);
    },
    get: async (key) => {
      const item = await pointers.get(key);
      if (renames < 4 && key.includes("/tables/by-id/")) await rename();
      return item;
    },
  };
  const { prng, ids } = catalog.context;
  const scratch = new MemoryBlobStore(clock);
  const { Fsck } = await import("../../src/service/fsck/fsck.ts");
  const step = await new Fsck({ pointers: moved, blobs, clock, prng, ids, scratch }).run().next();
  expect(step).toMatchObject({ done: true, value: { damage: 0, derived: 0, busy: 0 } });
  expect(renames).toBe(4);
});
