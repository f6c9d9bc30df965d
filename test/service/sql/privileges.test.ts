import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { freePort } from "../../support/postgres-server.ts";
import { ADMIN_KEY, Team } from "../access/support.ts";
import { rowsOf, sql } from "./support.ts";

const PRIVILEGES = [
  "see",
  "read-metadata",
  "read-data",
  "write-data",
  "alter",
  "create",
  "drop",
  "manage-grants",
  "admin",
];
/** Sets of privileges that are held together. */
const SETS = [
  ...PRIVILEGES,
  "read-data write-data",
  "drop write-data",
  "drop create",
  "create read-data",
  "create read-metadata",
  "create alter read-data",
  "",
];

/**
 * What the table of the privileges says of SQL, written down a second time: a statement on the
 * schema `w`, and what it needs there.
 */
const MATRIX: readonly (readonly [statement: string, needed: string])[] = [
  ["select * from w.t", "read-data"],
  ["select count(*) from w.t", "read-data"],
  ["select 1 where exists (select from w.t)", "read-data"],
  ["with q as (select * from w.t) select * from q", "read-data"],
  ["with q as (select 1) delete from w.t", "write-data"],
  ["with q as (insert into w.t values (7)) select 1", "write-data"],
  ["with q as (insert into w.t values (7) returning a) select 1", "write-data read-data"],
  ["with q as (delete from w.t where a = 1) insert into w.t values (7)", "write-data read-data"],
  ["explain select * from w.t", "read-data"],
  ["select * from w.t for update", "read-data write-data"],
  ["select * from w.t as x for share of x", "read-data write-data"],
  ["insert into w.t values (7)", "write-data"],
  ["insert into w.t values (7) returning a", "write-data read-data"],
  ["insert into w.t values (1) on conflict do nothing", "write-data"],
  ["insert into w.t values (1) on conflict (a) do nothing", "write-data read-data"],
  ["insert into w.t select a + 10 from w.t", "write-data read-data"],
  ["update w.t set b = 1", "write-data"],
  ["update w.t set b = a", "write-data read-data"],
  ["update w.t set b = 1 where a = 1", "write-data read-data"],
  ["delete from w.t", "write-data"],
  ["delete from w.t where a = 1", "write-data read-data"],
  ["delete from w.t returning a", "write-data read-data"],
  ["truncate w.t", "write-data"],
  ["create table w.n(a int)", "create"],
  ["create sequence w.n", "create"],
  ["alter table w.t add column z int", "alter"],
  ["alter table w.t rename column b to z", "alter"],
  ["create index on w.t(b)", "alter"],
  ["drop index w.by_b", "alter"],
  ["alter table w.t rename to n", "drop create"],
  ["drop table w.t", "drop write-data"],
  ["drop sequence w.s", "drop"],
  ["alter sequence w.s increment 2", "alter"],
  ["select nextval('w.s')", "write-data"],
  ["select * from w.s", "read-data"],
  [
    "merge into w.t using (values (1)) v(a) on t.a = v.a when matched then delete",
    "read-data write-data",
  ],
  [
    "merge into w.t using (values (8)) v(a) on t.a = v.a when not matched then insert values (8)",
    "read-data write-data",
  ],
  ["select * from (select * from w.t) x for update", "read-data write-data"],
  ["alter table w.y add primary key (a)", "alter"],
  ["alter table w.t drop constraint t_pkey", "alter"],
  ["alter table w.t drop constraint t_pkey cascade", "alter"],
  ["create unique index on w.t(b)", "alter"],
  ["analyze w.t", "write-data"],
  ["analyze w.t(b)", "write-data"],
  ["create table w.n(like w.t)", "create read-metadata"],
  ["create table w.n as select * from w.t", "create read-data"],
  ["select * into w.n from w.t", "create read-data"],
  ["comment on table w.t is 'x'", "alter"],
  ["comment on column w.t.b is 'x'", "alter"],
  ["comment on index w.by_b is 'x'", "alter"],
  ["comment on sequence w.s is 'x'", "alter"],
  ["comment on schema w is 'x'", "alter"],
  ["comment on constraint t_pkey on w.t is 'x'", "alter"],
  ["create domain w.n as int", "create"],
  ["create type w.n as enum ('x')", "create"],
  ["create view w.n as select 1 as a", "create"],
  ["create view w.n as select a from w.t", "create read-data"],
];

