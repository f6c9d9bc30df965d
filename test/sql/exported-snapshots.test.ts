import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openServer, type TestServer } from "../pgwire/wire-client.ts";

let server: TestServer;
let exporter: pg.Client;
let importer: pg.Client;

async function session(database = "tests"): Promise<pg.Client> {
  const client = new pg.Client({ host: "127.0.0.1", port: server.port, user: "tester", database });
  await client.connect();
  return client;
}

beforeEach(async () => {
  server = await openServer();
  exporter = await session();
  importer = await session();
  await exporter.query("create table t (id int primary key); insert into t values (1)");
});
afterEach(async () => {
  await exporter.end();
  await importer.end();
  expect(server.defects).toEqual([]);
  await server.close();
});

async function state(sql: string, client = importer): Promise<string> {
  try {
    await client.query(sql);
    return "done";
  } catch (error) {
    return (error as pg.DatabaseError).code ?? "";
  }
}

async function exported(modes = "isolation level repeatable read, read only"): Promise<string> {
  await exporter.query(`begin ${modes}`);
  const { rows } = await exporter.query("select pg_catalog.pg_export_snapshot() as id");
  return (rows[0] as { id: string }).id;
}

async function ids(client: pg.Client): Promise<readonly number[]> {
  const { rows } = await client.query<{ id: number }>("select id from t order by id");
  return rows.map(({ id }) => id);
}

const BEGIN = "begin isolation level repeatable read, read only";

describe("pg_export_snapshot", () => {
  it.each(["repeatable read, read only", "read committed", "serializable"])(
    "gives others the state of a transaction, %s",
    async (level) => {
      const id = await exported(`isolation level ${level}`);
      expect(id).toMatch(/^[0-9A-F]{8}-[0-9A-F]{8}-1$/);
      const writer = await session();
      await writer.query("insert into t values (2); create table later (id int)");
      await importer.query(`${BEGIN}; set transaction snapshot '${id}'`);
      expect(await ids(importer)).toEqual([1]);
      if (level !== "read committed") expect(await ids(exporter)).toEqual([1]);
      await writer.query("delete from t; drop table later");
      // Who reads it goes on without it.
      await exporter.query("commit");
      expect(await ids(importer)).toEqual([1]);
      await importer.query("lock table t in access share mode");
      expect(
        (await importer.query("select relname from pg_class where relname = 't'")).rowCount,
      ).toBe(1);
      await importer.query("commit");
      expect(await ids(importer)).toEqual([]);
      await writer.end();
    },
  );

  it("does not tell of what its transaction has written itself", async () => {
    await exporter.query("begin isolation level repeatable read; insert into t values (3)");
    const { rows } = await exporter.query("select pg_export_snapshot() as id");
    const { id } = rows[0] as { id: string };
    await importer.query(`${BEGIN}; set transaction snapshot '${id}'`);
    expect(await ids(importer)).toEqual([1]);
    expect(await ids(exporter)).toEqual([1, 3]);
  });

  it("ends with its transaction", async () => {
    for (const end of ["commit", "rollback", "select 1/0"]) {
      const id = await exported();
      await exporter.query(end).catch(() => undefined);
      expect(await state(`${BEGIN}; set transaction snapshot '${id}'`), end).toBe("22023");
      await importer.query("rollback");
      await exporter.query("rollback");
    }
    const { rows } = await exporter.query("select pg_export_snapshot() as id");
    const { id } = rows[0] as { id: string };
    expect(await state(`${BEGIN}; set transaction snapshot '${id}'`)).toBe("22023");
  });

  it("refuses what PostgreSQL refuses, and writes", async () => {
    const id = await exported();
    const set = `set transaction snapshot '${id}'`;
    for (const [statements, expected] of [
      [`begin isolation level read committed; ${set}`, "0A000"],
      [`begin isolation level serializable, read only; ${set}`, "0A000"],
      [`begin isolation level repeatable read; ${set}`, "0A000"],
      [`${BEGIN}; select * from t; ${set}`, "25001"],
      [`${BEGIN}; savepoint a; ${set}`, "25001"],
      [`${BEGIN}; set transaction snapshot 'nothing'`, "22023"],
      [`${BEGIN}; ${set}; insert into t values (9)`, "25006"],
      [`${BEGIN}; ${set}; set transaction read write`, "25001"],
      ["begin; savepoint a; select pg_export_snapshot()", "25001"],
      [`${BEGIN}; ${set}; select pg_export_snapshot()`, "done"],
      [`${BEGIN}; ${set}; commit and chain; select * from t`, "done"],
    ] as const) {
      expect(await state(statements), statements).toBe(expected);
      await importer.query("rollback");
    }
    const other = await session("other");
    expect(await state(`${BEGIN}; ${set}`, other)).toBe("0A000");
    await other.end();
  });
});
