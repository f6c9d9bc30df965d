import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { JsonValue } from "../../src/base/json.ts";
import type { CommitView, CreateView, LoadedView } from "../../src/service/requests.ts";
import { FaultyPointerStore } from "../support/faulty-pointer-store.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { openTestIceberg, SCHEMA, type TestIceberg } from "../support/open-iceberg.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

const NS = { catalog: "c", namespace: ["a"] } as const;
const V = { ...NS, view: "v" } as const;

function versionOf(sql: string, dialect = "spark"): { readonly [key: string]: JsonValue } {
  return {
    "version-id": 1,
    "schema-id": 0,
    "timestamp-ms": 1_700_000_000_000,
    summary: {},
    "default-namespace": ["a"],
    representations: [{ type: "sql", sql, dialect }],
  };
}

const NEW: CreateView = {
  name: "v",
  schema: SCHEMA,
  version: versionOf("select 1"),
  properties: {},
};

async function withView(node?: TestIceberg): Promise<TestIceberg & { created: LoadedView }> {
  const opened = node ?? (await openTestIceberg());
  await opened.iceberg.createNamespace(ACTOR, NS, {});
  return { ...opened, created: await opened.iceberg.createView(ACTOR, NS, NEW) };
}

function commitOf(updates: JsonValue, requirements: JsonValue = []): CommitView {
  return {
    requirements,
    updates,
  };
}

function setProperty(name: string, value: string): CommitView {
  return commitOf([{ action: "set-properties", updates: { [name]: value } }]);
}

function replacing(sql: string): CommitView {
  return commitOf([
    { action: "add-view-version", "view-version": versionOf(sql) },
    { action: "set-current-view-version", "view-version-id": -1 },
  ]);
}

function metadataOf({ metadata }: LoadedView) {
  return JSON.parse(Buffer.concat(metadata).toString("utf8"));
}

