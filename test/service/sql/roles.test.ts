import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../support/postgres-server.ts";
import { ADMIN_KEY, Team } from "../access/support.ts";
import { rowsOf, sql } from "./support.ts";

let team: Team;
let port: number;
let jo: string;

beforeAll(async () => {
  port = await freePort();
  team = await Team.open({ accessStaleness: "0", listen: { port: 0, pgPort: port } });
  jo = await team.principal("jo");
  await rowsOf(
    team,
    `create schema s; create table s.t(a int primary key); insert into s.t values (1);
     create table s.u(a int primary key); create schema other; create table other.v(a int)`,
  );
  await team.table("s", "ice");
});
afterAll(() => team.firn.close());

/** The native API's word on a principal's privileges. */
async function holds(principal: string, privilege: string, on: object): Promise<boolean> {
  const asked = { principal, privilege, catalog: "default", ...on };
  const { allowed } = await team.admin("POST", "/api/v1/access:explain", asked);
  return allowed as boolean;
}

const T = { namespace: ["s"], name: "t" };

async function refusal(statement: string, key: string = ADMIN_KEY): Promise<string> {
  const outcome = await sql(team, key, statement);
  return "sqlState" in outcome ? outcome.sqlState : "done";
}

describe("roles", () => {
  it("are principals and roles of the account", async () => {
    await rowsOf(team, "create role readers");
    await rowsOf(team, "create user kim in role readers");
    const { kind } = await team.admin("GET", "/api/v1/principals/readers");
    expect(kind).toBe("ROLE");
    const kim = await team.admin("GET", "/api/v1/principals/kim");
    expect(kim).toMatchObject({ kind: "LOCAL", roles: ["readers"], suspended: false });
    expect(await refusal("create role readers")).toBe("42710");
    await rowsOf(team, "alter role kim nologin");
    expect(await team.admin("GET", "/api/v1/principals/kim")).toMatchObject({ suspended: true });
    await rowsOf(team, "revoke readers from kim");
    expect(await team.admin("GET", "/api/v1/principals/kim")).toMatchObject({ roles: [] });
    await rowsOf(team, "drop role kim");
    expect(await refusal("drop role kim")).toBe("42704");
    expect(await rowsOf(team, "drop role if exists kim")).toEqual([]);
  });

  it("refuses what does not fit, with a way out", async () => {
    for (const [statement, sqlState, hint] of [
      ["create user a password 'x'", "0A000", "API key"],
      ["alter role jo password 'x'", "0A000", "API key"],
      ["create role a superuser", "0A000", "admin"],
      ["create role a in role readers", "0A000", "members"],
      ["alter role readers login", "0A000", "CREATE USER"],
      ["grant readers to jo with admin option", "0A000", "manages roles"],
      ["grant references on s.t to jo", "0A000", "foreign key"],
      ["grant select(a) on s.t to jo", "0A000", "table"],
      ["grant usage on sequence s.x to jo", "0A000", "schema"],
      ['grant connect on database "default" to jo', "0A000", "USAGE"],
      ["grant create on s.t to jo", "0LP01", "CREATE"],
      ["grant select on s.absent to jo", "42P01", "absent"],
      ["grant select on s.t to absent", "42704", "absent"],
      ["set role absent", "22023", "absent"],
      ["begin read only; grant select on s.t to jo", "25006", "read-only"],
    ] as const) {
      const outcome = await sql(team, ADMIN_KEY, statement);
      expect(outcome, statement).toMatchObject({ sqlState });
      expect((outcome as { readonly text: string }).text, statement).toContain(hint);
    }
  });

  it("is for those who manage principals", async () => {
    await rowsOf(team, "grant usage on schema s to jo");
    for (const statement of [
      "create role mine",
      "drop role readers",
      "grant readers to jo",
      "grant select on s.t to jo",
    ]) {
      expect(await refusal(statement, jo), statement).toBe("42501");
    }
    await rowsOf(team, "revoke usage on schema s from jo");
  });
});

