import { expect, test } from "vitest";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { commitOf, openTestIceberg, SCHEMA, type TestIceberg } from "../support/open-iceberg.ts";
import { stagedTable } from "../support/staged-table.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

const NS = { catalog: "c", namespace: ["a"] } as const;
const OVERLAPS = { kind: "Invalid", code: "LOCATION_OVERLAPS" };

interface Opened extends TestIceberg {
  readonly at: (path: string) => string;
  readonly create: (name: string, path?: string, catalog?: string) => Promise<unknown>;
}

async function open(): Promise<Opened> {
  const node = await openTestIceberg(testStores({ clock: new SleepIsTime() }));
  await node.iceberg.createNamespace(ACTOR, NS, {});
  const at = (path: string) => `file://${node.directory}/${path}`;
  const create = (name: string, path?: string, catalog = "c") => {
    const location = path === undefined ? undefined : at(path);
    const request = { name, location, schema: SCHEMA, properties: {}, stageCreate: false };
    return node.iceberg.createTable(ACTOR, { ...NS, catalog }, request);
  };
  return { ...node, at, create };
}

function moveTo(location: string) {
  return commitOf([{ action: "set-location", location }]);
}

test("inside or above another's location is refused, beside it is not", async () => {
  const { create } = await open();
  await create("t", "x/y");
  await expect(create("in", "x/y/z")).rejects.toMatchObject(OVERLAPS);
  await expect(create("deep", "x/y/z/1/2/3")).rejects.toMatchObject(OVERLAPS);
  await expect(create("above", "x")).rejects.toMatchObject(OVERLAPS);
  await expect(create("root", "")).rejects.toMatchObject(OVERLAPS);
  await create("beside", "x/y2");
  await create("other", "x/z");
});

test("no table lies at or above the home of its namespace, or of another", async () => {
  const { iceberg, create, at } = await open();
  await iceberg.createNamespace(ACTOR, { catalog: "c", namespace: ["b"] }, {});
  await iceberg.createNamespace(ACTOR, { catalog: "c", namespace: ["b", "c"] }, {});
  await create("t", "x/t");
  for (const path of ["a", "b", "b/c"]) {
    await expect(create("squatter", path), path).rejects.toMatchObject(OVERLAPS);
    const moved = iceberg.commitTable(ACTOR, { ...NS, table: "t" }, moveTo(at(path)));
    await expect(moved, path).rejects.toMatchObject(OVERLAPS);
  }
  await create("below", "b/c/t");
  await create("u");
});

test("no table lies at the home of a child of its own namespace", async () => {
  const { iceberg, create } = await open();
  const child = { catalog: "c", namespace: ["a", "c"] };
  await iceberg.createNamespace(ACTOR, child, {});
  await expect(create("squatter", "a/c")).rejects.toMatchObject(OVERLAPS);
  await create("beside", "a/c2");
  const request = { name: "t", schema: SCHEMA, properties: {}, stageCreate: false };
  await iceberg.createTable(ACTOR, child, request);
});

test("no table lies at or above a namespace's own location", async () => {
  const { iceberg, create, at } = await open();
  await iceberg.updateNamespace(ACTOR, NS, { removals: [], updates: { location: at("own/a") } });
  for (const path of ["own", "own/a"]) {
    await expect(create("squatter", path), path).rejects.toMatchObject(OVERLAPS);
  }
  await create("t");
});

test("no table lies at or above a catalog's root, nor in another catalog's", async () => {
  const { iceberg, catalogs, create, at } = await open();
  await catalogs.create(ACTOR, "two", at("deep/two"));
  await iceberg.createNamespace(ACTOR, { ...NS, catalog: "two" }, {});
  for (const path of ["", "deep", "deep/two"]) {
    await expect(create("root", path), path).rejects.toMatchObject(OVERLAPS);
  }
  const inside = { kind: "Invalid", code: "LOCATION_NOT_ALLOWED" };
  await expect(create("t", "deep/two/t")).rejects.toMatchObject(inside);
  await create("t", "deep/two/t", "two");
  await create("t", "deep/t");
});

test("a namespace whose default location is a table's goes elsewhere", async () => {
  const { iceberg, create, at } = await open();
  await create("first", "late");
  const late = { catalog: "c", namespace: ["late"] };
  const { properties } = await iceberg.createNamespace(ACTOR, late, { owner: "me" });
  expect(properties["location"]).toMatch(new RegExp(`^${at("late")}-[0-9a-f]{12}$`));
  expect((await iceberg.loadNamespace(ACTOR, late)).properties).toEqual(properties);
  const request = { name: "t", schema: SCHEMA, properties: {}, stageCreate: false };
  await iceberg.createTable(ACTOR, late, request);
});

