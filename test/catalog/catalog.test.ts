import { expect, test } from "vitest";
import type { TableUuid } from "../../src/base/ids.ts";
import type { TableDraft } from "../../src/catalog/tables.ts";
import { ACTOR, openTestCatalog, testStores } from "../support/open-catalog.ts";

const UUID = "0199d8a0-0000-7000-8000-000000000001" as TableUuid;

function draft(location: string): () => Promise<TableDraft> {
  return async () => ({
    location,
    iceberg: {
      tableUuid: UUID,
      metadataLocation: `${location}/metadata/00000-x.metadata.json`,
      currentSnapshotId: 9_007_199_254_740_993n,
      purgeRequested: false,
    },
  });
}

test("a table is created, found, changed, renamed and dropped under its names", async () => {
  const { catalogs, namespaces, tables } = await openTestCatalog();
  await catalogs.create(ACTOR, { name: "c", defaultLocation: "file:///w" });
  await namespaces.create(ACTOR, { catalog: "c", path: ["a"] }, { owner: "me" });
  await namespaces.create(ACTOR, { catalog: "c", path: ["a", "b"] }, {});
  const ref = { catalog: "c", path: ["a", "b"], name: "t" };
  const created = await tables.create(ACTOR, "create-table", ref, draft("file:///w/t"));
  expect(created.version).toBe(1n);
  await expect(
    tables.create(ACTOR, "create-table", ref, draft("file:///w/u")),
  ).rejects.toMatchObject({ kind: "AlreadyExists", code: "TABLE_ALREADY_EXISTS" });
  await expect(
    tables.create(ACTOR, "create-table", { ...ref, name: "u" }, draft("file:///w/t")),
  ).rejects.toMatchObject({ kind: "Invalid", code: "LOCATION_TAKEN" });
  const stored = await tables.get(ref);
  expect(stored.entity.iceberg?.currentSnapshotId).toBe(9_007_199_254_740_993n);
  const moved = await tables.update(ACTOR, "commit-table", ref, draft("file:///w/moved"));
  expect(moved.version).toBe(2n);
  await tables.create(ACTOR, "create-table", { ...ref, name: "u" }, draft("file:///w/t"));
  await expect(tables.rename(ACTOR, ref, { path: ["a", "b"], name: "u" })).rejects.toMatchObject({
    code: "TABLE_ALREADY_EXISTS",
  });
  await tables.rename(ACTOR, ref, { path: ["a"], name: "v" });
  await expect(tables.find(ref)).rejects.toMatchObject({ code: "TABLE_NOT_FOUND" });
  expect((await tables.list({ catalog: "c", path: ["a"] }, {})).items).toEqual(["v"]);
  expect((await tables.find({ ...ref, path: ["a"], name: "v" })).item.version).toBe(3n);
  await tables.drop(ACTOR, { catalog: "c", path: ["a"], name: "v" }, { purgeRequested: true });
  await expect(namespaces.drop(ACTOR, { catalog: "c", path: ["a"] })).rejects.toMatchObject({
    code: "NAMESPACE_NOT_EMPTY",
  });
  await tables.drop(ACTOR, { ...ref, name: "u" }, { purgeRequested: false });
  await namespaces.drop(ACTOR, { catalog: "c", path: ["a", "b"] });
  await namespaces.rename(ACTOR, { catalog: "c", path: ["a"] }, ["z"]);
  expect((await namespaces.get({ catalog: "c", path: ["z"] })).entity.properties).toEqual({
    owner: "me",
  });
  await namespaces.drop(ACTOR, { catalog: "c", path: ["z"] });
  await catalogs.rename(ACTOR, "c", "d");
  await catalogs.drop(ACTOR, "d");
  expect((await catalogs.list({})).items).toEqual([]);
});

test("a name that was freed is taken again by another incarnation", async () => {
  const stores = testStores();
  const { catalogs, namespaces } = await openTestCatalog(stores);
  await catalogs.create(ACTOR, { name: "c", defaultLocation: "file:///w" });
  const ref = { catalog: "c", path: ["a"] };
  const first = await namespaces.create(ACTOR, ref, {});
  await namespaces.drop(ACTOR, ref);
  const second = await namespaces.create(ACTOR, ref, {});
  expect(second.entity.id).not.toBe(first.entity.id);
  await catalogs.rename(ACTOR, "c", "d");
  await catalogs.rename(ACTOR, "d", "c");
  expect((await namespaces.get(ref)).entity.id).toBe(second.entity.id);
});

test("a second node over the same stores finds the account that the first one made", async () => {
  const stores = testStores();
  const first = await openTestCatalog(stores);
  const second = await openTestCatalog({ ...testStores({ seed: 2 }), ...stores });
  expect(second.context.account).toBe(first.context.account);
});

test("no name is taken for a chain of names that was looked up before", async () => {
  const { catalogs, namespaces, tables } = await openTestCatalog();
  await catalogs.create(ACTOR, { name: "c", defaultLocation: "file:///w" });
  await namespaces.create(ACTOR, { catalog: "c", path: ["a"] }, {});
  await namespaces.create(ACTOR, { catalog: "c", path: ["a", "b"] }, {});
  const ref = { catalog: "c", path: ["a", "b"], name: "t" };
  await tables.create(ACTOR, "create-table", ref, draft("file:///w/t"));
  await tables.find(ref);
  // Whatever character keeps the levels of a cached chain apart, it is in no name.
  for (let code = 0; code < 0x20; code++) {
    const join = String.fromCharCode(code);
    const invalid = { kind: "Invalid", code: "NAME_INVALID" };
    const joined = [
      { catalog: `c${join}a${join}b`, path: ["t"] },
      { catalog: `c${join}a`, path: ["b"] },
      { catalog: "c", path: [`a${join}b`] },
      { catalog: "c", path: ["a", `b${join}t`] },
    ];
    for (const other of joined) {
      await expect(namespaces.get(other)).rejects.toMatchObject(invalid);
      await expect(tables.find({ ...other, name: "t" })).rejects.toMatchObject(invalid);
    }
  }
  await expect(tables.find({ catalog: "c", path: ["a"], name: "b" })).rejects.toMatchObject({
    code: "TABLE_NOT_FOUND",
  });
  await expect(namespaces.get({ catalog: "c", path: ["a", "b", "t"] })).rejects.toMatchObject({
    code: "NAMESPACE_NOT_FOUND",
  });
});
