import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openServer, type TestServer } from "../pgwire/wire-client.ts";

let server: TestServer;
let client: pg.Client;

beforeAll(async () => {
  server = await openServer();
  client = new pg.Client({ host: "127.0.0.1", port: server.port, user: "tester" });
  await client.connect();
  await client.query(`create table "Odd t" (id int primary key, s varchar(10), tags text[])`);
});
afterAll(async () => {
  await client.end();
  await server.close();
  expect(server.defects).toEqual([]);
});

async function rows(text: string): Promise<readonly unknown[]> {
  const result = await client.query({ text, rowMode: "array" });
  return result.rows as readonly unknown[];
}

describe("types and defaults of tables in pg_catalog", () => {
  it("has the type of a table's rows and that of their arrays", async () => {
    const text = `select c.reltype::regtype::text, t.typname, t.typtype, t.typcategory,
        t.typrelid = c.oid, t.typlen, t.typalign, a.typname, a.typelem = t.oid, a.typalign,
        t.typinput, '"Odd t"'::regtype = t.oid, format_type(a.oid, -1), t.typnamespace
      from pg_class c join pg_type t on t.oid = c.reltype join pg_type a on a.oid = t.typarray
      where c.relname = 'Odd t'`;
    expect(await rows(text)).toEqual([
      [
        ...['"Odd t"', "Odd t", "c", "C", true, -1, "d", "_Odd t", true, "d"],
        ...["record_in", true, '"Odd t"[]', 2200],
      ],
    ]);
    const without = `select relname from pg_class where reltype = 0 and relkind in ('r', 'v')`;
    expect(await rows(without)).toEqual([]);
    expect(await rows("select reltype from pg_class where relname = 'Odd t_pkey'")).toEqual([[0]]);
    // It takes no other type's place.
    await client.query("create table text (id int, word text)");
    expect(await rows("select 'text'::regtype::oid, typname from pg_type where oid = 25")).toEqual([
      [25, "text"],
    ]);
    await client.query("alter table text rename to other; insert into other values (1, 'a')");
    expect(await rows("select typname from pg_type where typrelid = 'other'::regclass")).toEqual([
      ["other"],
    ]);
    await client.query("drop table other");
    expect(await rows("select typname from pg_type where typname ~ 'other'")).toEqual([]);
  });

  it("are of no columns, and of no rows of system tables", async () => {
    const code = (text: string) =>
      client.query(text).then(
        () => "",
        (error: pg.DatabaseError) => error.code,
      );
    await client.query(`create view odd as select * from "Odd t"`);
    for (const made of ["table", "view", "materialized view"]) {
      expect(await code(`create ${made} no as select t as r from "Odd t" t`)).toBe("0A000");
      expect(await code(`create ${made} no as select array_agg(t) as r from odd t`)).toBe("0A000");
      expect(await code(`create ${made} no as select t as r from (select 1) t`)).toBe("42P16");
    }
    expect(await code(`create index on "Odd t" (("Odd t"))`)).toBe("0A000");
    expect(await code("select c from pg_class c")).toBe("0A000");
    expect(await code("select count(c), (c).oid from pg_class c group by 2 limit 1")).toBe("");
    expect(await code("select (1, 2) = (select 1, 2)")).toBe("0A000");
    await client.query("drop view odd");
  });

  it("tells arrays and scaled numbers of defaults as PostgreSQL", async () => {
    await client.query(`create table given (a text[] default array['x', 'it''s']::text[],
      b int[] default array[1, 2]::int[], c bigint[] default array[1]::bigint[],
      d text[] default array[]::text[], e numeric(10,2) default 0, f numeric(10,2) default 1.5,
      g numeric default 3.50, h numeric(10,2) default -1)`);
    const text = `select pg_get_expr(adbin, adrelid) from pg_attrdef
      where adrelid = 'given'::regclass order by adnum`;
    const expected = ["ARRAY['x'::text, 'it''s'::text]", "ARRAY[1, 2]", "ARRAY[1::bigint]"];
    const others = ["ARRAY[]::text[]", "0", "1.5", "3.50", "'-1'::integer"];
    expect((await rows(text)).flat()).toEqual([...expected, ...others]);
    await client.query("alter table given alter f set default 2; insert into given default values");
    expect(await rows("select d, e, f, h from given")).toEqual([[[], "0.00", "2.00", "-1.00"]]);
    await client.query("drop table given");
  });
});
