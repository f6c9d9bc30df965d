import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_KEY, Team } from "../access/support.ts";
import { rowsOf, sql } from "../sql/support.ts";

let team: Team;

const ask = (method: string, path: string, body?: object) =>
  team.ask(ADMIN_KEY, method, `/api/v1${path}`, body);

/** What a statement is refused with. */
async function refusal(statement: string, more: object = {}): Promise<string> {
  const outcome = await sql(team, ADMIN_KEY, statement, more);
  return "sqlState" in outcome ? outcome.sqlState : `rows ${JSON.stringify(outcome.rows)}`;
}

beforeAll(async () => {
  team = await Team.open({});
  for (const name of ["hot", "cold"]) {
    const made = await ask("POST", "/shards/default:create", { name });
    expect([made.status, made.body["shard"]]).toEqual([201, name]);
  }
  await rowsOf(team, "create table a(id int primary key, v text)");
  await rowsOf(team, "create table b(id int primary key, v text) with (shard = 'hot')");
  await rowsOf(team, "insert into a values (1, 'a1'), (2, 'a2')");
  await rowsOf(team, "insert into b values (1, 'b1'), (3, 'b3')");
});
afterAll(() => team.firn.close());

describe("shards of a catalog", () => {
  it("have names of their own", async () => {
    for (const name of ["hot", "default"]) {
      const again = await ask("POST", "/shards/default:create", { name });
      expect([again.status, again.body["code"]]).toEqual([409, "ROW_SHARD_EXISTS"]);
    }
    const wrong = await ask("POST", "/shards/default:create", { name: "No Name" });
    expect([wrong.status, wrong.body["code"]]).toEqual([400, "ROW_SHARD_INVALID"]);
    expect(await refusal("create table x(id int) with (shard = 'none')")).toBe("42704");
    const { body } = await ask("GET", "/shards");
    const items = body["items"] as { readonly catalog?: string; readonly shard?: string }[];
    const shown = items.filter(({ catalog }) => catalog === "default").map(({ shard }) => shard);
    expect(shown.toSorted()).toEqual(["cold", "default", "hot"]);
  });

  it("are read together by one statement", async () => {
    const joined = "select a.v, b.v from a join b using (id)";
    expect(await rowsOf(team, joined)).toEqual([["a1", "b1"]]);
    expect(await rowsOf(team, "select count(*) from b where id in (select id from a)")).toEqual([
      ["1"],
    ]);
  });

  it("are not written together by one transaction", async () => {
    const both = "insert into a values (7, 'x'); insert into b values (7, 'x')";
    expect(await refusal(both)).toBe("0A000");
    expect(await refusal(`begin; ${both}; commit`)).toBe("0A000");
    expect(await rowsOf(team, "select id from a where id = 7")).toEqual([]);
    await rowsOf(team, "insert into b select id + 10, v from a where id = 1");
    expect(await rowsOf(team, "select v from b where id = 11")).toEqual([["a1"]]);
    // What a savepoint takes back was not written.
    const back =
      "begin; savepoint s; insert into a values (8, 'x'); rollback to s; " +
      "insert into b values (8, 'kept'); commit";
    await rowsOf(team, back);
    expect(await rowsOf(team, "select v from b where id = 8")).toEqual([["kept"]]);
    expect(await rowsOf(team, "select v from a where id = 8")).toEqual([]);
    const begun =
      "begin; savepoint s; insert into b values (81); rollback to s; " +
      "insert into b values (82); commit";
    await rowsOf(team, begun);
    expect(await rowsOf(team, "select id from b where id in (81, 82)")).toEqual([[82]]);
  });

  it("are not joined by foreign keys, and are by tables of one", async () => {
    const child = "create table c(id int primary key, a int references";
    expect(await refusal(`${child} a) with (shard = 'hot')`)).toBe("0A000");
    expect(await refusal("alter table b add foreign key (id) references a")).toBe("0A000");
    await rowsOf(team, `${child} b) with (shard = 'hot')`);
    expect(await refusal("insert into c values (1, 99)")).toBe("23503");
    await rowsOf(team, "insert into c values (1, 1)");
    await rowsOf(team, "drop table c");
  });

  it("are all listed", async () => {
    const named = (await rowsOf(team, "select relname from pg_class where relkind = 'r'")).flat();
    expect(named).toEqual(expect.arrayContaining(["a", "b"]));
    const oids = await rowsOf(team, "select count(*), count(distinct oid) from pg_class");
    expect(oids[0]?.[0]).toBe(oids[0]?.[1]);
    const counts = "select count(*) from _system._catalog._relations";
    expect(await rowsOf(team, counts)).toEqual([["2"]]);
    const sizes = "select count(*) from _system._catalog._stats where records > 0";
    expect(await rowsOf(team, sizes)).toEqual([["2"]]);
    const plan = await rowsOf(team, "explain select * from b where id = 1");
    expect(JSON.stringify(plan)).toContain("b_pkey");
  });
});

