import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AdvicePage, Home } from "../../../src/api/page-operations.ts";
import { ADMIN_KEY, Team } from "../../service/access/support.ts";

const SCHEMA = {
  type: "struct",
  fields: [{ id: 1, name: "a", required: false, type: "long" }],
};
const AT = "/iceberg/v1/default/namespaces";

let team: Team;
let reader: string;

async function table(namespace: string, name: string, files: number): Promise<void> {
  await team.admin("POST", `${AT}/${namespace}/tables`, { name, schema: SCHEMA });
  const summary = {
    operation: "append",
    "total-records": "5000",
    "total-data-files": String(files),
    "total-files-size": String(files * 1_000_000),
  };
  const snapshot = {
    "snapshot-id": 1,
    "sequence-number": 1,
    "timestamp-ms": Date.now(),
    "manifest-list": "file:///nowhere/x.avro",
    summary,
  };
  const ref = { "ref-name": "main", type: "branch", "snapshot-id": 1 };
  await team.admin("POST", `${AT}/${namespace}/tables/${name}`, {
    requirements: [],
    updates: [
      { action: "add-snapshot", snapshot },
      { action: "set-snapshot-ref", ...ref },
    ],
  });
}

/** All pages; the first one alone counts. */
async function walk(key: string, pageSize: number) {
  const names: string[] = [];
  let looked = 0;
  let pages = 0;
  let counted: number | undefined;
  let token: string | undefined;
  do {
    const more = token === undefined ? "&count=true" : `&pageToken=${token}`;
    const path = `/api/v1/advice?pageSize=${pageSize}${more}`;
    const { status, body } = await team.ask(key, "GET", path);
    expect(status).toBe(200);
    const page = body as unknown as AdvicePage;
    counted ??= page.tables;
    expect(page.looked).toBeLessThanOrEqual(pageSize);
    for (const { catalog, namespace = [], name, findings } of page.items) {
      names.push([catalog, ...namespace, name, ...findings].join(" "));
    }
    looked += page.looked;
    pages++;
    token = page.nextPageToken;
  } while (token !== undefined);
  return { names, looked, pages, counted };
}

const TINY = ["default a tiny SMALL_FILES", "default b tiny SMALL_FILES"];

describe("advice over all tables", () => {
  beforeAll(async () => {
    team = await Team.open();
    for (const namespace of ["a", "b"]) {
      await team.namespace(namespace);
      await table(namespace, "tiny", 40);
      for (let i = 0; i < 12; i++) await table(namespace, `few${i}`, 2);
    }
    const other = { name: "other", format: "OTHER", location: "file:///tmp/x" };
    await team.admin("POST", "/api/v1/catalogs/default/namespaces/b/tables", other);
    reader = await team.principal("reader");
    await team.grant("reader", ["read-metadata"], {
      catalog: "default",
      namespace: ["b"],
      name: "tiny",
    });
    await team.grant("reader", ["see"], { catalog: "default", namespace: ["a"] });
  });
  afterAll(() => team.firn.close());

  test("every table is looked at once, in pages of any size", async () => {
    for (const pageSize of [1_000, 7, 1]) {
      const found = await walk(ADMIN_KEY, pageSize);
      expect(found).toMatchObject({ names: TINY, looked: 27, counted: 27 });
      if (pageSize === 1) expect(found.pages).toBeGreaterThan(27);
    }
  });

  test("one that may be known of but not read is looked at, and says nothing", async () => {
    const found = await walk(reader, 5);
    expect(found).toMatchObject({ names: TINY.slice(1), looked: 14, counted: 14 });
  });

  test("home has the first page of it, and where it goes on", async () => {
    const { body } = await team.ask(ADMIN_KEY, "GET", "/api/v1/home");
    const { advice } = body as unknown as Home;
    expect(advice.items).toMatchObject([{ name: "tiny", namespace: ["a"] }]);
    expect(advice.looked).toBeLessThan(16);
    const next = `/api/v1/advice?pageToken=${advice.nextPageToken}`;
    const rest = (await team.ask(ADMIN_KEY, "GET", next)).body as unknown as AdvicePage;
    expect(rest.items).toMatchObject([{ name: "tiny", namespace: ["b"] }]);
    expect([rest.looked + advice.looked, rest.nextPageToken]).toEqual([27, undefined]);
  });
});
