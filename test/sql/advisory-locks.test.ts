import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openServer, type TestServer } from "../pgwire/wire-client.ts";

let server: TestServer;
let clients: pg.Client[];

beforeEach(async () => {
  server = await openServer();
  clients = [];
});
afterEach(async () => {
  for (const client of clients) await client.end();
  await server.close();
  expect(server.defects).toEqual([]);
});

async function connect(database = "default"): Promise<pg.Client> {
  const client = new pg.Client({ host: "127.0.0.1", port: server.port, user: "a", database });
  await client.connect();
  clients.push(client);
  return client;
}

/** The first value that a statement gives; the SQLSTATE where it fails. */
async function value(client: pg.Client, sql: string): Promise<unknown> {
  try {
    const { rows } = await client.query({ text: sql, rowMode: "array" });
    return rows[0]?.[0];
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

const free = (client: pg.Client, key = "1"): Promise<unknown> =>
  value(client, `select pg_try_advisory_xact_lock(${key})`);

describe("advisory locks of a session", () => {
  it("are held as often as they were taken, whatever becomes of the transaction", async () => {
    const [a, b] = [await connect(), await connect()];
    expect(await value(a, "select pg_advisory_lock(1)")).toBe("");
    await a.query("begin");
    expect(await value(a, "select pg_try_advisory_lock(1)")).toBe(true);
    await a.query("rollback");
    expect(await free(b)).toBe(false);
    expect(await value(a, "select pg_advisory_unlock(1)")).toBe(true);
    expect(await free(b)).toBe(false);
    expect(await value(a, "select pg_advisory_unlock(1)")).toBe(true);
    expect(await free(b)).toBe(true);
    const notices: string[] = [];
    a.on("notice", ({ code = "", message = "" }) => notices.push(`${code} ${message}`));
    expect(await value(a, "select pg_advisory_unlock(1)")).toBe(false);
    expect(notices).toEqual(["01000 you don't own a lock of type ExclusiveLock"]);
  });

  it("go with the session, DISCARD ALL and pg_advisory_unlock_all", async () => {
    const [a, b] = [await connect(), await connect()];
    for (const end of ["discard all", "select pg_advisory_unlock_all()"]) {
      await a.query("select pg_advisory_lock(1), pg_advisory_lock(1, 2)");
      expect([await free(b), await free(b, "1, 2")]).toEqual([false, false]);
      await a.query(end);
      expect([await free(b), await free(b, "1, 2")]).toEqual([true, true]);
    }
    await a.query("select pg_advisory_lock(1)");
    await (clients.shift() as pg.Client).end();
    await expect.poll(() => free(b)).toBe(true);
  });

  it("are of one key of 64 bits or two of 32, of one database, shared or exclusive", async () => {
    const [a, b, other] = [await connect(), await connect(), await connect("other")];
    await a.query("select pg_advisory_lock_shared(1)");
    expect(await free(b, "0, 1")).toBe(true);
    expect(await free(other)).toBe(true);
    expect(await value(b, "select pg_try_advisory_lock_shared(1)")).toBe(true);
    expect(await free(b)).toBe(false);
    expect(await value(a, "select pg_advisory_unlock_shared(1)")).toBe(true);
    expect(await free(b)).toBe(true);
    expect(await value(b, "select pg_advisory_unlock(1)")).toBe(false);
  });

  it("are taken once for each row, and not for NULL", async () => {
    const [a, b] = [await connect(), await connect()];
    await a.query("select pg_advisory_lock(x) from (values (1), (2), (null)) v(x)");
    const all = "select string_agg(pg_advisory_unlock(x)::text, ',') from generate_series(1, 2) x";
    expect(await value(a, all)).toBe("true,true");
    expect(await free(b, "2")).toBe(true);
  });
});

describe("advisory locks of a transaction", () => {
  it("end with it, with its failure, and with a savepoint before them", async () => {
    const [a, b] = [await connect(), await connect()];
    await a.query("begin; select pg_advisory_xact_lock(1); savepoint s");
    await a.query("select pg_advisory_xact_lock(2)");
    expect(await value(a, "select pg_advisory_unlock(1)")).toBe(false);
    expect([await free(b, "1"), await free(b, "2")]).toEqual([false, false]);
    await a.query("rollback to s");
    expect([await free(b, "1"), await free(b, "2")]).toEqual([false, true]);
    await a.query("commit");
    expect(await free(b)).toBe(true);
    await a.query("begin; select pg_advisory_xact_lock(1)");
    expect(await value(a, "select 1 / 0")).toBe("22012");
    expect(await free(b)).toBe(true);
    await a.query("rollback");
    await a.query("select pg_advisory_xact_lock(1)");
    expect(await free(b)).toBe(true);
  });

  it("let a transaction that waited for them see what the other has committed", async () => {
    const [a, b] = [await connect(), await connect()];
    await a.query("create table versions (v int)");
    await a.query("begin; select pg_advisory_xact_lock(1); insert into versions values (1)");
    await b.query("begin");
    const waiting = value(b, "select pg_advisory_xact_lock(1)");
    await a.query("commit");
    expect(await waiting).toBe("");
    expect(await value(b, "select max(v) from versions")).toBe(1);
  });
});

describe("waiting for advisory locks", () => {
  it("ends in the order of who came, by a time limit and by a deadlock", async () => {
    const [a, b, c] = [await connect(), await connect(), await connect()];
    await a.query("select pg_advisory_lock_shared(1)");
    const second = value(b, "select pg_advisory_lock(1)");
    await expect.poll(() => value(c, "select pg_try_advisory_lock_shared(1)")).toBe(false);
    await c.query("set statement_timeout = 50");
    expect(await value(c, "select pg_advisory_lock_shared(1)")).toBe("57014");
    await c.query("select pg_advisory_lock(2)");
    await c.query("set statement_timeout = 0");
    const third = value(c, "select pg_advisory_lock(1)");
    await a.query("select pg_advisory_unlock_shared(1)");
    expect(await second).toBe("");
    // C waits for B, which cannot wait for C.
    expect(await value(b, "select pg_advisory_lock(2)")).toBe("40P01");
    await b.query("select pg_advisory_unlock(1)");
    expect(await third).toBe("");
  });
});

describe("waiting for advisory locks and rows", () => {
  it.each(["lock", "row"])("ends where it is a circle that is closed by a %s", async (closing) => {
    const [a, b] = [await connect(), await connect()];
    await a.query("create table t (id int primary key, n int)");
    await a.query("insert into t values (1, 0)");
    await a.query("begin");
    await a.query("update t set n = 1");
    await b.query("begin");
    await b.query("select pg_advisory_lock(1)");
    const ends = async (client: pg.Client, sql: string): Promise<unknown> => {
      const outcome = await value(client, sql);
      await client.query("rollback");
      await client.query("select pg_advisory_unlock_all()");
      return outcome;
    };
    const lock = () => ends(a, "select pg_advisory_lock(1)");
    const row = () => ends(b, "update t set n = 2");
    const [first, second] = closing === "lock" ? [row, lock] : [lock, row];
    const waiting = first();
    await value(await connect(), "select pg_sleep(0.1)");
    const outcomes = await Promise.all([waiting, second()]);
    expect(outcomes.filter((outcome) => outcome === "40P01")).toHaveLength(1);
  });
});

describe("pg_sleep", () => {
  it("waits, and ends with its statement", async () => {
    const a = await connect();
    const slept =
      "with t as materialized (select clock_timestamp() b), s as materialized " +
      "(select pg_sleep(0.05)::text, pg_sleep_for('0.05 s')::text, b from t) " +
      "select clock_timestamp() - b >= '0.09 s' from s";
    expect(await value(a, slept)).toBe(true);
    expect(await value(a, "select pg_sleep(-1), pg_sleep_until('2001-01-01')")).toBe("");
    await a.query("set statement_timeout = 30");
    expect(await value(a, "select pg_sleep(60)")).toBe("57014");
  });
});
