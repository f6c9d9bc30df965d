import { expect, test } from "vitest";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { commitOf, openTestIceberg, SCHEMA, type TestIceberg } from "../support/open-iceberg.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

const NS = { catalog: "c", namespace: ["a"] } as const;
const OVERLAPS = { kind: "AlreadyExists", code: "LOCATION_OVERLAPS" };

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

test("a default location is refused where somebody claimed a directory above it", async () => {
  const { create } = await open();
  await create("squatter", "a");
  await expect(create("t")).rejects.toMatchObject(OVERLAPS);
});

test("who holds the root holds everything below it", async () => {
  const { create } = await open();
  await create("all", "");
  await expect(create("t")).rejects.toMatchObject(OVERLAPS);
});

test("views and tables share the ground", async () => {
  const { iceberg, create, at } = await open();
  await create("t", "x");
  const version = {
    ...{ "version-id": 1, "timestamp-ms": 1, "schema-id": 0, summary: {} },
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

test("a register obeys the same", async () => {
  const { iceberg, create, at } = await open();
  const created = (await create("t", "x/t")) as { readonly metadataLocation: string };
  await iceberg.dropTable(ACTOR, { ...NS, table: "t" }, { purgeRequested: false });
  await create("u", "x/t/below");
  const again = { name: "t", metadataLocation: created.metadataLocation, overwrite: false };
  await expect(iceberg.registerTable(ACTOR, NS, again)).rejects.toMatchObject(OVERLAPS);
  expect(created.metadataLocation.startsWith(at("x/t"))).toBe(true);
});

test("an undrop obeys the same, whatever came there meanwhile", async () => {
  const { iceberg, dropped, create } = await open();
  await create("above", "x");
  await iceberg.dropTable(ACTOR, { ...NS, table: "above" }, { purgeRequested: false });
  await create("in", "x/y");
  const above = (await dropped.list()).items[0]?.id ?? "";
  await expect(dropped.undrop(above)).rejects.toMatchObject(OVERLAPS);
  await iceberg.dropTable(ACTOR, { ...NS, table: "in" }, { purgeRequested: false });
  await dropped.undrop(above);
  const inner = (await dropped.list()).items[0]?.id ?? "";
  await expect(dropped.undrop(inner)).rejects.toMatchObject(OVERLAPS);
});

test("tables of one transaction obey it among themselves, and against the others", async () => {
  const { iceberg, create, at } = await open();
  await create("t", "x");
  const staged = async (name: string, path: string) => {
    const request = { name, location: at(path), schema: SCHEMA, properties: {}, stageCreate: true };
    const { metadata } = await iceberg.createTable(ACTOR, NS, request);
    const parsed = JSON.parse(Buffer.concat(metadata).toString("utf8"));
    return {
      ...{ ...NS, table: name },
      ...commitOf(
        [
          { action: "assign-uuid", uuid: parsed["table-uuid"] },
          { action: "upgrade-format-version", "format-version": 2 },
          { action: "add-schema", schema: SCHEMA },
          { action: "set-current-schema", "schema-id": -1 },
          { action: "add-spec", spec: { "spec-id": 0, fields: [] } },
          { action: "set-default-spec", "spec-id": -1 },
          { action: "add-sort-order", "sort-order": { "order-id": 0, fields: [] } },
          { action: "set-default-sort-order", "sort-order-id": -1 },
          { action: "set-location", location: at(path) },
        ],
        [{ type: "assert-create" }],
      ),
    };
  };
  const among = [await staged("p", "p"), await staged("q", "p/q")];
  await expect(iceberg.commitTransaction(ACTOR, "c", among)).rejects.toMatchObject(OVERLAPS);
  const against = [await staged("p", "p"), await staged("q", "x/q")];
  await expect(iceberg.commitTransaction(ACTOR, "c", against)).rejects.toMatchObject(OVERLAPS);
  const shared = [await staged("p", "deep/er/p"), await staged("q", "deep/er/q")];
  await iceberg.commitTransaction(ACTOR, "c", shared);
});

test("a catalog may allow overlaps", async () => {
  const { iceberg, catalogs, create, at } = await open();
  await catalogs.create("loose", at(""), { "location.overlap.allowed": "true" });
  await iceberg.createNamespace(ACTOR, { ...NS, catalog: "loose" }, {});
  await create("t", "x", "loose");
  await create("in", "x/in", "loose");
  await create("above", "", "loose");
});

test("a location of too many directories is refused", async () => {
  const { create } = await open();
  const deep = create("t", "d/".repeat(80));
  await expect(deep).rejects.toMatchObject({ kind: "Invalid", code: "LOCATION_TOO_DEEP" });
});
