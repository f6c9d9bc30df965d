import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { columnsOf, idOf, SYSTEM_TABLES } from "../../../src/service/sql/system/definitions.ts";
import { formatType } from "../../../src/sql/catalog/system/format-type.ts";
import { TypeRegistry } from "../../../src/sql/types/registry.ts";
import { ADMIN_KEY, Team } from "../access/support.ts";
import { rowsOf, sql } from "./support.ts";

let team: Team;
let guest: string;

beforeAll(async () => {
  team = await Team.open({ accessStaleness: "0" });
  await team.namespace("lake");
  await team.namespace("lake", "inner");
  await team.table("lake", "ice");
  await rowsOf(
    team,
    `create table lake.t(id int primary key, s text);
     create unique index by_s on lake.t(s) where id > 0;
     create table "lake.inner".deep(id int primary key);
     insert into lake.t values (1, 'a'), (2, 'b')`,
  );
  guest = await team.principal("guest");
  const on = { catalog: "default", namespace: ["lake"], name: "t" };
  await team.grant("guest", ["read-metadata"], on);
});
afterAll(() => team.firn.close());

const names = async (key: string): Promise<readonly unknown[]> =>
  (
    await rowsOf(
      team,
      "select full_name from _system._catalog._uuids where full_name !~ '^_system' order by 1",
      {},
      key,
    )
  ).flat();

describe("system tables", () => {
  it("are listed in the docs with their columns", () => {
    const docs = readFileSync("docs/sql.md", "utf8");
    const types = new TypeRegistry();
    for (const table of SYSTEM_TABLES) {
      const columns = columnsOf(table).map(
        ({ name, oid }) => `\`${name}\` ${formatType(types, oid, -1)}`,
      );
      expect(docs).toContain(`| \`${table.name}\` | ${table.holds} | ${columns.join(", ")} |`);
    }
  });

  it("have reserved ids, and are among the tables themselves", async () => {
    const found = await rowsOf(
      team,
      "select name, id from _system._catalog._tables where format = 'SYSTEM' order by id",
    );
    expect(found).toEqual(SYSTEM_TABLES.map((table) => [table.name, idOf(table)]));
    expect(found.at(-1)).toEqual(["_changes", "ffffffff-ffff-0000-0000-00000000000a"]);
  });

  it("show what is there: names, key spaces, indexes, sizes, pointers, changes", async () => {
    expect(await names(ADMIN_KEY)).toEqual([
      "default",
      "default.lake",
      "default.lake.ice",
      "default.lake.inner",
      "default.lake.inner.deep",
      "default.lake.t",
    ]);
    const one = async (statement: string) => (await rowsOf(team, statement))[0];
    const of = "(select id from _system._catalog._tables where name = 't')";
    expect(
      await one(`select s.records, r.indexes, t.format, d.name from _system._catalog._tables t
        join _system._catalog._stats s on s.table_id = t.id
        join _system._catalog._relations r on r.table_id = t.id
        join _system._catalog._datasets d on d.id = t.dataset_id where t.name = 't'`),
    ).toEqual(["2", 1, "ROW", "lake"]);
    expect(
      await rowsOf(
        team,
        `select name, columns, is_unique, predicate from _system._catalog._indexes
         where table_id = ${of} order by index_id`,
      ),
    ).toEqual([
      ["t_pkey", ["id"], true, null],
      ["by_s", ["s"], true, "id > 0"],
    ]);
    expect(
      await one(`select kind, key like '%/tables/by-id/' || entity_id, payload is not null
        from _system._catalog._pointers where entity_id = ${of}`),
    ).toEqual(["table", true, true]);
    expect(
      await one(`select principal, version_from, version_to, deleted from _system._catalog._changes
        where operation = 'create-table' and key = 'tables/by-id/' || ${of}`),
    ).toEqual(["admin", "0", "1", false]);
    expect(await rowsOf(team, "select kind from _system._catalog._jobs")).toContainEqual([
      "collect-garbage",
    ]);
  });

  it("show the snapshots of a table, the current one marked", async () => {
    const path = "/iceberg/v1/default/namespaces/lake/tables/ice";
    const snapshot = (id: number) => ({
      "snapshot-id": id,
      "sequence-number": id,
      "timestamp-ms": Date.now() + id,
      "manifest-list": "file:///none/list.avro",
      summary: { operation: "append", "total-records": String(id * 10), "total-data-files": "1" },
    });
    for (const id of [1, 2]) {
      await team.admin("POST", path, {
        requirements: [],
        updates: [
          { action: "add-snapshot", snapshot: snapshot(id) },
          { action: "set-snapshot-ref", "ref-name": "main", type: "branch", "snapshot-id": id },
        ],
      });
    }
    const of = "table_id = (select id from _system._catalog._tables where name = 'ice')";
    expect(
      await rowsOf(
        team,
        `select snapshot_id, operation, is_current from _system._catalog._snapshots where ${of}`,
      ),
    ).toEqual([
      ["2", "append", true],
      ["1", "append", false],
    ]);
    expect(
      await rowsOf(
        team,
        `select snapshot_id, records, data_files from _system._catalog._stats where ${of}`,
      ),
    ).toEqual([["2", "20", "1"]]);
  });
});

