import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { splitKey } from "../../src/base/key-text.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { TargetStats } from "../../src/catalog/model.ts";
import { BLOBS } from "../../src/catalog/paths.ts";
import { readOwners, walkPayloads, walkPointers } from "../../src/catalog/walk.ts";
import { mintKey } from "../../src/service/access/api-keys.ts";
import { SigningKeys } from "../../src/service/access/signing-keys.ts";
import { findBackup } from "../../src/service/backup/format.ts";
import { restoreBackup } from "../../src/service/backup/restore.ts";
import { takeBackup } from "../../src/service/backup/take.ts";
import type { FsckFinding } from "../../src/service/fsck/fsck.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { commitOf, SCHEMA } from "../support/open-iceberg.ts";
import { addSnapshot, metadataOf, setRef } from "../support/snapshots.ts";
import {
  broken,
  collectAll,
  DAY_MS,
  type GcNode,
  type GcWorld,
  gcWorld,
  makeTable,
  NS,
  T,
} from "./support/garbage.ts";

const KEYS = readFileSync(join(import.meta.dirname, "../../docs/keys.md"), "utf8");
const [FAMILIES = "", REST = ""] = KEYS.split("## Payload blobs");
const [KINDS = ""] = REST.split("## Reserved");
const named = (text: string): readonly string[] =>
  [...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = ""]) => name);

const SNAPSHOT = 1_001n;
const EARLY = 4_002n;
/** Never alive: a tombstone at once. Written on profile `aws` alone: `test/service/shards/`. */
const ELSEWHERE = new Set(["uuidFence", "shard"]);
/** Only a record of very many keys has a payload of its own: see the test of owners. */
const LONG_RECORDS = new Set(["change"]);

const BASE = { producer: "test", complete: true, properties: {} };
const STATS: readonly TargetStats[] = [
  { ...BASE, target: { kind: "TABLE" }, rowCount: 7n },
  { ...BASE, target: { kind: "COLUMN", fieldId: 1 }, nullCount: 1n },
  { ...BASE, target: { kind: "EXPRESSION", engine: "spark", expression: "id + 1" } },
  { ...BASE, target: { kind: "FILE", path: "mem://w/a/t/1.parquet" }, rowCount: 3n },
  { ...BASE, target: { kind: "FILE", path: `mem://w/${"d/".repeat(120)}2.parquet` } },
];
const TABLE = {
  catalog: { name: "c" },
  namespace: { path: ["a"] },
  relation: { name: "t" },
} as const;
const KEY = { name: "pk", kind: "PRIMARY_KEY", expression: "", enforced: false } as const;

/** Something of every family and kind. */
async function everything(node: GcNode): Promise<void> {
  const { catalog, iceberg, model, reports } = node;
  await makeTable(node);
  const loaded = await iceberg.loadTable(ACTOR, T, { snapshots: "all" });
  const updates = [addSnapshot(metadataOf(loaded), SNAPSHOT), setRef("main", SNAPSHOT)];
  await iceberg.commitTable(ACTOR, T, commitOf(updates));
  await iceberg.createNamespace(ACTOR, { catalog: "c", namespace: ["a", "b"] }, {});
  // Its metadata lies outside its location.
  const properties = { "write.metadata.path": "mem://w/elsewhere" };
  const outside = { name: "m", schema: SCHEMA, properties, stageCreate: false };
  await iceberg.createTable(ACTOR, NS, outside);
  const view = { "version-id": 1, "schema-id": 0, "timestamp-ms": 1, summary: {} };
  const sql = [{ type: "sql", sql: "select 1", dialect: "spark" }] as const;
  const version = { ...view, "default-namespace": ["a"], representations: sql };
  await iceberg.createView(ACTOR, NS, { name: "v", schema: SCHEMA, version, properties: {} });
  const namespace = { catalog: { name: "c" }, namespace: { path: ["a"] } };
  await model.otherTables.create(ACTOR, namespace, {
    name: "d",
    format: "DELTA",
    columns: [{ name: "at", type: "timestamp" }],
  });
  await model.accounts.create(ACTOR, { name: "other" });
  await signIn(catalog);
  await model.connectors.create(ACTOR, { name: "glue", kind: "GLUE", uri: "https://glue" });
  await model.storageProfiles.create(ACTOR, {
    name: "east",
    roots: ["s3://east"],
    secret: { kind: "SEALED", accessKeyId: "a", secretAccessKey: "b" },
  });
  const requestHash = new Uint8Array(32);
  const keyed = { ...ACTOR, idempotency: { key: "k", requestHash, replayed: false } };
  await model.statistics.put(keyed, { ...TABLE, snapshotId: SNAPSHOT }, STATS);
  await model.statistics.put(ACTOR, { ...TABLE, snapshotId: EARLY }, STATS.slice(0, 4));
  const column = { id: 1, name: "id", ordinal: 0 };
  const place = { ...TABLE, snapshotId: SNAPSHOT };
  await model.constraints.put(ACTOR, place, [{ ...KEY, columns: [column] }]);
  await iceberg.createTable(ACTOR, NS, {
    name: "gone",
    schema: SCHEMA,
    properties: {},
    stageCreate: false,
  });
  await iceberg.dropTable(ACTOR, { ...NS, table: "gone" }, { purgeRequested: false });
  await iceberg.reportMetrics(ACTOR, T, { "report-type": "scan-report" });
  await reports.settled();
  await catalog.context.background.settled();
}

