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

async function rows(sql: string, by: pg.Client = client): Promise<readonly string[]> {
  const types = { getTypeParser: () => (value: string) => value };
  const answer = await by.query<(string | null)[]>({ text: sql, rowMode: "array", types });
  return answer.rows.map((row) => row.map((value) => value ?? "NULL").join("|"));
}

/** `done`, or the SQLSTATE of what is refused. */
async function state(sql: string, by: pg.Client = client): Promise<string> {
  return await by.query(sql).then(
    () => "done",
    (error: { code?: string }) => error.code ?? "no code",
  );
}

async function noticesOf(sql: string): Promise<readonly string[]> {
  const told: string[] = [];
  const hear = ({ message }: { message?: string | undefined }): void =>
    void told.push(message ?? "");
  client.on("notice", hear);
  await client.query(sql);
  client.off("notice", hear);
  return told;
}

describe("transactions of names and rows", () => {
  it("commits a table with rows of others", async () => {
    await client.query("create table a (id int primary key)");
    const other = await connect();
    await client.query("begin; insert into a values (1); create table b (id int primary key)");
    await client.query("insert into b values (7)");
    expect(await rows("select id from b")).toEqual(["7"]);
    expect(await state("select * from b", other)).toBe("42P01");
    expect(server.names).not.toContain("public.b");
    await client.query("commit");
    expect(await rows("select id from b", other)).toEqual(["7"]);
    expect(await rows("select id from a", other)).toEqual(["1"]);
  });

  it("rolls a table back with its rows, and leaves no name", async () => {
    await client.query("begin; create table b (id int); insert into b values (1); rollback");
    expect(await state("select * from b")).toBe("42P01");
    expect(server.names).toEqual([]);
    await client.query("create table b (id int)");
    expect(await rows("select * from b")).toEqual([]);
  });

  it("brings a dropped table back with ROLLBACK", async () => {
    await client.query("create table a (id int primary key); insert into a values (1), (2)");
    await client.query("begin; drop table a");
    expect(await state("select * from a")).toBe("42P01");
    await client.query("rollback");
    expect(await rows("select id from a")).toEqual(["1", "2"]);
  });

  it("puts a new table in the place of one that it drops", async () => {
    await client.query("create table a (id int primary key); insert into a values (1)");
    await client.query(
      "begin; drop table a; create table a (name text); insert into a values ('x')",
    );
    expect(await rows("select * from a")).toEqual(["x"]);
    await client.query("rollback");
    expect(await rows("select * from a")).toEqual(["1"]);
    await client.query("drop table a; create table a (name text); insert into a values ('y')");
    expect(await rows("select * from a")).toEqual(["y"]);
    expect(server.names).toEqual(["public.a"]);
  });

  it("swaps names by renames, and by a drop before a rename", async () => {
    await client.query("create table a (id int); create table b (id int)");
    await client.query("insert into a values (1); insert into b values (2)");
    await client.query(
      `begin; alter table a rename to c; alter table b rename to a;
       alter table c rename to b; commit`,
    );
    expect(await rows("select * from a")).toEqual(["2"]);
    expect(await rows("select * from b")).toEqual(["1"]);
    await client.query("begin; drop table a; alter table b rename to a; commit");
    expect(await rows("select * from a")).toEqual(["1"]);
    expect(server.names).toEqual(["public.a"]);
  });

  it("goes back to a savepoint, names included", async () => {
    await client.query("begin; create table a (id int); savepoint s; create table b (id int)");
    await client.query("alter table a rename to c; rollback to s");
    expect(await state("select * from a")).toBe("done");
    await client.query("commit");
    expect(server.names).toEqual(["public.a"]);
  });

  it("undoes the names of a transaction whose rows are refused", async () => {
    await client.query("create table n (id int primary key, v int); insert into n values (1, 0)");
    const other = await connect();
    await client.query("begin isolation level repeatable read; select * from n");
    await other.query("update n set v = 1");
    await client.query("create table made (id int)");
    expect(await state("update n set v = 2; commit")).toBe("40001");
    await client.query("rollback");
    expect(server.names).toEqual(["public.n"]);
  });

  it("lets one of two transactions take a name", async () => {
    const other = await connect();
    await client.query("begin; create table a (id int); insert into a values (1)");
    await other.query("begin; create table a (id int); insert into a values (2)");
    await client.query("commit");
    expect(await state("commit", other)).toBe("42P07");
    expect(await rows("select * from a")).toEqual(["1"]);
  });

  it("holds the statements of one text together", async () => {
    expect(await state("create table a (id int); insert into a values (1); select 1/0")).toBe(
      "22012",
    );
    expect(server.names).toEqual([]);
  });
});

