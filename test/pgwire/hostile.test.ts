import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  execute,
  fieldsOf,
  int16,
  int32,
  message,
  openServer,
  parse,
  query,
  SYNC,
  type TestServer,
  text,
  valuesOf,
  type WireClient,
} from "./wire-client.ts";

/** Each of these is answered or refused, and the server lives on. */

let server: TestServer;
let client: WireClient;

beforeEach(async () => {
  server = await openServer();
  client = server.client();
  await client.start();
});
afterEach(async () => {
  const other = server.client();
  await other.start();
  other.send(query("select 1"));
  expect(await other.types()).toBe("TDCZ");
  await server.close();
  expect(server.defects).toEqual([]);
});

const copyData = (data: string): Buffer => message("d", Buffer.from(data));

async function countOf(table: string): Promise<string | null | undefined> {
  const other = server.client();
  await other.start();
  other.send(query(`select count(*) from ${table}`));
  const row = (await other.untilReady()).find(({ type }) => type === "D");
  return row && valuesOf(row)[0];
}

describe("COPY of a client that vanishes", () => {
  it.each([
    ["between rows", "", "1\n2\n"],
    ["in a row", "", "1\n2\n3"],
    ["in a transaction", "begin", "1\n2\n"],
  ])("%s leaves no row and no lock", async (_when, before, data) => {
    client.send(query(`create table t (id int primary key); ${before}`));
    await client.untilReady();
    if (before !== "") {
      client.send(query("rollback; create table t (id int primary key)"), query("begin"));
      await client.untilReady();
      await client.untilReady();
    }
    client.send(query("copy t from stdin"));
    expect((await client.next())?.type).toBe("G");
    client.send(copyData(data));
    client.destroy();
    const gone = () => server.metrics.samples("firn_pgwire_connections")[0]?.value;
    while (gone() !== 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await countOf("t")).toBe("0");
    const other = server.client();
    await other.start();
    other.send(query("insert into t values (1), (2), (3)"));
    expect(await other.types()).toBe("CZ");
  });

  it("sends rows to one that does not read them, until it goes", async () => {
    client.send(query("copy (select g from generate_series(1, 10000000) g) to stdout"));
    expect((await client.next())?.type).toBe("H");
    client.destroy();
    const gone = () => server.metrics.samples("firn_pgwire_connections")[0]?.value;
    while (gone() !== 0) await new Promise((resolve) => setImmediate(resolve));
  });
});

describe("large statements", () => {
  it("65,535 parameters are bound", async () => {
    const count = 65_535;
    const marks = Array.from({ length: count }, (_, i) => `$${i + 1}`).join(", ");
    const sql = `select count(*), max(x) from unnest(array[${marks}]::int[]) x`;
    const values = Array.from({ length: count }, (_, i) => {
      const value = Buffer.from(`${i}`);
      return Buffer.concat([int32(value.length), value]);
    });
    const names = [text(""), text(""), int16(0), int16(count)];
    const bound = message("B", Buffer.concat([...names, ...values, int16(0)]));
    client.send(parse("", sql), bound, execute(), SYNC);
    const answers = await client.untilReady();
    const row = answers.find(({ type }) => type === "D");
    expect(row && valuesOf(row)).toEqual([`${count}`, `${count - 1}`]);
  });

  it("a parameter beyond them is refused", async () => {
    client.send(parse("", "select $65536::int"), SYNC);
    const error = (await client.untilReady()).find(({ type }) => type === "E");
    expect(error && fieldsOf(error)["C"]).toMatch(/^(?:42P02|54\d{3}|08P01)$/);
  });
});
