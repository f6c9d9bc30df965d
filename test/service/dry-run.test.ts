import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import type { JsonValue } from "../../src/base/json.ts";
import type { AccountStores } from "../../src/catalog/accounts.ts";
import type { Item } from "../../src/pointer/port.ts";
import type { CommitOfTable } from "../../src/service/requests.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { commitOf, openTestIceberg, SCHEMA, type TestIceberg } from "../support/open-iceberg.ts";
import { addSnapshot, metadataOf, setRef } from "../support/snapshots.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

const NS = { catalog: "c", namespace: ["a"] } as const;
const T = { ...NS, table: "t" } as const;
const ALL = { snapshots: "all" } as const;
const KEY = { key: "k", requestHash: new Uint8Array(32), replayed: false };
const VERSION = {
  "version-id": 1,
  "timestamp-ms": 1,
  "schema-id": 0,
  summary: {},
  "default-namespace": ["a"],
  representations: [{ type: "sql", sql: "select 1", dialect: "spark" }],
};

async function open(): Promise<TestIceberg & { stores: AccountStores }> {
  const stores = testStores({ clock: new SleepIsTime() });
  const node = await openTestIceberg(stores);
  await node.iceberg.createNamespace(ACTOR, NS, {});
  for (const name of ["t", "u"]) {
    const request = { name, schema: SCHEMA, properties: {}, stageCreate: false };
    await node.iceberg.createTable(ACTOR, NS, request);
  }
  const schema = { ...SCHEMA, "schema-id": 0 };
  const view = { name: "v", schema, version: VERSION, properties: {} };
  await node.iceberg.createView(ACTOR, NS, view);
  return { ...node, stores };
}

/** Everything that is stored anywhere, to the last version and byte. */
async function everything({ stores, directory }: Awaited<ReturnType<typeof open>>) {
  const pointers: Item[] = [];
  for await (const item of stores.pointers.sweep("/")) pointers.push(item);
  const blobs = (await stores.blobs.list("")).map(({ path }) => path);
  const files = readdirSync(directory, { recursive: true }).map(String).sort();
  return { pointers, blobs, files };
}

function create(name: string, location: string): CommitOfTable {
  const updates = [
    { action: "assign-uuid", uuid: "9c12d441-03fe-4693-9a96-a0705ddf69c1" },
    { action: "add-schema", schema: { ...SCHEMA, "schema-id": 0 }, "last-column-id": 1 },
    { action: "set-current-schema", "schema-id": -1 },
    { action: "add-spec", spec: { "spec-id": 0, fields: [] } },
    { action: "set-default-spec", "spec-id": -1 },
    { action: "add-sort-order", "sort-order": { "order-id": 0, fields: [] } },
    { action: "set-default-sort-order", "sort-order-id": -1 },
    { action: "set-location", location },
  ];
  const commit = commitOf(updates, [{ type: "assert-create" }]);
  return { namespace: NS.namespace, table: name, ...commit };
}

test("a dry run says what the commit then does, and stores nothing, no receipt", async () => {
  const node = await open();
  const { iceberg } = node;
  const base = await iceberg.loadTable(ACTOR, T, ALL);
  const commit = commitOf([addSnapshot(metadataOf(base), 7n), setRef("main", 7n)]);
  const before = await everything(node);
  const tried = await iceberg.dryRunTable({ ...ACTOR, idempotency: KEY }, T, commit);
  await node.catalog.context.background.settled();
  expect(await everything(node)).toEqual(before);
  expect(tried.baseMetadataLocation).toBe(base === "not-modified" ? "" : base.metadataLocation);
  const committed = await iceberg.commitTable({ ...ACTOR, idempotency: KEY }, T, commit);
  expect(KEY.replayed).toBe(false);
  expect(metadataOf(tried)).toEqual(metadataOf(committed));
  expect(tried.changed).toEqual([
    ...["last-sequence-number", "last-updated-ms", "current-snapshot-id", "refs"],
    ...["snapshots", "snapshot-log", "metadata-log"],
  ]);
});

test("nothing to change is said too", async () => {
  const node = await open();
  const tried = await node.iceberg.dryRunTable(ACTOR, T, commitOf([]));
  expect(tried.changed).toEqual([]);
  const loaded = await node.iceberg.loadTable(ACTOR, T, ALL);
  expect(metadataOf(tried)).toEqual(metadataOf(loaded));
});

