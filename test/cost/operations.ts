import type { JobId } from "../../src/base/ids.ts";
import type { JsonValue } from "../../src/base/json.ts";
import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import type {
  CommitOfTable,
  CommitTable,
  NamespaceRef,
  TableRef,
} from "../../src/service/requests.ts";
import { ACTOR } from "../support/open-catalog.ts";
import { commitOf, SCHEMA } from "../support/open-iceberg.ts";
import { addSnapshot, metadataOf, setRef } from "../support/snapshots.ts";
import { BucketWorld } from "./bucket.ts";
import { type Cost, type CostNode, CostWorld, type Kept, measureIdle } from "./measure.ts";

const NS: NamespaceRef = { catalog: "c", namespace: ["sales", "eu"] };
const PARENT: NamespaceRef = { catalog: "c", namespace: ["sales"] };
const MANY: NamespaceRef = { catalog: "c", namespace: ["many"] };
const ALL = { snapshots: "all" } as const;
const KEY = {
  key: "0199d8a0-0000-7000-8000-000000000001",
  requestHash: new Uint8Array(32).fill(1),
  replayed: false,
};
const TABLES = Array.from({ length: 10 }, (_, i) => `t${i}`);
const LISTED = 1_000;
let snapshots = 1n;

async function create(node: CostNode, name: string, ns: NamespaceRef = NS): Promise<void> {
  const request = { name, schema: SCHEMA, properties: {}, stageCreate: false };
  await node.iceberg.createTable(ACTOR, ns, request);
}

/** A staged create and its commit, as engines create a table with its first data. */
async function createStaged(node: CostNode, name: string): Promise<void> {
  const request = { name, schema: SCHEMA, properties: {}, stageCreate: true };
  const base = metadataOf(await node.iceberg.createTable(ACTOR, NS, request));
  const updates = [
    { action: "assign-uuid", uuid: base["table-uuid"] },
    { action: "upgrade-format-version", "format-version": 2 },
    { action: "add-schema", schema: SCHEMA },
    { action: "set-current-schema", "schema-id": -1 },
    { action: "add-spec", spec: { "spec-id": 0, fields: [] } },
    { action: "set-default-spec", "spec-id": -1 },
    { action: "add-sort-order", "sort-order": { "order-id": 0, fields: [] } },
    { action: "set-default-sort-order", "sort-order-id": -1 },
    { action: "set-location", location: base["location"] },
  ] as JsonValue;
  const commit = commitOf(updates, [{ type: "assert-create" }]);
  await node.iceberg.commitTable(ACTOR, tableOf(name), commit);
}

/** A new snapshot of a table, as an append commits it. */
async function append(node: CostNode, name: string): Promise<CommitTable> {
  const base = metadataOf(await node.iceberg.loadTable(ACTOR, tableOf(name), ALL));
  const snapshotId = snapshots++;
  return commitOf(
    [addSnapshot(base, snapshotId), setRef("main", snapshotId)],
    [{ type: "assert-table-uuid", uuid: base["table-uuid"] }],
  );
}

function tableOf(table: string): TableRef {
  return { ...NS, table };
}

async function prepareFew(node: CostNode): Promise<void> {
  for (const ns of [PARENT, NS, MANY]) await node.iceberg.createNamespace(ACTOR, ns, {});
  for (const name of TABLES) await create(node, name);
}

/** Ten tables, and a thousand in a namespace of their own. */
async function prepareMany(node: CostNode): Promise<void> {
  await prepareFew(node);
  for (let i = 0; i < LISTED; i++) await create(node, `t${i}`, MANY);
}

async function listMany(node: CostNode): Promise<void> {
  const { items } = await node.iceberg.listTables(ACTOR, MANY, { pageSize: LISTED });
  if (items.length !== LISTED) throw new Error(`${items.length} tables are listed`);
}

async function changesOf(node: CostNode): Promise<readonly CommitOfTable[]> {
  const changes: CommitOfTable[] = [];
  for (const table of TABLES) {
    changes.push({ namespace: NS.namespace, table, ...(await append(node, table)) });
  }
  return changes;
}

const OPERATIONS = [
  "load table, warm",
  "load table, cold",
  "commit one table, one new snapshot",
  "the same, under an Idempotency-Key",
  "create table",
  "create table, staged",
  "drop table",
  "purge table without data, of 1,000",
  "rename table",
  "create namespace",
  "list 1,000 tables",
  "transaction over 10 tables",
  "idle node, a month",
  "one look for due jobs",
] as const;

export type CostOperation = (typeof OPERATIONS)[number];

const APPENDS = 10;

/** What an append leaves, its receipt expired: pointers and payloads, the metadata file aside. */
export async function measureKept(): Promise<Kept> {
  const world = await CostWorld.open(prepareFew);
  try {
    const node = await world.node();
    const appends = async (): Promise<void> => {
      for (let i = 0; i < APPENDS; i++) {
        await node.iceberg.commitTable(ACTOR, tableOf("t0"), await append(node, "t0"));
      }
      await node.catalog.context.background.settled();
    };
    await appends();
    const before = await world.keptBytes();
    await appends();
    const after = await world.keptBytes();
    return {
      dynamo: (after.dynamo - before.dynamo) / APPENDS,
      s3: (after.s3 - before.s3) / APPENDS,
    };
  } finally {
    await world.close();
  }
}

