import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Answer,
  bind,
  describePortal,
  execute,
  fieldsOf,
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

/** What drivers do with the protocol, beyond its plain exchanges. */

let server: TestServer;
let client: WireClient;

beforeEach(async () => {
  server = await openServer();
  client = server.client();
  await client.start();
});
afterEach(async () => {
  await server.close();
  expect(server.defects).toEqual([]);
});

async function run(sql: string): Promise<readonly Answer[]> {
  client.send(query(sql));
  return await client.untilReady();
}

async function errorOf(sql: string): Promise<Readonly<Record<string, string>>> {
  const error = (await run(sql)).find(({ type }) => type === "E");
  return error === undefined ? {} : fieldsOf(error);
}

const rowsIn = (answers: readonly Answer[]): readonly (string | null)[] =>
  answers.filter(({ type }) => type === "D").map((answer) => valuesOf(answer)[0] ?? null);

const tagsIn = (answers: readonly Answer[]): readonly string[] =>
  answers.filter(({ type }) => type === "C").map(({ body }) => body.toString().replace("\0", ""));

describe("fields of errors", () => {
  beforeEach(async () => {
    await run(`create table p (id int primary key);
      create table t (id int primary key, a text not null, b int constraint b_small check (b < 9),
        p int references p, unique (a, b));
      insert into t values (1, 'x, y', 2)`);
  });

  it("of a key that is taken: schema, table, constraint and the key", async () => {
    expect(await errorOf("insert into t values (2, 'x, y', 2)")).toMatchObject({
      C: "23505",
      s: "public",
      t: "t",
      n: "t_a_b_key",
      D: "Key (a, b)=(x, y, 2) already exists.",
    });
    expect(await errorOf("insert into t values (1, 'z', 2)")).toMatchObject({
      n: "t_pkey",
      D: "Key (id)=(1) already exists.",
    });
    await run("insert into t values (2, 'z', 2)");
    expect(await errorOf("update t set id = 1 where id = 2")).toMatchObject({
      D: "Key (id)=(1) already exists.",
    });
    expect(await errorOf("update t set a = 'x, y' where id = 2")).toMatchObject({
      D: "Key (a, b)=(x, y, 2) already exists.",
    });
  });

  it("of an index over an expression name it", async () => {
    await run(
      "create table e (a text); create unique index on e (lower(a)); insert into e values ('X')",
    );
    expect((await errorOf("insert into e values ('x')"))["D"]).toBe(
      "Key (lower(a))=(x) already exists.",
    );
  });

  it("of a bad row: column or constraint, and the row", async () => {
    expect(await errorOf("insert into t (id, b) values (5, 6)")).toMatchObject({
      C: "23502",
      s: "public",
      t: "t",
      c: "a",
      D: "Failing row contains (5, null, 6, null).",
    });
    const long = "é".repeat(40);
    expect(await errorOf(`insert into t values (5, '${long}', 9)`)).toMatchObject({
      C: "23514",
      s: "public",
      n: "b_small",
      D: `Failing row contains (5, ${"é".repeat(32)}..., 9, null).`,
    });
  });

  it("of a foreign key: schema, table, constraint and the key", async () => {
    const missing = await errorOf("insert into t values (5, 'x', 1, 77)");
    expect(missing).toMatchObject({
      C: "23503",
      s: "public",
      t: "t",
      n: "t_p_fkey",
      D: 'Key (p)=(77) is not present in table "p".',
    });
    expect(missing).not.toHaveProperty("c");
    await run("insert into p values (3); insert into t values (6, 'x', 1, 3)");
    expect(await errorOf("delete from p")).toMatchObject({
      C: "23503",
      D: 'Key (id)=(3) is still referenced from table "t".',
    });
  });
});