test("a namespace's own location lies below a root, and in no table", async () => {
  const { iceberg, create, at } = await open();
  await create("t", "x/t");
  const set = async (location: string) => {
    const updates = { location };
    await iceberg.updateNamespace(ACTOR, NS, { removals: [], updates });
  };
  const make = (location: string) =>
    iceberg.createNamespace(ACTOR, { catalog: "c", namespace: ["n"] }, { location });
  const outside = { kind: "Invalid", code: "LOCATION_NOT_ALLOWED" };
  for (const change of [set, make]) {
    await expect(change("file:///elsewhere")).rejects.toMatchObject(outside);
    await expect(change(at("x/t/in"))).rejects.toMatchObject(OVERLAPS);
    await expect(change(at("x/t"))).rejects.toMatchObject(OVERLAPS);
  }
  await set(at("x"));
  await make(at("y"));
});

const WRITES = ["metadata", "data", "object-storage", "folder-storage"];

test("what a table writes elsewhere lies at, above and below no other table", async () => {
  const { iceberg, create, at } = await open();
  await create("victim", "x/victim");
  await create("t", "y/t");
  const T = { ...NS, table: "t" };
  const set = (key: string, path: string) =>
    commitOf([{ action: "set-properties", updates: { [key]: at(path) } }]);
  for (const key of WRITES.map((what) => `write.${what}.path`)) {
    for (const path of ["x/victim", "x/victim/data", "x"]) {
      const committed = iceberg.commitTable(ACTOR, T, set(key, path));
      await expect(committed, `${key} ${path}`).rejects.toMatchObject(OVERLAPS);
      const properties = { [key]: at(path) };
      const request = { name: "u", schema: SCHEMA, properties, stageCreate: false };
      const created = iceberg.createTable(ACTOR, NS, request);
      await expect(created, `${key} ${path}`).rejects.toMatchObject(OVERLAPS);
      const change = { ...T, ...set(key, path) };
      const together = iceberg.commitTransaction(ACTOR, "c", [change]);
      await expect(together, `${key} ${path}`).rejects.toMatchObject(OVERLAPS);
    }
    await iceberg.commitTable(ACTOR, T, set(key, "y/t/inside"));
    await iceberg.commitTable(ACTOR, T, set(key, "beside"));
  }
});

test("a path that a table writes to elsewhere is not a claim: tables may share it", async () => {
  const { iceberg, create, at } = await open();
  await create("t", "y/t");
  await create("u", "y/u");
  const updates = { "write.data.path": at("data") };
  const change = commitOf([{ action: "set-properties", updates }]);
  for (const table of ["t", "u"]) await iceberg.commitTable(ACTOR, { ...NS, table }, change);
  await create("inside", "data/inside");
  // A table that sets it from now on is refused.
  await create("v", "y/v");
  const set = iceberg.commitTable(ACTOR, { ...NS, table: "v" }, change);
  await expect(set).rejects.toMatchObject(OVERLAPS);
});

test("a view and a table cannot overlap", async () => {
  const { iceberg, create, at } = await open();
  await create("t", "x");
  const version = {
    "version-id": 1,
    "timestamp-ms": 1,
    "schema-id": 0,
    summary: {},
    "default-namespace": ["a"],
    representations: [{ type: "sql", sql: "select 1", dialect: "spark" }],
  };
  const view = { name: "v", schema: { ...SCHEMA, "schema-id": 0 }, version, properties: {} };
  const inside = iceberg.createView(ACTOR, NS, { ...view, location: at("x/v") });
  await expect(inside).rejects.toMatchObject(OVERLAPS);
  await iceberg.createView(ACTOR, NS, { ...view, location: at("y/v") });
  await expect(create("above", "y")).rejects.toMatchObject(OVERLAPS);
});

test("a move obeys the same, and may go up or down its own directory", async () => {
  const { iceberg, create, at } = await open();
  const T = { ...NS, table: "t" } as const;
  await create("t", "x/t");
  await create("u", "u");
  for (const path of ["u/below", ""]) {
    const moved = iceberg.commitTable(ACTOR, T, moveTo(at(path)));
    await expect(moved, path).rejects.toMatchObject(OVERLAPS);
  }
  await iceberg.commitTable(ACTOR, T, moveTo(at("x/t/deeper")));
  await iceberg.commitTable(ACTOR, T, moveTo(at("x")));
  await expect(create("w", "x/t")).rejects.toMatchObject(OVERLAPS);
});

test("a register is refused where it overlaps", async () => {
  const { iceberg, create, at } = await open();
  const created = (await create("t", "x/t")) as { readonly metadataLocation: string };
  await iceberg.dropTable(ACTOR, { ...NS, table: "t" }, { purgeRequested: false });
  await create("u", "x/t/below");
  const again = { name: "t", metadataLocation: created.metadataLocation, overwrite: false };
  await expect(iceberg.registerTable(ACTOR, NS, again)).rejects.toMatchObject(OVERLAPS);
  expect(created.metadataLocation.startsWith(at("x/t"))).toBe(true);
});