describe("schemas", () => {
  it("drops foreign keys with the tables that they refer to, by CASCADE", async () => {
    await client.query(`create schema shop; create table shop.item (id int primary key);
      create table shop.part (id int primary key references shop.item);
      create table shop.use (id int references shop.part, item int references shop.item);
      create table keep (item int constraint kept references shop.item, n int)`);
    expect(await state("drop table shop.part")).toBe("2BP01");
    expect(await noticesOf("drop table shop.part cascade")).toEqual([
      "drop cascades to constraint use_id_fkey on table use",
    ]);
    await client.query("insert into shop.item values (1); insert into shop.use values (9, 1)");
    expect(await state("insert into shop.use values (9, 2)")).toBe("23503");
    const told = await noticesOf("drop schema shop cascade");
    expect(told).toContain("drop cascades to constraint kept on table keep");
    await client.query("insert into keep values (7, 7); drop table keep");
  });

  it("makes and drops them, with what they hold only by CASCADE", async () => {
    await client.query("create schema shop; create table shop.item (id int)");
    expect(await state("create schema shop")).toBe("42P06");
    expect(await noticesOf("create schema if not exists shop")).toEqual([
      'schema "shop" already exists, skipping',
    ]);
    expect(await state("drop schema shop")).toBe("2BP01");
    expect(await noticesOf("drop schema shop cascade")).toEqual([
      "drop cascades to table shop.item",
    ]);
    expect(server.names).toEqual([]);
    expect(await state("drop schema shop")).toBe("3F000");
    expect(await noticesOf("drop schema if exists shop")).toEqual([
      'schema "shop" does not exist, skipping',
    ]);
    await client.query("drop schema public; drop schema public cascade");
    expect(await state("create table shop.item (id int)")).toBe("3F000");
    expect(await state("create schema pg_mine")).toBe("42939");
  });

  it("makes one in a transaction, and forgets it with it", async () => {
    await client.query("begin; create schema s; create table s.t (id int); rollback");
    expect(await state("create table s.t (id int)")).toBe("3F000");
    await client.query("begin; create schema s; create table s.t (id int); commit");
    expect(await state("insert into s.t values (1)")).toBe("done");
  });
});

