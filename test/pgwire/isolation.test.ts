import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PostgresWire } from "../support/postgres-wire.ts";
import { CASES, expectedOf, LEVELS, outcomeOf, runCase } from "./isolation-cases.ts";
import { openServer, type TestServer } from "./wire-client.ts";

let server: TestServer;

beforeEach(async () => {
  server = await openServer(200);
});
afterEach(async () => {
  await server.close();
  expect(server.defects).toEqual([]);
});

const connect = (): Promise<PostgresWire> => PostgresWire.connect(server.port, "tester");

/** The server reads its sockets in turn: what was sent before is with the lock by then. */
async function settled(witness: PostgresWire): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await witness.query("select * from test");
}

describe.each(LEVELS)("anomalies at %s", (level) => {
  it.each(CASES)("$name", async (each) => {
    const answers = await runCase(connect, each, level, settled);
    const expected = expectedOf(each, level);
    expect(outcomeOf(each, answers)).toEqual(outcomeOf(each, expected));
    // No transaction is ever refused here, so all answers come in their places.
    if (level === "read committed") expect(answers).toEqual(expected);
  });
});

describe("a hot row", () => {
  it.each(LEVELS)("is updated by 64 clients in autocommit at %s, without 40001", async (level) => {
    const [first, ...others] = await Promise.all(Array.from({ length: 64 }, connect));
    const all = [first as PostgresWire, ...others];
    await first?.query("create table hot (id int primary key, n int)");
    await first?.query("insert into hot values (1, 0)");
    const answers = all.map(async (client) => {
      await client.query(`set default_transaction_isolation = '${level}'`);
      const states: string[] = [];
      for (let turn = 0; turn < 5; turn++) {
        const [answer] = await client.query("update hot set n = n + 1 where id = 1");
        states.push(answer?.error?.sqlState ?? answer?.tag ?? "");
      }
      return states;
    });
    expect(new Set((await Promise.all(answers)).flat())).toEqual(new Set(["UPDATE 1"]));
    const [answer] = (await first?.query("select n from hot")) ?? [];
    expect(answer?.rows).toEqual([["320"]]);
    for (const client of all) client.close();
  });
});
