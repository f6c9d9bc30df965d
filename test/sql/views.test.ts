import type pg from "pg";
import { describe, expect, it } from "vitest";
import { failureOf, pgClients, rowsOf } from "../pgwire/pg-clients.ts";

let client: pg.Client;
const clients = pgClients(async () => {
  client = await clients.connect();
  await client.query("create table t (id int primary key, a int, b text, price numeric(8,2))");
  await client.query(
    "insert into t select i, i % 3, 'b' || i, i * 1.5 from generate_series(1, 9) i",
  );
});

const rows = (text: string, on = client) => rowsOf(on, text);
const failure = (text: string) => failureOf(client, text);

describe("a view", () => {
  it("is read by other sessions, joined, filtered and ordered as a table is", async () => {
    await client.query("create view v as select id, b as label, price from t where a = 1");
    const other = await clients.connect();
    expect(await rows("select * from v order by id desc", other)).toBe(
      "7,b7,10.50 4,b4,6.00 1,b1,1.50",
    );
    expect(await rows("select label from v where id = 4", other)).toBe("b4");
    expect(await rows("select label from v where id = 5", other)).toBe("");
    expect(await rows("select v.id, t.a from v join t on t.id = v.id + 1 order by 1")).toBe(
      "1,2 4,2 7,2",
    );
    expect(
      await rows(
        "select t.id, v.label from t left join v on v.id = t.id where t.id < 4 order by 1",
      ),
    ).toBe("1,b1 2, 3,");
    expect(await rows("select x.n, sum(x.p) from v x (n, l, p) group by 1 order by 1")).toBe(
      "1,1.50 4,6.00 7,10.50",
    );
    expect(await rows("select count(*), max(v.price) from v")).toBe("3,10.50");
    const { rows: plan } = await client.query("explain select label from v where id = 4");
    expect(JSON.stringify(plan)).toMatch(/Index Scan using t_pkey/);
  });

  it("has a query of any kind, views and values below it, and names of its own", async () => {
    await client.query("create view s (total, n) as select sum(price), a from t group by a");
    await client.query(
      "create view top as select n from s where total > 15 order by total desc limit 1",
    );
    await client.query("create view both_of as select 1 as x union all select n from top");
    await client.query(
      "create view c as with w as (select id from t where id < 3) select * from w",
    );
    await client.query("create view lit as values (1, 'one'), (2, 'two')");
    await client.query(
      "create recursive view nums (n) as values (1) union all select n + 1 from nums where n < 4",
    );
    expect(await rows("select * from s order by n")).toBe("27.00,0 18.00,1 22.50,2");
    expect(await rows("select * from top")).toBe("0");
    expect(await rows("select * from both_of order by x")).toBe("0 1");
    expect(await rows("select * from c order by id")).toBe("1 2");
    expect(await rows("select * from lit")).toBe("1,one 2,two");
    expect(await rows("select * from nums")).toBe("1 2 3 4");
    expect(
      await rows(
        "with t as (select 5 as id, 1 as a, 'x' as b, 1.0 as price) " +
          "select total from s where n = 0",
      ),
    ).toBe("27.00");
  });

  it("keeps each text of a query that groups by distinct sets", async () => {
    await client.query(
      `create view v as select 'firn_group_by_distinct, x' as said, a, count(*) as n from t
       group by distinct rollup (a), rollup (a)`,
    );
    expect(await rows("select a, n from v order by a")).toBe("0,3 1,3 2,3 ,9");
    expect(await rows("select distinct said from v")).toBe("firn_group_by_distinct, x");
  });

  it("keeps its meaning when the path or its table changes", async () => {
    await client.query("create view v as select * from t where id = 1");
    await client.query("alter table t add column z int default 7");
    expect(await rows("select * from v")).toBe("1,1,b1,1.50");
    await client.query(
      "create schema s; create table s.t (id int primary key); set search_path = s",
    );
    expect(await rows("select * from public.v")).toBe("1,1,b1,1.50");
    await client.query("set search_path = public");
    expect(await failure("alter table t rename column b to c")).toMatch(
      /^0A000: renaming a column/,
    );
    expect(await failure("alter table t alter column a type int8")).toMatch(
      /^0A000: cannot alter type of a column used by a view or rule/,
    );
    await client.query("alter table t rename column z to y");
  });
});

