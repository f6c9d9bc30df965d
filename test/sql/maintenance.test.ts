import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openServer, type TestServer } from "../pgwire/wire-client.ts";

/** Statements that PostgreSQL's own tools send, as pgbench does when it makes its tables. */

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

/** The tag, or the SQLSTATE of what is refused. */
async function tag(sql: string): Promise<string | null> {
  return await client.query(sql).then(
    ({ command }) => command,
    (error: { code?: string }) => error.code ?? "no code",
  );
}

async function rows(sql: string): Promise<readonly unknown[]> {
  const answer = await client.query<unknown[]>({ text: sql, rowMode: "array" });
  return answer.rows.map((row) => row.join("|"));
}

describe("VACUUM and ANALYZE", () => {
  it.each([
    ["vacuum", "VACUUM"],
    ["vacuum t", "VACUUM"],
    ["vacuum analyze t", "VACUUM"],
    ["vacuum (verbose, analyze, truncate off) t (a)", "VACUUM"],
    ["vacuum full freeze t", "VACUUM"],
    ["analyze", "ANALYZE"],
    ["analyze verbose t, public.t (id, a)", "ANALYZE"],
    ["vacuum nothing", "42P01"],
    ["analyze t (nothing)", "42703"],
    ["analyze t (a, a)", "42701"],
    ["vacuum t (a)", "0A000"],
    ["vacuum (nothing) t", "42601"],
    ["analyze (full) t", "42601"],
    ["select 1; vacuum", "25001"],
  ])("%s: %s", async (sql, expected) => {
    await client.query("create table t (id int primary key, a int)");
    expect(await tag(sql)).toBe(expected);
  });

  it("VACUUM stands alone, ANALYZE may stand in a transaction", async () => {
    await client.query("create table t (id int primary key, a int); begin");
    expect(await tag("analyze t")).toBe("ANALYZE");
    expect(await tag("vacuum t")).toBe("25001");
    expect(await tag("select 1")).toBe("25P02");
  });
});

describe("storage parameters", () => {
  it.each([
    ["create table p (id int) with (fillfactor=100)", "CREATE"],
    ["create table p (id int) with (autovacuum_enabled=off, toast.vacuum_truncate)", "CREATE"],
    ["create table p (id int) with (autovacuum_vacuum_scale_factor = 0.2)", "CREATE"],
    ["create table p (id int) without oids", "CREATE"],
    ["alter table t set (fillfactor = 70)", "ALTER"],
    ["alter table t reset (fillfactor)", "ALTER"],
    ["create table p (id int) with (fillfactor=5)", "22023"],
    ["create table p (id int) with (fillfactor=often)", "22023"],
    ["create table p (id int) with (fillfactor=50, fillfactor=60)", "22023"],
    ["create table p (id int) with (nothing=1)", "22023"],
    ["create table p (id int) with (other.fillfactor=50)", "22023"],
    ["create table p (id int) with (autovacuum_enabled=7)", "22023"],
    ["alter table t set (nothing = 1)", "22023"],
    ["alter table t reset (nothing)", "22023"],
  ])("%s: %s", async (sql, expected) => {
    await client.query("create table t (id int primary key)");
    expect(await tag(sql)).toBe(expected);
  });
});

describe("ALTER TABLE DROP CONSTRAINT of a primary key", () => {
  it("tells what goes with it by CASCADE", async () => {
    await client.query(`create table t (id int primary key, up int references t, b text);
      create table c (t int constraint kept references t);
      create view v as select id, b from t group by id`);
    const notices: (string | undefined)[] = [];
    client.on("notice", ({ message }) => notices.push(message));
    expect(await tag("alter table t drop constraint t_pkey")).toBe("2BP01");
    expect(await tag("alter table t drop constraint t_pkey cascade")).toBe("ALTER");
    expect(notices).toEqual(["drop cascades to 2 other objects", "drop cascades to view v"]);
  });

  it("moves rows with the entries of their indexes, and finds them by those", async () => {
    await client.query(`create table t (id int primary key, a text, b int);
      create index t_b on t (b);
      insert into t select g, 'w' || g, g % 3 from generate_series(1, 50) g;
      alter table t drop column a;
      alter table t drop constraint t_pkey;
      insert into t values (50, 1)`);
    expect(await rows("select count(*), sum(id) from t")).toEqual(["51|1325"]);
    expect(await rows("select count(*) from t where b = 1")).toEqual(["18"]);
    await client.query("update t set b = 9 where id = 50; delete from t where b < 9");
    expect(await rows("select * from t")).toEqual(["50|9", "50|9"]);
    expect(await rows("select count(*) from t where b = 9")).toEqual(["2"]);
  });
});