describe("GRANT and REVOKE", () => {
  it.each([
    ["select on s.t", T, ["read-data", "read-metadata"]],
    ["insert, update, delete, truncate on table s.t", T, ["write-data"]],
    ["all on s.t", T, ["read-data", "read-metadata", "write-data"]],
    ["select on all tables in schema s", T, ["read-data", "read-metadata"]],
    ["select on s.ice", { namespace: ["s"], name: "ice" }, ["read-data", "read-metadata"]],
    ["create on schema s", { namespace: ["s"] }, ["create"]],
    ['create on database "default"', {}, ["create"]],
  ] as const)("%s", async (what, on, privileges) => {
    const all = ["read-metadata", "read-data", "write-data", "alter", "create", "drop"];
    await rowsOf(team, `grant ${what} to jo`);
    for (const each of all) {
      expect(await holds("jo", each, on), each).toBe(
        (privileges as readonly string[]).includes(each),
      );
    }
    await rowsOf(team, `revoke ${what} from jo`);
    for (const each of all) expect(await holds("jo", each, on), each).toBe(false);
  });

  it("reaches everybody as PUBLIC, and holds from the next statement on", async () => {
    expect(await refusal("select * from s.t", jo)).toBe("3D000");
    await rowsOf(team, "grant select on s.t to public");
    expect(await rowsOf(team, "select * from s.t", {}, jo)).toEqual([[1]]);
    await rowsOf(team, "revoke select on s.t from public");
    expect(await refusal("select * from s.t", jo)).toBe("3D000");
  });

  it("is given on by those who hold the grant option, and no more than they hold", async () => {
    await rowsOf(team, "grant select on s.t to jo with grant option");
    expect(await refusal("grant select on s.t to readers", jo)).toBe("done");
    expect(await refusal("grant insert on s.t to readers", jo)).toBe("42501");
    expect(await holds("readers", "read-data", T)).toBe(true);
    await rowsOf(team, "revoke grant option for select on s.t from jo");
    expect(await holds("jo", "read-data", T)).toBe(true);
    expect(await holds("jo", "manage-grants", T)).toBe(false);
    await rowsOf(team, "revoke all on s.t from jo, readers");
  });

  it("is what has_table_privilege and the lists tell", async () => {
    await rowsOf(team, "grant select on s.t to readers");
    await rowsOf(team, "grant readers to jo");
    const [told] = await rowsOf(
      team,
      `select has_table_privilege('jo', 's.t', 'SELECT'),
        has_table_privilege('jo', 's.t', 'INSERT'), has_table_privilege('jo', 's.u', 'SELECT'),
        has_table_privilege('s.t', 'DELETE'), has_schema_privilege('jo', 's', 'USAGE'),
        has_schema_privilege('jo', 's', 'CREATE'), pg_has_role('jo', 'readers', 'MEMBER'),
        has_table_privilege('jo', 's.t', 'INSERT, SELECT')`,
    );
    expect(told).toEqual([true, false, false, true, true, false, true, true]);
    const own = "select has_table_privilege('s.t', 'SELECT'), has_table_privilege('s.t', 'INSERT')";
    expect(await rowsOf(team, own, {}, jo)).toEqual([[true, false]]);
    const acl = "select relacl::text from pg_class where oid = 's.t'::regclass";
    expect(await rowsOf(team, acl)).toEqual([["{readers=r/admin}"]]);
    const granted = `select grantor, grantee, privilege_type, is_grantable, with_hierarchy
      from information_schema.%s where table_name = 't' and grantee <> 'admin' order by 1, 2, 3`;
    const reads = ["admin", "readers", "SELECT", "NO", "YES"];
    expect(await rowsOf(team, granted.replace("%s", "table_privileges"))).toEqual([reads]);
    expect(await rowsOf(team, granted.replace("%s", "role_table_grants"))).toEqual([reads]);
    await rowsOf(team, "grant insert on s.t to public");
    const writes = ["DELETE", "INSERT", "TRUNCATE", "UPDATE"];
    const toAll = "grantee = 'PUBLIC' and table_schema = 's' order by 1";
    const asked = `select privilege_type from information_schema.table_privileges where ${toAll}`;
    expect((await rowsOf(team, asked)).flat()).toEqual(writes);
    const byName = asked.replace("table_privileges", "role_table_grants");
    expect(await rowsOf(team, byName)).toEqual([]);
    await rowsOf(team, "revoke insert on s.t from public");
    const types = "select privilege_type from information_schema.role_table_grants where %s";
    const ofAdmin = types.replace("%s", "table_name = 't' and grantee = 'admin' order by 1");
    expect((await rowsOf(team, ofAdmin)).flat()).toEqual([
      ...["DELETE", "INSERT", "REFERENCES", "SELECT", "TRIGGER", "TRUNCATE", "UPDATE"],
    ]);
    const columns = `select grantee, column_name, privilege_type, is_grantable
      from information_schema.column_privileges where %w`;
    const ofReaders = columns.replace("%w", "grantee = 'readers'");
    expect(await rowsOf(team, ofReaders)).toEqual([["readers", "a", "SELECT", "NO"]]);
    // Who is neither the owner nor an administrator sees what it was granted.
    const ofJo = columns.replace("%w", "table_schema = 's'");
    expect(await rowsOf(team, ofJo, {}, jo)).toEqual([["readers", "a", "SELECT", "NO"]]);
    const enabled = "select role_name from information_schema.enabled_roles order by 1";
    expect((await rowsOf(team, enabled, {}, jo)).flat()).toEqual(["jo", "readers"]);
    const applicable = "select grantee, role_name from information_schema.applicable_roles";
    expect(await rowsOf(team, applicable, {}, jo)).toEqual([["jo", "readers"]]);
    const named = "where rolname !~ '^pg_'";
    const roles = `select rolname, rolcanlogin, rolsuper from pg_roles ${named} order by 1`;
    expect(await rowsOf(team, roles)).toEqual([
      ["admin", true, true],
      ["jo", true, false],
      ["readers", false, false],
    ]);
    expect(await rowsOf(team, roles, {}, jo)).toEqual([
      ["jo", true, false],
      ["readers", false, false],
    ]);
  });
});

