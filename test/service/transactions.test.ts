import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { PointerStore } from "../../src/pointer/port.ts";
import type { CommitOfTable, LoadResult } from "../../src/service/requests.ts";
import { type Fault, FaultyPointerStore } from "../support/faulty-pointer-store.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { commitOf, openTestIceberg, SCHEMA, type TestIceberg } from "../support/open-iceberg.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

const NS = { catalog: "c", namespace: ["a"] } as const;
const ALL = { snapshots: "all" } as const;

function set(table: string, value: string, requirements: CommitOfTable["requirements"] = []) {
  const { updates } = commitOf([{ action: "set-properties", updates: { k: value } }]);
  return { namespace: NS.namespace, table, requirements, updates } satisfies CommitOfTable;
}

function hold(table: string, schemaId = 0): CommitOfTable {
  const requirement = { type: "assert-current-schema-id", "current-schema-id": schemaId };
  return { namespace: NS.namespace, table, ...commitOf([], [requirement]) };
}

async function withTables(names: readonly string[], node?: TestIceberg): Promise<TestIceberg> {
  const opened = node ?? (await openTestIceberg());
  await opened.iceberg.createNamespace(ACTOR, NS, {});
  for (const name of names) {
    const request = { name, schema: SCHEMA, properties: {}, stageCreate: false };
    await opened.iceberg.createTable(ACTOR, NS, request);
  }
  return opened;
}

function metadataOf(table: LoadResult) {
  if (table === "not-modified") throw new Error("not loaded");
  return JSON.parse(Buffer.concat(table.metadata).toString("utf8"));
}

async function propertyOf({ iceberg }: TestIceberg, table: string): Promise<string | undefined> {
  return metadataOf(await iceberg.loadTable(ACTOR, { ...NS, table }, ALL)).properties.k;
}

async function filesOf({ iceberg }: TestIceberg, table: string): Promise<number> {
  const { location } = metadataOf(await iceberg.loadTable(ACTOR, { ...NS, table }, ALL));
  return readdirSync(join(location.slice("file://".length), "metadata")).length;
}

async function staged({ iceberg }: TestIceberg, name: string): Promise<CommitOfTable> {
  const request = { name, schema: SCHEMA, properties: {}, stageCreate: true };
  const metadata = metadataOf(await iceberg.createTable(ACTOR, NS, request));
  const updates = [
    { action: "assign-uuid", uuid: metadata["table-uuid"] },
    { action: "upgrade-format-version", "format-version": 2 },
    { action: "add-schema", schema: { ...SCHEMA, "schema-id": 0 }, "last-column-id": 1 },
    { action: "set-current-schema", "schema-id": -1 },
    { action: "add-spec", spec: { "spec-id": 0, fields: [] } },
    { action: "set-default-spec", "spec-id": -1 },
    { action: "add-sort-order", "sort-order": { "order-id": 0, fields: [] } },
    { action: "set-default-sort-order", "sort-order-id": -1 },
    { action: "set-location", location: metadata.location },
    { action: "set-properties", updates: { k: "new" } },
  ];
  const commit = commitOf(updates, [{ type: "assert-create" }]);
  return { namespace: NS.namespace, table: name, ...commit };
}

test("tables change, appear and are held together", async () => {
  const node = await withTables(["t", "u", "v"]);
  const create = await staged(node, "w");
  await node.iceberg.commitTransaction(ACTOR, "c", [
    set("t", "1"),
    set("u", "2"),
    hold("v"),
    create,
  ]);
  expect(await propertyOf(node, "t")).toBe("1");
  expect(await propertyOf(node, "u")).toBe("2");
  expect(await propertyOf(node, "w")).toBe("new");
  const { items } = await node.iceberg.listTables(ACTOR, NS, {});
  expect(items).toEqual(["t", "u", "v", "w"]);
});

test.each([
  ["a failed requirement", () => hold("u", 7), "REQUIREMENT_FAILED"],
  ["a missing table", () => set("x", "1"), "TABLE_NOT_FOUND"],
  ["a missing namespace", () => ({ ...set("x", "1"), namespace: ["no"] }), "TABLE_NOT_FOUND"],
  ["a table twice", () => set("t", "2"), "TRANSACTION_REPEATS_TABLE"],
])("one refusal refuses all, and leaves no file: %s", async (_what, second, code) => {
  const node = await withTables(["t", "u"]);
  const commit = node.iceberg.commitTransaction(ACTOR, "c", [set("t", "1"), second()]);
  await expect(commit).rejects.toMatchObject({ code });
  expect(await propertyOf(node, "t")).toBeUndefined();
  expect(await filesOf(node, "t")).toBe(1);
});

test("a staged create that came too late fails the whole", async () => {
  const node = await withTables(["t"]);
  const create = await staged(node, "w");
  await node.iceberg.commitTransaction(ACTOR, "c", [create]);
  const late = node.iceberg.commitTransaction(ACTOR, "c", [set("t", "1"), create]);
  await expect(late).rejects.toMatchObject({ kind: "Conflict", code: "REQUIREMENT_FAILED" });
  expect(await propertyOf(node, "t")).toBeUndefined();
});

test("what does not fit one batch is refused before any work", async () => {
  const stores = testStores();
  let calls = 0;
  const pointers = new FaultyPointerStore(stores.pointers, () => {
    calls++;
    return undefined;
  });
  const { iceberg } = await openTestIceberg({ ...stores, pointers });
  const before = calls;
  const many = Array.from({ length: 99 }, (_, i) => set(`t${i}`, "1"));
  await expect(iceberg.commitTransaction(ACTOR, "c", many)).rejects.toMatchObject({
    kind: "Invalid",
    code: "TRANSACTION_TOO_LARGE",
  });
  expect(calls).toBe(before);
});

