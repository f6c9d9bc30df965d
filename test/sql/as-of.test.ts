import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SeededPrng } from "../../src/base/prng.ts";
import { WaitGraph } from "../../src/base/wait-graph.ts";
import type { Engine } from "../../src/lsm/index.ts";
import { RowStore } from "../../src/rows/index.ts";
import { LazyExpressions } from "../../src/sql/lazy-expressions.ts";
import { withoutAsOf } from "../../src/sql/parse/as-of.ts";
import { Parser } from "../../src/sql/parse/parser.ts";
import { AdvisoryLocks } from "../../src/sql/session/advisory-locks.ts";
import { openSession } from "../../src/sql/session/open.ts";
import type { SqlSession } from "../../src/sql/session/session.ts";
import { makeWorld, type World } from "../lsm/support/worlds.ts";
import { MemoryCatalog } from "./memory-catalog.ts";

let world: World;
let engine: Engine;
let rows: RowStore;
let session: SqlSession;
const seed = 20_261_128;
let prng: SeededPrng;
let parser: Parser;
let expressions: LazyExpressions;

const OPTIONS = { gcMinAgeMs: 0, historyMs: 3_600_000 };

function open(): void {
  rows = new RowStore({ engine, clock: world.clock, prng, account: "acme", expressions });
}

beforeEach(async () => {
  world = makeWorld({ store: "memory", wal: "objects" });
  prng = new SeededPrng(seed);
  parser = new Parser(world.clock);
  expressions = new LazyExpressions({ clock: world.clock, prng });
  engine = await world.open({ options: OPTIONS });
  open();
  session = openSession({
    parser,
    clock: world.clock,
    prng,
    catalog: new MemoryCatalog(rows).view(),
    advisory: { locks: new AdvisoryLocks(new WaitGraph()), space: "default" },
    user: "tester",
    database: "default",
    settings: new Map(),
  });
});

afterEach(async () => {
  await session.close();
  await parser.close();
  await expressions.close();
  await engine.close();
  world.end();
});

/** The rows of the last statement, or the SQLSTATE of the one that failed. */
async function run(text: string): Promise<string> {
  try {
    let told = "";
    for (const statement of await session.parse(text)) {
      const started = await session.start(await session.prepare(statement, []), [], true);
      const found: string[] = [];
      if (started.kind === "rows") {
        for (
          let some = await started.next(100);
          some !== undefined;
          some = await started.next(100)
        ) {
          found.push(...some.map((row) => row.map(String).join(",")));
        }
      }
      const tag = await started.finish();
      told = started.kind === "rows" ? found.join(" ") : tag;
    }
    return told;
  } catch (error) {
    await session.failed();
    const { context, sqlState } = error as { context?: { sqlState?: string }; sqlState?: string };
    const state = sqlState ?? context?.sqlState;
    if (state === undefined) throw error;
    return state;
  }
}

/** A moment that nothing else happens in. */
async function moment(): Promise<number> {
  await world.clock.sleep(2);
  const now = world.clock.nowMs();
  await world.clock.sleep(2);
  return now;
}

const QUERIES = [
  "select * from t @ order by 1",
  "select id from t @ where v = 'b' order by 1",
  "select count(*), min(v) from w @",
  "select t.id, u.k from t, u @ where t.id = u.k order by 1",
  "select * from u @ order by 1",
  "select v from (select v, id from t order by id desc) as x @ limit 2",
];

const at = (query: string, ms?: number): string =>
  query.replace("@", ms === undefined ? "" : `as of system time ${ms}000000`);

const answers = async (ms?: number): Promise<readonly string[]> => {
  const all: string[] = [];
  for (const query of QUERIES) all.push(await run(at(query, ms)));
  return all;
};

const pick = <T>(list: readonly T[]): T => list[number(list.length)] as T;
const number = (below: number): number => Math.floor(prng.float() * below);

const STEPS: readonly (() => string)[] = [
  () => `insert into t values (${number(30)}, '${pick(["a", "b", "c"])}')`,
  () => `insert into t values (${number(30)}, '${pick(["a", "b", "c"])}')`,
  () => `insert into t select ${number(30)} + 3 * i, 'e' from generate_series(1, 3) i`,
  () => `update t set v = '${pick(["a", "b", "d"])}' where id < ${number(30)}`,
  () => `delete from t where id > ${number(60)}`,
  () => `alter table t add column ${pick(["x", "y"])} int default ${number(9)}`,
  () => `alter table t drop column ${pick(["x", "y"])}`,
  () => "truncate t",
  () => `insert into u select ${number(30)}`,
  () => "drop table u",
  () => "create table u (k int)",
  () => "alter table t rename to old_t",
  () => "alter table old_t rename to t",
  () => "alter table old_t rename to t",
  () => "alter table old_t rename to t",
  () => "create index t_v on t (v)",
  () => "drop index t_v",
  () => "drop view w",
  () => "create view w as select * from t where id < 20",
  () => "begin; insert into t values (100, 'never'); rollback",
];

it("AS OF SYSTEM TIME reads long values as they were, beside their rows", async () => {
  await run("create table l (id int primary key, k int, body text); create index on l (k)");
  const moments: number[] = [];
  const step = async (text: string): Promise<void> => {
    await run(text);
    moments.push(await moment());
  };
  await step("insert into l values (1, 1, repeat('a', 40000)), (2, 1, repeat('b', 2000000))");
  await step("update l set body = repeat('c', 50000) where id = 2");
  await step("update l set body = 'short' where id = 1");
  await engine.flush();
  await step("truncate l");
  const query = "select id, left(body, 1), length(body) from l @ where k = 1 order by 1";
  const told: string[] = [];
  for (const ms of moments) told.push(await run(at(query, ms)));
  expect(told).toEqual(["1,a,40000 2,b,2000000", "1,a,40000 2,c,50000", "1,s,5 2,c,50000", ""]);
});