describe("roles and grants in a transaction", () => {
  const N = { namespace: ["s"], name: "n" };
  let lou: string;
  beforeAll(async () => {
    lou = await team.principal("lou");
  });

  it("take effect with its commit, on what it makes too", async () => {
    const client = await session("admin", ADMIN_KEY);
    await client.query(`begin; create schema fresh; create table fresh.t (a int);
      create table s.m (a int); create role makers; create user lee in role makers;
      grant select on s.m, fresh.t to makers; grant usage on schema fresh to lee;
      grant insert on all tables in schema s to lee; alter table s.m rename to n`);
    await expect(team.admin("GET", "/api/v1/principals/makers")).rejects.toThrow();
    expect(await holds("lou", "read-data", T)).toBe(false);
    await client.query("grant select on s.t to lou; commit");
    expect(await holds("lou", "read-data", T)).toBe(true);
    expect(await holds("makers", "read-data", N)).toBe(true);
    expect(await holds("lee", "read-data", N)).toBe(true);
    expect(await holds("lee", "write-data", N)).toBe(true);
    expect(await holds("lee", "write-data", T)).toBe(true);
    expect(await holds("lee", "see", { namespace: ["fresh"] })).toBe(true);
    expect(await holds("makers", "read-data", { namespace: ["fresh"], name: "t" })).toBe(true);
    await client.query(
      "begin; revoke all on s.t from lou, lee; drop role lee; drop role makers; commit",
    );
    expect(await holds("lou", "read-data", T)).toBe(false);
    await client.query("drop schema fresh cascade; drop table s.n");
    await client.end();
  });

  it("are taken back with it, and with a savepoint", async () => {
    const client = await session("admin", ADMIN_KEY);
    await client.query("begin; grant select on s.t to lou; create role gone; rollback");
    await client.query(`begin; savepoint a; grant select on s.t to lou; create role gone;
      rollback to a; grant insert on s.t to lou; commit`);
    expect(await holds("lou", "read-data", T)).toBe(false);
    expect(await holds("lou", "write-data", T)).toBe(true);
    await client.query("revoke all on s.t from lou");
    const failing = "grant select on s.t to lou; insert into s.t values (1)";
    for (const text of [failing, `begin; ${failing}; commit`]) {
      await expect(client.query(text)).rejects.toMatchObject({ code: "23505" });
      await client.query("rollback");
    }
    await client.query(
      "begin; create table s.n (a int); grant all on s.n to lou; drop table s.n; commit",
    );
    expect(await refusal("create role gone; select 1/0")).toBe("22012");
    await client.query(`create table s.late (a int references s.t deferrable initially deferred);
      begin; insert into s.late values (99); grant select on s.t to lou; create role gone`);
    await expect(client.query("commit")).rejects.toMatchObject({ code: "23503" });
    await expect(team.admin("GET", "/api/v1/principals/gone")).rejects.toThrow();
    expect(await holds("lou", "read-data", T)).toBe(false);
    await client.end();
  });

  it("are judged by their statements, with what the transaction did before", async () => {
    for (const [statement, sqlState] of [
      ["grant select on s.absent to lou", "42P01"],
      ["grant select on s.t to absent", "42704"],
      ["grant usage on schema absent to lou", "3F000"],
      ["drop table s.u; grant select on s.u to lou", "42P01"],
      ["alter table s.u rename to w; grant select on s.u to lou", "42P01"],
      ["drop schema other cascade; grant usage on schema other to lou", "3F000"],
      ["create role readers", "42710"],
      ["create role a; create role a", "42710"],
      ["drop role readers; grant readers to lou", "42704"],
      ["drop role readers; grant select on s.t to readers", "42704"],
      ["drop role readers; create role readers", "done"],
      ["create role a; alter role a login", "0A000"],
      ["create role a; create role b; grant a to b", "0A000"],
      ["create role a; grant a to lou; grant select on s.t to a", "done"],
      ["create role _a; alter table s.u rename to w; grant select on s.w to _a", "done"],
      ["create role a$", "42602"],
    ] as const) {
      expect(await refusal(`begin; ${statement}; rollback`), statement).toBe(sqlState);
    }
    for (const statement of [
      "create role mine",
      "drop role readers",
      "grant select on s.t to lou",
    ]) {
      await rowsOf(team, "grant usage on schema s to lou");
      expect(await refusal(`begin; ${statement}; rollback`, lou), statement).toBe("42501");
      await rowsOf(team, "revoke usage on schema s from lou");
    }
  });
});

