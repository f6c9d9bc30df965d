import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openServer, type TestServer } from "../pgwire/wire-client.ts";

let server: TestServer;
let client: pg.Client;

beforeEach(async () => {
  server = await openServer();
  client = new pg.Client({ host: "127.0.0.1", port: server.port, user: "tester" });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await server.close();
  expect(server.defects).toEqual([]);
});

async function state(sql: string): Promise<string> {
  return await client.query(sql).then(
    () => "done",
    (error: { code?: string }) => error.code ?? "no code",
  );
}

async function value(sql: string): Promise<unknown> {
  const { rows } = await client.query<[unknown]>({ text: sql, rowMode: "array" });
  return rows[0]?.[0];
}

describe("foreign keys of one statement", () => {
  it("may refer to rows that it writes later", async () => {
    await client.query("create table node (id int primary key, next int references node)");
    await client.query("create index on node (next)");
    const chain = "select n, nullif(n + 1, 601) from generate_series(1, 600) n";
    for (const [begin, end] of [
      ["select 1", "select 1"],
      ["begin isolation level read committed", "commit"],
    ] as const) {
      await client.query(begin);
      await client.query(`insert into node ${chain}`);
      await client.query("update node set id = id + 5000, next = next + 5000");
      expect(await value("select min(next)::int from node")).toBe(5_002);
      expect((await client.query("delete from node")).rowCount).toBe(600);
      await client.query(end);
    }
  });

  it("must hold when it ends", async () => {
    await client.query("create table node (id int primary key, next int references node)");
    expect(await state("insert into node values (1, 2), (2, 3)")).toBe("23503");
    expect(await state("insert into node values (1, 2), (2, 1)")).toBe("done");
    expect(await state("delete from node where id = 1 returning id")).toBe("23503");
    await client.query("begin");
    expect(await state("delete from node where id = 1")).toBe("23503");
    expect(await state("select 1")).toBe("25P02");
    await client.query("rollback; begin; savepoint a");
    expect(await state("insert into node values (7, 8)")).toBe("23503");
    await client.query("rollback to a; insert into node values (9, 9); commit");
    expect(await value("select count(*)::int from node")).toBe(3);
  });
});

describe("ADD FOREIGN KEY", () => {
  it("may refer to the table itself, whose rows are checked", async () => {
    await client.query("create table t (id int primary key, up int)");
    await client.query("insert into t values (1, null), (2, 1)");
    const add = "alter table t add constraint up foreign key (up) references t";
    expect(await state(add)).toBe("done");
    expect(await state("insert into t values (3, 9)")).toBe("23503");
    expect(await state("delete from t where id = 1")).toBe("23503");
    await client.query("alter table t drop constraint up; insert into t values (3, 9)");
    expect(await state(add)).toBe("23503");
    await client.query("delete from t where id = 3");
    expect(await state(`${add}, add column n int default 5`)).toBe("done");
    expect(await value("select sum(n)::int from t")).toBe(10);
  });
});

describe("SET CONSTRAINTS", () => {
  it("defers what is deferrable, and checks it when it is immediate again", async () => {
    await client.query("create table a (id int primary key)");
    await client.query(`create table b (
      one int constraint one references a deferrable,
      two int constraint two references a)`);
    await client.query("begin; set constraints all deferred; insert into b (one) values (1)");
    await client.query("insert into a values (1); commit");
    await client.query(
      "begin; set constraints public.one deferred; insert into b (one) values (2)",
    );
    expect(await state("set constraints one immediate")).toBe("23503");
    await client.query("rollback; begin; set constraints one deferred");
    await client.query("insert into b (one) values (3)");
    expect(await state("commit")).toBe("23503");
    expect(await state("set constraints two deferred")).toBe("42809");
    expect(await state("set constraints three deferred")).toBe("42704");
    expect(await value("select count(*)::int from b")).toBe(1);
  });
});

describe("ADD COLUMN", () => {
  it("computes a generated column for all rows", async () => {
    await client.query("create table t (id int primary key, n int)");
    await client.query("insert into t values (1, 10), (2, null)");
    await client.query("alter table t add column twice int generated always as (n * 2) stored");
    await client.query("insert into t values (3, 7)");
    expect(await value("select array_agg(twice order by id) from t")).toEqual([20, null, 14]);
    expect(await state("alter table t add x int generated always as (y) stored")).toBe("42703");
    expect(await state("alter table t add x int default 1 generated always as (n) stored")).toBe(
      "42601",
    );
    expect(await state("insert into t values (4, 1, 2)")).toBe("428C9");
  });
});
