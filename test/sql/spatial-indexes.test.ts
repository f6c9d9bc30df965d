import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import "../property-seed.ts";
import { coordinateOf } from "../../src/rows/spatial/grid.ts";
import { openServer, type TestServer } from "../pgwire/wire-client.ts";

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

const small = fc.integer({ min: -6, max: 6 });
const number = fc.oneof(small, fc.integer({ min: -2_147_483_648, max: 2_147_483_647 }));
const decimal = fc.oneof(
  small.map((value) => `${value}.50`),
  fc.constantFrom("NaN", "Infinity", "-Infinity", "0.0000001", "1e30", "-1e30", "0", "3.14159"),
);
const moment = fc.oneof(
  fc.constantFrom("infinity", "-infinity", "1969-12-31 23:59:59", "2025-06-01", "2025-06-02 12:00"),
  fc.integer({ min: 0, max: 400 }).map((days) => `2025-01-01 00:00:0${days % 10}`),
);
const point = fc.record({
  x: fc.option(number, { freq: 6 }),
  y: fc.option(decimal, { freq: 6 }),
  t: fc.option(moment, { freq: 6 }),
});

const bounds = <T>(column: string, value: fc.Arbitrary<T>): fc.Arbitrary<string> =>
  fc.oneof(
    fc
      .tuple(value, value)
      .map(([low, high]) => `${column} between '${String(low)}' and '${String(high)}'`),
    fc
      .tuple(fc.constantFrom("<", "<=", ">", ">=", "="), value)
      .map(([operator, at]) => `${column} ${operator} '${String(at)}'`),
    fc
      .tuple(value, value)
      .map(([a, b]) => `(${column} = '${String(a)}' or ${column} > '${String(b)}')`),
    fc.array(value, { minLength: 1, maxLength: 3 }).map((all) => {
      return `${column} in (${all.map((one) => `'${String(one)}'`).join()})`;
    }),
    fc.tuple(value).map(([at]) => `(${column} = '${String(at)}' or ${column} is null)`),
    fc.constant(`${column} is not null`),
  );
const condition = fc
  .tuple(bounds("x", number), bounds("y", decimal), fc.option(bounds("t", moment)))
  .map((all) => all.filter((one) => one !== null).join(" and "));

const history = fc.record({
  rows: fc.array(point, { minLength: 1, maxLength: 25 }),
  moved: fc.array(fc.tuple(fc.integer({ min: 1, max: 25 }), point), { maxLength: 6 }),
  columns: fc.constantFrom("x, y", "y, x", "x, y, t", "t, y", "t, x, y"),
  isBuiltFirst: fc.boolean(),
  conditions: fc.array(condition, { minLength: 6, maxLength: 12 }),
});

async function found(where: string, way: string): Promise<readonly number[]> {
  await client.query(way);
  const text = `select id from points where ${where} order by id`;
  const { rows } = await client.query<{ id: number }>(text);
  await client.query("reset enable_bitmapscan; reset enable_seqscan");
  return rows.map(({ id }) => id);
}

describe("spatial indexes", () => {
  it("find what the filter finds, whatever was written", async () => {
    let listed = 0;
    const run = async (one: typeof history extends fc.Arbitrary<infer T> ? T : never) => {
      await client.query(`drop table if exists points; create table points (id int primary key,
        x int, y numeric, t timestamptz)`);
      const index = `create index on points using hilbert (${one.columns})`;
      if (one.isBuiltFirst) await client.query(index);
      for (const [i, { x, y, t }] of one.rows.entries()) {
        await client.query("insert into points values ($1, $2, $3, $4)", [i + 1, x, y, t]);
      }
      if (!one.isBuiltFirst) await client.query(index);
      for (const [id, { x, y, t }] of one.moved) {
        const text = "update points set x = $2, y = $3, t = $4 where id = $1";
        await client.query(text, [id, x, y, t]);
      }
      for (const where of one.conditions) {
        const filtered = await found(where, "set enable_bitmapscan = off");
        const boxed = await found(where, "set enable_seqscan = off");
        expect([where, boxed]).toEqual([where, filtered]);
        expect([where, await found(where, "select 1")]).toEqual([where, filtered]);
        listed += filtered.length;
      }
    };
    await fc.assert(fc.asyncProperty(history, run), { numRuns: 60 });
    expect(listed).toBeGreaterThan(50);
  }, 120_000);

  it("have coordinates that grow with the values", () => {
    const value = fc.oneof(fc.double({ noNaN: true }), fc.bigInt().map(Number), number);
    fc.assert(
      fc.property(value, value, fc.constantFrom<2 | 3>(2, 3), (a, b, dimensions) => {
        const [low, high] = a <= b ? [a, b] : [b, a];
        const last = dimensions === 2 ? 2 ** 32 - 1 : 2 ** 21 - 1;
        const at = coordinateOf(dimensions, low);
        expect(at).toBeLessThanOrEqual(coordinateOf(dimensions, high));
        expect(at).toBeGreaterThanOrEqual(0);
        expect(coordinateOf(dimensions, high)).toBeLessThanOrEqual(last);
        expect(coordinateOf(dimensions, Number.NaN)).toBe(last);
      }),
    );
    const hex = (at: number): string => coordinateOf(2, at).toString(16);
    expect([0, -0, 1.5, -1.5].map(hex)).toEqual(["80000000", "80000000", "bfc00000", "403fffff"]);
  });
});