/** The same of views and types, which only those know who hold more than `see` on their schema. */
const OBJECTS: readonly (readonly [statement: string, needed: string])[] = [
  ["select * from w.v", "read-data"],
  ["select * from w.joined", "read-data"],
  ["select * from w.above", "read-data"],
  ["select * from w.v for update", "read-data write-data"],
  ["insert into w.v values (9, 9)", "read-data write-data"],
  ["update w.v set b = 1", "read-data write-data"],
  ["update w.above set b = 1", "read-data write-data"],
  ["delete from w.v", "read-data write-data"],
  ["create or replace view w.v as select a, b from w.x where b > 0", "create alter read-data"],
  ["alter view w.joined rename to n", "alter"],
  ["drop view w.joined", "drop"],
  ["comment on view w.v is 'x'", "alter"],
  ["comment on column w.v.a is 'x'", "alter"],
  ["alter type w.e add value 'z'", "alter"],
  ["alter type w.e rename to n", "alter"],
  ["drop type w.e", "drop"],
  ["comment on type w.e is 'x'", "alter"],
  ["alter domain w.d drop not null", "alter"],
  ["drop domain w.d", "drop"],
  ["comment on domain w.d is 'x'", "alter"],
];

let team: Team;
let port: number;
const keys = new Map<string, string>();

beforeAll(async () => {
  port = await freePort();
  team = await Team.open({ accessStaleness: "0", listen: { port: 0, pgPort: port } });
  await rowsOf(
    team,
    `create schema w; create table w.t(a int primary key, b int); create index by_b on w.t(b);
     create sequence w.s; create schema hidden; create table hidden.canary(a int);
     create table w.u(a int not null); create table w.y(a int not null);
     create table w.x(a int primary key, b int);
     create view w.v as select a, b from w.x; create view w.above as select * from w.v;
     create view w.joined as select x.a, u.a as u from w.x join w.u on x.a = u.a;
     create type w.e as enum ('x'); create domain w.d as int not null`,
  );
  for (const held of SETS) {
    const name = held === "" ? "nothing" : `only-${held.replaceAll(" ", "-")}`;
    keys.set(held, await team.principal(name));
    if (held === "") continue;
    await team.grant(name, held.split(" "), { catalog: "default", namespace: ["w"] });
  }
});
afterAll(() => team.firn.close());

/** As the rules say: any privilege brings `see`, `admin` brings all. */
function allows(held: string, needed: string): boolean {
  const has = held.split(" ");
  return has.includes("admin") || needed.split(" ").every((each) => has.includes(each));
}

describe("statements by privileges", () => {
  it.each(MATRIX)("%s", async (statement, needed) => {
    for (const [held, key] of keys) {
      // Nothing of it stays: the next one finds what this one found.
      const outcome = await sql(team, key, `begin; ${statement}; rollback; select 1`);
      const facts = `${held}: ${JSON.stringify(outcome)}`;
      if (allows(held, needed)) expect(outcome, facts).toEqual({ rows: [[1]] });
      else if (held === "") expect(outcome, facts).toMatchObject({ sqlState: "3D000" });
      else expect(outcome, facts).toMatchObject({ sqlState: "42501" });
    }
  });

  it.each(OBJECTS)("%s", async (statement, needed) => {
    for (const [held, key] of keys) {
      const outcome = await sql(team, key, `begin; ${statement}; rollback; select 1`);
      const facts = `${held}: ${JSON.stringify(outcome)}`;
      const isKnown = !["", "see", "manage-grants"].includes(held);
      if (allows(held, needed)) expect(outcome, facts).toEqual({ rows: [[1]] });
      else if (held === "") expect(outcome, facts).toMatchObject({ sqlState: "3D000" });
      else if (isKnown) expect(outcome, facts).toMatchObject({ sqlState: "42501" });
      else {
        const { sqlState } = outcome as { readonly sqlState?: string };
        expect(["42P01", "42704", "42501"], facts).toContain(sqlState);
      }
    }
  });

  it("names the object and the missing privilege", async () => {
    const outcome = await sql(team, keys.get("see") as string, "select * from w.t");
    expect(outcome).toMatchObject({ sqlState: "42501" });
    const { text } = outcome as { readonly text: string };
    expect(text).toContain("permission denied for table t");
    expect(text).toContain("The privilege read-data on default.w.t is missing");
  });

  it("answers what may not be seen as what is not there", async () => {
    const key = keys.get("read-data") as string;
    const comparable = (outcome: object, name: string) =>
      JSON.parse(JSON.stringify(outcome).replaceAll(name, "NAME")) as object;
    for (const [statement, absent] of [
      ["select * from NAME.canary", "absent"],
      ["select * from hidden.NAME", "nothing"],
      ["create table NAME.t(a int)", "absent"],
      ["drop schema NAME", "absent"],
      ["drop table NAME.canary", "absent"],
      ["select 'NAME.canary'::regclass", "absent"],
      ["alter table w.t add foreign key (a) references NAME.canary", "absent"],
    ] as const) {
      const [hidden, name] = statement.includes("hidden.")
        ? ["canary", absent]
        : ["hidden", absent];
      const seen = await sql(team, key, statement.replace("NAME", hidden));
      const none = await sql(team, key, statement.replace("NAME", name));
      expect(comparable(seen, hidden), statement).toEqual(comparable(none, name));
    }
  });

  it("gives the maker of a table everything on it", async () => {
    const key = keys.get("create") as string;
    const made = "create table w.own(a serial primary key); insert into w.own values (default)";
    expect(await sql(team, key, `${made}; select a from w.own`)).toEqual({ rows: [[1]] });
    expect(await sql(team, key, "drop table w.own")).toEqual({ rows: [] });
  });
});