describe("a view and what it rests on", () => {
  it("is replaced by one that has its columns, and more behind them", async () => {
    await client.query("create view v as select id, a from t where id < 3");
    const other = await clients.connect();
    const text = "select * from v order by 1";
    expect((await other.query({ name: "q", text, rowMode: "array" })).rows).toEqual([
      [1, 1],
      [2, 2],
    ]);
    await client.query("create or replace view v as select id, a * 10 as a from t where id < 3");
    expect((await other.query({ name: "q", text, rowMode: "array" })).rows).toEqual([
      [1, 10],
      [2, 20],
    ]);
    await client.query("create or replace view v as select id, a, b from t where id = 1");
    expect(await rows("select * from v")).toBe("1,1,b1");
    expect(await failure("create or replace view v as select id from t")).toBe(
      "42P16: cannot drop columns from view",
    );
    expect(await failure("create or replace view v as select id as x, a, b from t")).toBe(
      '42P16: cannot change name of view column "id" to "x"',
    );
    expect(await failure("create or replace view v as select id::text as id, a, b from t")).toBe(
      '42P16: cannot change data type of view column "id" from integer to text',
    );
    await client.query("create view w as select * from v");
    expect(await failure("create or replace view v as select id, a, b from w")).toMatch(/^42P17/);
    expect(await failure("create view v as select 1")).toBe('42P07: relation "v" already exists');
    expect(await failure("create table v (id int)")).toBe('42P07: relation "v" already exists');
    expect(await failure("create or replace view t as select 1")).toBe('42809: "t" is not a view');
  });

  it("goes with what it needs only by CASCADE, and is of its transaction", async () => {
    await client.query("create view v as select id, a from t; create view w as select id from v");
    expect(await failure("drop table t")).toBe(
      "2BP01: cannot drop table t because other objects depend on it " +
        "(view v depends on table t\nview w depends on view v)",
    );
    expect(await failure("drop view v")).toBe(
      "2BP01: cannot drop view v because other objects depend on it (view w depends on view v)",
    );
    expect(await failure("alter table t drop column a")).toBe(
      "2BP01: cannot drop column a of table t because other objects depend on it " +
        "(view v depends on column a of table t\nview w depends on view v)",
    );
    expect(await failure("alter table t drop column b")).toBe("done");
    await client.query("begin; drop view v cascade; rollback");
    expect(await rows("select count(*) from w")).toBe("9");
    await client.query("drop view w, v");
    expect(await failure("select * from v")).toBe('42P01: relation "v" does not exist');
    await client.query(
      "begin; create view x as select 1 as one; savepoint s; drop view x; rollback to s",
    );
    expect(await rows("select one from x")).toBe("1");
    await client.query("rollback");
    expect(await failure("drop view x")).toBe('42P01: view "x" does not exist');
    expect(await failure("drop view if exists x")).toBe("done");
    expect(await failure("drop view t")).toBe('42809: "t" is not a view');
    await client.query("create view v as select id from t; drop table t cascade");
    expect(await failure("select * from v")).toMatch(/^42P01/);
  });

  it("locks the rows of its table, and judges them by its own condition again", async () => {
    await client.query("create view v as select id, b from t where a = 1");
    const other = await clients.connect();
    await client.query("begin isolation level read committed; update t set a = 5 where id = 4");
    await other.query("begin isolation level read committed");
    const answer = rows("select id from v order by id for update", other);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await client.query("commit");
    expect(await answer).toBe("1 7");
    expect(await rows("select id from t where id in (1, 2, 7) for update skip locked")).toBe("2");
    await other.query("rollback");
  });
});