describe("indexes", () => {
  beforeEach(async () => {
    await client.query("create table t (id int primary key, name text, n int)");
    await client.query("insert into t values (1, 'b', 5), (2, 'a', null), (3, 'c', 4)");
  });

  it("fills one, uses it, and drops it", async () => {
    await client.query("create index on t (n)");
    const plan = (await rows("explain select * from t where n = 4")).join("\n");
    expect(plan).toContain("t_n_idx");
    expect(await rows("select id from t where n = 4")).toEqual(["3"]);
    expect(await state("create index t_n_idx on t (n)")).toBe("42P07");
    expect(await noticesOf("create index if not exists t_n_idx on t (n)")).toEqual([
      'relation "t_n_idx" already exists, skipping',
    ]);
    await client.query("drop index t_n_idx");
    expect((await rows("explain select * from t where n = 4")).join()).not.toContain("t_n_idx");
    expect(await state("drop index t_n_idx")).toBe("42704");
    expect(await state("drop index if exists t_n_idx")).toBe("done");
    expect(await state("drop index t_pkey")).toBe("2BP01");
  });

  it("orders by DESC and NULLS FIRST, and includes columns", async () => {
    await client.query("create index by_n on t (n desc nulls last) include (name)");
    const plan = (await rows("explain select name from t where n = 4")).join("\n");
    expect(plan).toContain("using by_n");
    await client.query("create unique index on t (name)");
    expect(await state("insert into t values (4, 'a', 1)")).toBe("23505");
    expect(await state("create unique index on t (missing)")).toBe("42703");
    await client.query("insert into t values (5, 'd', 4)");
    expect(await state("create unique index on t (n)")).toBe("23505");
  });

  it("is made and forgotten with its transaction", async () => {
    await client.query("begin; create index by_name on t (name); rollback");
    expect((await rows("explain select * from t where name = 'a'")).join()).not.toContain(
      "by_name",
    );
    expect(await state("begin; create index concurrently by_name on t (name)")).toBe("25001");
    await client.query("rollback");
    expect(await state("create index concurrently by_name on t (name)")).toBe("done");
  });
});

describe("ALTER TABLE", () => {
  beforeEach(async () => {
    await client.query("create table t (id int primary key, name text)");
    await client.query("insert into t values (1, 'one')");
  });

  it("adds, changes, renames and drops columns", async () => {
    await client.query("alter table t add column n int default 7, add m int");
    expect(await rows("select * from t")).toEqual(["1|one|7|NULL"]);
    await client.query("alter table t alter n set default 8, alter n type bigint");
    await client.query("insert into t (id) values (2)");
    expect(await rows("select n from t order by id")).toEqual(["7", "8"]);
    expect(await state("alter table t alter m set not null")).toBe("23502");
    await client.query("update t set m = 1; alter table t alter m set not null");
    expect(await state("insert into t (id) values (3)")).toBe("23502");
    await client.query("alter table t alter m drop not null, alter n drop default");
    await client.query("alter table t rename name to title");
    expect(await rows("select title from t where id = 1")).toEqual(["one"]);
    await client.query("alter table t drop m, drop column if exists nowhere");
    expect(await rows("select * from t where id = 1")).toEqual(["1|one|7"]);
    expect(await state("alter table t drop m")).toBe("42703");
    expect(await state("alter table t add n int")).toBe("42701");
    expect(await state("alter table t rename title to n")).toBe("42701");
    expect(await state("alter table nowhere add n int")).toBe("42P01");
    expect(await state("alter table if exists nowhere add n int")).toBe("done");
  });

  it("adds and drops UNIQUE", async () => {
    await client.query("alter table t add constraint once unique (name)");
    expect(await state("insert into t values (2, 'one')")).toBe("23505");
    await client.query("alter table t drop constraint once");
    expect(await state("insert into t values (2, 'one')")).toBe("done");
    expect(await state("alter table t drop constraint once")).toBe("42704");
  });

  it("moves a table to another schema and name", async () => {
    await client.query("alter table t set schema lake; alter table lake.t rename to u");
    expect(await rows("select * from lake.u")).toEqual(["1|one"]);
    expect(await state("select * from t")).toBe("42P01");
    expect(await state("alter table lake.u set schema nowhere")).toBe("3F000");
  });
});