describe("roles and grants that fail behind the commit", () => {
  it("are told, with what has happened", async () => {
    await team.principal("lot");
    const client = await session("admin", ADMIN_KEY);
    await rowsOf(team, "create role short");
    await client.query(`begin; insert into s.t values (70); grant select on s.t to lot;
      grant select on s.t to short`);
    await rowsOf(team, "drop role short");
    await expect(client.query("commit")).rejects.toMatchObject({
      code: "08007",
      message: /has committed, but 1 of its 2 changes of roles and grants failed/,
    });
    expect((await client.query("select a from s.t where a = 70")).rows).toEqual([{ a: 70 }]);
    expect(await holds("lot", "read-data", T)).toBe(true);
    await client.query("begin; revoke all on s.t from lot; delete from s.t where a = 70; commit");
    await client.query("create role short");
    await client.query("begin; grant select on s.t to short");
    await rowsOf(team, "drop role short");
    await expect(client.query("commit")).rejects.toMatchObject({ code: "42704" });
    await client.end();
  });
});

describe("SET ROLE", () => {
  it("goes on with the rights of the role alone, until it is reset", async () => {
    const client = await session("admin", ADMIN_KEY);
    await client.query("set role readers");
    const who = "select current_user as now, session_user as own";
    expect((await client.query(who)).rows).toEqual([{ now: "readers", own: "admin" }]);
    expect((await client.query("select * from s.t")).rows).toEqual([{ a: 1 }]);
    await expect(client.query("insert into s.t values (2)")).rejects.toMatchObject({
      code: "42501",
    });
    await expect(client.query("select * from s.u")).rejects.toMatchObject({ code: "42P01" });
    await expect(client.query("create role x")).rejects.toMatchObject({ code: "42501" });
    await client.query("reset role");
    expect((await client.query("select * from s.u")).rows).toEqual([]);
    await client.end();
  });

  it("is undone with its transaction", async () => {
    const client = await session("admin", ADMIN_KEY);
    await client.query("begin");
    await client.query("set local role readers");
    await expect(client.query("select * from s.u")).rejects.toMatchObject({ code: "42P01" });
    await client.query("rollback");
    expect((await client.query("select * from s.u")).rows).toEqual([]);
    await client.query("begin");
    await client.query("set role readers");
    await client.query("rollback");
    expect((await client.query("select * from s.u")).rows).toEqual([]);
    await client.end();
  });

  it("needs a membership, at each statement", async () => {
    const client = await session("jo", jo);
    for (const role of ["admin", "absent"]) {
      await expect(client.query(`set role ${role}`)).rejects.toMatchObject({ code: "42501" });
      const config = `select set_config('role', '${role}', false)`;
      await client.query(config);
      await expect(client.query("select 1")).rejects.toMatchObject({ code: "42501" });
      await client.query("reset role");
    }
    await client.query("set role readers");
    expect((await client.query("select * from s.t")).rows).toEqual([{ a: 1 }]);
    await rowsOf(team, "revoke readers from jo");
    await expect(client.query("select * from s.t")).rejects.toMatchObject({ code: "42501" });
    await client.query("reset role");
    expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await client.end();
  });
});

async function session(user: string, password: string): Promise<pg.Client> {
  const client = new pg.Client({ host: "127.0.0.1", port, user, database: "default", password });
  await client.connect();
  return client;
}

describe("a view", () => {
  it("is everybody's to read, and to write where its schema may be written", async () => {
    await rowsOf(team, "create view s.v as select count(*) from s.t");
    await rowsOf(team, "grant insert on s.t to jo");
    const asked = `select has_table_privilege(%s's.v', 'SELECT'),
      has_any_column_privilege(%s's.v', 'UPDATE'), has_table_privilege(%s's.v', 'DELETE')`;
    const told = (role: string) => rowsOf(team, asked.replaceAll("%s", role));
    expect(await told("")).toEqual([[true, true, true]]);
    expect(await told("'jo', ")).toEqual([[true, false, false]]);
    await rowsOf(team, "revoke all on s.t from jo");
    await rowsOf(team, "drop view s.v");
  });
});
