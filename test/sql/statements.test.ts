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

/** Rows as PostgreSQL prints them: values with bars between them, one row a line. */
async function rows(sql: string, values?: readonly unknown[]): Promise<readonly string[]> {
  const types = { getTypeParser: () => (value: string) => value };
  const query = { text: sql, values: values as unknown[], rowMode: "array" as const, types };
  const answer = await client.query<(string | null)[]>(query);
  return answer.rows.map((row) => row.map((value) => value ?? "NULL").join("|"));
}

async function state(sql: string, values?: unknown[]): Promise<string> {
  const done = await client.query(sql, values).then(
    () => "done",
    (error: { code?: string }) => error.code,
  );
  return done ?? "no code";
}

async function plan(sql: string): Promise<readonly string[]> {
  return (await rows(`explain ${sql}`)).map((line) => line.trim());
}

async function makeTable(): Promise<void> {
  await client.query(`
    create table t (id int primary key, name text not null, amount numeric(10,2),
      flag bool default true, n bigint, unique (name))`);
  await client.query("insert into t values (1,'one',1.5)");
  await client.query("insert into t values (2,'two',2.25,false,9)");
  await client.query("insert into t (id, name) values (3, 'three')");
}

describe("expressions", () => {
  it.each([
    ["1 + 1, 7 / 2, 7 / 2.0, -5 % 3", "2|3|3.5000000000000000|-2"],
    ["true and null, true or null, not null", "NULL|t|NULL"],
    ["3 in (1, 2, 3), 4 in (1, null), 4 not in (1, 2)", "t|NULL|t"],
    ["5 between 1 and 9, 5 between symmetric 9 and 1, 5 not between 6 and 7", "t|t|t"],
    [
      "null is null, 1 is not null, 1 is distinct from null, null is not distinct from null",
      "t|t|t|t",
    ],
    ["case when 1 > 2 then 'a' when null then 'b' else 'c' end, case 2 when 2 then 'x' end", "c|x"],
    [
      "coalesce(null, 4), nullif(1, 1), nullif(1, 2), greatest(1, null, 3), least(2, 1)",
      "4|NULL|1|3|1",
    ],
    ["'12'::int + 1, 1.5::int, '1.255'::numeric(4,2), 'x'::text || 1", "13|2|1.26|x1"],
    ["2 = any (array[1, 2]), 2 <> all (array[1, 2]), array[1, 2]", "t|f|{1,2}"],
    ["(1, 2) = (1, 2), (1, 2) <> (1, 3)", "t|t"],
    ["true is true, null::bool is unknown, false is not true", "t|t|t"],
    [
      "9223372036854775807, 9223372036854775808, 1e3",
      "9223372036854775807|9223372036854775808|1000",
    ],
  ])("%s", async (sql, expected) => {
    expect(await rows(`select ${sql}`)).toEqual([expected]);
  });

  it.each([
    ["1 / 0", "22012"],
    ["'x'::int", "22P02"],
    ["2147483647 + 1", "22003"],
    ["1 + true", "42883"],
    ["nope(1)", "42883"],
    ["nope", "42703"],
    ["case when 1 then 2 end", "42804"],
    ["$2::int", "42P02"],
    ["count(*) + sum(count(*))", "42803"],
    ["1 = (select 1, 2)", "42601"],
    ["array[]", "42P18"],
    ["'a' collate \"de_DE\"", "0A000"],
  ])("%s is %s", async (sql, expected) => {
    expect(await state(`select ${sql}`)).toBe(expected);
  });

  it("names of columns are PostgreSQL's", async () => {
    const { fields } = await client.query(
      "select 1, 1::int, coalesce(1), case when true then 1 end, 2 as two, true, array[1]",
    );
    const names = fields.map(({ name }) => name).join(" ");
    expect(names).toBe("?column? int4 coalesce case two bool array");
  });

  it("a chain of 1,000 operators is computed, one of 20,000 refused", async () => {
    expect(await rows(`select 1${"+1".repeat(1_000)}`)).toEqual(["1001"]);
    expect(await state(`select 1${"+1".repeat(20_000)}`)).toMatch(/^5400[01]$/);
  });
});

