import type pg from "pg";
import { beforeEach, describe, expect, it } from "vitest";
import { failureOf, pgClients, rowsOf } from "../pgwire/pg-clients.ts";

let a: pg.Client;
let b: pg.Client;
const clients = pgClients(async () => {
  a = await clients.connect();
  b = await clients.connect();
  await a.query("create table t (id int primary key, n int, label text)");
  await a.query("insert into t select i, i * 10, 'l' || i from generate_series(1, 5) i");
});

/** Whether an answer has not come by now. */
async function waits(answer: Promise<unknown>): Promise<boolean> {
  const late = new Promise((resolve) => setTimeout(() => resolve("late"), 60));
  return (await Promise.race([answer.then(() => "there"), late])) === "late";
}

const READ_COMMITTED = "begin isolation level read committed";

describe("FOR UPDATE", () => {
  it("waits for a writer and sees what that wrote, in READ COMMITTED", async () => {
    await a.query(`${READ_COMMITTED}; update t set n = 11 where id = 1`);
    await b.query(READ_COMMITTED);
    const answer = rowsOf(b, "select n, label from t where id = 1 for update");
    expect(await waits(answer)).toBe(true);
    await a.query("commit");
    expect(await answer).toBe("11,l1");
    await b.query("update t set n = n + 1 where id = 1");
    await b.query("commit");
    expect(await rowsOf(a, "select n from t where id = 1")).toBe("12");
  });

  it("judges a row again behind a wait: it leaves out one that no longer meets WHERE", async () => {
    await a.query(`${READ_COMMITTED}; update t set n = 0 where id = 2`);
    await b.query(READ_COMMITTED);
    const answer = rowsOf(b, "select id from t where n >= 20 and n < 50 order by n for update");
    expect(await waits(answer)).toBe(true);
    await a.query("commit");
    expect(await answer).toBe("3 4");
  });

  it("reads on behind a wait where a limit asks for more rows", async () => {
    await a.query(
      `${READ_COMMITTED}; delete from t where id = 1; update t set n = -1 where id = 2`,
    );
    await b.query(READ_COMMITTED);
    const answer = rowsOf(b, "select id, n from t where n > 0 order by id limit 2 for update");
    expect(await waits(answer)).toBe(true);
    await a.query("commit");
    expect(await answer).toBe("3,30 4,40");
    // The fifth was not asked for, so that it is free.
    expect(await rowsOf(a, "select id from t where id = 5 for update nowait")).toBe("5");
  });

  it("begins again behind a wait where a serializable transaction has read nothing", async () => {
    await a.query("begin; update t set n = 11 where id = 1");
    await b.query("begin");
    const answer = rowsOf(b, "select n from t where id = 1 for update");
    expect(await waits(answer)).toBe(true);
    await a.query("commit");
    expect(await answer).toBe("11");
    await b.query("update t set n = n + 1 where id = 1; commit");
    expect(await rowsOf(a, "select n from t where id = 1")).toBe("12");
  });

  it("fails with 40001 where a serializable transaction had read before", async () => {
    await b.query("begin");
    expect(await rowsOf(b, "select n from t where id = 1")).toBe("10");
    await a.query("update t set n = 11 where id = 1");
    expect(await failureOf(b, "select n from t where id = 1 for update")).toBe(
      "40001: could not serialize access due to concurrent update",
    );
  });

  it("does not take its own writes for those of others", async () => {
    await b.query("begin; update t set n = 99 where id = 3");
    await a.query("update t set n = 11 where id = 1");
    expect(await rowsOf(b, "select n from t where id = 3 for update")).toBe("99");
    await b.query("commit");
  });

  it("locks in the order of the query, and only rows that meet WHERE", async () => {
    await a.query(READ_COMMITTED);
    const text = "select id from t where label > 'l2' order by n desc limit 1 for update";
    expect(await rowsOf(a, text)).toBe("5");
    expect(await rowsOf(b, "select id from t for update skip locked")).toBe("1 2 3 4");
    await a.query("rollback");
  });
});