describe("sessions", () => {
  let reader: pg.Client;
  beforeAll(async () => {
    const password = await team.principal("reader");
    await rowsOf(team, "insert into w.t values (1, 2) on conflict do nothing");
    await team.grant("reader", ["read-data"], { catalog: "default", namespace: ["w"] });
    const at = { host: "127.0.0.1", port, user: "reader", database: "default" };
    reader = new pg.Client({ ...at, password });
    await reader.connect();
  });
  afterAll(() => reader.end());
  const grant = { principal: "reader", privileges: ["read-data"], catalog: "default" };
  const revoke = () => team.admin("POST", "/api/v1/grants:revoke", { ...grant, namespace: ["w"] });
  beforeEach(() => team.grant("reader", ["read-data"], { catalog: "default", namespace: ["w"] }));

  it("need no privilege on the account", async () => {
    expect((await reader.query("select a from w.t")).rows).toEqual([{ a: 1 }]);
  });

  it("lose what is revoked with the next statement, a prepared one too", async () => {
    const named = { name: "p", text: "select a from w.t" };
    expect((await reader.query(named)).rows).toEqual([{ a: 1 }]);
    await reader.query("prepare q as select a from w.t");
    await revoke();
    await expect(reader.query(named)).rejects.toMatchObject({ code: "42501" });
    await expect(reader.query("execute q")).rejects.toMatchObject({ code: "42501" });
    await expect(reader.query("select a from w.t")).rejects.toMatchObject({ code: "42P01" });
    await team.grant("reader", ["read-data"], { catalog: "default", namespace: ["w"] });
    expect((await reader.query(named)).rows).toEqual([{ a: 1 }]);
    expect((await reader.query("execute q")).rows).toEqual([{ a: 1 }]);
  });

  it("copy out by the privilege to read, and in by the one to write", async () => {
    const [out, into] = ["copy w.t to stdout", "copy w.t from stdin"];
    await expect(reader.query(into)).rejects.toMatchObject({ code: "42501" });
    await revoke();
    await team.grant("reader", ["write-data"], { catalog: "default", namespace: ["w"] });
    await expect(reader.query(out)).rejects.toMatchObject({ code: "42501" });
    await team.admin("POST", "/api/v1/grants:revoke", {
      ...grant,
      privileges: ["write-data"],
      namespace: ["w"],
    });
  });

  it("follow a table that moves out of what may be read", async () => {
    await rowsOf(team, "create table w.moves(a int primary key)");
    await reader.query("prepare m as select * from w.moves");
    expect((await reader.query("execute m")).rows).toEqual([]);
    await rowsOf(team, "alter table w.moves set schema hidden");
    await expect(reader.query("execute m")).rejects.toMatchObject({ code: "42P01" });
    await rowsOf(team, "drop table hidden.moves");
  });

  it("do not share statements with others, and have keys that no other one guesses", async () => {
    await reader.query("prepare mine as select 1");
    const at = { host: "127.0.0.1", port, user: "admin", database: "default" };
    const other = new pg.Client({ ...at, password: ADMIN_KEY });
    await other.connect();
    await expect(other.query("execute mine")).rejects.toMatchObject({ code: "26000" });
    const [own] = (await reader.query("select pg_backend_pid() as pid")).rows as { pid: number }[];
    const [its] = (await other.query("select pg_backend_pid() as pid")).rows as { pid: number }[];
    expect(own?.pid).not.toBe(its?.pid);
    await other.end();
  });
});
