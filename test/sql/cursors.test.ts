import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openServer, type TestServer } from "../pgwire/wire-client.ts";

let server: TestServer;
let client: pg.Client;
const others: pg.Client[] = [];

async function connect(): Promise<pg.Client> {
  const one = new pg.Client({ host: "127.0.0.1", port: server.port, user: "tester" });
  await one.connect();
  others.push(one);
  return one;
}

beforeEach(async () => {
  server = await openServer();
  client = await connect();
});
afterEach(async () => {
  for (const one of others.splice(0)) await one.end();
  await server.close();
  expect(server.defects).toEqual([]);
});

/** The first column of each row, and the tag's number. */
async function fetched(sql: string): Promise<string> {
  const { rows, command, rowCount } = await client.query<[unknown]>({
    text: sql,
    rowMode: "array",
  });
  return `${command} ${rowCount}: ${rows.map(([value]) => value).join(" ")}`.trimEnd();
}

async function failure(sql: string): Promise<string> {
  return await client.query(sql).then(
    () => "done",
    (error: { code?: string; message: string }) => `${error.code}: ${error.message}`,
  );
}

async function makeTable(rows: number): Promise<void> {
  await client.query("create table t (id int primary key, n int)");
  await client.query(`insert into t select n, n * 10 from generate_series(1, ${rows}) n`);
}

describe("a cursor", () => {
  it("is read forward, row by row", async () => {
    await makeTable(5);
    await client.query("begin; declare c cursor for select id from t order by id");
    expect(await fetched("fetch c")).toBe("FETCH 1: 1");
    expect(await fetched("fetch 2 from c")).toBe("FETCH 2: 2 3");
    expect(await fetched("move c")).toBe("MOVE 1:");
    expect(await fetched("fetch absolute 5 from c")).toBe("FETCH 1: 5");
    expect(await fetched("fetch all from c")).toBe("FETCH 0:");
    expect(await fetched("fetch c")).toBe("FETCH 0:");
    expect(await fetched("fetch absolute 9 from c")).toBe("FETCH 0:");
    await client.query("commit");
  });

  it("goes both ways where it scrolls, also beyond its ends", async () => {
    await makeTable(5);
    await client.query("begin; declare c scroll cursor for select id from t order by id");
    expect(await fetched("fetch last c")).toBe("FETCH 1: 5");
    expect(await fetched("fetch prior c")).toBe("FETCH 1: 4");
    expect(await fetched("fetch backward 2 from c")).toBe("FETCH 2: 3 2");
    expect(await fetched("fetch relative 2 c")).toBe("FETCH 1: 4");
    expect(await fetched("fetch relative 0 c")).toBe("FETCH 1: 4");
    expect(await fetched("fetch forward 0 c")).toBe("FETCH 1: 4");
    expect(await fetched("fetch all c")).toBe("FETCH 1: 5");
    expect(await fetched("fetch next c")).toBe("FETCH 0:");
    expect(await fetched("fetch backward all c")).toBe("FETCH 5: 5 4 3 2 1");
    expect(await fetched("fetch prior c")).toBe("FETCH 0:");
    expect(await fetched("fetch absolute -2 c")).toBe("FETCH 1: 4");
    expect(await fetched("fetch absolute 9 c")).toBe("FETCH 0:");
    expect(await fetched("fetch prior c")).toBe("FETCH 1: 5");
    expect(await fetched("move backward all c")).toBe("MOVE 4:");
    expect(await fetched("fetch first c")).toBe("FETCH 1: 1");
    expect(await fetched("fetch forward -1 c")).toBe("FETCH 0:");
    expect(await fetched("move 3 c")).toBe("MOVE 3:");
    expect(await fetched("fetch backward -1 c")).toBe("FETCH 1: 4");
    expect(await fetched("fetch absolute 0 c")).toBe("FETCH 0:");
    expect(await fetched("fetch 2 c")).toBe("FETCH 2: 1 2");
  });

  it("does not go back where it does not scroll", async () => {
    await makeTable(3);
    await client.query("begin; declare c no scroll cursor for select id from t order by id");
    await client.query("fetch 2 from c; savepoint a");
    expect(await failure("fetch prior from c")).toBe("55000: cursor can only scan forward");
    await client.query("rollback");
  });

  it("shows the rows of its beginning, whatever its transaction does", async () => {
    await makeTable(2_000);
    for (const level of ["read committed", "repeatable read", "serializable"]) {
      await client.query(`begin isolation level ${level}`);
      await client.query("declare c cursor for select n from t order by id");
      expect(await fetched("fetch 2 from c")).toBe("FETCH 2: 10 20");
      await client.query("update t set n = 0; delete from t where id > 1000");
      const { rowCount, rows } = await client.query<{ n: number }>("fetch all from c");
      expect([level, rowCount, rows.at(-1)?.n]).toEqual([level, 1_998, 20_000]);
      await client.query("rollback");
    }
  });

  it("shows no commit of another session between two of its parts", async () => {
    await makeTable(2_000);
    const other = await connect();
    await client.query("begin isolation level read committed");
    await client.query("declare c cursor for select n from t order by id");
    await client.query("fetch 1 from c");
    await other.query("update t set n = -1");
    expect((await client.query("select n from t where id = 1")).rows).toEqual([{ n: -1 }]);
    const { rows } = await client.query<{ n: number }>("fetch all from c");
    expect([rows.length, rows.filter(({ n }) => n < 0).length]).toEqual([1_999, 0]);
    await client.query("commit");
  });
});