describe("a view, seen from outside,", () => {
  it("is shown in the catalogs", async () => {
    await client.query("create view v as select id, upper(b) as name from t");
    await client.query("comment on view v is 'of t'; comment on column v.name is 'loud'");
    expect(
      await rows(
        "select relkind, pg_get_viewdef(oid, true) like '%upper%' " +
          "from pg_class where relname = 'v'",
      ),
    ).toBe("v,true");
    expect(
      await rows(
        "select attname, format_type(atttypid, atttypmod) from pg_attribute " +
          "where attrelid = 'v'::regclass order by attnum",
      ),
    ).toBe("id,integer name,text");
    expect(await rows("select viewname from pg_views where schemaname = 'public'")).toBe("v");
    expect(
      await rows("select table_type from information_schema.tables where table_name = 'v'"),
    ).toBe("VIEW");
    expect(
      await rows("select obj_description('v'::regclass), col_description('v'::regclass, 2)"),
    ).toBe("of t,loud");
    const { rows: definition } = await client.query("select pg_get_viewdef('v'::regclass) as text");
    await client.query(`create view again as ${definition[0].text}`);
    expect(await rows("select * from again where id = 2")).toBe("2,B2");
  });

  it("of columns of one table takes changes, and asks for its condition", async () => {
    await client.query("create view v (num, label, n) as select id, b, a from t where a = 1");
    const w = "create view w as select num, label, n from v where num > 3";
    await client.query(`${w} with local check option`);
    await client.query("create view x as select num, n from v where num > 3 with check option");
    expect(await rows("insert into v values (11, 'eleven', 1) returning num, n")).toBe("11,1");
    expect(await rows("update v set label = 'four' where num = 4 returning *")).toBe("4,four,1");
    expect(await rows("update v set n = 2 where num = 7 returning num")).toBe("7");
    expect(await rows("select num, label from v order by 1")).toBe("1,b1 4,four 11,eleven");
    await client.query("delete from v");
    expect(await rows("select id from t order by id")).toBe("2 3 5 6 7 8 9");
    await client.query("insert into w values (21, 'no row of v', 5)");
    expect(await failure("insert into w values (1, 'x', 1)")).toBe(
      '44000: new row violates check option for view "w"',
    );
    expect(await failure("insert into x values (22, 5)")).toBe(
      '44000: new row violates check option for view "x"',
    );
    await client.query("insert into x values (22, 1)");
    expect(await failure("update x set num = 1")).toBe(
      '44000: new row violates check option for view "x"',
    );
    expect(await rows("select num from x")).toBe("22");
    await client.query("create view g as select count(*) from t");
    expect(await failure("delete from g")).toMatch(/^55000: cannot delete from view "g"/);
    const counted = "create view h as select count(*) from t with check option";
    expect(await failure(counted)).toMatch(/^0A000/);
    expect(await failure("update v set id = 1")).toMatch(/^42703/);
  });

  it("refuses what it has no meaning for", async () => {
    expect(await failure("create view v as select id, id from t")).toBe(
      '42701: column "id" specified more than once',
    );
    expect(await failure("create view v (a, b) as select 1")).toBe(
      "42601: CREATE VIEW specifies more column names than columns",
    );
    expect(await failure("create view v as select nothing from t")).toMatch(/^42703/);
    expect(await failure("create view v as select * from nothing")).toMatch(/^42P01/);
  });
});

describe("a table of a query", () => {
  it("has its columns and rows", async () => {
    const { command, rowCount } = await client.query(
      "create table u as select id, price from t where a = 0",
    );
    expect([command, rowCount]).toEqual(["SELECT", 3]);
    expect(await rows("select * from u order by id")).toBe("3,4.50 6,9.00 9,13.50");
    await client.query("create table x (one, two) as select 1, 'x'::varchar(5) with no data");
    expect(await rows("select * from x")).toBe("");
    const types =
      "select attname, format_type(atttypid, atttypmod) from pg_attribute " +
      "where attrelid = 'x'::regclass and attnum > 0 order by attnum";
    expect(await rows(types)).toBe("one,integer two,character varying(5)");
    await client.query("select id * 2 as n into y from t where id < 3 union all select 0");
    expect(await rows("select n from y order by n")).toBe("0 2 4");
    const { rowCount: made } = await client.query("create table z as select $1::int as n", [5]);
    expect(made).toBe(1);
    expect(await failure("create table u as select 1")).toBe('42P07: relation "u" already exists');
    expect(await failure("create table if not exists u as select 1 as a")).toBe("done");
    expect(await failure("create table w (a, b) as select 1")).toBe(
      "42601: too many column names were specified",
    );
    await client.query("begin; create table gone as select * from t; rollback");
    expect(await failure("select * from gone")).toMatch(/^42P01/);
  });
});