test("an undrop is refused where another table was created meanwhile", async () => {
  const { iceberg, dropped, create } = await open();
  await create("above", "x");
  await iceberg.dropTable(ACTOR, { ...NS, table: "above" }, { purgeRequested: false });
  await create("in", "x/y");
  const above = (await dropped.list(ACTOR)).items[0]?.id ?? "";
  await expect(dropped.undrop(ACTOR, above)).rejects.toMatchObject(OVERLAPS);
  await iceberg.dropTable(ACTOR, { ...NS, table: "in" }, { purgeRequested: false });
  await dropped.undrop(ACTOR, above);
  const inner = (await dropped.list(ACTOR)).items[0]?.id ?? "";
  await expect(dropped.undrop(ACTOR, inner)).rejects.toMatchObject(OVERLAPS);
});

const CHOSEN = "0190c6ad-1111-7111-8111-aaaaaaaaaaaa";

test("a uuid that a client chose proves nothing of the location that is named for it", async () => {
  const { iceberg, create, at } = await open();
  await create("inner", "x-aaaaaaaaaaaa/inner");
  await create("above", "y");
  for (const path of ["x-aaaaaaaaaaaa", "y/z-aaaaaaaaaaaa", "x-aaaaaaaaaaaa/inner"]) {
    const staged = iceberg.commitTable(ACTOR, { ...NS, table: "t" }, stagedTable(at(path), CHOSEN));
    await expect(staged, path).rejects.toMatchObject({ kind: "Invalid" });
  }
  await iceberg.commitTable(
    ACTOR,
    { ...NS, table: "t" },
    stagedTable(at("z-aaaaaaaaaaaa"), CHOSEN),
  );
  const move = moveTo(at("x-aaaaaaaaaaaa"));
  await expect(iceberg.commitTable(ACTOR, { ...NS, table: "t" }, move)).rejects.toMatchObject(
    OVERLAPS,
  );
});

test("of two that come at once, one above the other, the inner one is first or fails", async () => {
  const { iceberg, at } = await open();
  for (let round = 0; round < 10; round++) {
    const [outer, inner] = [at(`r${round}`), at(`r${round}/in`)];
    const racers = [
      iceberg.commitTable(ACTOR, { ...NS, table: `o${round}` }, stagedTable(outer)),
      iceberg.commitTable(ACTOR, { ...NS, table: `i${round}` }, stagedTable(inner)),
    ];
    const [above, below] = await Promise.allSettled(racers);
    expect([above?.status, below?.status]).toContain("fulfilled");
    // Whoever comes after sees both.
    const late = iceberg.commitTable(ACTOR, { ...NS, table: "late" }, stagedTable(`${inner}/deep`));
    await expect(late).rejects.toMatchObject(OVERLAPS);
  }
});

test("new tables of one transaction have uuids of their own", async () => {
  const { iceberg, at } = await open();
  const staged = (table: string) => ({ ...NS, table, ...stagedTable(at(table), CHOSEN) });
  const together = iceberg.commitTransaction(ACTOR, "c", [staged("p"), staged("q")]);
  await expect(together).rejects.toMatchObject({ kind: "Invalid", code: "TABLE_UUID_SHARED" });
});

test("tables of one transaction overlap neither each other nor other tables", async () => {
  const { iceberg, create, at } = await open();
  await create("t", "x");
  const staged = (name: string, path: string, uuid?: string) => ({
    ...NS,
    table: name,
    ...stagedTable(at(path), uuid),
  });
  const among = [staged("p", "p"), staged("q", "p/q")];
  await expect(iceberg.commitTransaction(ACTOR, "c", among)).rejects.toMatchObject(OVERLAPS);
  const against = [staged("p", "p"), staged("q", "x/q")];
  await expect(iceberg.commitTransaction(ACTOR, "c", against)).rejects.toMatchObject(OVERLAPS);
  const shared = [staged("p", "deep/er/p"), staged("q", "deep/er/q")];
  await iceberg.commitTransaction(ACTOR, "c", shared);
});

test("a catalog may allow overlaps", async () => {
  const { iceberg, catalogs, create, at } = await open();
  await catalogs.create(ACTOR, "loose", at("loose"), { "location.overlap.allowed": "true" });
  await iceberg.createNamespace(ACTOR, { ...NS, catalog: "loose" }, {});
  await create("t", "loose/x", "loose");
  await create("in", "loose/x/in", "loose");
  await create("above", "loose", "loose");
});

test("a location of too many directories is refused", async () => {
  const { create } = await open();
  const deep = create("t", "d/".repeat(80));
  await expect(deep).rejects.toMatchObject({ kind: "Invalid", code: "LOCATION_TOO_DEEP" });
});
