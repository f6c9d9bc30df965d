import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { VirtualRelation, VirtualScan } from "../../src/sql/catalog/virtual.ts";
import { openServer, type TestServer } from "../pgwire/wire-client.ts";

let server: TestServer;
let client: pg.Client;
let scans: VirtualScan[];
/** What happens while a scan begins. */
let underway: () => Promise<unknown>;

/** Numbers and their names, in two batches. */
const digits: VirtualRelation = {
  schema: "pg_catalog",
  name: "digits",
  oid: 77,
  columns: [
    { name: "n", oid: 23 },
    { name: "name", oid: 25 },
  ],
  scan: async function* scan(request) {
    scans.push(request);
    await underway();
    yield [
      [1, "one"],
      [2, "two"],
    ];
    yield [];
    yield [[3, "three"]];
  },
};

beforeEach(async () => {
  scans = [];
  underway = async () => undefined;
  server = await openServer(undefined, {
    find: (schema, name) => (schema === "pg_catalog" && name === "digits" ? digits : undefined),
  });
  client = new pg.Client({ host: "127.0.0.1", port: server.port, user: "tester" });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await server.close();
  expect(server.defects).toEqual([]);
});

describe("a virtual relation", () => {
  it("is read by its name, with and without its schema", async () => {
    const { rows, fields } = await client.query("select d.* from pg_catalog.digits d where n > 1");
    expect(rows).toEqual([
      { n: 2, name: "two" },
      { n: 3, name: "three" },
    ]);
    expect(fields.map(({ tableID, columnID }) => [tableID, columnID])).toEqual([
      [77, 1],
      [77, 2],
    ]);
    const counted = await client.query("select count(*)::int as c from digits");
    expect(counted.rows).toEqual([{ c: 3 }]);
  });

  it("hears which columns are read, and which values they are compared with", async () => {
    await client.query("select n from digits where name in ('one', 'two')");
    await client.query("select 1 from digits where n = $1", [3]);
    expect(scans.map(({ needed }) => [...needed].sort())).toEqual([[0, 1], [0]]);
    expect(scans.map(({ equal }) => [...equal])).toEqual([[[1, ["one", "two"]]], [[0, [3]]]]);
  });

  it("lets a statement read one state, though another one commits meanwhile", async () => {
    await client.query("create table t (id int primary key)");
    await client.query("insert into t values (1)");
    const other = new pg.Client({ host: "127.0.0.1", port: server.port, user: "tester" });
    await other.connect();
    underway = () => other.query("insert into t values (2)");
    await client.query("set join_collapse_limit = 1");
    await client.query("begin isolation level read committed");
    const counts = "select (select count(*)::int from t where t.id > d.n - 9) as c";
    const { rows } = await client.query(`${counts} from t a cross join digits d`);
    await client.query("commit");
    await other.end();
    expect(rows).toEqual([{ c: 1 }, { c: 1 }, { c: 1 }]);
  });

  it("takes no changes", async () => {
    for (const sql of ["delete from digits", "insert into digits values (1)"]) {
      await expect(client.query(sql)).rejects.toMatchObject({ code: "42501" });
    }
  });
});