describe("access to system tables", () => {
  it("is had in the database _system too", async () => {
    const inSystem = { catalog: "_system" };
    const [count] = await rowsOf(team, "select count(*) from _catalog._tables", inSystem);
    expect(Number(count?.[0])).toBe(SYSTEM_TABLES.length + 3);
    const listed = "select relname from pg_class where relnamespace = '_catalog'::regnamespace";
    const found = await rowsOf(team, `${listed} order by oid`, inSystem);
    expect(found.flat().sort()).toEqual(SYSTEM_TABLES.map(({ name }) => name).sort());
  });

  it("finds one thing by its id, and nothing by an id of nothing", async () => {
    const [row] = await rowsOf(team, "select id from _system._catalog._tables where name = 't'");
    const id = String(row?.[0]);
    for (const key of [ADMIN_KEY, guest]) {
      const found = `select name from _system._catalog._tables where id = '${id}'`;
      expect(await rowsOf(team, found, {}, key)).toEqual([["t"]]);
    }
    const hidden = "select id from _system._catalog._tables where name = 'ice'";
    const [other] = await rowsOf(team, hidden);
    const unseen = `select name from _system._catalog._tables where id = '${String(other?.[0])}'`;
    expect(await rowsOf(team, unseen)).toEqual([["ice"]]);
    expect(await rowsOf(team, unseen, {}, guest)).toEqual([]);
    const none = "01890000-0000-7000-8000-000000000000";
    const absent = `select name from _system._catalog._tables where id = '${none}'`;
    expect(await rowsOf(team, absent)).toEqual([]);
  });

  it("is read-only", async () => {
    for (const statement of [
      "insert into _system._catalog._tables default values",
      "update _system._catalog._tables set name = 'x'",
      "delete from _system._catalog._uuids",
      "drop table _system._catalog._jobs",
      "truncate _system._catalog._jobs",
      "alter table _system._catalog._jobs add column x int",
    ]) {
      expect(await sql(team, ADMIN_KEY, statement), statement).toMatchObject({ sqlState: "42501" });
    }
    for (const statement of ["create table _catalog.x(a int)", "create schema x"]) {
      const outcome = await sql(team, ADMIN_KEY, statement, { catalog: "_system" });
      expect(outcome, statement).toMatchObject({ sqlState: "42501" });
    }
  });

  it("shows what a principal may see, and no account's history to it", async () => {
    expect(await names(guest)).toEqual(["default", "default.lake", "default.lake.t"]);
    const kinds = "select kind from _system._catalog._pointers";
    expect(await rowsOf(team, kinds, {}, guest)).toEqual([["table"]]);
    for (const table of ["_changes", "_jobs"]) {
      const outcome = await sql(team, guest, `select * from _system._catalog.${table}`);
      expect(outcome).toMatchObject({ sqlState: "42501" });
    }
  });

  it("does not reach other databases by their names", async () => {
    const outcome = await sql(team, ADMIN_KEY, "select * from other.lake.t");
    expect(outcome).toMatchObject({ sqlState: "0A000" });
    expect(await rowsOf(team, 'select id from "default".lake.t order by id')).toEqual([[1], [2]]);
  });
});
