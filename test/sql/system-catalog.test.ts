import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemShapes } from "../../src/sql/catalog/system/shapes.ts";
import { openServer, type TestServer } from "../pgwire/wire-client.ts";

let server: TestServer;
let client: pg.Client;

beforeAll(async () => {
  server = await openServer();
  client = new pg.Client({ host: "127.0.0.1", port: server.port, user: "tester" });
  await client.connect();
  await client.query(`create table "Odd t" (id int primary key,
    s varchar(10) default 'it''s' not null,
    n numeric(10,2), ts timestamp(3), tags text[], unique (n, s))`);
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

describe("pg_catalog", () => {
  it("has every relation of PostgreSQL 15 with its columns", async () => {
    const shapes = systemShapes().relations;
    expect(shapes.length).toBeGreaterThan(200);
    for (const { schema, name, oid, columns } of shapes) {
      const { fields } = await client.query(`select * from ${schema}.${name} limit 1`);
      expect(fields.map((field) => [field.name, field.dataTypeID, field.tableID])).toEqual(
        columns.map((column) => [column.name, column.oid, oid]),
      );
    }
  });

  it("tells columns, types and defaults of a table", async () => {
    const text = `select attname, format_type(atttypid, atttypmod), attnotnull, attnum
      from pg_attribute where attrelid = '"Odd t"'::regclass and attnum > 0 order by attnum`;
    expect(await rows(text)).toEqual([
      ["id", "integer", true, 1],
      ["s", "character varying(10)", true, 2],
      ["n", "numeric(10,2)", false, 3],
      ["ts", "timestamp(3) without time zone", false, 4],
      ["tags", "text[]", false, 5],
    ]);
    expect(await rows("select adnum, pg_get_expr(adbin, adrelid) from pg_attrdef")).toEqual([
      [2, "'it''s'::character varying"],
    ]);
  });

  it("lists the functions of a schema with their definitions", async () => {
    const text = `select p.proname, case when l.lanname = 'internal' then p.prosrc
        else pg_get_functiondef(p.oid) end
      from pg_proc p left join pg_namespace n on p.pronamespace = n.oid
      left join pg_language l on p.prolang = l.oid where n.nspname = any ($1)`;
    const { rows: functions } = await client.query(text, [["public"]]);
    expect(functions).toEqual([]);
    expect(await rows("select pg_get_functiondef(1)")).toEqual([[null]]);
    const refused = (name: string): Promise<unknown> =>
      client.query(`select pg_get_functiondef('${name}'::regprocedure)`);
    await expect(refused("lower(text)")).rejects.toMatchObject({ code: "0A000" });
    await expect(refused("sum(integer)")).rejects.toMatchObject({ code: "42809" });
  });

  it("tells indexes and constraints as SQL", async () => {
    expect(
      await rows("select pg_get_indexdef(indexrelid), indkey from pg_index order by 1"),
    ).toEqual([
      [`CREATE UNIQUE INDEX "Odd t_n_s_key" ON public."Odd t" USING btree (n, s)`, "3 2"],
      [`CREATE UNIQUE INDEX "Odd t_pkey" ON public."Odd t" USING btree (id)`, "1"],
    ]);
    const text =
      "select conname, contype, pg_get_constraintdef(oid, true) from pg_constraint order by 1";
    expect(await rows(text)).toEqual([
      ["Odd t_n_s_key", "u", "UNIQUE (n, s)"],
      ["Odd t_pkey", "p", "PRIMARY KEY (id)"],
    ]);
    expect(await rows("select relname, relkind from pg_class where relkind = 'i'")).toHaveLength(2);
  });

  it("sees what the same transaction has made, and what was dropped is gone", async () => {
    await client.query("begin");
    await client.query("create table brief (id int primary key)");
    const named = "select relname::text from pg_class where relname = 'brief'";
    expect(await rows(named)).toEqual([["brief"]]);
    await client.query("commit");
    expect(await rows(named)).toEqual([["brief"]]);
    await client.query("drop table brief");
    expect(await rows(named)).toEqual([]);
    await expect(client.query("select 'brief'::regclass")).rejects.toMatchObject({ code: "42P01" });
    expect(await rows("select to_regclass('brief')")).toEqual([[null]]);
  });
});

describe("names of catalog objects", () => {
  it("are read and written as PostgreSQL does", async () => {
    expect(
      await rows(`select 'pg_class'::regclass::oid, 1259::regclass, '"Odd t"'::regclass,
        'public'::regnamespace::oid, 'now'::regproc::oid, 'int4[]'::regtype::oid, 0::regclass,
        'lower(text)'::regprocedure::oid, 77::regclass`),
    ).toEqual([[1259, "pg_class", '"Odd t"', 2200, 1299, 1007, "-", 870, "77"]]);
    for (const [text, code] of [
      ["'nothing'::regclass", "42P01"],
      ["'nothing'::regnamespace", "3F000"],
      ["'lower'::regproc", "42725"],
      ["'nothing'::regproc", "42883"],
      ["'a..b'::regclass", "42602"],
    ] as const) {
      await expect(client.query(`select ${text}`), text).rejects.toMatchObject({ code });
    }
  });
});

describe("information_schema", () => {
  it("tells columns and keys", async () => {
    const text = `select column_name, ordinal_position, column_default, is_nullable, data_type,
      character_maximum_length, numeric_precision, numeric_scale, datetime_precision, udt_name
      from information_schema.columns where table_name = 'Odd t' order by ordinal_position`;
    expect(await rows(text)).toEqual([
      ["id", 1, null, "NO", "integer", null, 32, 0, null, "int4"],
      [
        "s",
        2,
        "'it''s'::character varying",
        "NO",
        "character varying",
        10,
        null,
        null,
        null,
        "varchar",
      ],
      ["n", 3, null, "YES", "numeric", null, 10, 2, null, "numeric"],
      ["ts", 4, null, "YES", "timestamp without time zone", null, null, null, 3, "timestamp"],
      ["tags", 5, null, "YES", "ARRAY", null, null, null, null, "_text"],
    ]);
    const keys = `select constraint_name, column_name, ordinal_position
      from information_schema.key_column_usage order by 1, 3`;
    expect(await rows(keys)).toEqual([
      ["Odd t_n_s_key", "n", 1],
      ["Odd t_n_s_key", "s", 2],
      ["Odd t_pkey", "id", 1],
    ]);
  });
});
