import type pg from "pg";
import { describe, expect, it } from "vitest";
import { pgClients, rowsOf } from "./pg-clients.ts";
import { bind, execute, parse, SYNC, startup, valuesOf } from "./wire-client.ts";

let client: pg.Client;
const clients = pgClients(async () => {
  client = await clients.connect();
  await client.query("create table t (id int primary key, v text)");
});

/** A moment between two others, in nanoseconds since 1970. */
async function moment(): Promise<string> {
  await new Promise((done) => setTimeout(done, 3));
  const now = `${Date.now()}000000`;
  await new Promise((done) => setTimeout(done, 3));
  return now;
}

describe("AS OF SYSTEM TIME over the extended protocol", () => {
  it("keeps its time in a prepared statement, and takes parameters elsewhere", async () => {
    await client.query("insert into t values (1, 'a'), (2, 'b')");
    const text = `select v from t as of system time ${await moment()} where id = $1`;
    for (let time = 0; time < 3; time++) {
      const { rows } = await client.query({ name: "past", text, values: [2] });
      expect(rows).toEqual([{ v: "b" }]);
      await client.query("update t set v = v || '!'");
    }
    await client.query("alter table t add column n int");
    const { rows } = await client.query({ name: "past", text, values: [2] });
    expect(rows).toEqual([{ v: "b" }]);
    expect(await rowsOf(client, "select v from t where id = 2")).toBe("b!!!");
  });

  it("leaves the statements around it in a pipeline to the present", async () => {
    await client.query("insert into t values (1, 'a')");
    const past = `select count(*)::int4 from t as of system time ${await moment()}`;
    const wire = clients.server.client();
    wire.send(startup({ user: "tester" }));
    for (let answer = await wire.next(); answer?.type !== "Z"; answer = await wire.next());
    const texts = [past, "insert into t values (2, 'b')", "select count(*)::int4 from t"];
    wire.send(...texts.map((text, i) => parse(`s${i}`, text)));
    for (const [i] of texts.entries())
      wire.send(bind(`p${i}`, `s${i}`, [], [], [1]), execute(`p${i}`));
    wire.send(SYNC);
    const told: string[] = [];
    for (let answer = await wire.next(); answer?.type !== "Z"; answer = await wire.next()) {
      if (answer?.type === "D") told.push(Buffer.from(valuesOf(answer)[0] ?? "").toString("hex"));
      if (answer?.type === "C" || answer?.type === "E") told.push(answer.body.toString());
    }
    expect(told.filter((text) => /^[0-9a-f]+$/.test(text))).toEqual(["00000001", "00000002"]);
    expect(told.filter((text) => text.startsWith("INSERT"))).toHaveLength(1);
  });
});
