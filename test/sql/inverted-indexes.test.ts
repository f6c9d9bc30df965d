import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import "../property-seed.ts";
import { openServer, type TestServer } from "../pgwire/wire-client.ts";

/*
 * Whatever an inverted index is asked, its rows are those that the filter alone finds: the same
 * statement with posting lists, without them, and as the planner chooses.
 */

let server: TestServer;
let client: pg.Client;

beforeAll(async () => {
  server = await openServer();
  client = new pg.Client({ host: "127.0.0.1", port: server.port, user: "tester" });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await server.close();
  expect(server.defects).toEqual([]);
});

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const key = fc.constantFrom("a", "b", "", "é", "k".repeat(121), "0");
const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(null, true, false, 0, -1, 1.5, 1e30),
  fc.constantFrom<Json>("a", "", "1", "null", "x".repeat(200), "\ud83d\ude00"),
);
const { json } = fc.letrec<{ json: Json; list: Json[]; object: { [key: string]: Json } }>(
  (tie) => ({
    json: fc.oneof(
      { weight: 3, arbitrary: scalar },
      { weight: 2, arbitrary: tie("list") },
      { weight: 3, arbitrary: tie("object") },
    ),
    list: fc.array(tie("json"), { maxLength: 3 }),
    object: fc.dictionary(key, tie("json"), { maxKeys: 3 }),
  }),
);
/** Numbers that are equal and print differently, too. */
const text = json.map((value) =>
  JSON.stringify(value)
    .replaceAll("1.5", "1.50")
    .replaceAll(/\b0\b(?!")/g, "0.0"),
);
const words = fc.array(fc.constantFrom("a", "b", "", "A", "é", "w".repeat(300), null), {
  maxLength: 4,
});
const numbers = fc.array(fc.constantFrom(0, 1, -1, 2.5, null), { maxLength: 4 });

interface Row {
  readonly body: string | null;
  readonly words: readonly (string | null)[] | null;
  readonly numbers: readonly (number | null)[] | null;
}

const row: fc.Arbitrary<Row> = fc.record({
  body: fc.option(text, { freq: 8 }),
  words: fc.option(words, { freq: 8 }),
  numbers: fc.option(numbers, { freq: 8 }),
});

type Asked = readonly [condition: string, values: readonly unknown[]];

const condition: fc.Arbitrary<Asked> = fc.oneof(
  fc.tuple(
    fc.constantFrom("body @> $1::jsonb", "body @> $1::jsonb or body @> '{\"b\": [1.5]}'"),
    fc.tuple(text),
  ),
  fc.tuple(fc.constant("$1::jsonb <@ body"), fc.tuple(text)),
  fc.tuple(fc.constant("body ? $1"), fc.tuple(key)),
  fc.tuple(fc.constantFrom("body ?| $1", "body ?& $1"), fc.tuple(fc.array(key, { maxLength: 3 }))),
  fc.tuple(
    fc.constantFrom("words @> $1", "words <@ $1", "words && $1", "words = $1", "$1 <@ words"),
    fc.tuple(words),
  ),
  fc.tuple(
    fc.constantFrom("numbers @> $1", "numbers <@ $1", "numbers && $1", "numbers = $1"),
    fc.tuple(numbers),
  ),
  fc.tuple(
    fc.constantFrom(
      "body @> $1::jsonb and words && $2",
      "body @> $1::jsonb or words && $2",
      "(body @> $1::jsonb or body ? 'a') and words <@ $2",
      "not body @> $1::jsonb and words @> $2",
    ),
    fc.tuple(text, words),
  ),
);

type Change =
  | { readonly kind: "insert" | "upsert" | "update"; readonly id: number; readonly row: Row }
  | { readonly kind: "delete"; readonly id: number };

const id = fc.integer({ min: 1, max: 12 });
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constantFrom("insert", "upsert", "update"), id, row }),
  fc.record({ kind: fc.constant("delete" as const), id }),
) as fc.Arbitrary<Change>;

const history = fc.record({
  rows: fc.array(row, { minLength: 1, maxLength: 12 }),
  changes: fc.array(change, { maxLength: 8 }),
  isRolledBack: fc.boolean(),
  isBuiltFirst: fc.boolean(),
  operators: fc.constantFrom("jsonb_ops", "jsonb_path_ops"),
  asked: fc.array(condition, { minLength: 4, maxLength: 12 }),
});

const VALUES = "$2::jsonb, $3::text[], $4::numeric[]";

async function apply(one: Change): Promise<void> {
  if (one.kind === "delete") {
    await client.query("delete from docs where id = $1", [one.id]);
    return;
  }
  const { body, words: texts, numbers: decimals } = one.row;
  const values = [one.id, body, texts, decimals];
  const insert = `insert into docs values ($1, ${VALUES}) on conflict (id) do`;
  const set = "set (body, words, numbers) =";
  const statements = {
    insert: `${insert} nothing`,
    upsert: `${insert} update ${set} (excluded.body, excluded.words, excluded.numbers)`,
    update: `update docs ${set} (${VALUES}) where id = $1`,
  };
  await client.query(statements[one.kind], values);
}

async function indexes(operators: string): Promise<void> {
  await client.query(`create index docs_body on docs using gin (body ${operators});
    create index docs_arrays on docs using gin (words, numbers)`);
}

const WAYS = {
  "no posting lists": "set enable_bitmapscan = off",
  "posting lists": "set enable_seqscan = off",
  chosen: "select 1",
};

async function found([text, values]: Asked, way: string): Promise<readonly number[]> {
  await client.query(way);
  const statement = `select id from docs where ${text} order by id`;
  const { rows } = await client.query<{ id: number }>(statement, [...values]);
  await client.query("reset enable_bitmapscan; reset enable_seqscan");
  return rows.map((each) => each.id);
}