describe("queries of one table", () => {
  beforeEach(makeTable);

  it("give rows, with defaults, in the order of the key", async () => {
    expect(await rows("select * from t")).toEqual([
      "1|one|1.50|t|NULL",
      "2|two|2.25|f|9",
      "3|three|NULL|t|NULL",
    ]);
  });

  it("tell the table and the number of their columns", async () => {
    const { fields } = await client.query("select name, id + 1 from t");
    expect(fields.map(({ columnID }) => columnID)).toEqual([2, 0]);
    expect(fields[0]?.tableID).toBeGreaterThan(0);
  });

  it.each([
    ["id = 2", "2", "Index Cond: (id = 2)"],
    ["id = 2::bigint", "2", "Index Cond: (id = '2'::bigint)"],
    ["2 = id", "2", "Index Cond: (2 = id)"],
    ["id in (3, 1, 3)", "1 3", "Index Cond: (id = ANY (3, 1, 3))"],
    ["id = any ('{3,1}'::int[])", "1 3", "Index Cond: (id = ANY ('{3,1}'::integer[]))"],
    ["id > 1 and id <= 3", "2 3", "Index Cond: (id > 1) AND (id <= 3)"],
    ["id between 2 and 9", "2 3", "Index Cond: (id >= 2) AND (id <= 9)"],
    ["id < 2 or id = 3", "1 3", "Index Cond: ((id < 2) OR (id = 3))"],
    ["id = null", "", "Index Cond: (id = NULL::integer)"],
    ["id is null", "", "Index Cond: (id IS NULL)"],
    ["id > 3000000000", "", "Index Cond: (id > '3000000000'::bigint)"],
    ["id < 3000000000", "1 2 3", "Index Cond: (id < '3000000000'::bigint)"],
    ["name = 'two'", "2", "Index Cond: (name = 'two'::text)"],
    ["amount > 2", "2", "Filter: (amount > '2'::numeric)"],
    ["flag", "1 3", "Filter: flag"],
    ["n is null and id > 1", "3", "Index Cond: (id > 1)"],
  ])("where %s", async (where, ids, bound) => {
    expect((await rows(`select id from t where ${where}`)).join(" ")).toBe(ids);
    const lines = await plan(`select id from t where ${where}`);
    expect(lines.some((line) => line.startsWith(bound))).toBe(true);
  });

  it("take order and limit from the key, in both directions", async () => {
    const sql = "select id from t where id > 1 order by id desc limit 1";
    expect(await rows(sql)).toEqual(["3"]);
    expect(await plan(sql)).toEqual([
      "Limit",
      "->  Index Scan Backward using t_pkey on t",
      "Index Cond: (id > 1)",
    ]);
    expect(await plan("select id from t order by amount")).toContain("Sort Key: amount");
  });

  it("sort, skip, and tell different rows apart", async () => {
    expect(await rows("select id from t order by amount desc")).toEqual(["3", "2", "1"]);
    expect(await rows("select id from t order by amount nulls first, 1")).toEqual(["3", "1", "2"]);
    expect(await rows("select id from t order by -id offset 1 limit 1")).toEqual(["2"]);
    expect(await rows("select distinct flag from t order by flag")).toEqual(["f", "t"]);
    expect(await state("select id from t limit -1")).toBe("2201W");
    expect(await state("select distinct flag from t order by id")).toBe("42P10");
  });

  it("give aggregates and groups", async () => {
    const sql = "count(*), count(n), sum(id), avg(id), min(name), max(amount), sum(amount)";
    expect(await rows(`select ${sql} from t`)).toEqual(["3|1|6|2.0000000000000000|one|2.25|3.75"]);
    expect(await rows(`select ${sql} from t where false`)).toEqual([
      "0|0|NULL|NULL|NULL|NULL|NULL",
    ]);
    const grouped = "select flag, count(*) as c from t group by flag having count(*) > 1";
    expect(await rows(grouped)).toEqual(["t|2"]);
    expect(await rows("select flag is null, count(distinct flag) from t group by 1")).toEqual([
      "f|2",
    ]);
    expect(await state("select name from t group by flag")).toBe("42803");
    expect(await state("select id from t where count(*) > 1")).toBe("42803");
  });
});