describe("a plan with a spatial index", () => {
  beforeAll(async () => {
    await client.query(`create table places (id int primary key, x int, y float8, name text);
      insert into places select i, (i * 7919) % 1009, ((i * 104729) % 997) / 10.0, 'p' || i
        from generate_series(1, 4000) i;
      create index places_xy on places using hilbert (x, y)`);
  });

  it("reads at most 32 ranges, and EXPLAIN ANALYZE tells how much too many", async () => {
    const box = "select id from places where x between 600 and 700 and y between 40 and 50";
    const { rows } = await client.query<{ "QUERY PLAN": string }>(
      `explain (analyze, timing off) ${box}`,
    );
    const plan = rows.map((each) => each["QUERY PLAN"]).join("\n");
    expect(plan).toContain("Hilbert Index Scan using places_xy on places (actual rows=");
    const facts = /Ranges: (\d+) {2}Entries: (\d+) {2}Rows: (\d+) {2}Over-read: ([\d.]+)/.exec(
      plan,
    );
    const [ranges, entries, fetched, overRead] = (facts ?? []).slice(1).map(Number);
    expect(ranges).toBeGreaterThan(1);
    expect(ranges).toBeLessThanOrEqual(32);
    expect(fetched).toBe((await client.query(box)).rows.length);
    expect(overRead).toBeCloseTo((entries ?? 0) / (fetched ?? 1), 2);
    expect(overRead).toBeLessThan(2.5);
  });

  it("is left for one column alone, for a point of a key, and for most of a table", async () => {
    const plan = async (where: string): Promise<string> => {
      const text = `explain (analyze, timing off) select id from places where ${where}`;
      const { rows } = await client.query<{ "QUERY PLAN": string }>(text);
      return rows.map((each) => each["QUERY PLAN"]).join("\n");
    };
    expect(await plan("x between 1 and 10")).toContain("Seq Scan");
    expect(await plan("id = 7 and x > 1 and y > 1")).toContain("Index Scan using places_pkey");
    expect(await plan("x > 1 and y > 1")).toContain("Ranges: none, the whole table costs less");
  });

  it.each([
    ["create unique index on places using hilbert (x, y)", "0A000"],
    ["create index on places using hilbert (x, y desc)", "0A000"],
    ["create index on places using hilbert (x, y) include (name)", "0A000"],
    ["create index on places using hilbert (x)", "42P17"],
    ["create index on places using hilbert (x, y, id, x)", "42P17"],
    ["create index on places using hilbert (x, name)", "42704"],
    ["create index on places using hilbert (x int4_ops, y)", "42704"],
  ])("refuses %s", async (text, code) => {
    await expect(client.query(text)).rejects.toMatchObject({ code });
  });

  it("may lack bounds of a column that is never NULL", async () => {
    await client.query(`create table tracks (id int primary key, x int, y int,
        t int not null, u int);
      create index tracks_xyt on tracks using hilbert (x, y, t);
      create index tracks_xyu on tracks using hilbert (x, y, u);
      insert into tracks select i, i, i, i, null::int from generate_series(1, 50) i`);
    const where = "x between 3 and 5 and y between 4 and 9";
    await client.query("set enable_seqscan = off");
    const { rows } = await client.query(`explain select id from tracks where ${where}`);
    expect(JSON.stringify(rows)).toContain("Hilbert Index Scan using tracks_xyt");
    await client.query("drop index tracks_xyt");
    const without = await client.query(`explain select id from tracks where ${where}`);
    expect(JSON.stringify(without.rows)).toContain("Seq Scan");
    const text = `select id from tracks where ${where} order by id`;
    expect((await client.query(text)).rows).toEqual([{ id: 4 }, { id: 5 }]);
    await client.query("reset enable_seqscan");
  });

  it("is shown by the catalogs", async () => {
    const text = `select a.amname, pg_get_indexdef(i.oid) from pg_class i
      join pg_am a on a.oid = i.relam where i.relname = 'places_xy'`;
    const { rows } = await client.query({ text, rowMode: "array" });
    expect(rows).toEqual([
      ["hilbert", "CREATE INDEX places_xy ON public.places USING hilbert (x, y)"],
    ]);
  });
});