describe("portals and cursors are the same thing", () => {
  const portal = (): readonly Buffer[] => [
    parse("", "select g from generate_series(1, 9) g"),
    bind("p", ""),
  ];

  it("FETCH, MOVE and CLOSE take a portal of the protocol", async () => {
    client.send(query("begin"), ...portal(), SYNC);
    expect(await client.types()).toBe("CZ");
    expect(await client.types()).toBe("12Z");
    expect(tagsIn(await run("move forward 3 p"))).toEqual(["MOVE 3"]);
    client.send(execute("p", 2), SYNC);
    expect(rowsIn(await client.untilReady())).toEqual(["4", "5"]);
    expect(rowsIn(await run("fetch 2 from p"))).toEqual(["6", "7"]);
    expect(await errorOf("fetch prior from p")).toMatchObject({ C: "55000" });
    await run("rollback; begin");
    client.send(...portal(), SYNC);
    await client.untilReady();
    await run("close p");
    client.send(execute("p"), SYNC);
    expect(fieldsOf((await client.untilReady())[0]!)["C"]).toBe("34000");
  });

  it("Describe, Execute and Close take a cursor of SQL", async () => {
    await run("begin; declare c cursor for select g from generate_series(1, 5) g");
    client.send(describePortal("c"), execute("c", 2), SYNC);
    const first = await client.untilReady();
    expect(first.map(({ type }) => type).join("")).toBe("TDDsZ");
    expect(rowsIn(await run("fetch 1 from c"))).toEqual(["3"]);
    client.send(execute("c", 9), SYNC);
    const last = await client.untilReady();
    expect([rowsIn(last), tagsIn(last)]).toEqual([["4", "5"], ["SELECT 2"]]);
    client.send(message("C", Buffer.from("P"), text("c")), SYNC);
    expect(await client.types()).toBe("3Z");
    expect(await errorOf("fetch 1 from c")).toMatchObject({ C: "34000" });
  });

  it("a portal shows the rows of its beginning, whatever its transaction does then", async () => {
    await run("create table n (i int); insert into n values (1), (2), (3)");
    client.send(query("begin"), parse("", "select i from n order by i"), bind("p", ""));
    client.send(execute("p", 1), SYNC);
    await client.untilReady();
    expect(rowsIn(await client.untilReady())).toEqual(["1"]);
    await run("delete from n");
    client.send(execute("p", 0), SYNC);
    const left = await client.untilReady();
    expect([rowsIn(left), tagsIn(left)]).toEqual([["2", "3"], ["SELECT 2"]]);
  });

  it("a portal ends with its transaction, and its name can be used once at a time", async () => {
    await run("begin");
    client.send(...portal(), SYNC);
    await client.untilReady();
    client.send(...portal(), SYNC);
    const again = await client.untilReady();
    expect(fieldsOf(again.find(({ type }) => type === "E")!)["C"]).toBe("42P03");
    await run("rollback; begin");
    client.send(...portal(), execute("p", 1), SYNC);
    expect(await client.types()).toBe("12DsZ");
    await run("commit");
    client.send(execute("p", 1), SYNC);
    expect(fieldsOf((await client.untilReady())[0]!)["C"]).toBe("34000");
  });

  it("a savepoint that is rolled back takes the portals behind it", async () => {
    await run("begin; savepoint s");
    client.send(...portal(), SYNC);
    await client.untilReady();
    await run("rollback to s");
    client.send(execute("p", 1), SYNC);
    expect(fieldsOf((await client.untilReady())[0]!)["C"]).toBe("34000");
  });
});

describe("COPY TO as binary", () => {
  it("sends the head of the data with its first row, or with its end", async () => {
    const data = (answers: readonly Answer[]): readonly Buffer[] =>
      answers.filter(({ type }) => type === "d").map(({ body }) => body);
    const rows = data(await run("copy (select g from generate_series(1, 2) g) to stdout binary"));
    expect(rows.map(({ length }) => length)).toEqual([19 + 10, 10, 2]);
    const none = data(await run("copy (select 1 where false) to stdout (format binary)"));
    expect(none.map(({ length }) => length)).toEqual([19 + 2]);
  });
});

describe("what drivers send to make a connection as new", () => {
  it("is accepted", async () => {
    const reset = "SELECT pg_advisory_unlock_all(); CLOSE ALL; UNLISTEN *; RESET ALL";
    const answers = await run(reset);
    expect(answers.some(({ type }) => type === "E")).toBe(false);
    expect(tagsIn(answers)).toEqual(["SELECT 1", "CLOSE CURSOR ALL", "UNLISTEN", "RESET"]);
  });

  it("a search path of the system's schema alone is current", async () => {
    await run("set search_path = pg_catalog");
    expect(rowsIn(await run("select current_schema()"))).toEqual(["pg_catalog"]);
  });
});
