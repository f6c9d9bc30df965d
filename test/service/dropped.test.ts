import { expect, test } from "vitest";
import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import type { Batch } from "../../src/pointer/port.ts";
import { FaultyPointerStore } from "../support/faulty-pointer-store.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { commitOf, openTestIceberg, SCHEMA, type TestIceberg } from "../support/open-iceberg.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

const NS = { catalog: "c", namespace: ["a"] } as const;
const OTHER = { catalog: "c", namespace: ["b"] } as const;
const T = { ...NS, table: "t" } as const;
const ALL = { snapshots: "all" } as const;

async function withTable(): Promise<TestIceberg & { readonly id: string }> {
  const opened = await openTestIceberg(testStores({ clock: new SleepIsTime() }));
  const { iceberg, catalog } = opened;
  for (const ref of [NS, OTHER]) await iceberg.createNamespace(ACTOR, ref, {});
  await create(opened, "t");
  const { entity } = await catalog.tables.get({ catalog: "c", path: ["a"], name: "t" });
  return { ...opened, id: entity.id };
}

function create({ iceberg }: TestIceberg, name: string, location?: string) {
  const request = { name, location, schema: SCHEMA, properties: {}, stageCreate: false };
  return iceberg.createTable(ACTOR, NS, request);
}

const drop = ({ iceberg }: TestIceberg, purgeRequested = false) =>
  iceberg.dropTable(ACTOR, T, { purgeRequested });

test("what is dropped is listed with place and time, and comes back as it was", async () => {
  const node = await withTable();
  const { iceberg, dropped, catalog, id } = node;
  const before = await iceberg.loadTable(ACTOR, T, ALL);
  await drop(node, true);
  const { items } = await dropped.list(ACTOR);
  const { clock } = catalog.context;
  expect(items).toEqual([
    {
      id,
      type: "table",
      catalog: "c",
      namespace: ["a"],
      name: "t",
      purgeAfterMs: clock.nowMs() + CATALOG_LIMITS.dropRetentionMs,
      purgeRequested: true,
    },
  ]);
  const back = await dropped.undrop(ACTOR, id);
  expect(back).toMatchObject({ id, name: "t", purgeAfterMs: 0, purgeRequested: false });
  expect(await dropped.list(ACTOR)).toEqual({ items: [] });
  expect(await iceberg.loadTable(ACTOR, T, ALL)).toMatchObject({
    metadataLocation: (before as { metadataLocation: string }).metadataLocation,
  });
  const commit = commitOf([{ action: "set-properties", updates: { a: "b" } }]);
  await iceberg.commitTable(ACTOR, T, commit);
});

test("it comes back under another name and parent", async () => {
  const node = await withTable();
  await drop(node);
  await create(node, "t");
  const taken = { kind: "AlreadyExists", code: "TABLE_ALREADY_EXISTS" };
  await expect(node.dropped.undrop(ACTOR, node.id)).rejects.toMatchObject(taken);
  await node.dropped.undrop(ACTOR, node.id, { parent: ["b"], name: "u" });
  await node.iceberg.tableExists(ACTOR, { ...OTHER, table: "u" });
  const gone = { kind: "NotFound", code: "DROPPED_NOT_FOUND" };
  await expect(node.dropped.undrop(ACTOR, node.id)).rejects.toMatchObject(gone);
});

test("a location taken meanwhile keeps it away, and so does one above", async () => {
  const node = await withTable();
  const { metadataLocation } = (await node.iceberg.loadTable(ACTOR, T, ALL)) as {
    metadataLocation: string;
  };
  const location = metadataLocation.slice(0, metadataLocation.indexOf("/metadata/"));
  await drop(node);
  await create(node, "u", location);
  const taken = { kind: "Invalid", code: "LOCATION_TAKEN" };
  await expect(node.dropped.undrop(ACTOR, node.id)).rejects.toMatchObject(taken);
  await node.iceberg.dropTable(ACTOR, { ...NS, table: "u" }, { purgeRequested: false });
  const deep = `file://${node.directory}/deep`;
  await create(node, "w", `${deep}/w`);
  await node.iceberg.dropTable(ACTOR, { ...NS, table: "w" }, { purgeRequested: false });
  await create(node, "v", deep);
  const overlaps = { kind: "Invalid", code: "LOCATION_OVERLAPS" };
  const inner = (await node.dropped.list(ACTOR)).items.find(({ name }) => name === "w")?.id ?? "";
  await expect(node.dropped.undrop(ACTOR, inner)).rejects.toMatchObject(overlaps);
});