/** Tables that appends of one run take turns over, so that they do not wait for each other. */
const BUSY_TABLES = 50;

/** Requests to S3 of profile `bucket`, of an append after a load, where so many come a minute. */
export async function measureBucket(
  aMinute: number,
  appends: number,
): Promise<Readonly<Record<string, number>>> {
  const world = await BucketWorld.open();
  const { clock, node } = world;
  const tables = Array.from({ length: Math.min(BUSY_TABLES, aMinute) }, (_, i) => `t${i}`);
  await clock.run(node.iceberg.createNamespace(ACTOR, PARENT, {}));
  await clock.run(node.iceberg.createNamespace(ACTOR, NS, {}));
  for (const name of tables) await clock.run(create(node, name));
  const one = async (i: number): Promise<void> => {
    const name = tables[i % tables.length] ?? "";
    await node.iceberg.commitTable(ACTOR, tableOf(name), await append(node, name));
  };
  const sent = await world.requests(async () => {
    const done: Promise<void>[] = [];
    for (let i = 0; i < appends; i++) {
      done.push(one(i));
      await clock.advance(60_000 / aMinute);
    }
    await clock.run(Promise.all(done));
  });
  await world.close();
  return Object.fromEntries(
    Object.entries(sent).map(([name, count]) => [name, Math.round((100 * count) / appends) / 100]),
  );
}

/** Requests to S3 of a node of profile `bucket` that nobody uses for a day. */
export async function measureIdleBucket(): Promise<Readonly<Record<string, number>>> {
  const world = await BucketWorld.open();
  const { clock, node } = world;
  await clock.run(node.iceberg.createNamespace(ACTOR, PARENT, {}));
  node.runner.start();
  await clock.advance(3 * 3_600_000);
  const sent = await world.requests(() => clock.advance(24 * 3_600_000));
  await clock.run(node.runner.stop());
  await world.close();
  return sent;
}

/** What each operation costs, measured in one small catalog. */
export async function measureAll(): Promise<Readonly<Record<CostOperation, Cost>>> {
  const world = await CostWorld.open(prepareMany);
  try {
    const node = await world.node();
    const { iceberg } = node;
    const of = (work: () => Promise<unknown>): Promise<Cost> => world.measure(node, work);
    const load = (on: CostNode) => () => on.iceberg.loadTable(ACTOR, tableOf("t0"), ALL);
    // Once each, so that what they read of the store is at hand.
    await create(node, "first");
    await listMany(node);
    await iceberg.commitTransaction(ACTOR, NS.catalog, await changesOf(node));
    const cold = await world.node();
    const commit = await append(node, "t0");
    const keyed = async (): Promise<Cost> => {
      const next = await append(node, "t0");
      return of(() => iceberg.commitTable({ ...ACTOR, idempotency: KEY }, tableOf("t0"), next));
    };
    const together = async (): Promise<Cost> => {
      const changes = await changesOf(node);
      return of(() => iceberg.commitTransaction(ACTOR, NS.catalog, changes));
    };
    const rename = { catalog: NS.catalog, from: tableOf("new"), to: tableOf("newer") };
    const sibling = { ...NS, namespace: ["sales", "us"] };
    const purge = async (): Promise<Cost> => {
      await iceberg.dropTable(ACTOR, tableOf("t9"), { purgeRequested: true });
      const { items } = await node.dropped.list(ACTOR);
      const id = items.find(({ name }) => name === "t9")?.id as JobId;
      await world.later(CATALOG_LIMITS.dropRetentionMs);
      return of(() => node.runner.run(id));
    };
    return {
      "load table, warm": await of(load(node)),
      "load table, cold": await world.measure(cold, load(cold)),
      "commit one table, one new snapshot": await of(() =>
        iceberg.commitTable(ACTOR, tableOf("t0"), commit),
      ),
      "the same, under an Idempotency-Key": await keyed(),
      "create table": await of(() => create(node, "new")),
      "create table, staged": await of(() => createStaged(node, "staged")),
      "rename table": await of(() => iceberg.renameTable(ACTOR, rename)),
      "drop table": await of(() =>
        iceberg.dropTable(ACTOR, tableOf("newer"), { purgeRequested: false }),
      ),
      "create namespace": await of(() => iceberg.createNamespace(ACTOR, sibling, {})),
      "list 1,000 tables": await of(() => listMany(node)),
      "transaction over 10 tables": await together(),
      "idle node, a month": await measureIdle(),
      "one look for due jobs": await of(() => node.runner.runDue()),
      "purge table without data, of 1,000": await purge(),
    };
  } finally {
    await world.close();
  }
}
