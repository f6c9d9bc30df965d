import pg from "pg";
import { afterEach, expect, it, vi } from "vitest";
import { TemporaryFiles } from "../../src/runtime/temporary-files.ts";
import type { SpillFile, SpillSpace } from "../../src/sql/exec/spill.ts";
import { openServer, type TestServer } from "../pgwire/wire-client.ts";
import { FilesInMemory } from "../support/files-in-memory.ts";
import { SmallMemory } from "../support/small-memory.ts";
import { type Cost, costOf, expectShortTurns } from "../support/turns.ts";
import { QueryGenerator } from "./fuzz/query-generator.ts";
import { answerOf } from "./queries.ts";

const servers: TestServer[] = [];
const clients: pg.Client[] = [];

async function connect(space?: SpillSpace): Promise<pg.Client> {
  const server = await openServer(undefined, undefined, {}, space);
  servers.push(server);
  return await connectTo(server);
}

async function connectTo(server: TestServer): Promise<pg.Client> {
  const client = new pg.Client({ host: "127.0.0.1", port: server.port, user: "tester" });
  clients.push(client);
  await client.connect();
  return client;
}

afterEach(async () => {
  for (const client of clients.splice(0)) await client.end();
  for (const server of servers.splice(0)) {
    await server.close();
    expect(server.defects).toEqual([]);
  }
});

async function expectNoFile(space: TemporaryFiles): Promise<void> {
  await vi.waitFor(() => expect([space.files, space.bytes]).toEqual([0, 0]));
}

function largeOf(rows: number): string {
  return `create table large (id int primary key, k int, t text, n numeric);
    insert into large
      select i, i % 97, md5(i::text) || repeat('é', 20), i / 7.0
        from generate_series(1, ${rows}) i`;
}

const LARGE = largeOf(8_000);

/** Each kind of plan that keeps rows. */
const PLANS: Readonly<Record<string, string>> = {
  sort: "select t, id from large order by t desc, id",
  "stable sort": "select id from large order by k",
  "window sort": "select id, rank() over (partition by k order by n desc) from large order by id",
  "one partition": "select id, sum(id) over (order by t), lag(t) over (order by t) from large",
  join: "select a.id, b.t from large a join large b on a.id = b.id + 1 order by 1",
  "left join": "select a.id, b.t from large a left join large b on a.id = b.id * 2",
  "full join": "select a.id, b.id from large a full join large b on a.id = b.id + 1000",
  "semi join": "select id from large a where exists (select from large b where b.id = a.id * 3)",
  "anti join":
    "select id from large a where not exists (select from large b where b.id = a.id * 3)",
  "join of one key": `select count(*), sum(a.id + b.id) from (select * from large where k = 1) a
    full join (select 1 as one, * from large) b on a.k = b.one and a.id < b.id - 500`,
  "nested loop": `select count(*), sum(a.id) from (select * from large where id < 40) a
    left join large b on a.id + b.id < 100`,
  groups: "select t, count(*), sum(n), max(id), min(k) from large group by t",
  "grouping sets": `select k, t, grouping(k, t), count(*), sum(n) from large
    group by grouping sets (k, t, ())`,
  "filtered groups": `select t, count(*) filter (where k > 40), count(distinct k),
    array_agg(id order by id desc) from large group by t`,
  distinct: "select distinct t from large",
  "distinct on": "select distinct on (k) k, t from large order by k, t",
  union: "select t from large union select t || 'a' from large union select t from large",
  intersect: "select t from large intersect select t from large where k < 50",
  "except all": `select unnest(array[t, t, t]) from large except all
    select unnest(array[t, t]) from large where id > 40`,
  except: "select t from large except select t from large where k < 50",
  with: "with x as materialized (select * from large) select a.t from x a, x b where a.id = b.id",
  recursion: `with recursive r as (
    select id, t, 1 as n from large union all select id, t, n + 1 from r where n < 3)
    select n, count(*), max(t) from r group by n`,
};

it("gives the same answers with little memory as with much", async () => {
  const space = new FilesInMemory(8_000);
  const [small, much] = [await connect(space), await connect()];
  for (const client of [small, much]) await client.query(largeOf(3_200));
  for (const [plan, sql] of Object.entries(PLANS)) {
    const before = space.opened;
    const answer = await answerOf(small, sql);
    expect(answer, plan).toEqual(await answerOf(much, sql));
    expect("rows" in answer && answer.rows.length, plan).toBeGreaterThan(0);
    // DISTINCT ON keeps nothing but its sort's rows.
    expect(space.opened, plan).toBeGreaterThan(before);
    await expectNoFile(space);
  }
}, 300_000);

it("gives the same answers to drawn queries with little memory as with much", async () => {
  const first = Number(process.env["PROPERTY_SEED"] ?? Math.trunc(Math.random() * 2 ** 30));
  const space = new FilesInMemory();
  for (let seed = first; seed < first + 4; seed++) {
    const [small, much] = [await connect(space), await connect()];
    const generator = new QueryGenerator(seed);
    for (const sql of generator.schema) for (const each of [small, much]) await each.query(sql);
    await much.query("set statement_timeout = '2s'");
    for (let i = 0; i < 25; i++) {
      const sql = generator.query();
      const expected = await answerOf(much, sql);
      if ("error" in expected && expected.error === "57014") continue;
      const [theirs, ours] = [sorted(expected), sorted(await answerOf(small, sql))];
      expect(ours, `seed ${seed}: ${sql}`).toEqual(theirs);
    }
  }
  expect(space.opened).toBeGreaterThan(0);
  await expectNoFile(space);
}, 300_000);

