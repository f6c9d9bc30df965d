import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openServer, type TestServer } from "../pgwire/wire-client.ts";

/** What ORMs ask the catalogs for, answered as PostgreSQL 15 does. */

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

async function rows(sql: string): Promise<readonly string[]> {
  const answer = await client.query<unknown[]>({ text: sql, rowMode: "array" });
  return answer.rows.map((row) => row.map((each) => JSON.stringify(each)).join(" "));
}

async function code(sql: string): Promise<string> {
  return await client.query(sql).then(
    () => "done",
    (error: { code?: string }) => error.code ?? "no code",
  );
}

describe("pg_constraint", () => {
  it("has the columns of a CHECK, in the order of their first use", async () => {
    await client.query(`create table t (a int, b text, "C d" int, date date, lower int,
      constraint k1 check (a > 0),
      constraint k2 check ("C d" < a and b <> 'a' and lower(b) = 'x' or "C d" = 4),
      constraint k3 check (date > date '2020-01-01'),
      constraint k4 check (b::date > '2020-01-01'),
      constraint k5 check (lower > 1 and t.a > 1), constraint k6 check (true))`);
    expect(
      await rows("select conname, conkey from pg_constraint where conrelid = 't'::regclass"),
    ).toEqual(['"k1" [1]', '"k2" [3,1,2]', '"k3" [4]', '"k4" [2]', '"k5" [5,1]', '"k6" null']);
    const used = `select constraint_name, column_name
      from information_schema.constraint_column_usage
      where constraint_name in ('k2', 'k6') order by 1, 2`;
    expect(await rows(used)).toEqual(['"k2" "C d"', '"k2" "a"', '"k2" "b"']);
  });

  it("writes VALUE of a domain's check in capitals", async () => {
    await client.query(`create domain d as text constraint c1 check (value <> 'value' and
      lower(VALUE) <> '"value"')`);
    const text = "select pg_get_constraintdef(oid) from pg_constraint where conname = 'c1'";
    expect((await rows(text))[0]).toMatch(/VALUE <> 'value'.*lower\(VALUE\) <> '[^V]*'/);
    expect((await rows(text))[0]).not.toMatch(/[( ]value /);
  });

  it("has no row of a unique index that no constraint made", async () => {
    await client.query(`create table t (id int primary key, a int unique, b int, c int);
      create unique index t_b on t (b); create unique index t_c on t (c) where b > 0;
      begin; create unique index t_in on t (a, b); commit`);
    await client.query("create unique index concurrently t_online on t (b, c)");
    expect(await rows("select conname from pg_constraint order by 1")).toEqual([
      '"t_a_key"',
      '"t_pkey"',
    ]);
    expect(await code("insert into t values (1, 1, 1, 1), (2, 2, 1, 2)")).toBe("23505");
    expect(await code("insert into t values (1, 1, 1, 1) on conflict (b) do nothing")).toBe("done");
    const named = (name: string): string =>
      `insert into t values (5, 1, 9, 9) on conflict on constraint ${name} do nothing`;
    expect(await code(named("t_b"))).toBe("42704");
    expect(await code(named("t_a_key"))).toBe("done");
    expect(await code("alter table t drop constraint t_b")).toBe("42704");
    expect(await code("drop index t_b, t_online, t_in")).toBe("done");
    expect(await code("drop index t_a_key")).toBe("2BP01");
    expect(await code("alter table t drop constraint t_a_key")).toBe("done");
  });
});

describe("pg_depend", () => {
  it("ties sequences, defaults, indexes and constraints to their columns", async () => {
    await client.query(`create table p (id int generated always as identity primary key);
      create table t (id serial primary key, p int default 7 references p, u int unique,
        c int check (c > 0));
      create index t_i on t (p, u); create sequence alone; create sequence s owned by t.u`);
    const all = `select classid::regclass, coalesce(c.relname, k.conname, 'default'),
        refclassid::regclass, coalesce(r.relname, rk.conname), refobjsubid, deptype
      from pg_depend d
      left join pg_class c on d.classid = 'pg_class'::regclass and c.oid = objid
      left join pg_constraint k on d.classid = 'pg_constraint'::regclass and k.oid = objid
      left join pg_class r on d.refclassid = 'pg_class'::regclass and r.oid = refobjid
      left join pg_constraint rk on d.refclassid = 'pg_constraint'::regclass and rk.oid = refobjid
      where refclassid <> 'pg_namespace'::regclass and d.classid <> 'pg_type'::regclass
        and coalesce(r.relname, rk.conname) !~ '^pg_' and objsubid = 0
        and d.classid in ('pg_class'::regclass, 'pg_constraint'::regclass, 'pg_attrdef'::regclass)
      order by 1, 2, 3, 4, 5, 6`;
    const shown = (await client.query({ text: all, rowMode: "array" })).rows;
    expect(shown.map((row: readonly unknown[]) => row.join("|"))).toEqual(DEPENDENCIES);
    await client.query("drop table t; drop table p");
    expect(await rows(all)).toEqual([]);
  });
});

/** As PostgreSQL 15 answers, but for toast tables and triggers. */
const DEPENDENCIES: readonly string[] = [
  "pg_class|p_id_seq|pg_class|p|1|i",
  "pg_class|p_pkey|pg_constraint|p_pkey|0|i",
  "pg_class|s|pg_class|t|3|a",
  "pg_class|t_i|pg_class|t|2|a",
  "pg_class|t_i|pg_class|t|3|a",
  "pg_class|t_id_seq|pg_class|t|1|a",
  "pg_class|t_pkey|pg_constraint|t_pkey|0|i",
  "pg_class|t_u_key|pg_constraint|t_u_key|0|i",
  "pg_attrdef|default|pg_class|t|1|a",
  "pg_attrdef|default|pg_class|t|2|a",
  "pg_attrdef|default|pg_class|t_id_seq|0|n",
  "pg_constraint|p_pkey|pg_class|p|1|a",
  "pg_constraint|t_c_check|pg_class|t|4|a",
  "pg_constraint|t_c_check|pg_class|t|4|n",
  "pg_constraint|t_p_fkey|pg_class|p|1|n",
  "pg_constraint|t_p_fkey|pg_class|p_pkey|0|n",
  "pg_constraint|t_p_fkey|pg_class|t|2|a",
  "pg_constraint|t_pkey|pg_class|t|1|a",
  "pg_constraint|t_u_key|pg_class|t|3|a",
];