test("a transaction is tried as a whole: changes, a table that is held, and a create", async () => {
  const node = await open();
  const { updates } = commitOf([{ action: "set-properties", updates: { k: "1" } }]);
  const changes: CommitOfTable[] = [
    { namespace: ["a"], table: "t", requirements: [], updates },
    { namespace: ["a"], table: "u", ...commitOf([]) },
    create("w", `file://${node.directory}/w`),
  ];
  const before = await everything(node);
  const tried = await node.iceberg.dryRunTransaction(ACTOR, "c", changes);
  expect(await everything(node)).toEqual(before);
  expect(tried.map(({ table }) => table)).toEqual(["t", "u", "w"]);
  const [t, u, w] = tried;
  expect(metadataOf(t!).properties).toMatchObject({ k: "1" });
  expect(t!.changed).toContain("properties");
  expect(u!.changed).toEqual([]);
  expect(w!.baseMetadataLocation).toBeUndefined();
  expect(w!.changed).toContain("table-uuid");
  await node.iceberg.commitTransaction(ACTOR, "c", changes);
  expect((await node.iceberg.listTables(ACTOR, NS, {})).items).toEqual(["t", "u", "w"]);
});

test("a view's replacement is tried likewise", async () => {
  const node = await open();
  const V = { ...NS, view: "v" };
  const replaced = {
    ...VERSION,
    representations: [{ type: "sql", sql: "select 2", dialect: "spark" }],
  };
  const updates: JsonValue = [
    { action: "add-view-version", "view-version": replaced },
    { action: "set-current-view-version", "view-version-id": -1 },
  ];
  const request = { requirements: [], updates };
  const before = await everything(node);
  const tried = await node.iceberg.dryRunView(ACTOR, V, request);
  expect(await everything(node)).toEqual(before);
  expect(tried.changed).toEqual(["current-version-id", "versions", "version-log"]);
  const committed = await node.iceberg.commitView(ACTOR, V, request);
  expect(metadataOf(tried)).toEqual(metadataOf(committed));
  const uuid = "00000000-0000-0000-0000-000000000000";
  const requirements = [{ type: "assert-view-uuid", uuid }];
  const refused = node.iceberg.dryRunView(ACTOR, V, { ...request, requirements });
  await expect(refused).rejects.toMatchObject({ code: "REQUIREMENT_FAILED" });
});

const FAILING = [{ type: "assert-current-schema-id", "current-schema-id": 9 }] as const;

test.each([
  ["a failed requirement", (n: TestIceberg) => [T, commitOf([], FAILING), n] as const],
  ["a missing table", (n: TestIceberg) => [{ ...T, table: "x" }, commitOf([]), n] as const],
  [
    "a place outside",
    (n: TestIceberg) =>
      [T, commitOf([{ action: "set-location", location: "file:///etc/x" }]), n] as const,
  ],
  [
    "a place that is taken",
    (n: TestIceberg) => {
      const { table: _, ...create_ } = create("w", `file://${n.directory}/held`);
      return [{ ...NS, table: "w" }, create_, n] as const;
    },
  ],
  [
    "a name that is taken",
    (n: TestIceberg) => [T, create("t", `file://${n.directory}/x`), n] as const,
  ],
])("what the commit refuses, its dry run refuses in the same words: %s", async (_what, asked) => {
  const node = await open();
  const held = create("h", `file://${node.directory}/held`);
  await node.iceberg.commitTransaction(ACTOR, "c", [held]);
  const [ref, request] = asked(node);
  const before = await everything(node);
  const errorOf = (work: Promise<unknown>) =>
    work.then(
      () => expect.unreachable("it has to be refused"),
      ({ kind, code, context }) => ({ kind, code, context }),
    );
  const tried = await errorOf(node.iceberg.dryRunTable(ACTOR, ref, request));
  expect(await everything(node)).toEqual(before);
  expect(tried).toEqual(await errorOf(node.iceberg.commitTable(ACTOR, ref, request)));
  const change = { namespace: ref.namespace, table: ref.table, ...request };
  const together = await errorOf(node.iceberg.dryRunTransaction(ACTOR, "c", [change]));
  expect(together).toEqual(tried);
});
