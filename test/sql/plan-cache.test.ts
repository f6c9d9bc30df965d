import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Statement } from "../../src/sql/parse/statement.ts";
import type { Plan } from "../../src/sql/plan/plan.ts";
import type { SqlSession } from "../../src/sql/session/session.ts";
import { openServer, type TestServer } from "../pgwire/wire-client.ts";

let server: TestServer;
let client: pg.Client;
let session: SqlSession;

beforeEach(async () => {
  server = await openServer();
  client = await connected();
  session = server.sessions[0] as SqlSession;
  await client.query(
    `create table t (id int primary key, name text, at timestamptz);
     insert into t values (1, 'one', '2024-01-01 00:00+00')`,
  );
});
afterEach(async () => {
  await client.end();
  await server.close();
  expect(server.defects).toEqual([]);
});

async function connected(): Promise<pg.Client> {
  const one = new pg.Client({ host: "127.0.0.1", port: server.port, user: "tester" });
  await one.connect();
  return one;
}

async function planned(text: string, types: readonly number[] = []): Promise<Plan> {
  const [statement] = await session.parse(text);
  const { plan } = await session.prepare(statement as Statement, types);
  await session.sync();
  return plan;
}

/** Whether a text that is sent again is run by the plan that was made the second time. */
async function isKept(text: string, types?: readonly number[]): Promise<boolean> {
  await planned(text, types);
  const first = await planned(text, types);
  return first === (await planned(text, types));
}

async function values(text: string, parameters?: unknown[]): Promise<unknown[]> {
  const { rows } = await client.query({
    text,
    rowMode: "array",
    ...(parameters && { values: parameters }),
  });
  return rows.flat();
}

/** What a statement gives before a change and after it. */
async function around(text: string, change: () => Promise<unknown>): Promise<unknown[]> {
  for (let i = 0; i < 2; i++) await values(text);
  const before = await values(text);
  await change();
  return [...before, ...(await values(text))];
}

describe("plans of texts that are sent again", () => {
  it("are made once, for queries and changes of tables", async () => {
    expect(await isKept("select * from t where id = 1")).toBe(true);
    expect(await isKept("select * from t where id = $1")).toBe(true);
    expect(await isKept("insert into t values ($1, $2)")).toBe(true);
    expect(await isKept("update t set name = $1 where id = 1")).toBe(true);
    expect(await isKept("delete from t where id = $1")).toBe(true);
    expect(await isKept("select 1 + 1")).toBe(true);
  });

  it("are made again for other types of parameters and after a SET", async () => {
    const text = "select $1 = id from t";
    await planned(text, [23]);
    const first = await planned(text, [23]);
    expect(await planned(text, [20])).not.toBe(first);
    expect(await isKept(text, [20])).toBe(true);
    const before = await planned(text);
    await client.query("set timezone = 'Asia/Tokyo'");
    expect(await planned(text)).not.toBe(before);
  });

  it("are for once where they rest on more than tables", async () => {
    await client.query("create view v as select * from t; create type mood as enum ('sad')");
    expect(await isKept("select * from v")).toBe(false);
    expect(await isKept("select 'sad'::mood")).toBe(false);
    expect(await isKept("select 'now'::timestamptz")).toBe(false);
    expect(await isKept("select id from t where at < 'today'")).toBe(false);
    expect(await isKept("select count(*) from pg_class")).toBe(false);
    expect(await isKept("select * into u from t")).toBe(false);
  });
});

describe("names in plans that are kept", () => {
  it("mean the tables that names mean now", async () => {
    const text = "select name from t where id = 1";
    const swap = async () => {
      await client.query(
        `create table u (id int primary key, name text); insert into u values (1, 'two');
         alter table t rename to old`,
      );
      await client.query("alter table u rename to t");
    };
    expect(await around(text, swap)).toEqual(["one", "two"]);
    const other = await connected();
    try {
      const remake = async () => {
        await other.query(
          `drop table t; create table t (id int primary key, name text);
           insert into t values (1, 'three')`,
        );
      };
      expect(await around(text, remake)).toEqual(["two", "three"]);
      const alter = async () => {
        await other.query("alter table t drop name, add name int default 4");
      };
      expect(await around(text, alter)).toEqual(["three", 4]);
    } finally {
      await other.end();
    }
    await client.query("drop table t");
    await expect(client.query(text)).rejects.toMatchObject({ code: "42P01" });
  });

  it("see a search path, and what a transaction has changed in it", async () => {
    await client.query(
      `create table lake.w (id int primary key, name text); insert into lake.w values (1, 'lake');
       create table public.w (id int primary key, name text);
       insert into public.w values (1, 'public')`,
    );
    const text = "select name from w where id = 1";
    const set = (): Promise<unknown> => client.query("set search_path = lake, public");
    expect(await around(text, set)).toEqual(["public", "lake"]);
    const drop = (): Promise<unknown> => client.query("begin; drop table lake.w");
    expect(await around(text, drop)).toEqual(["lake", "public"]);
    expect(await around(text, () => client.query("rollback"))).toEqual(["public", "lake"]);
    await client.query("alter table lake.w rename to x");
    const shadow = (): Promise<unknown> => client.query("alter table lake.x rename to w");
    expect(await around(text, shadow)).toEqual(["public", "lake"]);
  });

  it("are not those of a table that was made in the place of theirs, and rolled back", async () => {
    const text = "select name from t where id = 1";
    await client.query("prepare p as select name from t where id = 1");
    const remade = (): Promise<unknown> =>
      client.query(
        `begin; drop table t; create table t (id int primary key, name text);
         insert into t values (1, 'new')`,
      );
    expect(await around(text, remade)).toEqual(["one", "new"]);
    expect(await values("execute p")).toEqual(["new"]);
    expect(await around(text, () => client.query("rollback"))).toEqual(["new", "one"]);
    expect(await values("execute p")).toEqual(["one"]);
  });

  it("EXECUTE runs a new plan where its tables have changed", async () => {
    await client.query("prepare p as select name from t where id = 1");
    await client.query("alter table t add column more int");
    expect(await values("execute p")).toEqual(["one"]);
    await client.query("alter table t drop name, add name int");
    await expect(client.query("execute p")).rejects.toMatchObject({ code: "0A000" });
  });
});

describe("statements that are sent again", () => {
  it("take the words for times anew", async () => {
    const text = "select extract(epoch from 'now'::timestamptz)::float8";
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      const before = Date.now() / 1_000;
      // Not the time of the transaction before.
      expect((await values(text))[0]).toBeGreaterThanOrEqual(before);
    }
  });

  it("run with each statement's parameters", async () => {
    const text = "select name from t where id = $1";
    expect(await values(text, [1])).toEqual(["one"]);
    expect(await values(text, [2])).toEqual([]);
    await client.query("insert into t values (2, 'two')");
    expect(await values(text, [2])).toEqual(["two"]);
  });
});