describe("shards that are not needed", () => {
  it("are deleted when they are empty, and not before", async () => {
    const drop = async (name?: string) =>
      await ask("DELETE", `/shards/default${name === undefined ? "" : `?shard=${name}`}`);
    const codeOf = async (name?: string) => {
      const { status, body } = await drop(name);
      return [status, body["code"]];
    };
    expect(await codeOf()).toEqual([400, "ROW_SHARD_INVALID"]);
    expect(await codeOf("none")).toEqual([404, "ROW_SHARD_NOT_FOUND"]);
    await ask("POST", "/shards/default:create", { name: "brief" });
    const settings = { "firn.shard": "brief" };
    const refused = [409, "ROW_SHARD_NOT_EMPTY"];
    for (const [make, drop] of [
      ["create table z(id int primary key) with (shard = 'brief')", "drop table z"],
      ["create view z as select 1 as one", "drop view z"],
      ["create type z as enum ('a')", "drop type z"],
      ["create sequence z", "drop sequence z"],
    ] as const) {
      await rowsOf(team, make, { settings });
      expect(await codeOf("brief"), make).toEqual(refused);
      await rowsOf(team, drop, { settings });
    }
    await rowsOf(team, "create table z(id int primary key)", { settings });
    await rowsOf(team, "insert into z values (1)");
    // A table that was dropped comes back, and one that has moved is looked for.
    const table = "/catalogs/default/namespaces/public/tables/z";
    expect((await ask("DELETE", table)).status).toBe(204);
    expect(await codeOf("brief")).toEqual(refused);
    const { body } = await ask("GET", "/dropped");
    const dropped = (body["items"] as { readonly id: string }[]).at(-1);
    expect((await ask("POST", `/dropped/${dropped?.id}:undrop`, {})).status).toBe(200);
    await rowsOf(team, "alter table z set (shard = 'hot')");
    expect(await codeOf("brief")).toEqual(refused);
    expect(await rowsOf(team, "select id from z")).toEqual([[1]]);
    await rowsOf(team, "drop table z");

    await ask("POST", "/shards/default:create", { name: "empty" });
    const { status, body: job } = await drop("empty");
    expect([status, job["kind"]]).toEqual([202, "delete-shard"]);
    expect(await codeOf("empty")).toEqual([404, "ROW_SHARD_NOT_FOUND"]);
    expect(await refusal("create table x(id int) with (shard = 'empty')")).toBe("42704");
    const again = await ask("POST", "/shards/default:create", { name: "empty" });
    expect(again.status).toBe(201);
    await rowsOf(team, "create table x(id int primary key) with (shard = 'empty')");
    expect(await rowsOf(team, "select count(*) from x, a")).toEqual([["0"]]);
    await rowsOf(team, "drop table x");
  });
});

