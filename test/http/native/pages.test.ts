import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type {
  CatalogPage,
  Home,
  NamespacePage,
  TablePage,
  ViewPage,
} from "../../../src/api/page-operations.ts";
import { Api } from "./api.ts";

const SCHEMA = {
  type: "struct",
  fields: [
    { id: 1, name: "at", required: true, type: "timestamptz", doc: "when" },
    {
      id: 2,
      name: "place",
      required: false,
      type: { type: "struct", fields: [{ id: 3, name: "lat", required: true, type: "double" }] },
    },
  ],
};
const SPEC = { fields: [{ "source-id": 1, "field-id": 1000, name: "d", transform: "day" }] };
const ID = 9_223_372_036_854_775_807n;

let served: Api;

async function iceberg(path: string, body: unknown): Promise<void> {
  const response = await served.firn.fetch(
    new Request(`http://firn/iceberg/v1/lake${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    }),
  );
  if (response.status >= 300) throw new Error(await response.text());
}

beforeAll(async () => {
  served = await Api.open();
  await served.done("POST", "/catalogs", { name: "lake" });
  await iceberg("/namespaces", { namespace: ["ice"] });
  await iceberg("/namespaces", { namespace: ["ice", "deep"] });
  for (const name of ["cores", "empty"]) {
    const body = { name, schema: SCHEMA, "partition-spec": SPEC, properties: { a: "b" } };
    await iceberg("/namespaces/ice/tables", body);
  }
  const snapshot = {
    "sequence-number": 1,
    "timestamp-ms": Date.now(),
    "manifest-list": "file:///nowhere/x.avro",
    "schema-id": 0,
    summary: {
      operation: "append",
      "total-records": "12",
      "total-files-size": "9007199254740993",
      "total-data-files": "many",
    },
  };
  await iceberg(
    "/namespaces/ice/tables/cores",
    `{"requirements":[],"updates":[{"action":"add-snapshot","snapshot":{"snapshot-id":${ID},` +
      `${JSON.stringify(snapshot).slice(1)}},{"action":"set-snapshot-ref","ref-name":"main",` +
      `"type":"branch","snapshot-id":${ID}}]}`,
  );
  await served.done("POST", "/catalogs/lake/namespaces/ice/tables", {
    name: "other",
    format: "DELTA",
    location: "file:///tmp/other",
  });
});
afterAll(async () => {
  await served.firn.close();
});

test("home tells catalogs, what changed just now by the minute, and what goes soon", async () => {
  await iceberg("/namespaces/ice/tables", { name: "gone", schema: SCHEMA });
  await served.done("DELETE", "/catalogs/lake/namespaces/ice/tables/gone");
  const home = await served.done<Home>("GET", "/home");
  expect(home.catalogs.map(({ name }) => name)).toEqual(["default", "lake"]);
  expect(home.minutes.length).toBe(30);
  const counted = home.minutes.reduce((sum, { changes }) => sum + changes, 0);
  expect(counted).toBe(home.changes.length);
  expect(home.changes.map(({ operation }) => operation)).toContain("create-catalog");
  const times = home.changes.map(({ time }) => time);
  expect(times).toEqual([...times].sort().reverse());
  expect(home.dropped.map(({ name }) => name)).toEqual(["gone"]);
  expect([home.failedJobs, home.isPartial]).toEqual([[], false]);
  const names = home.names.map(({ type, catalog, namespace = [], name }) =>
    [type, ...(catalog === undefined ? [] : [catalog]), ...namespace, name].join(" "),
  );
  expect(names.toSorted()).toEqual([
    "catalog default",
    "catalog lake",
    "namespace lake ice deep deep",
    "namespace lake ice ice",
    "table lake ice cores",
    "table lake ice empty",
    "table lake ice other",
  ]);
  expect([home.hours?.length, home.days?.length]).toEqual([24, 30]);
  const commits = home.hours?.reduce((sum, hour) => sum + hour.commits, 0) ?? 0;
  // What this file has written so far: two changes more were made at the start, by no request.
  expect([commits, counted]).toEqual([9, 11]);
});

test("a page of a catalog has its top level; of a namespace all that is in it", async () => {
  const catalog = await served.done<CatalogPage>("GET", "/catalogs/lake:page");
  expect(catalog.catalog.name).toBe("lake");
  expect(catalog.namespaces.map(({ path }) => path)).toEqual([["ice"]]);
  const page = await served.done<NamespacePage>("GET", "/catalogs/lake/namespaces/ice:page");
  expect(page.namespaces.map(({ path }) => path)).toEqual([["ice", "deep"]]);
  const lines = page.tables.map(({ name, rows, bytes, files }) => [name, rows, bytes, files]);
  expect(lines).toEqual([
    ["cores", "12", "9007199254740993", undefined],
    ["empty", undefined, undefined, undefined],
    ["other", undefined, undefined, undefined],
  ]);
});

test("tables of a namespace come in pages; namespaces and views on the first alone", async () => {
  const path = "/catalogs/lake/namespaces/ice:page?pageSize=2";
  const first = await served.done<NamespacePage>("GET", path);
  expect([first.tables.length, first.namespaces.length]).toEqual([2, 1]);
  const token = encodeURIComponent(first.nextPageToken ?? "");
  const second = await served.done<NamespacePage>("GET", `${path}&pageToken=${token}`);
  expect([second.tables.map(({ name }) => name), second.namespaces]).toEqual([["other"], []]);
  expect(second.nextPageToken).toBeUndefined();
});

test("a page of an Iceberg table tells its schemas, references and snapshots", async () => {
  const at = "/catalogs/lake/namespaces/ice/tables";
  const { table, iceberg: told } = await served.done<TablePage>("GET", `${at}/cores:page`);
  expect(table.name).toBe("cores");
  expect(told?.schemas).toEqual([
    {
      schemaId: 0,
      fields: [
        { id: 1, name: "at", type: "timestamptz", required: true, doc: "when" },
        { id: 2, name: "place", type: "struct", required: false },
        { id: 3, name: "place.lat", type: "double", required: true },
      ],
    },
  ]);
  expect([told?.partition, told?.sort]).toEqual([["day(at)"], []]);
  expect(told?.properties).toMatchObject({ a: "b" });
  expect(told?.refs).toEqual([{ name: "main", type: "branch", snapshotId: String(ID) }]);
  expect(told?.snapshots.map(({ snapshotId }) => snapshotId)).toEqual([String(ID)]);
  const other = await served.done<TablePage>("GET", `${at}/other:page`);
  expect([other.table.format, other.iceberg]).toEqual(["DELTA", undefined]);
  expect((await served.refused("GET", `${at}/nothing:page`)).code).toBe("TABLE_NOT_FOUND");
});

describe("a page of a view", () => {
  const at = "/catalogs/lake/namespaces/ice/views/melting:page";
  const version = (sql: string, more: object = {}) => ({
    "version-id": 1,
    "timestamp-ms": Date.now(),
    "schema-id": 0,
    summary: { engine: "spark" },
    "default-namespace": ["ice"],
    representations: [{ type: "sql", sql, dialect: "spark" }],
    ...more,
  });
  const commit = (...versions: readonly object[]) => {
    const add = versions.map((one) => ({ action: "add-view-version", "view-version": one }));
    const set = { action: "set-current-view-version", "view-version-id": -1 };
    return iceberg("/namespaces/ice/views/melting", { updates: [...add, set] });
  };

  test("tells its queries by version and dialect, the current version first", async () => {
    const schema = { type: "struct", fields: [{ id: 1, name: "n", required: true, type: "long" }] };
    await iceberg("/namespaces/ice/views", {
      name: "melting",
      schema,
      "view-version": version("SELECT 1 n"),
      properties: { a: "b" },
    });
    const texts = [
      { type: "sql", sql: "SELECT 2 n", dialect: "spark" },
      { type: "sql", sql: "SELECT BIGINT '2' n", dialect: "trino" },
    ];
    await commit(version("", { representations: texts, "default-catalog": "lake" }));
    const page = await served.done<ViewPage>("GET", at);
    expect([page.view.name, page.properties, page.versionCount]).toEqual([
      "melting",
      { a: "b" },
      2,
    ]);
    expect(page.currentVersionId).toBe(2);
    expect(page.versions.map(({ versionId }) => versionId)).toEqual([2, 1]);
    const [now, before] = page.versions;
    expect(now?.texts).toEqual(texts.map(({ sql, dialect }) => ({ dialect, sql })));
    expect([now?.defaultCatalog, now?.defaultNamespace]).toEqual(["lake", ["ice"]]);
    expect(now?.summary).toEqual({ engine: "spark" });
    expect(now?.schema.fields).toEqual([{ id: 1, name: "n", type: "long", required: true }]);
    expect(before?.texts).toEqual([{ dialect: "spark", sql: "SELECT 1 n" }]);
    expect(before?.defaultCatalog).toBeUndefined();
    expect((await served.refused("GET", at.replace("melting", "none"))).code).toBe(
      "VIEW_NOT_FOUND",
    );
  });

  test("is bounded, whatever the view holds", async () => {
    await iceberg("/namespaces/ice/views/melting", {
      updates: [
        {
          action: "set-properties",
          updates: {
            "version.history.num-entries": "100",
            "replace.drop-dialect.allowed": "true",
          },
        },
      ],
    });
    const text = (i: number) => `SELECT ${i} /* ${"\u{1f9ca}".repeat(32_762)}x`;
    const many = Array.from({ length: 30 }, (_, i) => version(text(i + 100)));
    for (let i = 0; i < many.length; i += 5) await commit(...many.slice(i, i + 5));
    const page = await served.done<ViewPage>("GET", at);
    expect([page.versionCount, page.versions.length]).toEqual([32, 21]);
    expect(page.versions[0]?.versionId).toBe(page.currentVersionId);
    const texts = page.versions.flatMap((one) => one.texts);
    const total = texts.reduce((sum, { sql }) => sum + sql.length, 0);
    expect(total).toBeGreaterThan(1_000_000);
    expect(total).toBeLessThanOrEqual(1_048_576);
    expect(texts[0]?.isCut).toBe(true);
    expect(text(129).startsWith(texts[0]?.sql ?? "no")).toBe(true);
    expect(texts.every(({ sql }) => sql.isWellFormed())).toBe(true);
  });
});