/** A principal with a key, and a key that signs access tokens. */
async function signIn({ context, principals }: GcNode["catalog"]): Promise<void> {
  const terms = { description: "", createdAtMs: context.clock.nowMs(), expiresAtMs: 0 };
  const { key } = await mintKey(context.prng, terms);
  const blank = { description: "", properties: {}, grants: [], roles: [] };
  await principals.create(ACTOR, { ...blank, name: "ann", kind: "LOCAL", keys: [key] });
  const secrets = [new Uint8Array(32)] as const;
  await new SigningKeys({ stores: context, secrets, tokenLifeMs: DAY_MS }).signing();
}

async function familiesOf({ stores }: GcWorld): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const walked of walkPointers(stores)) {
    if (walked.state === "unreadable") throw walked.error;
    if (walked.state === "live") found.add(walked.key.family);
  }
  return found;
}

async function kindsOf({ stores }: GcWorld): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const { parsed, path } of walkPayloads(stores)) {
    if (parsed === undefined) throw new Error(`a payload of no kind: ${path}`);
    found.add(parsed.kind);
  }
  return found;
}

async function check({ fsck }: GcNode, { clock }: GcWorld): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const one of fsck(new MemoryBlobStore(clock)).run(
    false,
  ) as AsyncIterable<FsckFinding>) {
    found.push(`${one.code} ${one.subject}`);
  }
  return found;
}

test("every family and kind of docs/keys.md is written, read, listed and collected", async () => {
  const world = gcWorld();
  const node = await world.open();
  await everything(node);

  // Written.
  const families = await familiesOf(world);
  const expected = named(FAMILIES).filter((name) => !ELSEWHERE.has(name));
  expect(expected.length).toBeGreaterThan(30);
  expect(expected.filter((name) => !families.has(name))).toEqual([]);
  const kinds = await kindsOf(world);
  expect([...named(KINDS)].sort()).toEqual(Object.keys(BLOBS).sort());
  expect(named(KINDS).filter((name) => !kinds.has(name) && !LONG_RECORDS.has(name))).toEqual([]);

  // Read, and listed where their family is.
  await world.clock.sleep(DAY_MS / 2);
  expect(await check(node, world)).toEqual([]);
  const led = new Map<string, Set<string>>();
  for await (const walked of walkPointers(world.stores)) {
    if (walked.state !== "live") continue;
    const { key, blobPath } = walked.item;
    const { directory } = splitKey(key);
    if (isListed(walked.key.family)) {
      const page = await world.stores.pointers.list(directory, {});
      expect(page.map((item) => item.key)).toContain(key);
    }
    if (blobPath !== undefined) led.set(blobPath, (led.get(blobPath) ?? new Set()).add(key));
  }
  for (const [path, keys] of led) {
    const owners = await readOwners(world.stores.blobs, path);
    for (const key of keys) expect(owners, path).toContain(key);
  }

  await restored(world, node);
  await collected(world, node);
});

/** Live pointers of the account but for those that a restore makes anew. */
async function stateOf(
  { pointers }: Pick<GcWorld["stores"], "pointers">,
  account: string,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const item of pointers.sweep("/")) {
    // Nodes only ask whether the version of `access` has changed: it may begin anew. Credentials
    // of stores are in no backup.
    const isNew = /\/(?:idempotency|changes|jobs|reports|secrets)\/|\/access$/.test(item.key);
    if (item.state === "absent" || isNew || !item.key.includes(account)) continue;
    const summary = Buffer.from(item.summary ?? "").toString("base64");
    found.set(item.key, `${item.blobPath ?? ""} ${summary}`);
  }
  return found;
}

