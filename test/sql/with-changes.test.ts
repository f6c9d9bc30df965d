import type pg from "pg";
import { describe, expect, it } from "vitest";
import { failureOf, pgClients, rowsOf } from "../pgwire/pg-clients.ts";
import { bind, execute, parse, query, SYNC, valuesOf } from "../pgwire/wire-client.ts";

/*
 * What answers of PostgreSQL 15 do not tell alone (`test/fixtures/sql/queries/with-changes.sql`
 * has these): other sessions, the protocol, plans.
 */

let a: pg.Client;
let b: pg.Client;
const clients = pgClients(async () => {
  a = await clients.connect();
  b = await clients.connect();
  await a.query("create table t (id int primary key, n int)");
  await a.query("insert into t select i, i * 10 from generate_series(1, 5) i");
  await a.query("create table log (id int primary key)");
});

/** Whether an answer has not come by now. */
async function waits(answer: Promise<unknown>): Promise<boolean> {
  const late = new Promise((resolve) => setTimeout(() => resolve("late"), 60));
  return (await Promise.race([answer.then(() => "there"), late])) === "late";
}

async function plan(text: string): Promise<readonly string[]> {
  const { rows } = await a.query<[string]>({ text, rowMode: "array" });
  return rows.map(([line]) => line);
}

describe("WITH that changes rows", () => {
  it("reads one state in READ COMMITTED, whatever others commit during a wait", async () => {
    await a.query("begin isolation level read committed");
    await a.query("update t set n = 0 where id = 1; insert into log values (1)");
    await b.query("begin isolation level read committed");
    const text =
      "with u as (update t set n = n + 1 where id = 1 returning n) " +
      "select (select n from u), (select count(*) from log), (select n from t where id = 1)";
    const answer = rowsOf(b, text);
    expect(await waits(answer)).toBe(true);
    await a.query("commit");
    // The locked row is the newest one, as PostgreSQL has it; what is read is of the beginning.
    expect(await answer).toBe("1,0,10");
    expect(await rowsOf(b, "select n, (select count(*) from log) from t where id = 1")).toBe("1,1");
    await b.query("commit");
    expect(await rowsOf(a, "select n from t where id = 1")).toBe("1");
  });

  it("does all of it again where a conflict undid it, each part once", async () => {
    await a.query("begin; update t set n = 0 where id = 1");
    const text =
      "with u as (update t set n = n + 1 where id = 1 returning n), " +
      "l as (insert into log select count(*) from t) select n from u";
    const answer = rowsOf(b, text);
    expect(await waits(answer)).toBe(true);
    await a.query("insert into t values (6, 0); commit");
    expect(await answer).toBe("1");
    expect(await rowsOf(a, "select * from log")).toBe("6");
  });

  it("is undone as a whole", async () => {
    const text = "with l as (insert into log values (1)) insert into t values (1, 1)";
    expect(await failureOf(a, text)).toMatch(/^23505/);
    await a.query("begin; savepoint s");
    expect(await failureOf(a, text)).toMatch(/^23505/);
    await a.query("rollback to s");
    expect(await rowsOf(a, "select count(*) from log")).toBe("0");
    await a.query("with l as (insert into log values (2) returning id) select * from l; commit");
    expect(await rowsOf(b, "select * from log")).toBe("2");
  });

  it("is done at the first Execute, however few rows that asks for", async () => {
    const client = clients.server.client();
    await client.start();
    const text =
      "with l as (insert into log select id from t where id > $1 returning id), " +
      "d as (delete from t where id = 1) select id from l order by id";
    client.send(query("begin"), parse("", text), bind("", "", ["2"]), execute("", 1), SYNC);
    await client.untilReady();
    const answers = await client.untilReady();
    const told = answers.map(({ type }) => type).join("");
    expect(told).toBe("12DsZ");
    expect(answers.filter(({ type }) => type === "D").map(valuesOf)).toEqual([["3"]]);
    client.send(query("commit"));
    await client.untilReady();
    expect(await rowsOf(a, "select id from log order by id")).toBe("3 4 5");
    expect(await rowsOf(a, "select min(id) from t")).toBe("2");
  });

  it("counts in the tag what its main statement did", async () => {
    const { command, rowCount } = await a.query(
      "with d as (delete from t where id > 1) update t set n = 7 where id = 1",
    );
    expect([command, rowCount]).toEqual(["UPDATE", 1]);
    expect(await rowsOf(a, "select * from t")).toBe("1,7");
  });

  it("locks what it read, so that others wait", async () => {
    await a.query("begin isolation level read committed");
    await a.query("with u as (update t set n = 1 where id = 1) select 1");
    expect(await failureOf(b, "select * from t where id = 1 for update nowait")).toMatch(/^55P03/);
    expect(await rowsOf(b, "select n from t where id = 2 for update nowait")).toBe("20");
    await a.query("rollback");
  });
});

describe("EXPLAIN of WITH that changes rows", () => {
  const text =
    "with d as (delete from t where id > 3 returning id), " +
    "l as (insert into log select id from d) select id from d";

  it("shows each part, and runs none", async () => {
    expect(await plan(`explain ${text}`)).toEqual([
      "CTE Scan on d",
      "  ->  CTE d",
      "        ->  Delete on t",
      "              ->  Index Scan using t_pkey on t",
      "                    Index Cond: (id > 3)",
      "  ->  CTE l",
      "        ->  Insert on log",
      "              ->  CTE Scan on d",
    ]);
    expect(await rowsOf(a, "select count(*) from t")).toBe("5");
  });

  it("ANALYZE runs all of it once, and tells rows", async () => {
    expect(await plan(`explain (analyze, timing off) ${text}`)).toEqual([
      "CTE Scan on d (actual rows=2)",
      "  ->  CTE d",
      "        ->  Delete on t (actual rows=2)",
      "              ->  Index Scan using t_pkey on t (actual rows=2)",
      "                    Index Cond: (id > 3)",
      "  ->  CTE l",
      "        ->  Insert on log (actual rows=0)",
      "              ->  CTE Scan on d (actual rows=2)",
    ]);
    expect(await rowsOf(a, "select count(*), (select count(*) from log) from t")).toBe("3,2");
  });

  it("shows the parts of a change too", async () => {
    const change = "with d as (delete from t where id = 1 returning id) delete from t using d";
    const lines = await plan(`explain ${change} where t.id = d.id + 1`);
    expect(lines.slice(0, 3)).toEqual(["Delete on t", "  ->  CTE d", "        ->  Delete on t"]);
  });
});

describe("foreign keys of a statement with several changes", () => {
  it("act at its end, when all parts have changed what they found", async () => {
    await a.query("create table parent (id int primary key)");
    await a.query(
      "create table child (id int primary key, p int references parent on delete set null)",
    );
    await a.query("insert into parent values (1), (2); insert into child values (1, 1), (2, 2)");
    const text =
      "with d as (delete from parent where id = 1 returning id) " +
      "update child set id = 10 from d where child.p = d.id returning child.id, child.p";
    expect(await rowsOf(a, text)).toBe("10,1");
    expect(await rowsOf(a, "select * from child order by id")).toBe("2,2 10,");
    const inserts =
      "with d as (delete from parent where id = 2 returning id) " +
      "insert into child select 3, id from d";
    expect(await failureOf(a, `begin; ${inserts}`)).toBe("done");
    expect(await rowsOf(a, "select * from child order by id")).toBe("2, 3, 10,");
    await a.query("commit");
  });
});