function sorted(answer: Awaited<ReturnType<typeof answerOf>>) {
  return "rows" in answer ? { ...answer, rows: [...answer.rows].sort() } : answer;
}

it("tells what EXPLAIN ANALYZE saw", async () => {
  const client = await connect(new TemporaryFiles());
  await client.query(LARGE);
  const told = async (sql: string): Promise<string> => {
    const { rows } = await client.query(`explain (analyze, timing off) ${sql}`);
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  };
  await client.query("set work_mem = '64kB'");
  expect(await told("select * from large order by t")).toMatch(
    /^ {2}Sort Key: t\n {2}Sort Method: external merge {2}Disk: [1-9]\d\d+kB$/m,
  );
  const batches = /^ {2}Batches: [1-9]\d+ {2}Memory Usage: \d+kB {2}Disk Usage: [1-9]\d+kB$/m;
  expect(await told("select distinct t from large")).toMatch(batches);
  expect(await told("select t, count(*) from large group by t")).toMatch(batches);
  await client.query("set work_mem = '64MB'");
  expect(await told("select * from large order by t")).toMatch(
    /^ {2}Sort Method: quicksort {2}Memory: [1-9]\d+kB$/m,
  );
  expect(await told("select * from large order by t limit 3")).toContain(
    "Sort Method: top-N heapsort  Memory: ",
  );
  expect(await told("select distinct t from large")).toMatch(
    /^ {2}Batches: 1 {2}Memory Usage: [1-9]\d+kB$/m,
  );
}, 60_000);

it("lets go of its files where a statement is canceled or its cursor closed", async () => {
  const space = new SmallMemory(20_000);
  const client = await connect(space);
  await client.query(LARGE);
  const endless = `select count(*) from (
    select a.t from large a, large b, large c order by a.t || b.t) x`;
  await client.query("set statement_timeout = '1500ms'");
  const failed = client.query(endless).catch((error: unknown) => error);
  await vi.waitFor(() => expect(space.bytes).toBeGreaterThan(100_000), { timeout: 20_000 });
  expect(await failed).toMatchObject({ code: "57014" });
  await expectNoFile(space);
  await client.query("begin; declare c cursor for select t from large order by t; fetch 1 from c");
  expect(space.files).toBeGreaterThan(0);
  await client.query("rollback");
  await expectNoFile(space);
}, 60_000);

it("tells a full disk and a full limit, and goes on", async () => {
  class FullDisk extends TemporaryFiles {
    override async open(): Promise<SpillFile> {
      const file = await super.open();
      const write = async (bytes: Uint8Array, at: number): Promise<void> => {
        if (at > 100_000) throw Object.assign(new Error("full"), { code: "ENOSPC" });
        await file.write(bytes, at);
      };
      return { ...file, write };
    }
  }
  const space = new FullDisk();
  const client = await connect(space);
  await client.query(LARGE);
  await client.query("set work_mem = '64kB'");
  const sql = "select * from large order by t";
  await expect(client.query(sql)).rejects.toMatchObject({
    code: "53100",
    message: "could not write to a temporary file: No space left on device",
  });
  await expectNoFile(space);
  await client.query("set temp_file_limit = '50kB'");
  await expect(client.query(sql)).rejects.toMatchObject({
    code: "53400",
    message: "temporary file size exceeds temp_file_limit (50kB)",
  });
  await expectNoFile(space);
  expect((await client.query("select count(*) from large")).rows).toEqual([{ count: "8000" }]);
  for (const value of ["-1", "5GB"]) {
    await expect(client.query(`set temp_file_limit = '${value}'`)).rejects.toMatchObject({
      code: "42501",
    });
  }
}, 60_000);

it("bounds the memory of rows that are more than a statement may keep", async () => {
  const client = await connect(new TemporaryFiles());
  await client.query("set work_mem = '4MB'");
  const before = process.memoryUsage().heapUsed;
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().heapUsed - before);
  }, 20);
  const rows =
    "select i, md5(i::text) || repeat(md5(i::text), 60) t from generate_series(1, 150000) i";
  const sql = `select count(*), max(t) from (select * from (${rows}) a order by t offset 0) b`;
  const { rows: found } = await client.query(sql);
  clearInterval(timer);
  expect(found[0].count).toBe("150000");
  // The rows alone are 290 MB.
  expect(peak / 1_048_576).toBeLessThan(160);
}, 120_000);

it("lets others have the event loop while it writes and reads", async () => {
  const client = await connect(new TemporaryFiles());
  await client.query("set work_mem = '1MB'");
  const rows = "select i, md5(i::text) t from generate_series(1, 60000) i";
  const run = (): Promise<Cost> =>
    costOf(async () => {
      await client.query(`select count(*), max(t) from (${rows} order by t offset 0) b`);
      await client.query(`select count(*) from (select t, max(i) from (${rows}) a group by t) b`);
    });
  await expectShortTurns("temporary files", await run(), run);
}, 120_000);
