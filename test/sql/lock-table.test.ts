import pg from "pg";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openServer, type TestServer } from "../pgwire/wire-client.ts";

let server: TestServer;
let clients: pg.Client[];

beforeEach(async () => {
  server = await openServer();
  clients = [];
});
afterEach(async () => {
  for (const client of clients) await client.end();
  await server.close();
  expect(server.defects).toEqual([]);
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ host: "127.0.0.1", port: server.port, user: "a" });
  await client.connect();
  clients.push(client);
  return client;
}

/** The first value that a statement gives; the SQLSTATE where it fails. */
async function told(client: pg.Client, sql: string): Promise<unknown> {
  try {
    const { rows } = await client.query({ text: sql, rowMode: "array" });
    return rows[0]?.[0];
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

it("LOCK TABLE keeps tables for those who read one state, and says so to others", async () => {
  const [a, b] = [await connect(), await connect()];
  await a.query("create table t (id int primary key); insert into t values (1), (2)");
  for (const level of ["repeatable read", "serializable"]) {
    await a.query(`begin isolation level ${level} read only`);
    expect(await told(a, "lock table t in access share mode")).toBeUndefined();
    await b.query("drop table t; create table t (other text)");
    expect(await told(a, "select sum(id) from t")).toBe("3");
    await a.query("commit");
    expect(await told(a, "select sum(id) from t")).toBe("42703");
    await b.query("drop table t; create table t (id int); insert into t values (1), (2)");
  }
  await a.query("begin isolation level read committed");
  expect(await told(a, "lock table t in access share mode")).toBe("0A000");
  await a.query("rollback; begin isolation level serializable");
  expect(await told(a, "lock table t")).toBe("0A000");
  await a.query("rollback");
  expect(await told(a, "lock table t in access share mode")).toBe("25P01");
});
