import type pg from "pg";
import { describe, expect, it } from "vitest";
import { failureOf, pgClients, rowsOf } from "../pgwire/pg-clients.ts";

let client: pg.Client;
const clients = pgClients(async () => {
  client = await clients.connect();
  await client.query("create table log (id int, day int, note text) partition by range (day)");
  for (const month of [0, 1, 2]) {
    const range = `from (${month * 30}) to (${month * 30 + 30})`;
    await client.query(`create table log_${month} partition of log for values ${range}`);
  }
  await client.query("insert into log select n, n, 'row ' || n from generate_series(0, 89) n");
});

const planOf = async (sql: string, values: unknown[] = []): Promise<string> => {
  const { rows } = await client.query({ text: sql, values, rowMode: "array" });
  return rows.flat().join("\n");
};

/** Runs it until it is not told to begin again. @returns whether it was done. */
async function done(by: pg.Client, sql: string): Promise<string> {
  for (;;) {
    try {
      await by.query(sql);
      return "done";
    } catch (error) {
      const { code } = error as { readonly code?: string };
      if (code !== "40001") return code ?? "no code";
    }
  }
}

describe("partitions that a statement reads", () => {
  it("are those that its constants leave, as EXPLAIN shows", async () => {
    const plan = await planOf("explain select * from log where day >= 35 and day < 40");
    expect(plan).toBe("Seq Scan on log_1\n  Filter: ((day >= 35) AND (day < 40))");
    expect(await planOf("explain select * from log where day in (3, 80)")).toMatch(
      /^Append\n.*\n {2}-> {2}Seq Scan on log_0\n {2}-> {2}Seq Scan on log_2$/,
    );
    expect(await planOf("explain select * from log where day = 500")).toMatch(/^Result/);
  });

  it("are those that its parameters leave: the others are not opened", async () => {
    const text = "explain (analyze, timing off) select * from log where day between $1 and $2";
    const plan = await planOf(text, [61, 65]);
    expect(plan).toContain("Seq Scan on log_2 (actual rows=30)");
    expect(plan).toMatch(/Seq Scan on log_0$/m);
    expect(plan).toMatch(/Seq Scan on log_1$/m);
  });

  it("are merged in order where each has a key of that order", async () => {
    await client.query("create index on log (id)");
    await client.query("update log set id = 89 - id");
    const plan = await planOf("explain select id from log order by id limit 3");
    expect(plan).toContain("Merge Append");
    expect(await rowsOf(client, "select id, day from log order by id limit 3")).toBe(
      "0,89 1,88 2,87",
    );
    expect(await rowsOf(client, "select id from log order by id desc limit 2")).toBe("89 88");
  });
});

describe("partitions beside others", () => {
  it("lose no row of a writer while they are attached and detached", async () => {
    const [one, two, ddl] = [
      await clients.connect(),
      await clients.connect(),
      await clients.connect(),
    ];
    await client.query("create table side (id int, day int, note text)");
    let isOver = false;
    let acknowledged = 0;
    const write = async (by: pg.Client, table: string, from: number): Promise<void> => {
      for (let n = 0; !isOver; n++) {
        const sql = `insert into ${table} values (${from + n}, ${100 + (n % 20)}, 'w')`;
        if ((await done(by, sql)) === "done") acknowledged++;
      }
    };
    const writers = [write(one, "log", 1_000_000), write(two, "side", 2_000_000)];
    for (let round = 0; round < 12; round++) {
      const attach = "alter table log attach partition side for values from (100) to (120)";
      expect(await done(ddl, attach)).toBe("done");
      expect(await done(ddl, "alter table log detach partition side")).toBe("done");
    }
    isOver = true;
    await Promise.all(writers);
    expect(acknowledged).toBeGreaterThan(0);
    expect(await rowsOf(client, "select count(*) from side")).toBe(String(acknowledged));
    expect(await rowsOf(client, "select count(*) from log")).toBe("90");
  });

  it("refuse a row that a writer put while they were looked through", async () => {
    const writer = await clients.connect();
    await client.query("create table side (id int, day int, note text)");
    await writer.query("begin isolation level repeatable read");
    await writer.query("insert into side values (1, 5, 'elsewhere')");
    await client.query("alter table log attach partition side for values from (100) to (120)");
    expect(await failureOf(writer, "commit")).toMatch(/^40001/);
    expect(await rowsOf(client, "select count(*) from side")).toBe("0");
  });

  it("are gone or there with the transaction that changes them", async () => {
    await client.query("begin");
    await client.query("create table log_3 partition of log for values from (90) to (120)");
    await client.query("insert into log values (90, 95, 'new')");
    await client.query("drop table log_0");
    expect(await rowsOf(client, "select count(*) from log")).toBe("61");
    await client.query("rollback");
    expect(await rowsOf(client, "select count(*) from log")).toBe("90");
    expect(await failureOf(client, "insert into log values (90, 95, 'new')")).toMatch(/^23514/);
  });

  it("keep the plan of a statement that is sent again from missing one that came", async () => {
    const count = () => rowsOf(client, "select count(*) from log");
    expect([await count(), await count(), await count()]).toEqual(["90", "90", "90"]);
    const other = await clients.connect();
    await other.query("create table log_3 partition of log for values from (90) to (120)");
    await other.query("insert into log values (90, 95, 'new')");
    expect(await count()).toBe("91");
    await other.query("drop table log_3");
    expect(await count()).toBe("90");
  });
});

describe("rows of a partitioned table", () => {
  it("are put where they belong by INSERT … SELECT, or none of them is", async () => {
    await client.query("create table copied (like log) partition by list (day)");
    await client.query("create table copied_1 partition of copied for values in (1, 2)");
    expect(await failureOf(client, "insert into copied select * from log")).toMatch(/^23514/);
    await client.query("insert into copied select * from log where day in (1, 2)");
    expect(await rowsOf(client, "select tableoid::regclass, id from copied order by id")).toBe(
      "copied_1,1 copied_1,2",
    );
  });

  it("are refused a foreign key's action that would move them", async () => {
    await client.query("create table day (n int primary key)");
    await client.query("insert into day select generate_series(0, 89)");
    await client.query("alter table log add foreign key (day) references day on update cascade");
    await client.query("update day set n = 1000 where n = 5 and false");
    expect(await failureOf(client, "update day set n = 1000 where n = 5")).toMatch(/^0A000/);
    expect(await rowsOf(client, "select day from log where id = 5")).toBe("5");
  });
});
