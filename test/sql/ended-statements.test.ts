import { afterEach, beforeEach, expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import type { RowTransaction } from "../../src/rows/index.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { Parser } from "../../src/sql/parse/parser.ts";
import { AdvisoryLocks } from "../../src/sql/session/advisory-locks.ts";
import { openSession } from "../../src/sql/session/open.ts";
import type { SqlSession } from "../../src/sql/session/session.ts";
import type { Rows, Started } from "../../src/sql/session/started.ts";
import { type OpenRows, openRows } from "../rows/support/open-rows.ts";
import { MemoryCatalog } from "./memory-catalog.ts";

let opened: OpenRows;
let session: SqlSession;
/** What becomes of each transaction before it is used. */
let prepared: (rows: RowTransaction) => void;

beforeEach(async () => {
  opened = await openRows();
  prepared = () => undefined;
  const clock = new SystemClock();
  const view = new MemoryCatalog(opened.rows).view();
  session = openSession({
    parser: new Parser(clock),
    clock,
    prng: new SeededPrng(3),
    user: "tester",
    database: "default",
    settings: new Map(),
    advisory: { locks: new AdvisoryLocks(), space: "" },
    catalog: {
      ...view,
      begin: async (options) => {
        const rows = await view.begin(options);
        prepared(rows);
        return rows;
      },
    },
  });
});
afterEach(async () => {
  await session.close();
  await opened.end();
});

async function start(sql: string): Promise<Started> {
  const [statement] = await session.parse(sql);
  if (statement === undefined) throw new Error("nothing to start");
  return await session.start(await session.prepare(statement, []), [], true);
}

async function run(sql: string): Promise<string | undefined> {
  const started = await start(sql);
  const rows = started.kind === "rows" ? await started.next(1) : undefined;
  await started.finish();
  return rows?.map(String).join();
}

test("a statement that was ended before its first row does nothing", async () => {
  await run("create sequence s");
  const started = (await start("select nextval('s')")) as Rows;
  session.cancel("57014");
  const next = async () => await started.next(1);
  await expect(next()).rejects.toMatchObject({ sqlState: "57014" });
  await started.close();
  await session.failed();
  expect(await run("select nextval('s')")).toBe("1");
});

test.each(["insert into t values (1)", "insert into t values (1) returning id"])(
  "a commit that may have happened is not said to be cancelled: %s",
  async (sql) => {
    await run("create table t (id int)");
    prepared = (rows) => {
      const commit = rows.commit.bind(rows);
      rows.commit = async () => {
        await commit();
        session.cancel("57014");
        throw new FirnError("Unknown", "LOST", "the answer was lost");
      };
    };
    await expect(run(sql)).rejects.toMatchObject({ kind: "Unknown" });
    prepared = () => undefined;
    await session.failed();
    expect(await run("select count(*) from t")).toBe("1");
  },
);

test.each(["insert into t values (1)", "insert into t values (1) returning id"])(
  "a commit that may have happened is not run again: %s",
  async (sql) => {
    await run("create table t (id int)");
    let commits = 0;
    prepared = (rows) => {
      const commit = rows.commit.bind(rows);
      rows.commit = async () => {
        await commit();
        if (++commits === 1) throw new FirnError("Unknown", "LOST", "the answer was lost");
        return 0;
      };
    };
    await expect(run(sql)).rejects.toMatchObject({ kind: "Unknown" });
    await session.failed();
    prepared = () => undefined;
    expect(await run("select count(*) from t")).toBe("1");
  },
);

test("a change of a table that is run again is serializable again", async () => {
  await run("create table t (id int)");
  await run("set default_transaction_isolation = 'read committed'");
  let refusals = 1;
  prepared = (rows) => {
    const commit = rows.commit.bind(rows);
    rows.commit = async () => {
      if (refusals-- > 0) {
        throw new FirnError("Conflict", "ROW_CONFLICT", "overtaken", { sqlState: "40001" });
      }
      return await commit();
    };
  };
  await run("create index i on t (id)");
  expect(refusals).toBeLessThan(0);
});

test("a cancel behind the commit does not say that nothing happened", async () => {
  await run("create table t (id int)");
  prepared = (rows) => {
    const commit = rows.commit.bind(rows);
    rows.commit = async () => {
      const sequence = await commit();
      session.cancel("57014");
      return sequence;
    };
  };
  expect(await run("insert into t values (1) returning id")).toBe("1");
});
