import type pg from "pg";
import { describe, expect, it } from "vitest";
import { TypeRegistry } from "../../src/sql/types/registry.ts";
import { failureOf, pgClients, rowsOf } from "../pgwire/pg-clients.ts";
import { context } from "./fuzz/evaluate.ts";

let client: pg.Client;
const clients = pgClients(async () => {
  client = await clients.connect();
  await client.query("create type full_name as (first text, last text)");
  await client.query("create type item as (n int, who full_name, tags text[])");
});

const rows = (text: string, on = client) => rowsOf(on, text);
const failure = (text: string) => failureOf(client, text);

/** The answer to `text` with a parameter in its binary form. */
async function binary(text: string, bytes: Buffer): Promise<string> {
  const query = { text, values: [bytes], rowMode: "array" as const };
  return await client.query(query).then(
    ({ rows: found }) => found.map((row) => (row as unknown as unknown[]).join(",")).join(" "),
    ({ code, message }: { code?: string; message: string }) => `${code}: ${message}`,
  );
}

function int4(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeInt32BE(value, 4 * i);
  return bytes;
}

describe("the texts of a composite type", () => {
  it("are read and refused with PostgreSQL's details", async () => {
    const refused = (text: string) => failure(`select '${text}'::full_name`);
    const why = (text: string, detail: string) =>
      `22P02: malformed record literal: "${text}" (${detail})`;
    expect(await refused("a,b)")).toBe(why("a,b)", "Missing left parenthesis."));
    expect(await refused("(a)")).toBe(why("(a)", "Too few columns."));
    expect(await refused("(a,b,c)")).toBe(why("(a,b,c)", "Too many columns."));
    expect(await refused("(a,b) x")).toBe(why("(a,b) x", "Junk after right parenthesis."));
    expect(await refused('(a,"b)')).toBe(why('(a,"b)', "Unexpected end of input."));
    expect(await rows(`select '("a ""b\\\\",)'::full_name`)).toBe(`("a ""b\\\\",)`);
    expect(await failure("select row(1, 2, 3)::full_name")).toBe(
      "42846: cannot cast type record to full_name (Input has too many columns.)",
    );
    expect(await failure("select (row(1, 2)::full_name).x")).toBe(
      '42703: column "x" not found in data type full_name',
    );
  });

  it("are sent and taken in binary form", async () => {
    const part = (text: string) => Buffer.concat([int4(25, text.length), Buffer.from(text)]);
    const value = Buffer.concat([int4(2), part("Joe"), int4(25, -1)]);
    const text = "select ($1::full_name).first, $1::full_name::text";
    expect(await binary(text, value)).toBe("Joe,(Joe,)");
    const fields = ["first", "last"].map((name, i) => {
      return { id: i + 1, name, type: { kind: "text" as const } };
    });
    const types = new TypeRegistry();
    const { oid } = types.fromColumnType({ kind: "composite", typeId: 20_000, fields });
    const { codec } = types.get(oid);
    expect(codec.send(codec.input("(Joe,)", -1, context), context)).toEqual(value);
    expect(await binary(text, Buffer.concat([int4(3), part("a")]))).toBe(
      "42804: wrong number of columns: 3, expected 2",
    );
    expect(await binary(text, Buffer.concat([int4(2, 23, 4, 1), part("a")]))).toBe(
      "42804: binary data has type 23 (integer) instead of expected 25 (text) in record column 1",
    );
    expect(await binary(text, Buffer.concat([int4(2), part("a"), int4(25, 9)]))).toBe(
      "22P03: insufficient data left in message",
    );
    const more = Buffer.concat([value, int4(0)]);
    expect(await binary(text, more)).toMatch(/^22P03: /);
  });
});

