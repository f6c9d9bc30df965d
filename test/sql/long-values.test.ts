import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openServer, type TestServer } from "../pgwire/wire-client.ts";

/** Longer than what a row holds itself. */
const LONG = 40_000;

let server: TestServer;
let client: pg.Client;
const clients: pg.Client[] = [];

async function connect(): Promise<pg.Client> {
  const one = new pg.Client({ host: "127.0.0.1", port: server.port, user: "tester" });
  await one.connect();
  clients.push(one);
  return one;
}

async function rows(sql: string, on: pg.Client = client): Promise<readonly unknown[][]> {
  return (await on.query<unknown[]>({ text: sql, rowMode: "array" })).rows;
}

beforeEach(async () => {
  server = await openServer();
  client = await connect();
  await client.query("create table t (id int primary key, kind text, body text, raw bytea)");
  await client.query(`insert into t
    select n, 'k' || n % 2, repeat(chr(96 + n), ${LONG} * n), null::bytea
    from generate_series(1, 4) n`);
});
afterEach(async () => {
  for (const one of clients.splice(0)) await one.end();
  await server.close();
  expect(server.defects).toEqual([]);
});

const SUMMARY = "select id, kind, left(body, 1), length(body), length(raw) from t order by id";

describe("SQL over long values", () => {
  it("reads, filters, joins, sorts, groups and compares them", async () => {
    expect(await rows("select id from t where body like 'b%' and length(body) > 9")).toEqual([[2]]);
    expect(await rows("select kind, max(length(body)) from t group by kind order by 1")).toEqual([
      ["k0", 4 * LONG],
      ["k1", 3 * LONG],
    ]);
    expect(await rows("select id from t order by body desc limit 2")).toEqual([[4], [3]]);
    expect(await rows("select a.id from t a join t b on a.body = b.body order by 1")).toHaveLength(
      4,
    );
    expect(await rows("select count(distinct body), count(*) from t")).toEqual([["4", "4"]]);
    const [[body]] = (await rows("select body from t where id = 3")) as [[string]];
    expect(body).toBe("c".repeat(3 * LONG));
  });

  it("writes them: UPDATE, RETURNING, ON CONFLICT, MERGE, DELETE, savepoints", async () => {
    await client.query("update t set kind = 'new' where id = 1");
    const returned = await rows("update t set body = body || 'x' where id = 2 returning body");
    expect(returned).toEqual([[`${"b".repeat(2 * LONG)}x`]]);
    await client.query(`insert into t values (3, 'c', repeat('z', ${LONG}), null)
      on conflict (id) do update set raw = convert_to(excluded.body || t.body, 'UTF8')`);
    await client.query("begin; savepoint s; delete from t where id = 4; rollback to s; commit");
    await client.query(`merge into t using (values (4)) s (id) on t.id = s.id
      when matched then update set id = 5`);
    expect(await rows(SUMMARY)).toEqual([
      [1, "new", "a", LONG, null],
      [2, "k0", "b", 2 * LONG + 1, null],
      [3, "k1", "c", 3 * LONG, 4 * LONG],
      [5, "k0", "d", 4 * LONG, null],
    ]);
    expect(await rows("delete from t where id = 5 returning length(body)")).toEqual([[4 * LONG]]);
  });

  it("changes a row that another session changes at the same time", async () => {
    const other = await connect();
    for (const level of ["read committed", "repeatable read"]) {
      await client.query(`begin isolation level ${level}`);
      await client.query("update t set body = body || '!' where id = 1");
      const waiting = other.query("update t set body = body || '?', kind = 'w' where id <= 2");
      await new Promise((resolve) => setTimeout(resolve, 100));
      await client.query("commit");
      await waiting;
    }
    const [[end]] = (await rows("select right(body, 4) from t where id = 1")) as [[string]];
    expect(end).toBe("!?!?");
    expect(await rows("select right(body, 3), kind from t where id = 2")).toEqual([["b??", "w"]]);
  });

  it("is read by a cursor as it was declared, whatever its transaction changes", async () => {
    for (const level of ["read committed", "serializable"]) {
      await client.query(`begin isolation level ${level}`);
      await client.query("insert into t values (9, 'own', repeat('i', 50000), null)");
      await client.query("declare c cursor for select id, left(body, 1) from t order by id");
      await client.query("fetch c");
      await client.query("update t set body = repeat('n', 60000)");
      expect(await rows("fetch all c")).toEqual([
        [2, "b"],
        [3, "c"],
        [4, "d"],
        [9, "i"],
      ]);
      await client.query("rollback");
    }
  });

  it("copies them to temporary tables, other types, and columns that are added", async () => {
    await client.query("create temp table s as select * from t");
    expect(await rows("select sum(length(body)) from s")).toEqual([[String(10 * LONG)]]);
    await client.query("update s set kind = 'x'; delete from s where id = 1");
    expect(await rows("select sum(length(body)) from s")).toEqual([[String(9 * LONG)]]);
    await client.query("alter table t alter column body type bytea using convert_to(body, 'UTF8')");
    await client.query("alter table t add column n int generated always as (length(body)) stored");
    expect(await rows("select id, n from t order by id desc limit 1")).toEqual([[4, 4 * LONG]]);
    await client.query("create index on t (n) include (body)");
    expect(await rows(`select id, length(body) from t where n > ${3 * LONG}`)).toEqual([
      [4, 4 * LONG],
    ]);
  });
});

describe("a long value in SQL", () => {
  it("is of a cursor's state where others commit between its rows", async () => {
    const other = await connect();
    await client.query(`insert into t
      select n, 'c', repeat('q', 3000000), null::bytea from generate_series(11, 16) n`);
    for (const level of ["read committed", "repeatable read"]) {
      await client.query(`begin isolation level ${level}`);
      await client.query("declare c cursor for select id, left(body, 1) from t where id > 10");
      expect(await rows("fetch 2 c")).toEqual([
        [11, "q"],
        [12, "q"],
      ]);
      await other.query("update t set body = repeat('n', 50000) where id > 10");
      // A statement of its own, which sees them at READ COMMITTED.
      await client.query("select count(*) from t");
      expect(await rows("fetch all c")).toEqual([13, 14, 15, 16].map((id) => [id, "q"]));
      await client.query("commit");
      await other.query("update t set body = repeat('q', 3000000) where id > 10");
    }
  });

  it("goes with rows that a foreign key deletes, and is locked with its row", async () => {
    await client.query(`create table p (id int primary key);
      create table u (id int primary key, p int references p on delete cascade, body text);
      insert into p values (1), (2);
      insert into u select n, n % 2 + 1, repeat('u', ${LONG}) from generate_series(1, 4) n`);
    await client.query("delete from p where id = 1");
    expect(await rows("select id, length(body) from u order by 1")).toEqual([
      [1, LONG],
      [3, LONG],
    ]);
    const locked = "select id, length(body) from u where p = 2 order by id for update";
    expect(await rows(locked)).toEqual([
      [1, LONG],
      [3, LONG],
    ]);
  });

  it("is refused in the key of an index, and found by the hash of an expression", async () => {
    // A key has 65,535 bytes.
    await client.query("update t set body = repeat('k', 70000) where id = 1");
    await expect(client.query("create index on t (body)")).rejects.toThrow(
      "a key has at most 65535 bytes",
    );
    await client.query("create index on t (md5(body))");
    const found = "select id from t where md5(body) = md5(repeat('k', 70000))";
    expect(await rows(found)).toEqual([[1]]);
  });
});