describe("inverted indexes", () => {
  it("find what the filter finds, whatever was written", async () => {
    const run = async (one: typeof history extends fc.Arbitrary<infer T> ? T : never) => {
      await client.query("rollback");
      await client.query(`drop table if exists docs; create table docs (id int primary key,
        body jsonb, words text[], numbers numeric[])`);
      if (one.isBuiltFirst) await indexes(one.operators);
      for (const [i, each] of one.rows.entries()) {
        await apply({ kind: "insert", id: i + 1, row: each });
      }
      if (!one.isBuiltFirst) await indexes(one.operators);
      await client.query("begin");
      for (const each of one.changes) await apply(each);
      const within = one.asked.slice(0, 2);
      for (const asked of within) {
        const [filtered, listed] = [
          await found(asked, WAYS["no posting lists"]),
          await found(asked, WAYS["posting lists"]),
        ];
        expect([asked, listed]).toEqual([asked, filtered]);
      }
      await client.query(one.isRolledBack ? "rollback" : "commit");
      for (const asked of one.asked) {
        const filtered = await found(asked, WAYS["no posting lists"]);
        expect([asked, await found(asked, WAYS["posting lists"])]).toEqual([asked, filtered]);
        expect([asked, await found(asked, WAYS.chosen)]).toEqual([asked, filtered]);
      }
    };
    await fc.assert(fc.asyncProperty(history, run), { numRuns: 40 });
  }, 120_000);
});

describe("EXPLAIN of an inverted index", () => {
  async function plan(statement: string): Promise<string> {
    const { rows } = await client.query<{ "QUERY PLAN": string }>(statement);
    return rows.map((each) => each["QUERY PLAN"]).join("\n");
  }

  it("reads the lists that are worth it, and the whole table where that is cheaper", async () => {
    await client.query(`create table facts (id int primary key, body jsonb);
      insert into facts select i, jsonb_build_object('all', 1, 'few', i % 100, 'some', i % 10)
        from generate_series(1, 2000) i;
      create index facts_body on facts using gin (body)`);
    const few = await plan(`explain (analyze, timing off)
      select * from facts where body @> '{"few": 77, "all": 1}'`);
    expect(few).toContain("Inverted Index Scan using facts_body on facts (actual rows=20)");
    expect(few).toContain("Posting Lists: 1 of 4  Entries: 20  Rows: 20");
    const all = await plan("explain (analyze, timing off) select * from facts where body ? 'all'");
    expect(all).toContain("Posting Lists: none, the whole table costs less");
    await client.query("set enable_seqscan = off");
    const forced = await plan(
      "explain (analyze, timing off) select * from facts where body ? 'all'",
    );
    expect(forced).toContain("Posting Lists: 1 of 1  Entries: 2000  Rows: 2000");
    await client.query("reset enable_seqscan; set enable_bitmapscan = off");
    expect(await plan("explain select * from facts where body ? 'all'")).toContain("Seq Scan");
    await client.query("reset enable_bitmapscan");
  });

  it("finds rows that have any of several keys, or all of them", async () => {
    await client.query("set enable_seqscan = off");
    const count = async (where: string): Promise<number> => {
      const text = `select count(*)::int n from facts where ${where}`;
      return (await client.query<{ n: number }>(text)).rows[0]?.n ?? -1;
    };
    expect(await count("body ?| array['few', 'none']")).toBe(2000);
    expect(await count("body ?& array['few', 'none']")).toBe(0);
    expect(await count("body ?& array['few', 'all']")).toBe(2000);
    await client.query("reset enable_seqscan");
  });

  it("gives rows in the order of the primary key without a sort", async () => {
    const text = `explain select id from facts where body @> '{"few": 7}' order by id limit 3`;
    expect(await plan(text)).not.toContain("Sort");
    expect(await plan(`${text.replace("order by id", "order by id desc")}`)).toContain("Sort");
    const { rows } = await client.query(text.replace("explain ", ""));
    expect(rows.map(({ id: found }) => found)).toEqual([7, 107, 207]);
  });

  it("has no index for what only a part of an OR asks of it", async () => {
    const text = `explain select id from facts where body @> '{"few": 7}' or id < 3`;
    expect(await plan(text)).toContain("Seq Scan");
  });

  it("has no list for a table that is changed by the statement that reads it", async () => {
    await client.query(`update facts set body = body || '{"few": 7}' where body @> '{"few": 8}'`);
    const count = `select count(*)::int n from facts where body @> '{"few": 7}'`;
    expect((await client.query(count)).rows).toEqual([{ n: 40 }]);
  });
});

describe("a build of an inverted index", () => {
  it("goes on beside the session where a table has many rows", async () => {
    await client.query(`create table loaded (id int primary key, body jsonb, words text[]);
      create index loaded_body on loaded using gin (body);
      create index loaded_words on loaded using gin (words)`);
    await client.query(`insert into loaded select i, jsonb_build_object('k', i % 50),
      array['w' || i % 20, 'v' || i % 3] from generate_series(1, 3000) i`);
    const asked = [
      `select count(*)::int n from loaded where body @> '{"k": 7}'`,
      "select count(*)::int n from loaded where words @> '{w3,v1}'",
    ];
    const counts: unknown[] = [];
    for (const each of asked) counts.push(...(await client.query(each)).rows);
    expect(counts).toEqual([{ n: 60 }, { n: 50 }]);
    await client.query("create index loaded_path on loaded using gin (body jsonb_path_ops)");
    expect((await client.query(asked[0] as string)).rows).toEqual([{ n: 60 }]);
  });
});
