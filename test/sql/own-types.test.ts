import type pg from "pg";
import { describe, expect, it } from "vitest";
import { failureOf, pgClients, rowsOf } from "../pgwire/pg-clients.ts";

let client: pg.Client;
const clients = pgClients(async () => {
  client = await clients.connect();
});

const rows = (text: string, on = client) => rowsOf(on, text);
const failure = (text: string) => failureOf(client, text);

const MOOD = "create type mood as enum ('sad', 'ok', 'happy')";

describe("an enum", () => {
  it("orders and refuses values as its labels say, in columns, keys and arrays", async () => {
    await client.query(MOOD);
    await client.query("create table p (m mood primary key, n int, all_of mood[])");
    await client.query(
      "insert into p values ('happy', 1, '{ok,sad}'), ('sad', 2, null), ('ok', 3, null)",
    );
    expect(await rows("select m, n, all_of from p order by m")).toBe(
      "sad,2, ok,3, happy,1,{ok,sad}",
    );
    expect(await rows("select max(m), min(m), count(*) from p where m > 'sad'")).toBe("happy,ok,2");
    expect(await rows("select enum_range(null::mood), 'ok'::mood < 'sad'")).toBe(
      "{sad,ok,happy},false",
    );
    expect(await failure("insert into p values ('glad')")).toBe(
      '22P02: invalid input value for enum mood: "glad"',
    );
    expect(await failure("select 'x'::nomood")).toBe('42704: type "nomood" does not exist');
    const other = await clients.connect();
    expect(await rows("select n from p where m = 'ok'", other)).toBe("3");
    const { rows: bound } = await other.query("select $1::mood as m", ["happy"]);
    expect(bound).toEqual([{ m: "happy" }]);
  });

  it("takes labels before and between others: rows and keys keep their order", async () => {
    await client.query(MOOD);
    await client.query("create table p (id int primary key, m mood); create index on p (m)");
    await client.query("insert into p values (1, 'happy'), (2, 'sad'), (3, 'ok')");
    await client.query("alter type mood add value 'grim' before 'sad'");
    await client.query("alter type mood add value 'fine' after 'ok'");
    await client.query("alter type mood add value 'great'");
    await client.query("insert into p values (4, 'grim'), (5, 'great'), (6, 'fine')");
    expect(await rows("select m from p order by m")).toBe("grim sad ok fine happy great");
    expect(await rows("select id from p where m between 'ok' and 'happy' order by m")).toBe(
      "3 6 1",
    );
    expect(await failure("alter type mood add value 'ok'")).toBe(
      '42710: enum label "ok" already exists',
    );
    expect(await failure("alter type mood add value if not exists 'ok'")).toBe("done");
    expect(await failure("alter type mood add value 'x' before 'y'")).toBe(
      '22023: "y" is not an existing enum label',
    );
  });

  it("gives a label another name, and takes the old one for another label", async () => {
    await client.query(MOOD);
    await client.query("create table p (id int primary key, m mood default 'ok', ms mood[])");
    await client.query("insert into p values (1, 'sad', '{sad,ok}'), (2, default, null)");
    await client.query("alter type mood rename value 'sad' to 'blue'");
    await client.query("alter type mood rename value 'ok' to 'fair'");
    expect(await rows("select m, ms from p order by id")).toBe("blue,{blue,fair} fair,");
    await client.query("alter type mood add value 'sad'");
    await client.query("insert into p values (3, 'sad', '{sad}'), (4, default, null)");
    expect(await rows("select m, ms from p order by id")).toBe(
      "blue,{blue,fair} fair, sad,{sad} fair,",
    );
    await client.query("alter type mood rename to feeling");
    expect(await rows("select 'sad'::feeling, m from p where m = 'sad'")).toBe("sad,sad");
  });
});

describe("the definition of an enum", () => {
  it("is of a transaction, and plans that rest on it are made again", async () => {
    await client.query(`begin; ${MOOD}; select 'ok'::mood; rollback`);
    expect(await failure("select 'ok'::mood")).toBe('42704: type "mood" does not exist');
    await client.query(MOOD);
    const other = await clients.connect();
    const text = "select $1::text::mood < 'zen'::mood as it";
    await client.query("alter type mood add value 'zen'");
    expect((await other.query({ name: "q", text, values: ["ok"] })).rows).toEqual([{ it: true }]);
    await client.query("alter type mood add value 'late' after 'zen'");
    expect((await other.query({ name: "q", text, values: ["late"] })).rows).toEqual([
      { it: false },
    ]);
  });

  it("belongs to a schema, and is dropped with what needs it only by CASCADE", async () => {
    await client.query("create schema s; create type s.mood as enum ('x')");
    expect(await failure("select 'x'::mood")).toBe('42704: type "mood" does not exist');
    expect(await rows("select 'x'::s.mood")).toBe("x");
    await client.query("create table p (id int primary key, m s.mood)");
    expect(await failure("drop type s.mood")).toBe(
      "2BP01: cannot drop type mood because other objects depend on it " +
        "(column m of table p depends on type mood)",
    );
    await client.query("drop type s.mood cascade");
    expect(await failure("select m from p")).toMatch(/^42703/);
    expect(await failure("drop type s.mood")).toBe('42704: type "s.mood" does not exist');
    expect(await failure("drop type if exists s.mood")).toBe("done");
    await client.query("create type s.again as enum ('x')");
    expect(await failure("drop schema s")).toMatch(/^2BP01/);
    await client.query("drop schema s cascade; create schema s");
    expect(await failure("select 'x'::s.again")).toMatch(/^42704/);
  });

  it("is listed in the catalogs", async () => {
    await client.query(`${MOOD}; create table p (id int primary key, m mood not null, a mood[])`);
    const text =
      "select e.enumlabel, t.typname, n.nspname from pg_enum e " +
      "join pg_type t on t.oid = enumtypid " +
      "join pg_namespace n on n.oid = typnamespace order by enumsortorder";
    expect(await rows(text)).toBe("sad,mood,public ok,mood,public happy,mood,public");
    const types =
      "select attname, format_type(atttypid, atttypmod) from pg_attribute " +
      "where attrelid = 'p'::regclass and attnum > 0 order by attnum";
    expect(await rows(types)).toBe("id,integer m,mood a,mood[]");
    expect(await rows("select 'mood'::regtype, 'mood[]'::regtype")).toBe("mood,mood[]");
    const columns =
      "select data_type, udt_schema, udt_name from information_schema.columns " +
      "where table_name = 'p' and column_name in ('m', 'a') order by ordinal_position";
    expect(await rows(columns)).toBe("USER-DEFINED,public,mood ARRAY,public,_mood");
  });
});

