import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openServer, type TestServer } from "../pgwire/wire-client.ts";

let server: TestServer;
let client: pg.Client;
const others: pg.Client[] = [];

async function connect(): Promise<pg.Client> {
  const one = new pg.Client({ host: "127.0.0.1", port: server.port, user: "tester" });
  await one.connect();
  others.push(one);
  return one;
}

beforeEach(async () => {
  server = await openServer();
  client = await connect();
});
afterEach(async () => {
  for (const one of others.splice(0)) await one.end();
  await server.close();
  expect(server.defects).toEqual([]);
});

async function state(sql: string, by: pg.Client = client): Promise<string> {
  return await by.query(sql).then(
    () => "done",
    (error: { code?: string }) => error.code ?? "no code",
  );
}

async function valid(name: string): Promise<unknown> {
  const text =
    "select indisvalid from pg_index i join pg_class c on c.oid = i.indexrelid where relname = $1";
  const { rows } = await client.query<{ indisvalid: boolean }>(text, [name]);
  return rows[0]?.indisvalid;
}

describe("an index that is built while others write", () => {
  it("CREATE INDEX CONCURRENTLY has the rows that were written meanwhile", async () => {
    await client.query("create table t (id int primary key, v int)");
    await client.query("insert into t select i, i % 50 from generate_series(1, 2500) i");
    const other = await connect();
    let isBuilt = false;
    let written = 0;
    const write = async (): Promise<void> => {
      for (let id = 1; !isBuilt; id = (id % 2_500) + 1) {
        await other.query("update t set v = v + 1 where id = $1", [id]);
        await other.query("insert into t values ($1, 7)", [10_000 + written]);
        written++;
      }
    };
    const writing = write();
    await client.query("create index concurrently t_v on t (v)");
    isBuilt = true;
    await writing;
    expect(written).toBeGreaterThan(0);
    expect(await valid("t_v")).toBe(true);
    const plan = await client.query("explain select id from t where v = 7");
    expect(JSON.stringify(plan.rows)).toContain("t_v");
    const byIndex = await client.query("select count(*) from t where v = 7");
    const byScan = await client.query("select count(*) from t where v + 0 = 7");
    expect(byIndex.rows).toEqual(byScan.rows);
  });

  it("leaves no index where two rows have one key", async () => {
    await client.query("create table t (id int primary key, v int)");
    await client.query("insert into t select i, i from generate_series(1, 900) i");
    await client.query("insert into t values (0, 450)");
    expect(await state("create unique index concurrently t_v on t (v)")).toBe("23505");
    expect(await valid("t_v")).toBeUndefined();
    await client.query("delete from t where id = 0");
    expect(await state("create unique index concurrently t_v on t (v)")).toBe("done");
    expect(await state("insert into t values (0, 450)")).toBe("23505");
    expect(await state("insert into t values (0, 450) on conflict (v) do nothing")).toBe("done");
  });

  it("is what a plain CREATE INDEX on a table of many rows makes", async () => {
    await client.query("create table t (id int primary key, v int)");
    await client.query("insert into t select i, i from generate_series(1, 22000) i");
    await client.query("create index t_v on t (v)");
    expect(await valid("t_v")).toBe(true);
    const found = await client.query("select id from t where v = 21999");
    expect(found.rows).toEqual([{ id: 21_999 }]);
    expect(await state("create index t_v on t (v)")).toBe("42P07");
  });

  it("stays part of a transaction block", async () => {
    await client.query("create table t (id int primary key, v int)");
    await client.query("begin");
    await client.query("insert into t values (1, 1)");
    await client.query("create index t_v on t (v)");
    expect(await state("create index concurrently t_w on t (v)")).toBe("25001");
    await client.query("rollback");
    expect(await valid("t_v")).toBeUndefined();
  });
});
