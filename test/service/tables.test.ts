import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import type { LoadedTable, LoadResult } from "../../src/service/requests.ts";
import { FaultyPointerStore } from "../support/faulty-pointer-store.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { commitOf, openTestIceberg, SCHEMA, type TestIceberg } from "../support/open-iceberg.ts";
import { SleepIsTime, VirtualClock } from "../support/virtual-clock.ts";

const NS = { catalog: "c", namespace: ["a"] } as const;
const T = { ...NS, table: "t" } as const;
const NEW = { name: "t", schema: SCHEMA, properties: {}, stageCreate: false } as const;
const ALL = { snapshots: "all" } as const;

async function withTable(node?: TestIceberg): Promise<TestIceberg & { created: LoadedTable }> {
  const opened = node ?? (await openTestIceberg());
  await opened.iceberg.createNamespace(ACTOR, NS, {});
  const created = await opened.iceberg.createTable(ACTOR, NS, NEW);
  return { ...opened, created };
}

function metadataOf(table: LoadResult): Record<string, unknown> {
  if (table === "not-modified") throw new Error("not loaded");
  return JSON.parse(Buffer.concat(table.metadata).toString("utf8"));
}

function pathOf(table: LoadedTable): string {
  return (table.metadataLocation ?? "").slice("file://".length);
}

function setProperty(value: string) {
  return commitOf([{ action: "set-properties", updates: { k: value } }]);
}

test("what create answers is what stands in the metadata file and what load answers", async () => {
  const { iceberg, created } = await withTable();
  expect(readFileSync(pathOf(created), "utf8")).toBe(
    Buffer.concat(created.metadata).toString("utf8"),
  );
  const loaded = await iceberg.loadTable(ACTOR, T, ALL);
  expect(loaded).toEqual(created);
});

test("a commit moves the tag, and the old one no longer matches", async () => {
  const { iceberg, created } = await withTable();
  const same = { ...ALL, ifNoneMatch: ['"x"', created.etag ?? ""] };
  expect(await iceberg.loadTable(ACTOR, T, same)).toBe("not-modified");
  const refs = await iceberg.loadTable(ACTOR, T, { ...same, snapshots: "refs" });
  expect(refs).not.toBe("not-modified");
  const committed = await iceberg.commitTable(ACTOR, T, setProperty("1"));
  expect(committed.etag).not.toBe(created.etag);
  expect(await iceberg.loadTable(ACTOR, T, same)).toEqual(committed);
});

test("a commit that changes nothing keeps version, tag and file", async () => {
  const { iceberg } = await withTable();
  const first = await iceberg.commitTable(ACTOR, T, setProperty("1"));
  const second = await iceberg.commitTable(ACTOR, T, commitOf([]));
  expect(second).toEqual(first);
});

test("a metadata file that was moved away is noticed by cached loads and by 304", async () => {
  const { iceberg, created } = await withTable();
  const path = pathOf(created);
  renameSync(path, `${path}.away`);
  const gone = { kind: "NotFound", code: "METADATA_FILE_MISSING" };
  await expect(iceberg.loadTable(ACTOR, T, ALL)).rejects.toMatchObject(gone);
  const same = { ...ALL, ifNoneMatch: [created.etag ?? ""] };
  await expect(iceberg.loadTable(ACTOR, T, same)).rejects.toMatchObject(gone);
  renameSync(`${path}.away`, path);
  expect(await iceberg.loadTable(ACTOR, T, ALL)).toEqual(created);
});

test("writers of one table all succeed on one node, and none is lost between two", async () => {
  const clock = new VirtualClock();
  const stores = testStores({ clock });
  const first = await withTable(await openTestIceberg(stores));
  const other = { ...testStores({ clock, seed: 7 }), blobs: stores.blobs };
  const second = await openTestIceberg({ ...other, pointers: stores.pointers }, first.directory);
  const writers = Array.from({ length: 24 }, (_, i) => {
    const { iceberg } = i % 2 === 0 ? first : second;
    const updates = [{ action: "set-properties", updates: { [`k${i}`]: "x" } }];
    return iceberg.commitTable(ACTOR, T, commitOf(updates));
  });
  await clock.run(Promise.all(writers));
  const { properties } = metadataOf(await first.iceberg.loadTable(ACTOR, T, ALL));
  const written = Object.keys(properties as object).filter((key) => /^k\d+$/.test(key));
  expect(written).toHaveLength(24);
  // One file a version: those of lost races were taken back.
  const files = readdirSync(join(pathOf(first.created), ".."));
  expect(files).toHaveLength(25);
});