describe("changes of one table", () => {
  beforeEach(makeTable);

  it("change rows, and tell what they have become", async () => {
    const updated = await rows("update t set amount = amount * 2, n = id where id < 3 returning *");
    expect(updated).toEqual(["1|one|3.00|t|1", "2|two|4.50|f|2"]);
    expect(await rows("update t set id = id + 10 where id = 3 returning id")).toEqual(["13"]);
    expect(await rows("delete from t where id > 2 returning name")).toEqual(["three"]);
    expect((await client.query("update t set flag = default where id = 2")).rowCount).toBe(1);
    expect(await rows("select flag from t where id = 2")).toEqual(["t"]);
    expect((await client.query("delete from t")).rowCount).toBe(2);
  });

  it("insert on conflict", async () => {
    const nothing = "insert into t (id, name) values (1, 'x') on conflict do nothing";
    expect((await client.query(nothing)).rowCount).toBe(0);
    const update =
      "insert into t (id, name) values (1, 'uno'), (4, 'four') on conflict (id) " +
      "do update set name = excluded.name || '/' || t.name returning id, name";
    expect(await rows(update)).toEqual(["1|uno/one", "4|four"]);
    const twice =
      "insert into t (id, name) values (1, 'a'), (1, 'b') on conflict (id) do update set n = 1";
    expect(await state(twice)).toBe("21000");
    expect(await state("insert into t (id, name) values (1, 'x') on conflict (n) do nothing")).toBe(
      "42P10",
    );
    const named =
      "insert into t (id, name) values (9, 'two') on conflict (name) do update set n = 5";
    await client.query(named);
    expect(await rows("select id, n from t where name = 'two'")).toEqual(["2|5"]);
  });

  it.each([
    ["insert into t values (1, 'x')", "23505"],
    ["insert into t values (9, 'one')", "23505"],
    ["insert into t values (null, 'x')", "23502"],
    ["insert into t (id, id) values (1, 1)", "42701"],
    ["insert into t (id) values (1, 2)", "42601"],
    ["insert into t (nope) values (1)", "42703"],
    ["insert into t (id) values (true)", "42804"],
    ["insert into t values (9, 'x', 123456789.5)", "22003"],
    ["select * from nope", "42P01"],
    ["select * from lake.nope", "42P01"],
    ["create table nope.x (a int)", "3F000"],
    ["create table t (a int)", "42P07"],
    ["create table x (a int, a int)", "42701"],
    ["create table x (a nope)", "42704"],
    ["create table x (a int primary key, primary key (a))", "42P16"],
    ["drop table nope", "42P01"],
    ["select * from t, t", "42712"],
    ["select 1 union select 'a'", "22P02"],
    ["listen x", "0A000"],
  ])("%s is %s, and changes nothing", async (sql, expected) => {
    expect(await state(sql)).toBe(expected);
    expect(await rows("select count(*) from t")).toEqual(["3"]);
  });

  it("can be made, emptied and dropped", async () => {
    await client.query("create table lake.u (a int)");
    await client.query("create table if not exists lake.u (a int)");
    await client.query("insert into lake.u values (1), (2), (2)");
    expect((await client.query("update lake.u set a = a + 1 where a = 2")).rowCount).toBe(2);
    expect(await rows("select * from lake.u order by a")).toEqual(["1", "3", "3"]);
    await client.query("truncate lake.u");
    expect(await rows("select count(*) from lake.u")).toEqual(["0"]);
    await client.query("drop table lake.u");
    await client.query("drop table if exists lake.u");
    expect(await state("select * from lake.u")).toBe("42P01");
  });

  it("stands behind other statements of a text, and is undone with them", async () => {
    const insert = "insert into t (id, name) values (9, 'nine')";
    expect(await state(`${insert}; create table w (a int); select 1/0`)).toBe("22012");
    expect(await state(`${insert}; drop table t; select 1/0`)).toBe("22012");
    expect(await rows("select count(*) from t")).toEqual(["3"]);
    expect(await state("create table w (a int); create table x (a int)")).toBe("done");
    expect(await state("drop table w; create table w (b int); insert into w values (1)")).toBe(
      "done",
    );
  });
});

describe("prepared statements", () => {
  beforeEach(makeTable);

  it("prepared statements follow changes of their table, or refuse another result", async () => {
    const byId = { name: "by-id", text: "select * from t where id = $1", values: [1] };
    expect((await client.query(byId)).rows).toHaveLength(1);
    const count = { name: "count", text: "select count(*) from t" };
    expect((await client.query(count)).rows).toEqual([{ count: "3" }]);
    await client.query("drop table t");
    await client.query("create table t (id int primary key, other text)");
    expect((await client.query(count)).rows).toEqual([{ count: "0" }]);
    await expect(client.query(byId)).rejects.toMatchObject({ code: "0A000" });
  });

  it("parameters take the types of what they stand by", async () => {
    expect(await rows("select name from t where id = $1", [2])).toEqual(["two"]);
    expect(await rows("select id from t where amount > $1 and name <> $2", ["2", "x"])).toEqual([
      "2",
    ]);
    expect(await state("select id from t where id = $1", ["x"])).toBe("22P02");
    const many = Array.from({ length: 30_000 }, (_, i) => i);
    const places = many.map((_, i) => `$${i + 1}`).join(", ");
    expect(await rows(`select count(*) from t where id in (${places})`, many)).toEqual(["3"]);
  });

  it("PREPARE and EXECUTE", async () => {
    await client.query("prepare p (int) as select name from t where id = $1");
    expect(await rows("execute p (1 + 1)")).toEqual(["two"]);
    expect(await state("execute p (1, 2)")).toBe("42601");
    expect(await state("prepare p as select 1")).toBe("42P05");
    await client.query("deallocate p");
    expect(await state("execute p (1)")).toBe("26000");
  });
});