test("98 tables fit one batch", async () => {
  const names = Array.from({ length: 98 }, (_, i) => `t${i}`);
  const node = await withTables(names);
  await node.iceberg.commitTransaction(
    ACTOR,
    "c",
    names.map((name) => set(name, "all")),
  );
  for (const name of names) expect(await propertyOf(node, name)).toBe("all");
});

test("a table that is held is held against a rival between look and commit", async () => {
  const stores = testStores({ clock: new SleepIsTime() });
  let rival: (() => Promise<unknown>) | undefined;
  const racing: PointerStore = Object.create(stores.pointers, {
    commit: {
      value: async (batch: Parameters<PointerStore["commit"]>[0]) => {
        const first = rival;
        rival = undefined;
        await first?.();
        return stores.pointers.commit(batch);
      },
    },
  });
  for (const method of ["get", "getMany", "list", "sweep", "forget"] as const) {
    Object.defineProperty(racing, method, { value: stores.pointers[method].bind(stores.pointers) });
  }
  const node = await withTables(["t", "u"], await openTestIceberg({ ...stores, pointers: racing }));
  const other = await openTestIceberg({ ...testStores({ seed: 9 }), ...stores }, node.directory);
  const addSchema = commitOf([
    { action: "add-schema", schema: { type: "struct", fields: [] }, "last-column-id": 1 },
    { action: "set-current-schema", "schema-id": -1 },
  ]);
  rival = () => other.iceberg.commitTable(ACTOR, { ...NS, table: "u" }, addSchema);
  const commit = node.iceberg.commitTransaction(ACTOR, "c", [set("t", "1"), hold("u")]);
  await expect(commit).rejects.toMatchObject({ code: "REQUIREMENT_FAILED" });
  expect(await propertyOf(node, "t")).toBeUndefined();
});

const FAULTS: readonly Fault[] = [
  { fault: "notSent" },
  { fault: "answerLost" },
  { fault: "refused" },
  { fault: "conflicting" },
  { fault: "duplicated", lands: "release" },
  { fault: "late", lands: "release" },
];

test("a fault at any store call leaves all or none, and a true answer", async () => {
  let schedules = 0;
  for (const fault of FAULTS) {
    for (let at = 0; ; at++) {
      const reached = await runWithFault(fault, at);
      if (!reached) break;
      schedules++;
    }
  }
  console.log(`${schedules} faults in a transaction over three tables and a create`);
  expect(schedules).toBeGreaterThan(40);
});

/** @returns whether the transaction made that many calls. */
async function runWithFault(fault: Fault, at: number): Promise<boolean> {
  const stores = testStores({ clock: new SleepIsTime() });
  const honest = await withTables(["t", "u", "v"], await openTestIceberg(stores));
  let calls = -1;
  const pointers = new FaultyPointerStore(stores.pointers, () =>
    calls >= 0 && calls++ === at ? fault : undefined,
  );
  const ports = { ...testStores({ clock: stores.clock, seed: 5 }), blobs: stores.blobs, pointers };
  const node = await openTestIceberg(ports, honest.directory);
  const create = await staged(node, "w");
  calls = 0;
  const commit = node.iceberg.commitTransaction(ACTOR, "c", [
    set("t", "1"),
    set("u", "1"),
    set("v", "1"),
    create,
  ]);
  const answer = await commit.then(
    () => "committed",
    (error: { kind: string }) => error.kind,
  );
  const reached = calls > at;
  calls = -1;
  await pointers.releaseAll();
  const values = await Promise.all(["t", "u", "v"].map((name) => propertyOf(honest, name)));
  const { items } = await honest.iceberg.listTables(ACTOR, NS, {});
  const all = values.every((value) => value === "1") && items.includes("w");
  const none = values.every((value) => value === undefined) && !items.includes("w");
  expect(all || none).toBe(true);
  if (answer === "committed") expect(all).toBe(true);
  else if (answer !== "Unknown") expect(none).toBe(true);
  return reached;
}

test("writers of overlapping sets on two nodes lose no update and tear none", async () => {
  const stores = testStores({ clock: new SleepIsTime() });
  const names = ["a", "b", "c", "d", "e", "f"];
  const first = await withTables(names, await openTestIceberg(stores));
  const ports = { ...testStores({ seed: 3 }), ...stores, prng: testStores({ seed: 3 }).prng };
  const second = await openTestIceberg(ports, first.directory);
  const writers = Array.from({ length: 16 }, (_, i) => {
    const { iceberg } = i % 2 === 0 ? first : second;
    const set = [names[i % 6], names[(i + 1) % 6], names[(i + 3) % 6]] as string[];
    const { updates } = commitOf([{ action: "set-properties", updates: { [`w${i}`]: "x" } }]);
    const changes = set.map((table) => ({ ...NS, table, requirements: [], updates }));
    return iceberg.commitTransaction(ACTOR, "c", changes);
  });
  const settled = await Promise.allSettled(writers);
  const seen = new Map<string, number>();
  for (const table of names) {
    const { properties } = metadataOf(await first.iceberg.loadTable(ACTOR, { ...NS, table }, ALL));
    for (const key of Object.keys(properties)) seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  for (const [i, { status }] of settled.entries()) {
    expect(seen.get(`w${i}`) ?? 0).toBe(status === "fulfilled" ? 3 : 0);
  }
  expect(settled.filter(({ status }) => status === "fulfilled").length).toBeGreaterThan(8);
});