describe("tables of other shards", () => {
  it("have rows by HTTP, indexes, sequences, comments and changes of tables", async () => {
    const rows = "/catalogs/default/namespaces/public/tables/b/rows";
    const got = await ask("POST", `${rows}:get`, { keys: [{ id: 1 }] });
    expect(got.body["rows"]).toEqual([{ id: 1, v: "b1" }]);
    await rowsOf(team, "create table s(id serial primary key, n int) with (shard = 'cold')");
    await rowsOf(team, "insert into s(n) values (5), (6)");
    await rowsOf(team, "create index concurrently s_n on s(n)");
    await rowsOf(team, "comment on table s is 'cold rows'");
    await rowsOf(team, "alter table s add column more text default 'm'");
    const found = "select id, n, more, obj_description('s'::regclass) from s where n = 6";
    expect(await rowsOf(team, found)).toEqual([[2, 6, "m", "cold rows"]]);
    await rowsOf(team, "truncate s restart identity; insert into s(n) values (7)");
    expect(await rowsOf(team, "select id, n from s")).toEqual([[1, 7]]);
    const checked = await ask(
      "POST",
      "/catalogs/default/namespaces/public/tables/s/rows:check",
      {},
    );
    expect(checked.body["agrees"]).toBe(true);
    await rowsOf(team, "drop table s");
    expect(await refusal("select * from s")).toBe("42P01");
  });

  it("are made for patterns, whose fences are checked in their shard", async () => {
    const space = "/catalogs/default/namespaces/public";
    await ask("POST", `${space}/leases`, { name: "here", shard: "hot" });
    await ask("POST", `${space}/leases`, { name: "there" });
    const fenceOf = async (table: string): Promise<object> => {
      const asked = { name: "n", owner: "o", ttlMs: 60_000 };
      const { body } = await ask("POST", `${space}/leases/${table}:acquire`, asked);
      return { table, name: "n", fence: body["fence"] };
    };
    const put = async (table: string) => {
      const writes = [{ op: "put", row: { id: 70, v: "x" } }];
      const sent = { writes, fences: [await fenceOf(table)] };
      return await ask("POST", `${space}/tables/b/rows:write`, sent);
    };
    expect((await put("here")).status).toBe(200);
    expect((await put("there")).body["code"]).toBe("ROW_SHARDS_APART");
  });

  it("take the tables of a session that begins on them", async () => {
    const settings = { "firn.shard": "cold" };
    await rowsOf(team, "create table d(id int primary key); insert into d values (1)", {
      settings,
    });
    expect(await refusal("insert into a values (9, 'x'); insert into d values (9)")).toBe("0A000");
    await rowsOf(team, "insert into d values (2)");
    expect(await rowsOf(team, "select count(*) from d, a", { settings })).toEqual([["4"]]);
    await rowsOf(team, "drop table d");
    expect(await refusal("select 1", { settings: { "firn.shard": "none" } })).toBe("42704");
  });

  it("come with CREATE TABLE AS", async () => {
    await rowsOf(team, "create table e with (shard = 'hot') as select * from b");
    expect(await refusal("insert into e values (50); insert into a values (50)")).toBe("0A000");
    const both = "begin; insert into e values (51); insert into b values (51); commit";
    await rowsOf(team, both);
    await rowsOf(team, "drop table e");
  });
});

describe("views and loads", () => {
  it("materialized views lie where their rows do, and are seen from every shard", async () => {
    const make = "create materialized view m with (shard = 'hot') as select id, v from a";
    await rowsOf(team, `${make} with no data`);
    const settings = { "firn.shard": "cold" };
    expect(await refusal("select * from m", { settings })).toBe("55000");
    await rowsOf(team, "refresh materialized view m", { settings });
    expect(await rowsOf(team, "select count(*) from m", { settings })).toEqual([["2"]]);
    const kind = "select relkind from pg_class where relname = 'm'";
    expect(await rowsOf(team, kind, { settings })).toEqual([["m"]]);
    expect(await refusal("drop table a", { settings })).toBe("2BP01");
    // It is written with tables of its shard, and no others.
    expect(await refusal("begin; refresh materialized view m; insert into a values (60)")).toBe(
      "0A000",
    );
    await rowsOf(team, "begin; refresh materialized view m; insert into b values (60); commit");
    await rowsOf(team, "drop materialized view m", { settings });
    expect(await refusal("select * from m")).toBe("42P01");
  });

  it("views are used, replaced and dropped from every shard", async () => {
    const settings = { "firn.shard": "cold" };
    await rowsOf(team, "create view w as select id from b", { settings });
    expect(await rowsOf(team, "select count(*) > 0 from w")).toEqual([[true]]);
    expect(await refusal("create view w as select 1 as one")).toBe("42P07");
    await rowsOf(team, "create or replace view w as select id from b where id = 1");
    await rowsOf(team, "comment on view w is 'seen'");
    expect(await rowsOf(team, "select id, obj_description('w'::regclass) from w")).toEqual([
      [1, "seen"],
    ]);
    await rowsOf(team, "drop view w");
    expect(await refusal("select * from w", { settings })).toBe("42P01");
  });
});