describe("cursors", () => {
  it("end with their transaction, or with the savepoint that they come behind", async () => {
    await makeTable(3);
    expect(await failure("declare c cursor for select 1")).toBe(
      "25P01: DECLARE CURSOR can only be used in transaction blocks",
    );
    await client.query("begin; declare a cursor for select id from t order by id");
    await client.query("savepoint one; declare b cursor for select 1; rollback to one");
    expect(await fetched("fetch all a")).toBe("FETCH 3: 1 2 3");
    expect(await failure("fetch b")).toBe('34000: cursor "b" does not exist');
    await client.query("rollback to one; commit");
    expect(await failure("fetch a")).toBe('34000: cursor "a" does not exist');
    await client.query("begin; declare a cursor for select 1");
    expect(await failure("declare a cursor for select 1")).toBe('42P03: cursor "a" already exists');
    await client.query("rollback; begin; declare a cursor for select 1; close a");
    expect(await failure("close a")).toBe('34000: cursor "a" does not exist');
    await client.query("rollback");
  });

  it("outlive their transaction WITH HOLD, where it commits", async () => {
    await makeTable(1_000);
    await client.query("begin; declare a cursor with hold for select id from t order by id");
    await client.query("fetch 2 from a; commit; delete from t");
    expect(await fetched("fetch 2 from a")).toBe("FETCH 2: 3 4");
    await client.query("declare b scroll cursor with hold for select count(*)::int from t");
    await client.query("begin; declare c cursor with hold for select 1; rollback");
    expect(await failure("fetch c")).toBe('34000: cursor "c" does not exist');
    expect(await fetched("fetch all from b")).toBe("FETCH 1: 0");
    expect(await fetched("move all in a")).toBe("MOVE 996:");
    await client.query("close all");
    expect(await failure("fetch a")).toBe('34000: cursor "a" does not exist');
  });

  it("take parameters, and are described", async () => {
    await makeTable(9);
    await client.query("begin");
    await client.query("declare c cursor for select id, n from t where id > $1 order by id", [6]);
    const answer = await client.query({ text: "fetch 2 from c", name: "next" });
    expect(answer.fields.map(({ name }) => name)).toEqual(["id", "n"]);
    expect(answer.rows).toEqual([
      { id: 7, n: 70 },
      { id: 8, n: 80 },
    ]);
    await client.query("commit");
  });

  it("are refused where Firn cannot keep what they say", async () => {
    await client.query("begin");
    expect(await failure("declare c binary cursor for select 1")).toMatch(/^0A000: /);
    await client.query("rollback; begin");
    expect(await failure("declare c cursor with hold for select 1 for update")).toBe(
      "0A000: DECLARE CURSOR WITH HOLD ... FOR UPDATE is not supported",
    );
    await client.query(
      "rollback; begin; declare c cursor for select 1 / (2 - n) from generate_series(1, 3) n",
    );
    expect(await failure("fetch all c")).toBe("22012: division by zero");
    await client.query("rollback; create table u (id int)");
    expect(await failure("delete from u where current of c")).toMatch(/^0A000: /);
    await client.query("rollback");
  });
});