describe("ALTER TABLE ADD PRIMARY KEY", () => {
  it("moves rows and indexes under the new key", async () => {
    await client.query(`create table t (id int, a text, b int default 7);
      create index t_b on t (b);
      insert into t select g, 'w' || g, g % 3 from generate_series(1, 50) g;
      alter table t drop column a;
      alter table t add primary key (id)`);
    expect(await rows("select count(*), sum(id) from t")).toEqual(["50|1275"]);
    expect(await rows("select count(*) from t where b = 1")).toEqual(["17"]);
    const plan = (await rows("explain select b from t where id = 7")).join("\n");
    expect(plan).toMatch(/t_pkey|primary key|id = 7/);
    expect(await rows("select b from t where id = 7")).toEqual(["1"]);
    expect(await tag("insert into t values (7)")).toBe("23505");
    expect(await tag("insert into t values (null)")).toBe("23502");
    expect(await tag("insert into t (id) values (7) on conflict (id) do update set b = 9")).toBe(
      "INSERT",
    );
    await client.query("delete from t where id > 7");
    expect(await rows("select * from t where b = 9")).toEqual(["7|9"]);
    const columns = `select column_name, is_nullable from information_schema.columns
      where table_name = 't'`;
    expect((await rows(columns)).every((row) => !`${row}`.includes("rowid"))).toBe(true);
  });

  it("is taken back with its transaction", async () => {
    await client.query("create table t (id int); insert into t values (1), (2)");
    await client.query("begin");
    await client.query("alter table t add constraint k primary key (id); insert into t values (3)");
    await client.query("savepoint s");
    expect(await tag("insert into t values (3)")).toBe("23505");
    await client.query("rollback");
    expect(await tag("insert into t values (1)")).toBe("INSERT");
    expect(await rows("select id from t order by id")).toEqual(["1", "1", "2"]);
  });

  it.each([
    ["insert into t values (1, 1)", "alter table t add primary key (id)", "23505"],
    ["insert into t values (null, 2)", "alter table t add primary key (id)", "23502"],
    ["select 1", "alter table t add primary key (nothing)", "42703"],
    ["select 1", "alter table t add primary key (id, id)", "42701"],
    ["alter table t add primary key (a)", "alter table t add primary key (id)", "42P16"],
    ["select 1", "alter table t add constraint t_a_key primary key (id)", "42710"],
  ])("%s; %s: %s", async (before, sql, expected) => {
    await client.query("create table t (id int, a int unique); insert into t values (1, 8)");
    await client.query(before);
    const count = await rows("select count(*) from t");
    expect(await tag(sql)).toBe(expected);
    expect(await rows("select count(*) from t")).toEqual(count);
  });

  it("keeps foreign keys of and to the table", async () => {
    await client.query(`create table p (id int primary key);
      create table t (id int, u int unique, p int references p);
      create table c (u int references t (u));
      insert into p values (1); insert into t values (5, 6, 1); insert into c values (6);
      alter table t add primary key (id)`);
    expect(await tag("delete from t")).toBe("23503");
    expect(await tag("insert into t values (7, 8, 9)")).toBe("23503");
    expect(await tag("insert into c values (9)")).toBe("23503");
    expect(await tag("insert into t values (7, 8, 1)")).toBe("INSERT");
    expect(await tag("insert into c values (8)")).toBe("INSERT");
    await client.query(`create table d (id int, p int references p deferrable initially deferred);
      begin; insert into d values (1, 1)`);
    expect(await tag("alter table d add primary key (id)")).toBe("55006");
  });

  it("comes with a new column, and numbers its rows", async () => {
    await client.query("create table t (a text); insert into t values ('x'), ('y')");
    expect(await tag("alter table t add column id serial primary key")).toBe("ALTER");
    expect(await rows("select id from t order by id")).toEqual(["1", "2"]);
  });
});
