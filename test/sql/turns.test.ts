import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openServer, type TestServer } from "../pgwire/wire-client.ts";
import { type Cost, costOf, expectShortTurns } from "../support/turns.ts";

let server: TestServer;
let client: pg.Client;

beforeEach(async () => {
  server = await openServer();
  client = new pg.Client({ host: "127.0.0.1", port: server.port, user: "tester" });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await server.close();
  expect(server.defects).toEqual([]);
});

test("a statement of 100,000 rows of VALUES lets others have the loop", async () => {
  await client.query("create table t (id int primary key, n bigint, name text)");
  const values = Array.from({ length: 100_000 }, (_, i) => `(${i},${i % 7},'æ ${i}')`);
  const insert = `insert into t values ${values.join(",")}`;
  const run = async (): Promise<Cost> => {
    await client.query("begin");
    const cost = await costOf(async () => {
      const { rowCount } = await client.query(insert);
      expect(rowCount).toBe(100_000);
    });
    await client.query("rollback");
    return cost;
  };
  await expectShortTurns("INSERT … VALUES", await run(), run);
}, 120_000);
