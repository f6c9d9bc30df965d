import type pg from "pg";
import { describe, expect, it } from "vitest";
import { pgClients, rowsOf, stateOf } from "../pgwire/pg-clients.ts";
import { message, query, TEMPORARY_BYTES } from "../pgwire/wire-client.ts";

/** What PostgreSQL answers too is in `fixtures/sql/queries/temporary.sql`. */

let client: pg.Client;
const clients = pgClients(async () => {
  client = await clients.connect();
});

const rows = (text: string, on = client) => rowsOf(on, text);
const state = (text: string, on = client) => stateOf(on, text);

const LISTS = [
  "select relname from pg_class where relname in ('t', 't_pkey', 't_id_seq')",
  "select nspname from pg_namespace where nspname like 'pg_temp%'",
  "select table_name from information_schema.tables where table_name = 't'",
  "select column_name from information_schema.columns where table_name = 't'",
];

describe("a temporary table", () => {
  it("is seen by its own session alone", async () => {
    await client.query("create temp table t (id serial primary key, v text)");
    await client.query("insert into t (v) values ('mine')");
    const other = await clients.connect();
    expect(await state("select * from t", other)).toBe("42P01");
    expect(await state("select * from pg_temp_1.t", other)).toBe("42P01");
    expect(await state("insert into pg_temp_1.t values (1)", other)).toBe("42P01");
    expect(await state("drop table pg_temp_1.t", other)).toBe("42P01");
    expect(await state("select nextval('pg_temp_1.t_id_seq')", other)).toBe("42P01");
    for (const list of LISTS) expect(await rows(list, other)).toBe("");
    for (const list of LISTS) expect(await rows(list)).not.toBe("");
    await other.query("create temp table t (id serial primary key, v text)");
    await other.query("insert into t (v) values ('other')");
    expect(await rows("select * from t", other)).toBe("1,other");
    expect(await rows("select * from t")).toBe("1,mine");
    expect(await rows("select pg_my_temp_schema()::regnamespace", other)).toBe("pg_temp_2");
    expect(await rows("select nspname from pg_namespace where nspname like 'pg_temp%'")).toBe(
      "pg_temp_1",
    );
    expect(clients.server.names).toEqual([]);
  });

  it("ends with its session, which gives back memory and number", async () => {
    const other = await clients.connect();
    await other.query("create temp table t as select generate_series(1, 1000) as n");
    expect(clients.server.temporary.memory.held).toBeGreaterThan(100_000);
    await other.end();
    await expect.poll(() => clients.server.temporary.memory.held).toBe(0);
    await client.query("create temp table t (i int)");
    expect(await rows("select pg_my_temp_schema()::regnamespace")).toBe("pg_temp_1");
    expect(await rows("select * from t")).toBe("");
  });

  it("leaves nothing where its transaction is rolled back", async () => {
    await client.query("begin");
    await client.query("create temp table t as select generate_series(1, 1000) as n");
    expect(clients.server.temporary.memory.held).toBeGreaterThan(100_000);
    await client.query("rollback");
    expect(clients.server.temporary.memory.held).toBe(0);
    await client.query("create temp table t (n int primary key)");
    const before = clients.server.temporary.memory.held;
    await client.query("insert into t select generate_series(1, 1000)");
    await client.query("truncate t");
    await client.query("insert into t select generate_series(1, 1000)");
    await client.query("delete from t");
    expect(clients.server.temporary.memory.held).toBeLessThan(before + 1_000);
    await client.query("drop table t");
    expect(clients.server.temporary.memory.held).toBe(0);
  });

  it("stays apart from what is permanent", async () => {
    await client.query("create table p (id int primary key)");
    await client.query("create temp table p (id int primary key)");
    await client.query("create temp sequence s");
    await client.query("create sequence q");
    expect(await state("create table x (id int default nextval('s'))")).toBe("0A000");
    expect(await state("alter table public.p alter id set default nextval('s')")).toBe("0A000");
    expect(await state("create temp table y (id int default nextval('q'))")).toBe("done");
    expect(await state("alter sequence s set schema public")).toBe("0A000");
    expect(await state("alter sequence q set schema pg_temp")).toBe("0A000");
    expect(await state("alter table public.p set schema pg_temp")).toBe("0A000");
    expect(await state("alter table p set schema lake")).toBe("0A000");
    expect(await state("drop schema pg_temp_1")).toBe("42501");
    expect(await state("drop schema pg_temp cascade")).toBe("42501");
    expect(await state("drop index pg_temp.p_pkey")).toBe("2BP01");
    expect(await rows("insert into y default values returning id")).toBe("1");
    expect(clients.server.names).toEqual(["public.p"]);
  });

  it("takes rows of COPY", async () => {
    const wire = clients.server.client();
    await wire.start();
    wire.send(query("create temp table t (id int primary key, v text)"));
    await wire.untilReady();
    wire.send(query("copy t from stdin"));
    expect((await wire.next())?.type).toBe("G");
    wire.send(message("d", Buffer.from("1\tone\n2\ttwo\n")), message("c"));
    expect(tagOf(await wire.untilReady())).toBe("COPY 2");
    wire.send(query("copy (select v from t order by id desc) to stdout"));
    const told = (await wire.untilReady()).filter(({ type }) => type === "d");
    expect(told.map(({ body }) => body.toString()).join("")).toBe("two\none\n");
  });
});