test("a failed requirement is a conflict and leaves no file", async () => {
  const { iceberg, created } = await withTable();
  const requirements = [{ type: "assert-current-schema-id", "current-schema-id": 7 }];
  const commit = commitOf([{ action: "set-properties", updates: { a: "b" } }], requirements);
  await expect(iceberg.commitTable(ACTOR, T, commit)).rejects.toMatchObject({
    kind: "Conflict",
    code: "REQUIREMENT_FAILED",
  });
  expect(readdirSync(join(pathOf(created), ".."))).toHaveLength(1);
});

test("a create that loses its payload leaves neither a table nor a file", async () => {
  const stores = testStores({ clock: new SleepIsTime() });
  const full = new FirnError("Unavailable", "STORE_FULL", "disk full");
  let broken = false;
  const blobs: BlobStore = new Proxy(stores.blobs, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      if (name === "put" && broken) return () => Promise.reject(full);
      return method.bind(target);
    },
  });
  const { iceberg, directory } = await openTestIceberg({ ...stores, blobs });
  await iceberg.createNamespace(ACTOR, NS, {});
  broken = true;
  await expect(iceberg.createTable(ACTOR, NS, NEW)).rejects.toMatchObject({
    kind: "Unavailable",
    code: "BLOB_UNAVAILABLE",
  });
  broken = false;
  await expect(iceberg.tableExists(ACTOR, T)).rejects.toMatchObject({ code: "TABLE_NOT_FOUND" });
  expect(filesBelow(directory)).toEqual([]);
});

test.each([
  ["lost", true],
  ["not sent", false],
])("while the outcome of a commit is unknown its file stays: %s", async (_what, applied) => {
  const clock = new SleepIsTime();
  const stores = testStores({ clock });
  let silent = false;
  const pointers = new FaultyPointerStore(stores.pointers, (_call, method) =>
    silent && method === "commit" ? { fault: applied ? "answerLost" : "notSent" } : undefined,
  );
  const { iceberg, created } = await withTable(await openTestIceberg({ ...stores, pointers }));
  silent = true;
  await expect(iceberg.commitTable(ACTOR, T, setProperty("x"))).rejects.toMatchObject({
    kind: "Unknown",
  });
  silent = false;
  expect(readdirSync(join(pathOf(created), ".."))).toHaveLength(2);
  const { properties } = metadataOf(await iceberg.loadTable(ACTOR, T, ALL));
  expect((properties as Record<string, string>)["k"]).toBe(applied ? "x" : undefined);
});

test("a staged create stores only its directories; its commit makes the table", async () => {
  const { iceberg } = await openTestIceberg();
  await iceberg.createNamespace(ACTOR, NS, {});
  const staged = await iceberg.createTable(ACTOR, NS, { ...NEW, stageCreate: true });
  expect(staged.metadataLocation).toBeUndefined();
  expect((await iceberg.listTables(ACTOR, NS, {})).items).toEqual([]);
  const metadata = metadataOf(staged);
  const location = String(metadata["location"]).slice("file://".length);
  expect(statSync(join(location, "metadata")).isDirectory()).toBe(true);
  expect(statSync(join(location, "data")).isDirectory()).toBe(true);
  const commit = commitOf(
    [
      { action: "assign-uuid", uuid: String(metadata["table-uuid"]) },
      { action: "upgrade-format-version", "format-version": 2 },
      { action: "add-schema", schema: { ...SCHEMA, "schema-id": 0 }, "last-column-id": 1 },
      { action: "set-current-schema", "schema-id": -1 },
      { action: "add-spec", spec: { "spec-id": 0, fields: [] } },
      { action: "set-default-spec", "spec-id": -1 },
      { action: "add-sort-order", "sort-order": { "order-id": 0, fields: [] } },
      { action: "set-default-sort-order", "sort-order-id": -1 },
      { action: "set-location", location: `file:${location}` },
      { action: "set-properties", updates: { a: "b" } },
    ],
    [{ type: "assert-create" }],
  );
  const created = await iceberg.commitTable(ACTOR, T, commit);
  expect(metadataOf(created)["table-uuid"]).toBe(metadata["table-uuid"]);
  expect(metadataOf(created)["location"]).toBe(`file://${location}`);
  await expect(iceberg.commitTable(ACTOR, T, commit)).rejects.toMatchObject({
    kind: "Conflict",
    code: "REQUIREMENT_FAILED",
  });
});