describe("transactions", () => {
  beforeEach(async () => {
    await client.query("create table t (id int primary key, n int)");
    await client.query("insert into t values (1, 0), (2, 0)");
  });

  it("are undone whole, or back to a savepoint", async () => {
    await client.query("begin");
    await client.query("update t set n = 1 where id = 1");
    await client.query("savepoint a");
    await client.query("delete from t");
    expect(await state("select nope")).toBe("42703");
    expect(await state("select 1")).toBe("25P02");
    await client.query("rollback to a");
    expect(await rows("select id, n from t")).toEqual(["1|1", "2|0"]);
    await client.query("rollback");
    expect(await rows("select id, n from t")).toEqual(["1|0", "2|0"]);
    expect(await state("rollback to a")).toBe("25P01");
  });

  it("of several statements in one text are one", async () => {
    expect(await state("insert into t values (3, 0); insert into t values (3, 1)")).toBe("23505");
    expect(await rows("select count(*) from t")).toEqual(["2"]);
    await client.query("insert into t values (3, 0); commit; insert into t values (4, 0)");
    expect(await rows("select count(*) from t")).toEqual(["4"]);
  });

  it("a failed one commits nothing", async () => {
    await client.query("begin");
    await client.query("insert into t values (3, 0)");
    expect(await state("insert into t values (3, 0)")).toBe("23505");
    expect((await client.query("commit")).command).toBe("ROLLBACK");
    expect(await rows("select count(*) from t")).toEqual(["2"]);
  });

  it("serializable ones that read what the other writes do not both commit", async () => {
    const other = await connect();
    await client.query("begin; select * from t");
    await other.query("begin; select * from t");
    await client.query("update t set n = 1 where id = 1");
    await other.query("update t set n = 1 where id = 2");
    await client.query("commit");
    await expect(other.query("commit")).rejects.toMatchObject({ code: "40001" });
  });

  it("16 clients add to one row, and none hears of the others", async () => {
    const clients = await Promise.all(Array.from({ length: 16 }, connect));
    const adding = clients.map(async (one) => {
      for (let i = 0; i < 5; i++) await one.query("update t set n = n + 1 where id = 1");
    });
    await Promise.all(adding);
    expect(await rows("select n from t where id = 1")).toEqual(["80"]);
  });

  it("a statement ends at its timeout, or when it is cancelled", async () => {
    await client.query("begin; update t set n = 1 where id = 1");
    const other = await connect();
    await other.query("set statement_timeout = '50ms'");
    const waits = other.query("update t set n = 2 where id = 1");
    const ended = await waits.then(
      () => "done",
      (error: { code: string }) => error.code,
    );
    await client.query("commit");
    expect(ended).toBe("57014");
    await other.query("set statement_timeout = 0");
    expect((await other.query("update t set n = 2 where id = 1")).rowCount).toBe(1);
  });
});

it("goes back to before its first row, and keeps its snapshot", async () => {
  await client.query("create table seen (id int primary key)");
  const other = await connect();
  await client.query("begin isolation level repeatable read; savepoint a; savepoint b");
  expect(await rows("select count(*) from seen")).toEqual(["0"]);
  await client.query("insert into seen values (1)");
  await client.query("rollback to b");
  expect(await rows("select count(*) from seen")).toEqual(["0"]);
  await other.query("insert into seen values (2)");
  await client.query("rollback to a");
  expect(await rows("select count(*) from seen")).toEqual(["0"]);
  await client.query("commit");
  expect(await rows("select id from seen")).toEqual(["2"]);
});

it("tells READ UNCOMMITTED as it was asked for, and reads what is committed", async () => {
  await client.query("create table dirty (id int primary key)");
  const other = await connect();
  for (const begin of [
    "begin isolation level read uncommitted",
    "begin; set transaction isolation level read uncommitted",
    "begin; set transaction_isolation = 'read uncommitted'",
    "set default_transaction_isolation = 'read uncommitted'; begin",
  ]) {
    await client.query(begin);
    expect(await rows("show transaction_isolation")).toEqual(["read uncommitted"]);
    expect(await rows("select current_setting('transaction_isolation')")).toEqual([
      "read uncommitted",
    ]);
    await other.query("begin; insert into dirty values (1)");
    expect(await rows("select id from dirty")).toEqual([]);
    await other.query("commit");
    expect(await rows("select id from dirty")).toEqual(["1"]);
    await client.query("commit");
    await other.query("delete from dirty");
  }
});