test("the parent comes back first, by itself, wherever it is now", async () => {
  const node = await withTable();
  await drop(node);
  await node.iceberg.dropNamespace(ACTOR, NS);
  const missing = { kind: "NotFound", code: "NAMESPACE_NOT_FOUND" };
  await expect(node.dropped.undrop(ACTOR, node.id)).rejects.toMatchObject(missing);
  const { items } = await node.dropped.list(ACTOR);
  const namespace = items.find(({ type }) => type === "namespace");
  expect(namespace).toMatchObject({ name: "a", namespace: [], catalog: "c" });
  await node.dropped.undrop(ACTOR, namespace?.id ?? "", { parent: ["b"], name: "again" });
  await node.dropped.undrop(ACTOR, node.id);
  await node.iceberg.tableExists(ACTOR, {
    catalog: "c",
    namespace: ["b", "again"],
    table: "t",
  });
});

test("a view comes back, and a catalog", async () => {
  const { iceberg, dropped, catalogs, catalog } = await openTestIceberg();
  await catalogs.create(ACTOR, "d");
  await catalog.catalogs.drop(ACTOR, "d");
  await iceberg.createNamespace(ACTOR, NS, {});
  const version = {
    "version-id": 1,
    "timestamp-ms": 1,
    "schema-id": 0,
    summary: {},
    "default-namespace": ["a"],
    representations: [{ type: "sql", sql: "select 1", dialect: "spark" }],
  };
  const view = { name: "v", schema: { ...SCHEMA, "schema-id": 0 }, version, properties: {} };
  await iceberg.createView(ACTOR, NS, view);
  await iceberg.dropView(ACTOR, { ...NS, view: "v" });
  const { items } = await dropped.list(ACTOR);
  expect(items.map(({ type }) => type).sort()).toEqual(["catalog", "view"]);
  for (const { id } of items) await dropped.undrop(ACTOR, id);
  await iceberg.viewExists(ACTOR, { ...NS, view: "v" });
  expect(await catalogs.list(ACTOR)).toEqual(["c", "d"]);
});

test("pages of what is dropped join without a gap", async () => {
  const node = await withTable();
  for (const name of ["u", "v"]) {
    await create(node, name);
    await node.iceberg.dropTable(ACTOR, { ...NS, table: name }, { purgeRequested: false });
  }
  await drop(node);
  const first = await node.dropped.list(ACTOR, { limit: 2 });
  expect(first.items).toHaveLength(2);
  const rest = await node.dropped.list(ACTOR, {
    limit: 2,
    ...(first.next && { after: first.next }),
  });
  const all = [...first.items, ...rest.items].map(({ name }) => name);
  expect(all.sort()).toEqual(["t", "u", "v"]);
});

test("an undrop that is committed is never answered as if it were not", async () => {
  const stores = testStores({ clock: new SleepIsTime() });
  let committed = false;
  const pointers = new FaultyPointerStore(stores.pointers, (_index, method, [batch]) => {
    const ops = method === "commit" ? (batch as Batch).ops : [];
    if (ops.some(({ key }) => key.includes("undrop-table"))) committed = true;
    return committed && method.startsWith("get") ? { fault: "refused" } : undefined;
  });
  const node = await openTestIceberg({ ...stores, pointers });
  await node.iceberg.createNamespace(ACTOR, NS, {});
  await create(node, "t");
  await drop(node);
  const { items } = await node.dropped.list(ACTOR);
  const done = node.dropped.undrop(ACTOR, items[0]?.id ?? "");
  await expect(done).rejects.toMatchObject({ kind: "Unknown", code: "OUTCOME_UNKNOWN" });
  committed = false;
  await node.iceberg.tableExists(ACTOR, T);
});

test("an undrop that is asked for again under its key is answered as the first was", async () => {
  const { dropped, id, ...node } = await withTable();
  await drop({ dropped, ...node });
  const keyed = () => ({
    ...ACTOR,
    idempotency: {
      key: "0199d8a0-0000-7000-8000-000000000001",
      requestHash: new Uint8Array(32),
      replayed: false,
    },
  });
  const first = await dropped.undrop(keyed(), id);
  const again = keyed();
  expect(await dropped.undrop(again, id)).toEqual(first);
  expect(again.idempotency.replayed).toBe(true);
});