test("a dropped table keeps its files, frees its name, and can be registered again", async () => {
  const { iceberg, created } = await withTable();
  await iceberg.dropTable(ACTOR, T, { purgeRequested: true });
  expect(existsSync(pathOf(created))).toBe(true);
  await expect(iceberg.loadTable(ACTOR, T, ALL)).rejects.toMatchObject({ code: "TABLE_NOT_FOUND" });
  const successor = await iceberg.createTable(ACTOR, NS, NEW);
  expect(metadataOf(successor)["location"]).not.toBe(metadataOf(created)["location"]);
  const register = { name: "again", metadataLocation: created.metadataLocation ?? "" };
  const registered = await iceberg.registerTable(ACTOR, NS, { ...register, overwrite: false });
  expect(metadataOf(registered)).toEqual(metadataOf(created));
  const over = { name: "again", metadataLocation: successor.metadataLocation ?? "" };
  await expect(
    iceberg.registerTable(ACTOR, NS, { ...over, overwrite: true }),
  ).rejects.toMatchObject({ code: "LOCATION_TAKEN" });
});

test("register over a table replaces what the name means and keeps its id", async () => {
  const { iceberg, created, catalog } = await withTable();
  const before = await catalog.tables.get({ catalog: "c", path: ["a"], name: "t" });
  await iceberg.commitTable(ACTOR, T, setProperty("later"));
  const request = { name: "t", metadataLocation: created.metadataLocation ?? "", overwrite: true };
  const back = await iceberg.registerTable(ACTOR, NS, request);
  expect(metadataOf(back)).toEqual(metadataOf(created));
  const after = await catalog.tables.get({ catalog: "c", path: ["a"], name: "t" });
  expect(after.entity.id).toBe(before.entity.id);
});

test.each([
  ["a relative escape", (root: string) => `file://${root}/../other`],
  ["another root", () => "file:///etc"],
  ["a root's sibling", (root: string) => `file://${root}-sibling/t`],
  ["another scheme", () => "http://127.0.0.1/x"],
  ["no scheme", (root: string) => root],
])("a location outside the catalog's roots is refused: %s", async (_what, uri) => {
  const { iceberg, directory } = await withTable();
  const location = uri(directory);
  const refused = { kind: "Invalid" };
  const create = { ...NEW, name: "u", location };
  await expect(iceberg.createTable(ACTOR, NS, create)).rejects.toMatchObject(refused);
  const staged = { ...create, stageCreate: true };
  await expect(iceberg.createTable(ACTOR, NS, staged)).rejects.toMatchObject(refused);
  const register = { name: "u", metadataLocation: `${location}/m.json`, overwrite: false };
  await expect(iceberg.registerTable(ACTOR, NS, register)).rejects.toMatchObject(refused);
  for (const property of ["write.metadata.path", "write.data.path"]) {
    const properties = { [property]: location };
    const withPath = { ...NEW, name: "u", properties };
    await expect(iceberg.createTable(ACTOR, NS, withPath)).rejects.toMatchObject(refused);
    const commit = commitOf([{ action: "set-properties", updates: properties }]);
    await expect(iceberg.commitTable(ACTOR, T, commit)).rejects.toMatchObject(refused);
  }
  const move = async () => {
    const commit = commitOf([{ action: "set-location", location }]);
    return iceberg.commitTable(ACTOR, T, commit);
  };
  await expect(move()).rejects.toMatchObject(refused);
});

test("gzip metadata is written under its suffix and read back", async () => {
  const { iceberg } = await openTestIceberg();
  await iceberg.createNamespace(ACTOR, NS, {});
  const properties = { "write.metadata.compression-codec": "gzip" };
  const created = await iceberg.createTable(ACTOR, NS, { ...NEW, properties });
  expect(created.metadataLocation).toMatch(/\.gz\.metadata\.json$/);
  const text = gunzipSync(readFileSync(pathOf(created))).toString("utf8");
  expect(text).toBe(Buffer.concat(created.metadata).toString("utf8"));
});

test.each([
  ["not json", "{"],
  ["another document", "[]"],
  ["a key twice", '{"format-version":2,"format-version":2}'],
  ["a byte order mark", "\ufeff{}"],
])("a file that is not table metadata is not registered: %s", async (_what, text) => {
  const { iceberg, directory } = await openTestIceberg();
  await iceberg.createNamespace(ACTOR, NS, {});
  writeFileSync(join(directory, "bad.metadata.json"), text);
  const metadataLocation = `file://${directory}/bad.metadata.json`;
  await expect(
    iceberg.registerTable(ACTOR, NS, { name: "t", metadataLocation, overwrite: false }),
  ).rejects.toMatchObject({ kind: "Invalid" });
});

test("tables of a namespace with a location of its own lie there", async () => {
  const { iceberg, directory } = await openTestIceberg();
  await iceberg.createNamespace(ACTOR, NS, { location: `file://${directory}/own/` });
  const below = { catalog: "c", namespace: ["a", "b c"] };
  await iceberg.createNamespace(ACTOR, below, {});
  const created = await iceberg.createTable(ACTOR, below, NEW);
  expect(String(metadataOf(created)["location"])).toMatch(/\/own\/b_c\/t-[0-9a-f]{12}$/);
});

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
}