describe("a table like another one", () => {
  it("has its columns, and what INCLUDING says", async () => {
    await client.query(
      "create table m (id int generated always as identity primary key, " +
        "n int not null default 5, " +
        "d int generated always as (n * 2) stored, constraint pos check (n > 0)); " +
        "create unique index on m (n, d)",
    );
    await client.query("create table plain (x int, like m)");
    await client.query("insert into plain (id, n, d) values (1, -1, null)");
    expect(await failure("insert into plain (id) values (1)")).toMatch(/^23502/);
    await client.query("create table whole (like m including all, y text)");
    await client.query("insert into whole (y) values ('a')");
    expect(await rows("select id, n, d, y from whole")).toBe("1,5,10,a");
    expect(await failure("insert into whole (n) values (-1)")).toMatch(/^23514/);
    expect(await failure("insert into whole (y) values ('b')")).toMatch(/^23505/);
    expect(
      await rows("select indexname from pg_indexes where tablename = 'whole' order by 1"),
    ).toBe("whole_n_d_idx whole_pkey");
    const constraints = "select conname from pg_constraint where conrelid = 'whole'::regclass";
    expect(await rows(`${constraints} and contype = 'u'`)).toBe("");
    await client.query(
      "create table some_of (like m including all excluding indexes excluding constraints)",
    );
    await client.query("insert into some_of (n) values (-1), (-1)");
  });
});

describe("a comment", () => {
  it("is kept with its object, replaced, removed and of its transaction", async () => {
    await client.query("comment on table t is 'one'; comment on column t.b is 'a label'");
    await client.query("create type mood as enum ('x'); comment on type mood is 'of mind'");
    await client.query("create schema s; comment on schema s is 'the s'");
    await client.query("create index t_a on t (a); comment on index t_a is 'by a'");
    const text =
      "select obj_description('t'::regclass, 'pg_class'), col_description('t'::regclass, 3), " +
      "obj_description('mood'::regtype, 'pg_type'), " +
      "obj_description('s'::regnamespace, 'pg_namespace'), " +
      "obj_description('t_a'::regclass, 'pg_class')";
    expect(await rows(text)).toBe("one,a label,of mind,the s,by a");
    await client.query("begin; comment on table t is 'two'; rollback");
    await client.query("comment on column t.b is null; comment on schema s is 'an s'");
    expect(await rows(text)).toBe("one,,of mind,an s,by a");
    expect(await failure("comment on table nothing is 'x'")).toMatch(/^42P01/);
    expect(await failure("comment on column t.nothing is 'x'")).toBe(
      '42703: column "nothing" of relation "t" does not exist',
    );
  });
});

describe("renaming what a view uses", () => {
  it("goes into the queries of views on tables and views", async () => {
    await client.query(`create schema s; create view v as select id, t.a, public.t.b from t;
      create view w as select v.id, x.a from v join (select * from v where a > 0) x using (id);
      create view two as with t as (select 1 as id) select t.id, o.a from t, public.t o`);
    const before = [await rows("table v order by 1"), await rows("table w order by 1")];
    const both = await rows("table two order by 2");
    await client.query(`begin; alter table t rename to t_old; alter view v rename to v_old;
      create table t (id int); alter table t_old set schema s; commit`);
    expect([await rows("table v_old order by 1"), await rows("table w order by 1")]).toEqual(
      before,
    );
    expect(await rows("table two order by 2")).toBe(both);
    expect(await failure("drop table s.t_old")).toMatch(/^2BP01/);
    await client.query("drop table t; alter table s.t_old rename to t");
    expect(await rows("table w order by 1")).toBe(before[1]);
    await client.query("begin; alter table s.t rename to other; rollback");
    expect(await rows("table v_old order by 1")).toBe(before[0]);
  });

  it("ALTER TABLE renames and moves views too", async () => {
    await client.query("create schema s; create view v as select id from t");
    await client.query("alter table v rename to w; alter table w set schema s");
    expect(await rows("select count(*) from s.w")).toBe("9");
    expect(await failure("alter table t rename to t")).toMatch(/^42P07/);
    expect(await failure("alter table nothing rename to w")).toMatch(/^42P01/);
  });
});
