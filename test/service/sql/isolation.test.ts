import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operatorSocket } from "../../../src/runtime/operator-place.ts";
import { SYSTEM_TABLES } from "../../../src/service/sql/system/definitions.ts";
import { Team } from "../access/support.ts";
import { type Outcome, rowsOf, sql } from "./support.ts";

/** Part of every name that the probed principals may not know. */
const CANARY = /canary/i;

/** A principal, and the database that it reads. */
interface Probed {
  readonly who: string;
  readonly key: string;
  readonly catalog: string;
}

let team: Team;
let home: string;
const probed: Probed[] = [];

/** As an operator, by the socket of the server's directory. */
function operator(socketPath: string, path: string, body: object): Promise<{ key?: string }> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const options = { socketPath, method: "POST", path, headers, agent: false };
    const sent = request(options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece) => {
        text += piece;
      });
      response.on("end", () => resolve(JSON.parse(text) as { key?: string }));
    });
    sent.on("error", reject).end(JSON.stringify(body));
  });
}

async function plant(): Promise<void> {
  await team.admin("POST", "/api/v1/catalogs", { name: "canary_catalog" });
  await rowsOf(
    team,
    `create schema canary_schema;
     create table canary_schema.canary_table(canary_id int primary key,
       canary_a text default 'canary' constraint canary_check check (canary_a <> ''));
     create index canary_index on canary_schema.canary_table(canary_a);
     create sequence canary_schema.canary_seq;
     create schema open;
     create table open.seen(id serial primary key,
       a int constraint to_other references canary_schema.canary_table);
     create table open.canary_beside(id serial primary key, a int references open.seen);
     create table open.named(canary_column int primary key);
     create sequence open.canary_number;
     create schema "canary_schema.canary_inner";
     create type canary_schema.canary_enum as enum ('canary_label');
     create domain canary_schema.canary_domain as int default 3
       constraint canary_domain_check check (value <> 7);
     create table canary_schema.canary_typed(
       canary_e canary_schema.canary_enum, canary_d canary_schema.canary_domain);
     create view canary_schema.canary_view as
       select canary_a as canary_c from canary_schema.canary_table;
     create view canary_schema.canary_above as select * from open.seen;
     create type open.canary_open_enum as enum ('canary_open_label');
     create view open.canary_open_view as select 1 as canary_one;
     create table open.typed(d canary_schema.canary_domain);
     comment on schema canary_schema is 'canary comment';
     comment on schema open is 'canary of a schema';
     comment on table canary_schema.canary_table is 'canary comment';
     comment on column canary_schema.canary_table.canary_a is 'canary comment';
     comment on view canary_schema.canary_view is 'canary comment';
     comment on column canary_schema.canary_view.canary_c is 'canary comment';
     comment on type canary_schema.canary_enum is 'canary comment';
     comment on domain canary_schema.canary_domain is 'canary comment';
     comment on index canary_schema.canary_index is 'canary comment';
     comment on constraint canary_check on canary_schema.canary_table is 'canary comment';
     comment on sequence canary_schema.canary_seq is 'canary comment';
     comment on table open.named is 'canary comment';
     comment on column open.named.canary_column is 'canary comment';
     comment on view open.canary_open_view is 'canary comment'`,
  );
  const elsewhere = { catalog: "canary_catalog" };
  await rowsOf(team, "create schema canary_s; create table canary_s.canary_t(a int)", elsewhere);
  await team.namespace("canary_lake");
  await team.table("canary_lake", "canary_ice");
  await team.admin("POST", "/api/v1/roles", { name: "canary_role" });
  await team.principal("canary_user");
  await team.grant("canary_user", ["read-data"], { catalog: "default", namespace: ["open"] });
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "firn-isolation-"));
  const dir = join(home, "store");
  team = await Team.open({ profile: "local", dir, accessStaleness: "0", listen: { port: 0 } });
  await plant();
  const nothing = await team.principal("nothing");
  const some = await team.principal("some");
  const on = { catalog: "default", namespace: ["open"] };
  await team.grant("some", ["read-metadata", "read-data"], { ...on, name: "seen" });
  await team.grant("some", ["see"], { ...on, name: "named" });
  const socket = operatorSocket(dir);
  await operator(socket, "/api/v1/accounts", { name: "other" });
  const { key = "" } = await operator(socket, "/api/v1/accounts/other/admins", {
    principal: "boss",
  });
  probed.push(
    { who: "a principal without rights", key: nothing, catalog: "_system" },
    { who: "a principal with rights on one table", key: some, catalog: "default" },
    { who: "a principal with rights on one table", key: some, catalog: "_system" },
    { who: "an administrator of another account", key, catalog: "default" },
    { who: "an administrator of another account", key, catalog: "_system" },
  );
}, 60_000);
afterAll(async () => {
  await team.firn.close();
  rmSync(home, { recursive: true, force: true });
});

function asked({ key, catalog }: Probed, statement: string): Promise<Outcome> {
  return sql(team, key, statement, { catalog });
}

/** Every relation that computes its rows, by the catalog's own word. */
async function relations({ key, catalog }: Probed): Promise<readonly string[]> {
  const found = await rowsOf(
    team,
    `select n.nspname || '.' || quote_ident(c.relname) from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('pg_catalog', 'information_schema') and c.relkind in ('r', 'v')`,
    { catalog },
    key,
  );
  const own = SYSTEM_TABLES.map(({ name }) => `_system._catalog.${name}`);
  return [...found.map(([name]) => String(name)), ...own];
}