function pathOf({ metadataLocation }: LoadedView): string {
  return metadataLocation.replace(/^file:\/*/, "/");
}

const filesBeside = (view: LoadedView): string[] => readdirSync(join(pathOf(view), ".."));

test("what create answers is what stands in the metadata file and what load answers", async () => {
  const { iceberg, created, directory } = await withView();
  expect(readFileSync(pathOf(created), "utf8")).toBe(
    Buffer.concat(created.metadata).toString("utf8"),
  );
  expect(pathOf(created)).toMatch(
    /\/a\/v-[0-9a-f]{12}\/metadata\/00000-[0-9a-f-]{36}\.metadata\.json$/,
  );
  expect(pathOf(created).startsWith(directory)).toBe(true);
  expect(await iceberg.loadView(ACTOR, V)).toEqual(created);
  await iceberg.viewExists(ACTOR, V);
  expect((await iceberg.listViews(ACTOR, NS, {})).items).toEqual(["v"]);
  expect((await iceberg.listTables(ACTOR, NS, {})).items).toEqual([]);
});

test("a commit writes the next file; one that changes nothing keeps the old", async () => {
  const { iceberg, created } = await withView();
  const replaced = await iceberg.commitView(ACTOR, V, replacing("select 2"));
  expect(replaced.metadataLocation).toMatch(/\/00001-[^/]+$/);
  expect(metadataOf(replaced)["current-version-id"]).toBe(2);
  expect(await iceberg.loadView(ACTOR, V)).toEqual(replaced);
  expect(await iceberg.commitView(ACTOR, V, replacing("select 2"))).toEqual(replaced);
  expect(filesBeside(created)).toHaveLength(2);
});

test("a failed requirement and a refused update leave no file", async () => {
  const { iceberg, created } = await withView();
  const requirements = [{ type: "assert-view-uuid", uuid: "another" }];
  const stale = { ...replacing("select 2"), ...commitOf([], requirements) };
  await expect(iceberg.commitView(ACTOR, V, stale)).rejects.toMatchObject({
    kind: "Conflict",
    code: "REQUIREMENT_FAILED",
  });
  const refused = commitOf([{ action: "set-current-view-version", "view-version-id": 9 }]);
  await expect(iceberg.commitView(ACTOR, V, refused)).rejects.toMatchObject({
    kind: "Invalid",
    code: "VIEW_VERSION_INVALID",
  });
  expect(filesBeside(created)).toHaveLength(1);
  const uuid = String(metadataOf(created)["view-uuid"]);
  const fresh = commitOf([], [{ type: "assert-view-uuid", uuid }]);
  expect(await iceberg.commitView(ACTOR, V, fresh)).toEqual(created);
});

test("writers of one view all succeed, on one node and between two", async () => {
  const stores = testStores({ clock: new SleepIsTime() });
  const first = await withView(await openTestIceberg(stores));
  const other = { ...testStores({ clock: stores.clock, seed: 7 }), blobs: stores.blobs };
  const second = await openTestIceberg({ ...other, pointers: stores.pointers }, first.directory);
  await Promise.all(
    Array.from({ length: 16 }, (_, i) => {
      const { iceberg } = i % 2 === 0 ? first : second;
      return iceberg.commitView(ACTOR, V, setProperty(`k${i}`, "x"));
    }),
  );
  const loaded = await first.iceberg.loadView(ACTOR, V);
  expect(Object.keys(metadataOf(loaded).properties)).toHaveLength(16);
  expect(filesBeside(first.created)).toHaveLength(17);
});

test.each([
  ["lost", true],
  ["not sent", false],
])("while the outcome of a commit is unknown its file stays: %s", async (_what, applied) => {
  const stores = testStores({ clock: new SleepIsTime() });
  let silent = false;
  const pointers = new FaultyPointerStore(stores.pointers, (_call, method) =>
    silent && method === "commit" ? { fault: applied ? "answerLost" : "notSent" } : undefined,
  );
  const { iceberg, created } = await withView(await openTestIceberg({ ...stores, pointers }));
  silent = true;
  await expect(iceberg.commitView(ACTOR, V, setProperty("k", "x"))).rejects.toMatchObject({
    kind: "Unknown",
  });
  silent = false;
  expect(filesBeside(created)).toHaveLength(2);
  const { properties } = metadataOf(await iceberg.loadView(ACTOR, V));
  expect(properties).toEqual(applied ? { k: "x" } : {});
});

test("tables and views share their names, both ways, however they come to them", async () => {
  const { iceberg, created } = await withView();
  const table = { name: "v", schema: SCHEMA, properties: {}, stageCreate: false };
  const byView = { kind: "AlreadyExists", code: "VIEW_ALREADY_EXISTS" };
  const byTable = { kind: "AlreadyExists", code: "TABLE_ALREADY_EXISTS" };
  for (const stageCreate of [false, true]) {
    await expect(iceberg.createTable(ACTOR, NS, { ...table, stageCreate })).rejects.toMatchObject(
      byView,
    );
  }
  await expect(iceberg.createView(ACTOR, NS, NEW)).rejects.toMatchObject(byView);
  const made = await iceberg.createTable(ACTOR, NS, { ...table, name: "t" });
  await expect(iceberg.createView(ACTOR, NS, { ...NEW, name: "t" })).rejects.toMatchObject(byTable);
  const { metadataLocation } = created;
  for (const [name, error] of [
    ["t", byTable],
    ["v", byView],
  ] as const) {
    await expect(iceberg.registerView(ACTOR, NS, { name, metadataLocation })).rejects.toMatchObject(
      error,
    );
  }
  const location = made.metadataLocation ?? "";
  const over = { name: "v", metadataLocation: location, overwrite: true };
  await expect(iceberg.registerTable(ACTOR, NS, over)).rejects.toMatchObject(byView);
  const [t, v] = [
    { namespace: ["a"], table: "t" },
    { namespace: ["a"], view: "v" },
  ];
  const names = { catalog: "c", from: t, to: { namespace: ["a"], table: "v" } };
  await expect(iceberg.renameTable(ACTOR, names)).rejects.toMatchObject(byView);
  const back = { catalog: "c", from: v, to: { namespace: ["a"], view: "t" } };
  await expect(iceberg.renameView(ACTOR, back)).rejects.toMatchObject(byTable);
  await expect(iceberg.loadView(ACTOR, { ...NS, view: "t" })).rejects.toMatchObject({
    code: "VIEW_NOT_FOUND",
  });
  await expect(
    iceberg.loadTable(ACTOR, { ...NS, table: "v" }, { snapshots: "all" }),
  ).rejects.toMatchObject({ code: "TABLE_NOT_FOUND" });
});

test("a view is missing where its namespace is, whatever is asked of it", async () => {
  const { iceberg } = await withView();
  const gone = { catalog: "c", namespace: ["none"], view: "v" };
  const missing = { kind: "NotFound", code: "VIEW_NOT_FOUND", context: { view: "none.v" } };
  const to = { namespace: ["a"], view: "w" };
  for (const work of [
    () => iceberg.loadView(ACTOR, gone),
    () => iceberg.viewExists(ACTOR, gone),
    () => iceberg.commitView(ACTOR, gone, commitOf([])),
    () => iceberg.dropView(ACTOR, gone),
    () => iceberg.renameView(ACTOR, { catalog: "c", from: gone, to }),
  ]) {
    await expect(work()).rejects.toMatchObject(missing);
  }
  const from = { namespace: ["a"], view: "v" };
  const nowhere = { catalog: "c", from, to: { namespace: ["none"], view: "v" } };
  const noParent = { code: "NAMESPACE_NOT_FOUND" };
  await expect(iceberg.renameView(ACTOR, nowhere)).rejects.toMatchObject(noParent);
  await expect(
    iceberg.createView(ACTOR, { catalog: "c", namespace: ["none"] }, NEW),
  ).rejects.toMatchObject(noParent);
  await expect(iceberg.listViews(ACTOR, gone, {})).rejects.toMatchObject(noParent);
});

test("a renamed view keeps its files; a namespace with a view in it is not empty", async () => {
  const { iceberg, created } = await withView();
  await iceberg.createNamespace(ACTOR, { catalog: "c", namespace: ["b"] }, {});
  const to = { namespace: ["b"], view: "w" };
  await iceberg.renameView(ACTOR, { catalog: "c", from: V, to });
  expect(await iceberg.loadView(ACTOR, { ...to, catalog: "c" })).toEqual(created);
  await iceberg.dropNamespace(ACTOR, NS);
  await expect(
    iceberg.dropNamespace(ACTOR, { catalog: "c", namespace: ["b"] }),
  ).rejects.toMatchObject({ code: "NAMESPACE_NOT_EMPTY" });
  await iceberg.dropView(ACTOR, { ...to, catalog: "c" });
  await iceberg.dropNamespace(ACTOR, { catalog: "c", namespace: ["b"] });
});

test("a dropped view keeps its files, frees its name, and can be registered again", async () => {
  const { iceberg, created } = await withView();
  await iceberg.dropView(ACTOR, V);
  expect(existsSync(pathOf(created))).toBe(true);
  await expect(iceberg.loadView(ACTOR, V)).rejects.toMatchObject({ code: "VIEW_NOT_FOUND" });
  const successor = await iceberg.createView(ACTOR, NS, NEW);
  expect(metadataOf(successor).location).not.toBe(metadataOf(created).location);
  const { metadataLocation } = created;
  const again = await iceberg.registerView(ACTOR, NS, { name: "again", metadataLocation });
  expect(again).toEqual(created);
  // Its location is claimed by the one that was registered.
  await expect(
    iceberg.registerView(ACTOR, NS, { name: "twice", metadataLocation }),
  ).rejects.toMatchObject({ code: "LOCATION_TAKEN" });
});

test("a metadata file that was moved away is noticed by a cached load", async () => {
  const { iceberg, created } = await withView();
  renameSync(pathOf(created), `${pathOf(created)}.away`);
  await expect(iceberg.loadView(ACTOR, V)).rejects.toMatchObject({
    kind: "NotFound",
    code: "METADATA_FILE_MISSING",
  });
  renameSync(`${pathOf(created)}.away`, pathOf(created));
  expect(await iceberg.loadView(ACTOR, V)).toEqual(created);
});

test.each([
  ["a relative escape", (root: string) => `file://${root}/../other`],
  ["another root", () => "file:///etc"],
  ["a root's sibling", (root: string) => `file://${root}-sibling/v`],
  ["another scheme", () => "http://127.0.0.1/x"],
  ["no scheme", (root: string) => root],
])("a location outside the catalog's roots is refused: %s", async (_what, uri) => {
  const { iceberg, directory } = await withView();
  const location = uri(directory);
  const refused = { kind: "Invalid" };
  const properties = { "write.metadata.path": location };
  for (const more of [{ location }, { properties }]) {
    await expect(
      iceberg.createView(ACTOR, NS, { ...NEW, name: "u", ...more }),
    ).rejects.toMatchObject(refused);
  }
  const register = { name: "u", metadataLocation: `${location}/m.json` };
  await expect(iceberg.registerView(ACTOR, NS, register)).rejects.toMatchObject(refused);
  for (const update of [
    { action: "set-location", location },
    { action: "set-properties", updates: properties },
  ]) {
    await expect(iceberg.commitView(ACTOR, V, commitOf([update]))).rejects.toMatchObject(refused);
  }
});

test("a location is answered as it was asked for, and claimed whatever its spelling", async () => {
  const { iceberg, directory } = await openTestIceberg();
  await iceberg.createNamespace(ACTOR, NS, {});
  const location = `file:${directory}/short`;
  const properties = { "write.metadata.path": `file:${directory}/elsewhere/` };
  const created = await iceberg.createView(ACTOR, NS, { ...NEW, location, properties });
  expect(metadataOf(created).location).toBe(location);
  expect(created.metadataLocation.startsWith(`file:${directory}/elsewhere/0`)).toBe(true);
  expect(await iceberg.loadView(ACTOR, V)).toEqual(created);
  const long = { ...NEW, name: "w", location: `file://${directory}/short` };
  await expect(iceberg.createView(ACTOR, NS, long)).rejects.toMatchObject({
    code: "LOCATION_TAKEN",
  });
  const table = { name: "t", schema: SCHEMA, properties: {}, stageCreate: false };
  await expect(
    iceberg.createTable(ACTOR, NS, { ...table, location: long.location }),
  ).rejects.toMatchObject({ code: "LOCATION_TAKEN" });
});

test("gzip metadata is written under its suffix and read back by another node", async () => {
  const stores = testStores();
  const { iceberg, directory } = await openTestIceberg(stores);
  await iceberg.createNamespace(ACTOR, NS, {});
  const properties = { "write.metadata.compression-codec": "gzip" };
  const created = await iceberg.createView(ACTOR, NS, { ...NEW, properties });
  expect(created.metadataLocation).toMatch(/\.gz\.metadata\.json$/);
  const text = gunzipSync(readFileSync(pathOf(created))).toString("utf8");
  expect(text).toBe(Buffer.concat(created.metadata).toString("utf8"));
  const second = await openTestIceberg({ ...testStores({ seed: 9 }), ...stores }, directory);
  expect(metadataOf(await second.iceberg.loadView(ACTOR, V))).toEqual(metadataOf(created));
});

test("neither kind of metadata file is registered as the other", async () => {
  const { iceberg, created, directory } = await withView();
  const table = { name: "t", schema: SCHEMA, properties: {}, stageCreate: false };
  const made = await iceberg.createTable(ACTOR, NS, table);
  writeFileSync(join(directory, "bad.metadata.json"), '{"format-version":1}');
  for (const metadataLocation of [
    made.metadataLocation ?? "",
    `file://${directory}/bad.metadata.json`,
  ]) {
    await expect(
      iceberg.registerView(ACTOR, NS, { name: "u", metadataLocation }),
    ).rejects.toMatchObject({ kind: "Invalid", code: "METADATA_INVALID" });
  }
  const { metadataLocation } = created;
  await expect(
    iceberg.registerTable(ACTOR, NS, { name: "u", metadataLocation, overwrite: false }),
  ).rejects.toMatchObject({ kind: "Invalid", code: "METADATA_INVALID" });
});

test("a uuid that is none is not registered, since the catalog keeps its bytes", async () => {
  const { iceberg, created, directory } = await withView();
  const table = { name: "t", schema: SCHEMA, properties: {}, stageCreate: false };
  const made = await iceberg.createTable(ACTOR, NS, table);
  const metadataLocation = `file://${directory}/bad.metadata.json`;
  const register = { name: "u", metadataLocation, overwrite: false };
  for (const [metadata, work] of [
    [created.metadata, () => iceberg.registerView(ACTOR, NS, register)],
    [made.metadata, () => iceberg.registerTable(ACTOR, NS, register)],
  ] as const) {
    const text = Buffer.concat(metadata).toString("utf8");
    const bad = text.replace(/("(?:view|table)-uuid":")[^"]+/, "$1none");
    expect(bad).not.toBe(text);
    writeFileSync(join(directory, "bad.metadata.json"), bad);
    await expect(work()).rejects.toMatchObject({ kind: "Invalid", code: "METADATA_INVALID" });
  }
});

test("pages of views are the whole list, and a token of tables does not open them", async () => {
  const { iceberg } = await openTestIceberg();
  await iceberg.createNamespace(ACTOR, NS, {});
  for (const name of ["x", "y", "z"]) await iceberg.createView(ACTOR, NS, { ...NEW, name });
  const first = await iceberg.listViews(ACTOR, NS, { pageToken: "", pageSize: 2 });
  expect(first.items).toEqual(["x", "y"]);
  const pageToken = first.nextPageToken ?? "";
  expect(await iceberg.listViews(ACTOR, NS, { pageToken, pageSize: 2 })).toEqual({
    items: ["z"],
    nextPageToken: null,
  });
  await expect(iceberg.listTables(ACTOR, NS, { pageToken })).rejects.toMatchObject({
    code: "PAGE_TOKEN_INVALID",
  });
});