describe("columns of a composite type", () => {
  it("keep values of nested types, and take changes of fields", async () => {
    await client.query("create table t (id int primary key, i item, all_of item[])");
    await client.query(
      `insert into t values (1, '(1,"(a,b)",{x})', '{"(2,,)"}'), (2, null, null),
        (3, '(,,)', '{}')`,
    );
    await client.query("update t set i.who.last = 'B', i.n = (i).n + 1 where id < 3");
    const all = "select id, i, all_of from t order by id";
    const texts = `1,(2,"(a,B)",{x}),{"(2,,)"} 2,(,"(,B)",), 3,(,,),{}`;
    expect(await rows(all)).toBe(texts);
    const other = await clients.connect();
    expect(await rows(all, other)).toBe(texts);
    expect(await rows("select id from t where i is null order by id")).toBe("3");
    expect(await rows("select id from t order by i, id")).toBe("1 2 3");
    expect(await rows("explain select from t where (i).n = 2")).toContain("Filter: ((i).n = 2)");
    expect(await failure("create index on t (i)")).toMatch(/^0A000: type item cannot be part of/);
    expect(await failure("create table k (i item primary key)")).toMatch(/^0A000: /);
  });

  it("follow changes of the type: no row is written again", async () => {
    await client.query("create table t (id int primary key, w full_name default '(x,y)')");
    await client.query("insert into t values (1, '(a,b)'), (2, default)");
    await client.query("create type pair as (one full_name, two full_name[])");
    await client.query("create table u (id int primary key, p pair)");
    await client.query(`insert into u values (1, '("(a,b)","{""(c,d)""}")')`);
    await client.query("alter type full_name add attribute n int");
    await client.query("insert into t values (3, default), (4, '(c,d,5)')");
    expect(await rows("select w from t order by id")).toBe("(a,b,) (x,y,) (x,y,) (c,d,5)");
    expect(await rows("select p, (p).one.n from u")).toBe(`("(a,b,)","{""(c,d,)""}"),`);
    await client.query("alter type full_name drop attribute first");
    await client.query("alter type full_name add attribute first text");
    await client.query("insert into t values (5)");
    expect(await rows("select w from t order by id")).toBe("(b,,) (y,,) (y,,) (d,5,) (y,,)");
    expect(await rows("select p from u")).toBe(`("(b,,)","{""(d,,)""}")`);
    expect(await failure("alter type full_name alter attribute n type text")).toBe(
      '0A000: cannot alter type "full_name" because column "t.w" uses it',
    );
    await client.query("begin; alter type full_name rename attribute last to family");
    expect(await rows("select (w).family from t where id = 1")).toBe("b");
    await client.query("rollback");
    expect(await rows("select (w).last from t where id = 1")).toBe("b");
  });

  it("go with their type by CASCADE alone, as attributes of it do", async () => {
    await client.query("create table t (id int primary key, i item)");
    await client.query(`insert into t values (1, '(1,"(a,b)",{x})')`);
    expect(await failure("drop type item")).toBe(
      "2BP01: cannot drop type item because other objects depend on it " +
        "(column i of table t depends on type item)",
    );
    expect(await failure("drop type full_name")).toBe(
      "2BP01: cannot drop type full_name because other objects depend on it " +
        "(column who of composite type item depends on type full_name)",
    );
    await client.query("drop type full_name cascade");
    expect(await rows("select i from t")).toBe("(1,{x})");
    await client.query("drop type item cascade");
    expect(await failure("select i from t")).toMatch(/^42703/);
    expect(await failure("create table item (a int)")).toBe("done");
    expect(await failure("create type item as (a int)")).toBe('42710: type "item" already exists');
  });

  it("meet the domains of their fields", async () => {
    await client.query("create domain pos as int check (value > 0)");
    await client.query("create type amount as (n pos, of text)");
    await client.query("create table t (id int primary key, a amount)");
    const refused = '23514: value for domain pos violates check constraint "pos_check"';
    expect(await failure("select '(0,x)'::amount")).toBe(refused);
    expect(await failure("insert into t values (1, '(0,x)')")).toBe(refused);
    expect(await failure("insert into t values (1, row(-1, 'x'))")).toBe(refused);
    await client.query("insert into t values (1, '(1,x)')");
    expect(await failure("update t set a.n = 0")).toBe(refused);
    const other = await clients.connect();
    expect(await rows("select (a).n, pg_typeof((a).n) from t", other)).toBe("1,pos");
  });
});

describe("parameters", () => {
  it("are of the types of the fields that they are given for", async () => {
    await client.query("create table t (id int primary key, i item)");
    const insert = "insert into t values ($1, row($2, row($3, 'x'), $4)) returning i";
    const given = { text: insert, values: [1, 2, "a", ["b", "c"]], rowMode: "array" as const };
    expect((await client.query(given)).rows).toEqual([['(2,"(a,x)","{b,c}")']]);
    const whole = { text: "select id from t where i = $1", values: ['(2,"(a,x)","{b,c}")'] };
    expect(
      await client.query(whole).then(
        ({ rows: found }) => found,
        (error) => error.code,
      ),
    ).toBe("0A000");
    const typed = { text: "select id from t where i = $1::item", values: whole.values };
    expect((await client.query(typed)).rows).toEqual([{ id: 1 }]);
    const set = { text: "update t set i.n = $1 where id = $2 returning (i).n", values: ["7", 1] };
    expect((await client.query(set)).rows).toEqual([{ n: 7 }]);
  });
});

describe("a composite type in the catalogs", () => {
  it("is a type, a relation and its attributes", async () => {
    const text =
      "select c.relname, c.relkind, a.attname, a.attnum, format_type(a.atttypid, a.atttypmod) " +
      "from pg_class c join pg_attribute a on a.attrelid = c.oid " +
      "where c.relname = 'item' and a.attnum > 0 order by a.attnum";
    expect(await rows(text)).toBe("item,c,n,1,integer item,c,who,2,full_name item,c,tags,3,text[]");
    const tables = "select table_name from information_schema.tables where table_schema = 'public'";
    expect(await rows(tables)).toBe("");
  });

  it("is of its schema and of its transaction", async () => {
    await client.query("create schema s; alter type full_name set schema s");
    expect(await failure("select '(a,b)'::full_name")).toMatch(/^42704/);
    expect(await rows(`select (('(1,"(a,b)",)'::item).who).last, '(a,b)'::s.full_name`)).toBe(
      "b,(a,b)",
    );
    await client.query("alter type s.full_name rename to whole");
    expect(await failure("drop schema s")).toMatch(/^2BP01/);
    await client.query("begin; create type x as (a int); rollback");
    expect(await failure("select '(1)'::x")).toMatch(/^42704/);
    await client.query("drop schema s cascade");
    expect(await rows("select '(1,)'::item")).toBe("(1,)");
  });
});

describe("the row type of a table", () => {
  it("is named by its table, in casts and nowhere as a column", async () => {
    await client.query("create table t (id int primary key, w full_name)");
    expect(await rows(`select ('(1,"(a,b)")'::t).w.last, row(2, null)::t`)).toBe("b,(2,)");
    expect(await failure("create table u (x t)")).toMatch(/^0A000: a column of the row type t/);
    await client.query("alter table t add column n int");
    expect(await rows("select '(1,,5)'::t")).toBe("(1,,5)");
    expect(await failure("select '(1,)'::t")).toMatch(/^22P02/);
  });
});