/** Functions of the catalog, asked of everything that it lists. */
const ASKED = [
  "select pg_get_constraintdef(oid) from pg_constraint",
  "select pg_get_indexdef(indexrelid) from pg_index",
  "select oid::regclass, obj_description(oid, 'pg_class') from pg_class",
  "select pg_get_userbyid(o) from generate_series(1, 100) o",
  "select pg_get_serial_sequence('open.seen', 'id')",
  "select relname, has_table_privilege(oid, 'SELECT') from pg_class",
  "select pg_get_viewdef(oid) from pg_class where relkind = 'v'",
  "select oid, format_type(oid, -1), oid::regtype, obj_description(oid, 'pg_type') from pg_type",
  "select format_type(o, -1), o::regtype from generate_series(100000, 100060) o",
  "select o::regclass, pg_get_viewdef(o) from generate_series(100000, 100060) o",
  "select obj_description(o, 'pg_class'), col_description(o, 1) from generate_series(1, 100060) o",
  "select obj_description(oid, 'pg_namespace') from pg_namespace",
];

/** What depends on what may be seen is not named by what refuses a change of it. */
const CHANGES = [
  "drop table open.seen",
  "drop table open.seen cascade",
  "alter table open.seen rename to other",
  "alter table open.seen drop column a",
  "alter table open.seen drop constraint seen_pkey",
  "alter table open.seen drop constraint seen_pkey cascade",
  "alter table open.seen alter column a type int8",
  "truncate open.seen",
  "insert into open.seen values (100, 7)",
  "delete from open.seen",
  "update open.seen set id = 50",
];

describe("isolation over SQL", () => {
  it("shows no hidden name in any relation of the catalogs", async () => {
    for (const each of probed) {
      const names = await relations(each);
      expect(names.length).toBeGreaterThan(180);
      for (const name of names) {
        const outcome = await asked(each, `select * from ${name}`);
        const isDenied = "sqlState" in outcome && outcome.sqlState === "42501";
        expect("rows" in outcome || isDenied, `${name}: ${JSON.stringify(outcome)}`).toBe(true);
        expect(JSON.stringify(outcome), `${each.who}, ${name}`).not.toMatch(CANARY);
      }
    }
  }, 120_000);

  it("shows them to the one who may see them", async () => {
    for (const name of [
      "pg_class",
      "pg_type",
      "pg_enum",
      "pg_views",
      "pg_description",
      "information_schema.tables",
      "_system._catalog._uuids",
    ]) {
      expect(JSON.stringify(await rowsOf(team, `select * from ${name}`)), name).toMatch(CANARY);
    }
  });

  it("tells no hidden name by functions of the catalog, or by errors", async () => {
    for (const each of probed) {
      for (const statement of [
        ...ASKED,
        "drop schema open",
        "drop sequence open.seen_id_seq",
        ...CHANGES,
      ]) {
        const outcome = await asked(each, statement);
        expect(JSON.stringify(outcome), `${each.who}: ${statement}`).not.toMatch(CANARY);
      }
    }
  });

  it("answers hidden names as names of nothing", async () => {
    for (const each of probed) {
      for (const statement of [
        "select * from NAME.canary_table",
        "select 'NAME.canary_table'::regclass",
        "select to_regclass('NAME.canary_table')",
        "select nextval('NAME.canary_seq')",
        "insert into NAME.canary_table values (1)",
        "drop schema NAME",
        "drop index NAME.canary_index",
        "select * from open.NAME_number",
        "select * from NAME.canary_view",
        "select 'x'::NAME.canary_enum",
        "select 1::NAME.canary_domain",
        "create or replace view NAME.canary_view as select 1",
        "drop view NAME.canary_view",
        "drop type NAME.canary_enum",
        "drop domain NAME.canary_domain",
        "alter type NAME.canary_enum add value 'x'",
        "comment on view NAME.canary_view is 'x'",
        "comment on type NAME.canary_enum is 'x'",
        "comment on schema NAME is 'x'",
        "merge into NAME.canary_table using (values (1)) v(a) on true when matched then delete",
        "select * from NAME.canary_table for update",
        "create table NAME.t(like open.seen)",
        "analyze NAME.canary_table",
        "select * from open.NAME_open_view",
        "select 'x'::open.NAME_open_enum",
      ]) {
        const [hidden, none] = statement.includes("NAME_")
          ? ["canary", "absent"]
          : ["canary_schema", "absent"];
        const ask = async (name: string): Promise<string> => {
          const outcome = await asked(each, statement.replace("NAME", name));
          return JSON.stringify(outcome)
            .replaceAll(name, "NAME")
            .replaceAll(/"?position"?[=:]\d+/g, "");
        };
        expect(await ask(hidden), `${each.who}: ${statement}`).toBe(await ask(none));
      }
    }
  });
});

describe("isolation of dependents", () => {
  it("tells no hidden name or value to who may change a table", async () => {
    const writer: Probed = {
      who: "a writer",
      key: await team.principal("writer"),
      catalog: "default",
    };
    const at = { catalog: "default", namespace: ["open"], name: "seen" };
    await rowsOf(
      team,
      `insert into canary_schema.canary_table values (1); insert into open.seen values (20, 1);
       insert into open.canary_beside values (1, 20)`,
    );
    await team.grant("writer", ["write-data", "alter", "drop"], at);
    for (const isReader of [false, true]) {
      if (isReader) await team.grant("writer", ["read-data"], at);
      for (const statement of CHANGES) {
        const outcome = await asked(writer, statement);
        expect(JSON.stringify(outcome), statement).not.toMatch(CANARY);
        expect(outcome, statement).toHaveProperty("sqlState");
      }
    }
  });
});