describe("a domain", () => {
  it("checks values of its columns and casts", async () => {
    await client.query("create domain posint as int check (value > 0)");
    await client.query(
      "create domain code as varchar(3) not null default 'abc' check (value <> 'bad')",
    );
    await client.query("create table d (id posint primary key, c code, n numeric)");
    await client.query("insert into d (id, n) values (1, 1.50)");
    expect(await rows("select id, c, id + 1, pg_typeof(id) from d")).toBe("1,abc,2,posint");
    expect(await failure("insert into d values (0, 'x')")).toBe(
      '23514: value for domain posint violates check constraint "posint_check"',
    );
    expect(await failure("insert into d values (2, null)")).toBe(
      "23502: domain code does not allow null values",
    );
    expect(await failure("update d set c = 'bad'")).toBe(
      '23514: value for domain code violates check constraint "code_check"',
    );
    expect(await failure("select 'abcd'::text::code")).toBe("done");
    expect(await failure("insert into d values (3, 'abcd')")).toBe(
      "22001: value too long for type character varying(3)",
    );
    expect(await failure("select (-1)::posint")).toMatch(/^23514/);
    expect(await failure("select null::code")).toMatch(/^23502/);
    await expect(client.query("select $1::posint", ["-1"])).rejects.toThrow(/posint_check/);
  });

  it("rests on other domains and on enums", async () => {
    await client.query(`${MOOD}; create domain fine as mood check (value <> 'sad')`);
    await client.query("create domain cash as numeric(10,2) check (value >= 0)");
    await client.query("create domain price as cash check (value < 100) not null");
    await client.query("create table i (p price, f fine)");
    await client.query("insert into i values (12.345, 'ok')");
    expect(await rows("select p, f, p * 2 from i")).toBe("12.35,ok,24.70");
    expect(await failure("insert into i values (-1, 'ok')")).toBe(
      '23514: value for domain cash violates check constraint "cash_check"',
    );
    expect(await failure("insert into i values (100, 'ok')")).toBe(
      '23514: value for domain price violates check constraint "price_check"',
    );
    expect(await failure("insert into i values (1, 'sad')")).toMatch(/^23514/);
    await client.query("alter type mood rename value 'ok' to 'fair'");
    expect(await rows("select f from i where f::mood = 'fair'")).toBe("fair");
  });

  it("is changed with its columns, whose rows must meet it", async () => {
    await client.query("create domain n as int; create table d (id int primary key, v n)");
    await client.query("insert into d values (1, 5), (2, null)");
    expect(await failure("alter domain n add constraint big check (value > 9)")).toBe(
      '23514: column "v" of table "d" contains values that violate the new constraint',
    );
    expect(await failure("alter domain n set not null")).toBe(
      '23502: column "v" of table "d" contains null values',
    );
    await client.query("alter domain n add constraint big check (value > 9) not valid");
    expect(await failure("insert into d values (3, 4)")).toMatch(/^23514/);
    await client.query("alter domain n rename constraint big to large");
    await client.query("alter domain n drop constraint large; alter domain n set default 7");
    await client.query("insert into d (id) values (4)");
    expect(await rows("select v from d order by id")).toBe("5  7");
    expect(await failure("drop domain n")).toMatch(/^2BP01/);
    await client.query("drop domain n cascade");
    expect(await failure("select v from d")).toMatch(/^42703/);
  });

  it("is listed in the catalogs", async () => {
    await client.query("create domain posint as int not null check (value > 0)");
    const text =
      "select typname, typtype, format_type(typbasetype, typtypmod), typnotnull, " +
      "pg_get_constraintdef(c.oid, true) from pg_type t join pg_constraint c on contypid = t.oid";
    expect(await rows(text)).toBe("posint,d,integer,true,CHECK (VALUE > 0)");
  });
});