function tagOf(answers: readonly { readonly type: string; readonly body: Buffer }[]): string {
  const done = answers.findLast(({ type }) => type === "C");
  return done?.body.toString().replace("\0", "") ?? "";
}

describe("views of temporary tables", () => {
  it("are temporary themselves", async () => {
    await client.query("create table p (id int)");
    await client.query("create temp table t (id int)");
    const notices: (string | undefined)[] = [];
    client.on("notice", ({ message }) => notices.push(message));
    expect(await state("create view v as select * from t")).toBe("done");
    expect(await state("create view w as select * from p join v using (id)")).toBe("done");
    expect(await state("create temp view x as select 1 as a")).toBe("done");
    expect(await state("create view pg_temp.y as select 1 as a")).toBe("done");
    expect(await state("create view z as select * from p")).toBe("done");
    expect(notices).toEqual(["v", "w"].map((name) => `view "${name}" will be a temporary view`));
    const kept = "select relname from pg_class where relkind = 'v' and relname < 'zz' and";
    expect(await rows(`${kept} relpersistence = 't' order by 1`)).toBe("v w x y");
    expect(await rows(`${kept} relname = 'z' and relpersistence = 'p'`)).toBe("z");
    const other = await clients.connect();
    await expect(other.query("select * from x")).rejects.toMatchObject({ code: "42P01" });
    expect((await other.query("select count(*)::int as n from z")).rows).toEqual([{ n: 0 }]);
    expect(await state("create type pg_temp.e as enum ('a')")).toBe("0A000");
    expect(await state("create materialized view m as select * from t")).toBe("0A000");
    expect(await state("create materialized view m as select * from v")).toBe("0A000");
    expect(await state("create view public.q as select * from t")).toBe("42P16");
    expect(await state("alter view v set schema public")).toBe("0A000");
    expect(await state("alter view z set schema pg_temp")).toBe("0A000");
    await client.query("discard temp");
    expect(await state("select * from x")).toBe("42P01");
    expect(await rows("select count(*) from z")).toBe("0");
    expect(clients.server.temporary.memory.held).toBe(0);
  });

  it("go with their table at a commit", async () => {
    await client.query("begin; create temp table t (id int) on commit drop");
    await client.query("create view v as select * from t; create view w as select * from v");
    await client.query("create temp view x as select 1 as a");
    expect(await rows("select count(*) from w")).toBe("0");
    await client.query("commit");
    expect(await state("select * from v")).toBe("42P01");
    expect(await state("select * from w")).toBe("42P01");
    expect(await rows("select a from x")).toBe("1");
    const left = "select relname from pg_class where relkind = 'v' and relpersistence = 't'";
    expect(await rows(left)).toBe("x");
  });
});