describe("AS OF SYSTEM TIME", () => {
  it("answers as was answered then, whatever has happened since", async () => {
    await run("create table t (id int primary key, v text); create table u (k int)");
    await run("create view w as select * from t where id < 20");
    const known: { ms: number; then: readonly string[] }[] = [];
    for (let step = 0; step < 64; step++) {
      await run(pick(STEPS)());
      const then = await answers();
      known.push({ ms: await moment(), then });
      if (step % 17 === 3) await engine.flush();
      if (step % 30 === 20) await engine.compact();
      if (step % 30 === 25) await engine.collectGarbage();
      const some = pick(known);
      expect(await answers(some.ms)).toEqual(some.then);
    }
    for (const { ms, then } of known.filter((_, i) => i % 9 === 0)) {
      expect(await answers(ms)).toEqual(then);
    }
    const states = new Set(known.flatMap(({ then }) => then));
    expect(states.size).toBeGreaterThan(20);
    expect(states.has("42P01")).toBe(true);
  });

  it("is one time of a statement, and of its transaction", async () => {
    await run("create table t (id int primary key); insert into t values (1)");
    const ms = await moment();
    const clause = `as of system time ${ms}000000`;
    await run("insert into t values (2)");
    expect(await run(`select * from t ${clause} union all select id from t order by 1`)).toBe(
      "1 1",
    );
    expect(
      await run(`select * from t ${clause} union select 1 from t as of system time '-0s'`),
    ).toBe("42601");
    expect(await run(`begin ${clause}; select * from t; commit`)).toBe("COMMIT");
    await run(`start transaction isolation level serializable, ${clause}`);
    expect(await run("select count(*) from t")).toBe("1");
    expect(await run(`select count(*) from t ${clause}`)).toBe("1");
    expect(await run("show transaction_read_only")).toBe("on");
    expect(await run("select count(*) from t as of system time '-1h'")).toBe("0A000");
    await run("rollback");
    for (const write of ["insert into t values (3)", "create table n (i int)", "drop table t"]) {
      await run(`begin ${clause}`);
      expect(await run(write)).toBe("25006");
      await run("rollback");
    }
    await run("begin");
    expect(await run("select count(*) from t")).toBe("2");
    expect(await run(`set transaction ${clause}`)).toBe("25001");
    await run("rollback");
    await run(`begin; set local transaction ${clause}`);
    expect(await run("select count(*) from t")).toBe("1");
    await run("commit");
    expect(await run(`begin ${clause}, read write`)).toBe("42601");
    expect(await run("select count(*) from t")).toBe("2");
    expect(await run(`prepare p as select count(*) from t ${clause}`)).toBe("PREPARE");
    expect([await run("execute p"), await run("select count(*) from t")]).toEqual(["1", "2"]);
  });

  it("refuses what has no past, and times that are none", async () => {
    await run("create table t (id int primary key); create sequence s");
    const clause = "as of system time '-0s'";
    await moment();
    expect(await run(`select * from t ${clause}`)).toBe("");
    expect(await run(`select * from pg_class ${clause}`)).toBe("0A000");
    expect(await run(`select * from s ${clause}`)).toBe("0A000");
    expect(await run(`create table n as select * from t ${clause}`)).toBe("0A000");
    expect(await run(`create view n as select * from t ${clause}`)).toBe("0A000");
    expect(await run(`select * into n from t ${clause}`)).toBe("0A000");
    expect(await run(`insert into t select * from t ${clause}`)).toBe("25006");
    expect(await run(`select * from t ${clause} for update`)).toBe("25006");
    expect(await run(`select nextval('s') from t ${clause}`)).toBe("");
    for (const time of ["'1h'", "'infinity'", "now() + '1 s'::interval", "'2999-01-01'"]) {
      expect(await run(`select * from t as of system time ${time}`)).toBe("22023");
    }
    for (const time of ["'now then'", "true", "null", "1.5"]) {
      expect(await run(`select * from t as of system time ${time}`)).toBe("22023");
    }
    expect(await run("select * from t as of system time '-100 years'")).toBe("72000");
    expect(await run("select * from t as of system time $1")).toBe("42P02");
    expect(await run("select * from t as of system time id")).toBe("42703");
    expect(await run("select * from t as of system time")).toBe("42601");
    expect(await run("select 1 as of system time '-1s'")).toBe("42601");
  });
});

describe("the clause in a text", () => {
  it("is found outside of quotes and comments alone, and leaves each byte where it was", () => {
    const [plain, ...not] = [
      "select 'é' from t as of /* - /* x */ */ system -- y\n time ('-1s') where true",
      "select ' as of system time x' from t",
      'select 1 from t as "as of system time"',
      "select $a$ from t as of system time 1 $a$ from t",
      "select E'\\' from t as of system time 1' from t",
      "select 1 from t -- as of system time 1",
      "select 1 /* /* */ as of system time 1 */ from t",
    ] as const;
    for (const text of not) expect(withoutAsOf(text)).toEqual({ text, clauses: [] });
    const { text, clauses } = withoutAsOf(plain);
    expect(Buffer.byteLength(text)).toBe(Buffer.byteLength(plain));
    expect(text.replace(/ +/g, " ")).toBe("select 'é' from t where true");
    expect(clauses).toEqual([
      { expression: "('-1s')", position: plain.indexOf("(") + 1, offset: 19 },
    ]);
    expect(withoutAsOf("begin as of system time '-1s'; x").text).toMatch(
      /^begin READ ONLY {14}; x$/,
    );
  });
});
