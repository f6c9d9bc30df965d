import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_KEY, Team } from "../access/support.ts";
import { rowsOf, sql } from "../sql/support.ts";

let team: Team;

const ask = (method: string, path: string, body?: object) =>
  team.ask(ADMIN_KEY, method, `/api/v1${path}`, body);

/** What a statement is refused with. */
async function refusal(statement: string): Promise<string> {
  const outcome = await sql(team, ADMIN_KEY, statement);
  return "sqlState" in outcome ? outcome.sqlState : `rows ${JSON.stringify(outcome.rows)}`;
}

/** In whose range the numbers of a table are: each shard has its own. */
async function placeOf(table: string, settings: object = {}): Promise<string> {
  const asked = `select oid::int8 from pg_class where relname = '${table}'`;
  const rows = await rowsOf(team, asked, { settings });
  expect(rows.length).toBe(1);
  return Number(rows[0]?.[0]) < 0x1000_0000 ? "default" : "hot";
}

/** Times of the past are told apart by the millisecond. */
const pause = (): Promise<void> => new Promise((done) => setTimeout(done, 5));

beforeAll(async () => {
  team = await Team.open({});
  await ask("POST", "/shards/default:create", { name: "hot" });
});
afterAll(() => team.firn.close());

describe("ALTER TABLE … SET (shard = …)", () => {
  it("moves a table with its rows, indexes, numbers and comments", async () => {
    await rowsOf(team, "create table t(id serial primary key, v text unique, n int)");
    await rowsOf(team, "create index on t(n)");
    await rowsOf(team, "comment on column t.n is 'a number'");
    await rowsOf(
      team,
      "insert into t(v, n) select 'v' || i, i % 10 from generate_series(1, 2500) i",
    );
    const asked = "select count(*), sum(id), sum(n), count(distinct v) from t";
    const before = await rowsOf(team, asked);
    expect(await placeOf("t")).toBe("default");
    for (const shard of ["hot", "hot"]) {
      await rowsOf(team, `alter table t set (shard = '${shard}')`);
      expect(await placeOf("t")).toBe(shard);
      expect(await placeOf("t", { "firn.shard": "hot" })).toBe(shard);
      expect(await rowsOf(team, asked)).toEqual(before);
    }
    // What is left of it in its old place is in the way of a move back.
    expect(await refusal("alter table t set (shard = 'default')")).toBe("55006");
    const described = "select col_description('t'::regclass, 3), count(*) from t where n = 7";
    expect(await rowsOf(team, described)).toEqual([["a number", "250"]]);
    await rowsOf(team, "insert into t(v) values ('next')");
    expect(await rowsOf(team, "select id from t where v = 'next'")).toEqual([[2_501]]);
    expect(await refusal("insert into t(v) values ('next')")).toBe("23505");
    const checked = await ask(
      "POST",
      "/catalogs/default/namespaces/public/tables/t/rows:check",
      {},
    );
    expect(checked.body["agrees"]).toBe(true);
    const oids = await rowsOf(team, "select count(*), count(distinct oid) from pg_class");
    expect(oids[0]?.[0]).toBe(oids[0]?.[1]);
    const comments = "select count(*) from pg_description where objoid <> 2200";
    expect(await rowsOf(team, comments)).toEqual([["1"]]);
  });

  it("leaves what was there before to reads of the past", async () => {
    await rowsOf(team, "create table past(id int primary key, n int)");
    await rowsOf(team, "create table stays(id int primary key) with (shard = 'hot')");
    await rowsOf(team, "insert into past values (1, 1)");
    await rowsOf(team, "insert into stays values (1)");
    const asked = "select past.n, count(*) from past, stays";
    await pause();
    const [[before]] = (await rowsOf(team, "select clock_timestamp()::text")) as [[string]];
    await pause();
    await rowsOf(team, "update past set n = 2");
    await rowsOf(team, "alter table past set (shard = 'hot')");
    await rowsOf(team, "update past set n = 3; insert into stays values (2)");
    for (const settings of [{}, { "firn.shard": "hot" }]) {
      const then = `${asked} as of system time '${before}' group by 1`;
      expect(await rowsOf(team, then, { settings })).toEqual([[1, "1"]]);
      expect(await rowsOf(team, `${asked} group by 1`, { settings })).toEqual([[3, "2"]]);
    }
  });

  it("is refused where it would part tables, in a block, and for no shard", async () => {
    await rowsOf(team, "create table p(id int primary key)");
    await rowsOf(team, "create table c(id int primary key, p int references p)");
    expect(await refusal("alter table p set (shard = 'hot')")).toBe("0A000");
    expect(await refusal("alter table c set (shard = 'hot')")).toBe("0A000");
    await rowsOf(team, "create sequence own; create table q(id int default nextval('own'))");
    expect(await refusal("alter table q set (shard = 'hot')")).toBe("0A000");
    expect(await refusal("begin; alter table q set (shard = 'hot'); commit")).toBe("25001");
    expect(await refusal("alter table q set (shard = 'none')")).toBe("42704");
    await rowsOf(team, "create materialized view m as select 1 as one");
    expect(await refusal("alter table m set (shard = 'hot')")).toBe("42809");
    expect(await placeOf("p")).toBe("default");
  });

  it("loses no write of those who go on", async () => {
    await rowsOf(team, "create table w(id int primary key, n int)");
    await rowsOf(team, "insert into w select i, 0 from generate_series(1, 1500) i");
    let isOver = false;
    const acknowledged: number[] = [];
    const codes = new Set<string>();
    const writer = async (first: number): Promise<void> => {
      for (let i = 0; !isOver; i++) {
        const id = first + i;
        const update = `update w set n = n + 1 where id = ${first % 100}`;
        const insert = `insert into w values (${id}, 1); ${update}`;
        const outcome = await sql(team, ADMIN_KEY, insert);
        if ("sqlState" in outcome) codes.add(outcome.sqlState);
        else acknowledged.push(id);
      }
    };
    const writers = [10_001, 20_002, 30_003].map(writer);
    await rowsOf(team, "alter table w set (shard = 'hot')");
    const atMove = acknowledged.length;
    while (acknowledged.length < atMove + 10) await new Promise((done) => setTimeout(done, 5));
    isOver = true;
    await Promise.all(writers);
    expect([...codes].filter((code) => code !== "40001")).toEqual([]);
    const found = await rowsOf(team, "select id from w where id > 10000 order by id");
    expect(found.flat()).toEqual(acknowledged.toSorted((a, b) => a - b));
    const sum = await rowsOf(team, "select sum(n) from w where id in (1, 2, 3)");
    expect(sum).toEqual([[String(acknowledged.length)]]);
    expect(await placeOf("w")).toBe("hot");
  });
});