describe("memory of temporary tables", () => {
  /** Few long rows: bytes are counted, and many short ones take longer. */
  const filledBy = (count: number): string =>
    `insert into t select i, repeat('x', 8000) from generate_series(1, ${count}) i`;
  const fill = filledBy(12_500);

  it("is bounded: 53200, and what was there stays", async () => {
    await client.query("create temp table t (i int, v text)");
    await client.query("insert into t values (0, 'kept')");
    expect(await state(fill)).toBe("53200");
    expect(await rows("select * from t")).toBe("0,kept");
    await client.query("begin");
    await client.query("savepoint a");
    expect(await state(fill)).toBe("53200");
    await client.query("rollback to a");
    await client.query("insert into t values (1, 'after')");
    await client.query("commit");
    expect(await rows("select count(*) from t")).toBe("2");
    expect(clients.server.temporary.memory.held).toBeLessThan(10_000);
  });

  it("is bounded for all sessions together", async () => {
    const half = filledBy(6_000);
    await client.query("create temp table t (i int, v text)");
    await client.query(half);
    const other = await clients.connect();
    await other.query("create temp table t (i int, v text)");
    expect(await state(half, other)).toBe("53200");
    expect(await rows("select count(*) from t", other)).toBe("0");
    await client.query("truncate t");
    expect(await state(half, other)).toBe("done");
    expect(clients.server.temporary.memory.held).toBeLessThanOrEqual(TEMPORARY_BYTES);
  });

  it("counts what savepoints keep", async () => {
    await client.query("create temp table t (i int, v text)");
    await client.query("begin");
    const part = filledBy(2_500);
    const states: string[] = [];
    for (let i = 0; i < 6 && states.at(-1) !== "53200"; i++) {
      await client.query(`savepoint s${i}`);
      states.push(await state(part));
      if (states.at(-1) === "done") await client.query("delete from t");
    }
    expect(states.at(-1)).toBe("53200");
    await client.query("rollback");
    expect(clients.server.temporary.memory.held).toBeLessThan(10_000);
  });
});

describe("temporary beside permanent tables", () => {
  it("moves rows once, whoever is in the way", async () => {
    await client.query("create table total (id int primary key, n int)");
    await client.query("insert into total values (1, 0)");
    const others = await Promise.all([1, 2, 3, 4].map(() => clients.connect()));
    await Promise.all(
      others.map(async (one, i) => {
        await one.query(`create temp table step as select ${i + 1} as by`);
        for (let n = 0; n < 25; n++) await one.query("update total set n = n + by from step");
      }),
    );
    expect(await rows("select n from total")).toBe("250");
  });

  it("takes both back where others have changed what it read", async () => {
    await client.query("create table seen (id int primary key, n int)");
    await client.query("insert into seen values (1, 1)");
    await client.query("create temp table t (n int)");
    await client.query("begin isolation level serializable");
    await client.query("insert into t select n from seen");
    const other = await clients.connect();
    await other.query("update seen set n = 2");
    await client.query("insert into seen select n + 1, n from t");
    expect(await state("commit")).toBe("40001");
    expect(await rows("select count(*) from t")).toBe("0");
    expect(await rows("select * from seen")).toBe("1,2");
    for (const level of ["read committed", "repeatable read"]) {
      await client.query(`begin isolation level ${level}`);
      await client.query("insert into t values (7)");
      await other.query("update seen set n = n + 1");
      await client.query("select * from seen");
      await client.query("commit");
    }
    expect(await rows("select n from t")).toBe("7 7");
  });

  it("comes first for statements that were prepared before it was there", async () => {
    await client.query("create table t (n int)");
    await client.query("insert into t values (1)");
    const named = { name: "reads", text: "select n from t", rowMode: "array" as const };
    expect((await client.query<unknown[]>(named)).rows).toEqual([[1]]);
    for (let i = 0; i < 3; i++) expect(await rows("select n + 0 from t")).toBe("1");
    await client.query("create temp table t (n int)");
    await client.query("insert into t values (2)");
    expect((await client.query<unknown[]>(named)).rows).toEqual([[2]]);
    expect(await rows("select n + 0 from t")).toBe("2");
    await client.query("drop table t");
    expect((await client.query<unknown[]>(named)).rows).toEqual([[1]]);
    expect(await rows("select n + 0 from t")).toBe("1");
  });
});