describe("NOWAIT and SKIP LOCKED", () => {
  it("fail with 55P03, or leave the row out", async () => {
    await a.query("begin; select 1 from t where id = 2 for update");
    expect(await failureOf(b, "select id from t where id = 2 for update nowait")).toMatch(/^55P03/);
    expect(await rowsOf(b, "select id from t for update skip locked")).toBe("1 3 4 5");
    expect(await rowsOf(b, "select id from t where id < 3 for key share skip locked")).toBe("1");
    await a.query("commit");
    expect(await rowsOf(b, "select id from t where id = 2 for update nowait")).toBe("2");
  });

  it("give each of several workers other jobs", async () => {
    await a.query("create table job (id int primary key, state text not null default 'ready')");
    await a.query("insert into job select i from generate_series(1, 40) i");
    const workers = await Promise.all(Array.from({ length: 4 }, clients.connect));
    const taken: number[] = [];
    const work = async (worker: pg.Client): Promise<void> => {
      for (;;) {
        await worker.query(READ_COMMITTED);
        const { rows: found } = await worker.query<{ id: number }>(
          "select id from job where state = 'ready' order by id limit 1 for update skip locked",
        );
        const [job] = found;
        if (job !== undefined) {
          await worker.query("update job set state = 'done' where id = $1", [job.id]);
          taken.push(job.id);
        }
        await worker.query("commit");
        if (job === undefined) return;
      }
    };
    await Promise.all(workers.map(work));
    expect(taken.sort((x, y) => x - y)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
  });
});

describe("strengths", () => {
  it("share a row as in PostgreSQL's table of conflicts", async () => {
    const words = ["key share", "share", "no key update", "update"];
    const free: string[] = [];
    for (const held of words) {
      for (const asked of words) {
        await a.query(`begin; select 1 from t where id = 1 for ${held}`);
        const told = await failureOf(b, `select 1 from t where id = 1 for ${asked} nowait`);
        await a.query("rollback");
        if (told === "done") free.push(`${held} + ${asked}`);
      }
    }
    expect(free).toEqual([
      "key share + key share",
      "key share + share",
      "key share + no key update",
      "share + key share",
      "share + share",
      "no key update + key share",
    ]);
  });
});

describe("joins", () => {
  beforeEach(async () => {
    await a.query("create table u (id int primary key, t int, label text)");
    await a.query("insert into u values (1, 1, 'x'), (2, 1, 'y'), (3, 2, 'z')");
  });

  it("lock the tables that OF names", async () => {
    await a.query("begin; select 1 from t join u on u.t = t.id where t.id = 1 for update of u");
    expect(await rowsOf(b, "select id from t where id = 1 for update nowait")).toBe("1");
    expect(await rowsOf(b, "select id from u order by id for update skip locked")).toBe("3");
    await a.query("rollback");
    await a.query("begin; select 1 from t x join u on u.t = x.id where x.id = 1 for update");
    expect(await rowsOf(b, "select id from t for update skip locked")).toBe("2 3 4 5");
    await a.query("rollback");
  });

  it("judge joined rows again, outer joins too", async () => {
    await a.query(`${READ_COMMITTED}; update t set id = 9 where id = 3`);
    await a.query("update t set n = 5 where id = 1");
    await b.query(READ_COMMITTED);
    const text =
      "select t.id, n, u.label from t left join u on u.t = t.id and t.n > 7 " +
      "where t.id < 4 order by t.id, u.label for update of t";
    const answer = rowsOf(b, text);
    expect(await waits(answer)).toBe(true);
    await a.query("commit");
    expect(await answer).toBe("1,5, 1,5, 2,20,z");
  });

  it("reach into subqueries", async () => {
    await a.query("begin; select * from (select id from t where id < 3) s for update");
    expect(await rowsOf(b, "select id from t for update skip locked")).toBe("3 4 5");
    await a.query("rollback");
  });

  it("refuse what has no rows of a table, as PostgreSQL does", async () => {
    const told = async (text: string): Promise<string> => await failureOf(a, text);
    expect(await told("select count(*) from t for update")).toBe(
      "0A000: FOR UPDATE is not allowed with aggregate functions",
    );
    expect(await told("select distinct n from t for share")).toBe(
      "0A000: FOR SHARE is not allowed with DISTINCT clause",
    );
    expect(await told("select 1 from t union select 2 for update")).toMatch(/^0A000: FOR UPDATE/);
    expect(await told("select 1 from t left join u on u.t = t.id for update")).toBe(
      "0A000: FOR UPDATE cannot be applied to the nullable side of an outer join",
    );
    expect(await told("select 1 from t for update of z")).toBe(
      '42P01: relation "z" in FOR UPDATE clause not found in FROM clause',
    );
    expect(await told("begin read only; select 1 from t for update")).toMatch(/^25006/);
  });
});