describe("expressions of tables", () => {
  it("are checked, defaulted, generated and indexed", async () => {
    await client.query(`create table p (id int primary key, a int check (a > 0),
      b int default 1 + length('abc'), twice int generated always as (a * 2) stored,
      name text, check (a < b or name = 'it''s'))`);
    await client.query("insert into p (id, a, name) values (1, 2, 'One')");
    expect(await rows("select * from p")).toEqual(["1|2|4|4|One"]);
    expect(await state("insert into p (id, a) values (2, -1)")).toBe("23514");
    expect(await state("insert into p (id, a, b, name) values (2, 5, 1, 'x')")).toBe("23514");
    expect(await state("insert into p (id, a, b, name) values (2, 5, 1, 'it''s')")).toBe("done");
    expect(await state("insert into p (id, twice) values (3, 1)")).toBe("428C9");
    expect(await state("alter table p drop constraint p_a_check")).toBe("done");
    expect(await state("insert into p (id, a, name) values (3, -1, 'ONE')")).toBe("done");
    await client.query("create unique index on p (lower(name)) where a > 0");
    expect(await state("insert into p (id, a, name) values (4, 1, 'oNe')")).toBe("23505");
    expect(await state("insert into p (id, a, name) values (4, -1, 'oNe')")).toBe("done");
    expect(await state("create table q (a int check (b > 0))")).toBe("42703");
    expect(await state("create table q (a int check (a))")).toBe("42804");
    expect(await state("create table q (a int default 'x'::text)")).toBe("42804");
    expect(await state("create table q (a int default a)")).not.toBe("done");
  });
});

describe("numbered columns and foreign keys", () => {
  it("numbers rows: serial, identity and its options", async () => {
    await client.query(`create table s (id serial primary key, big bigserial,
      n int generated always as identity (start with 10 increment by 5), name text)`);
    await client.query("insert into s (name) values ('a'), ('b')");
    expect(await rows("select * from s")).toEqual(["1|1|10|a", "2|2|15|b"]);
    expect(await state("insert into s (n) values (1)")).toBe("428C9");
    await client.query("insert into s (n) overriding system value values (1)");
    expect(await state("insert into s (id) values (null)")).toBe("23502");
    expect(await state("create table u (n text generated always as identity)")).toBe("22023");
  });

  it("refuses rows whose parents are missing, and follows the actions", async () => {
    await client.query("create table p (id int primary key, boss int references p)");
    await client.query(`create table c (id int primary key,
      p int references p on delete cascade, q int constraint to_q references p (id))`);
    await client.query("insert into p values (1, null), (2, 1); insert into c values (1, 2, 1)");
    expect(await state("insert into p values (3, 9)")).toBe("23503");
    expect(await state("insert into c values (2, 9, null)")).toBe("23503");
    expect(await state("delete from p where id = 1")).toBe("23503");
    await client.query("delete from p where id = 2");
    expect(await rows("select * from c")).toEqual([]);
    await client.query("alter table c drop constraint to_q");
    expect(await state("insert into c values (3, 1, 77)")).toBe("done");
    expect(await state("alter table c add foreign key (q) references p")).toBe("23503");
    await client.query("delete from c");
    await client.query("alter table c add constraint q_p foreign key (q) references p");
    expect(await state("insert into c values (3, 1, 77)")).toBe("23503");
    expect(await state("create table d (x int references nowhere)")).toBe("42P01");
  });

  it("adds CHECK to a table, which its rows have to meet", async () => {
    await client.query("create table k (a int); insert into k values (-1)");
    expect(await state("alter table k add check (a > 0)")).toBe("23514");
    await client.query("update k set a = 1; alter table k add check (a > 0)");
    expect(await state("insert into k values (-2)")).toBe("23514");
    expect(await state("alter table k add constraint k_a_check check (a > 5)")).toBe("42710");
  });

  it("locks rows: NOWAIT and SKIP LOCKED", async () => {
    await client.query("create table q (id int primary key); insert into q values (1), (2)");
    const other = await connect();
    await other.query("begin; select * from q where id = 1 for update");
    expect(await state("select * from q for update nowait")).toBe("55P03");
    expect(await rows("select id from q for update skip locked")).toEqual(["2"]);
    await other.query("rollback");
    expect(await rows("select id from q for update nowait")).toEqual(["1", "2"]);
  });
});