async function restored({ stores, clock }: GcWorld, { catalog }: GcNode): Promise<void> {
  const source = new MemoryBlobStore(clock);
  const parts = { ...stores, target: source, historyRetentionMs: 7 * DAY_MS };
  await takeBackup(parts, "default");
  const into = testStores({ clock, seed: 99 });
  await restoreBackup({ ...into, source }, await findBackup(source));
  const { account } = catalog.context;
  expect(await stateOf(into, account)).toEqual(await stateOf(stores, account));
}

function isListed(family: string): boolean {
  const row = FAMILIES.split("\n").find((line) => line.startsWith(`| \`${family}\` |`)) ?? "";
  return / \| (?:hot, )?listed/.test(row) || /\| listed/.test(row);
}

async function collected(world: GcWorld, node: GcNode): Promise<void> {
  const { iceberg, model, runner } = node;
  await iceberg.dropTable(ACTOR, T, { purgeRequested: true });
  await iceberg.dropTable(ACTOR, { ...NS, table: "m" }, { purgeRequested: false });
  await model.tables.drop(ACTOR, { ...TABLE, relation: { name: "d" } });
  await iceberg.dropView(ACTOR, { ...NS, view: "v" });
  await iceberg.dropNamespace(ACTOR, { catalog: "c", namespace: ["a", "b"] });
  await iceberg.dropNamespace(ACTOR, NS);
  await model.connectors.delete(ACTOR, { connector: { name: "glue" } });
  await model.storageProfiles.delete(ACTOR, { profile: { name: "east" } });
  await model.catalogs.drop(ACTOR, { catalog: { name: "c" } });
  await node.catalog.principals.delete(ACTOR, "ann");
  await world.clock.sleep(8 * DAY_MS);
  await runner.runDue();
  for (let run = 0; run < 3; run++) {
    await world.clock.sleep(8 * DAY_MS);
    await collectAll(world.clock, node);
  }
  expect(node.stops).toEqual([]);
  expect(await broken(world)).toEqual([]);
  const left = [...(await familiesOf(world))].filter((name) => !OF_ACCOUNT.has(name));
  expect(left).toEqual([]);
  expect([...(await kindsOf(world))]).toEqual(["account"]);
  expect(await check(node, world)).toEqual([]);
}

/** What an account without anything in it has, and the job of the next collection. */
const OF_ACCOUNT: ReadonlySet<string> = new Set([
  "accountById",
  "accountByName",
  "accountGuard",
  "tableIndex",
  "jobById",
  "jobDue",
  "access",
  "signingKey",
]);

test("statistics go whose snapshot never came, and stay whose snapshot did", async () => {
  const world = gcWorld(2);
  const node = await world.open();
  await everything(node);
  const { statistics } = node.model;
  const early = { ...TABLE, snapshotId: EARLY };
  const table = (await node.catalog.tables.get({ catalog: "c", path: ["a"], name: "t" })).entity.id;
  const kept = () => node.catalog.statistics.get({ table, snapshotId: EARLY }, "table");
  await world.clock.sleep(DAY_MS / 2);
  await collectAll(world.clock, node);
  // The first mark came within the time that a snapshot is given.
  expect(await kept()).toMatchObject({ id: "table" });
  const again = await world.open();
  const late = { ...BASE, target: { kind: "COLUMN", fieldId: 9 } } as const;
  await world.clock.sleep(2 * DAY_MS);
  await statistics.put(ACTOR, early, [late]);
  await collectAll(world.clock, again);
  await expect(kept()).rejects.toMatchObject({ code: "STATS_NOT_FOUND" });
  const fresh = await node.catalog.statistics.get(
    { table, snapshotId: EARLY },
    "column-0000000000000000009",
  );
  expect(fresh).toMatchObject({ stats: late });
  for (const { target } of STATS) {
    const listed = await statistics.list(ACTOR, { ...TABLE, snapshotId: SNAPSHOT }, {});
    expect(listed.items.map(({ stats }) => stats.target)).toContainEqual(target);
  }
  expect(again.deleted.filter(({ kind }) => kind === "statistics").length).toBeGreaterThan(0);
  // No change record names their payloads any more: their pointers alone keep them.
  for (let run = 0; run < 2; run++) {
    await world.clock.sleep(8 * DAY_MS);
    await collectAll(world.clock, again);
  }
  expect(again.stops).toEqual([]);
  expect(await broken(world)).toEqual([]);
  const kinds = await kindsOf(world);
  for (const kind of ["targetStats", "fileStats", "constraints"]) expect(kinds).toContain(kind);
  expect(await check(node, world)).toEqual([]);
});
