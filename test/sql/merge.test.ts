import type pg from "pg";
import { describe, expect, it } from "vitest";
import { failureOf, pgClients, rowsOf } from "../pgwire/pg-clients.ts";

let client: pg.Client;
const clients = pgClients(async () => {
  client = await clients.connect();
  await client.query("create table stock (item text primary key, n int default 0, note text)");
  await client.query("create table sale (id int primary key, item text, n int)");
  await client.query("insert into stock values ('a', 5), ('b', 1), ('c', 9)");
  await client.query("insert into sale values (1, 'a', 2), (2, 'b', 1), (3, 'd', 4)");
});

const stock = () => rowsOf(client, "select item, n, note from stock order by item");
const failure = (text: string) => failureOf(client, text);

const MERGE =
  "merge into stock t using sale s on t.item = s.item " +
  "when matched and t.n <= s.n then delete " +
  "when matched then update set n = t.n - s.n, note = 'sold' " +
  "when not matched and s.n > $1 then do nothing " +
  "when not matched then insert (item, n, note) values (s.item, -s.n, default)";

describe("MERGE", () => {
  it("does what the first clause says whose condition holds", async () => {
    const { command, rowCount } = await client.query(MERGE, [10]);
    expect([command, rowCount]).toEqual(["MERGE", 3]);
    expect(await stock()).toBe("a,3,sold c,9, d,-4,");
    const again = await client.query(MERGE, [0]);
    expect(again.rowCount).toBe(2);
    expect(await stock()).toBe("a,1,sold c,9,");
  });

  it("takes queries, WITH and VALUES as its source", async () => {
    await client.query(
      "with s (item, n) as (select item, sum(n)::int from sale group by 1) " +
        "merge into stock using s " +
        "on s.item = stock.item when matched then update set n = stock.n + s.n",
    );
    await client.query(
      "merge into stock t using (values ('a', 1), ('z', 2)) s (item, n) on t.item = s.item " +
        "when matched then do nothing when not matched then insert values (s.item, s.n, 'new')",
    );
    expect(await stock()).toBe("a,7, b,2, c,9, z,2,new");
  });

  it("changes no row twice, and sees no change of its own", async () => {
    await client.query("insert into sale values (4, 'a', 1)");
    expect(
      await failure("merge into stock t using sale s on t.item = s.item when matched then delete"),
    ).toBe("21000: MERGE command cannot affect row a second time");
    expect(await stock()).toBe("a,5, b,1, c,9,");
    expect(
      await failure(
        "merge into stock t using (values (1), (2)) s on t.item = 'q' " +
          "when not matched then insert values ('q')",
      ),
    ).toMatch(/^23505/);
  });

  it("judges a row again that another transaction has changed", async () => {
    await client.query("set default_transaction_isolation = 'read committed'");
    const other = await clients.connect();
    await other.query(
      "begin; update stock set n = 1 where item = 'a'; delete from stock where item = 'b'",
    );
    const merged = client.query(
      "merge into stock t using sale s on t.item = s.item " +
        "when matched and t.n < 2 then update set note = 'low' " +
        "when matched then update set note = 'high' " +
        "when not matched then insert values (s.item, s.n, 'made')",
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    await other.query("commit");
    expect((await merged).rowCount).toBe(3);
    expect(await stock()).toBe("a,1,low b,1,made c,9, d,4,made");
  });

  it("refuses what PostgreSQL refuses", async () => {
    const begin = "merge into stock t using sale s on t.item = s.item";
    expect(await failure(`${begin} when matched then delete when matched then do nothing`)).toBe(
      "42601: unreachable WHEN clause specified after unconditional WHEN clause",
    );
    expect(await failure(`${begin} when not matched then insert (item) values (t.item)`)).toMatch(
      /^42P01/,
    );
    expect(await failure(`${begin} when matched then update set nothing = 1`)).toMatch(/^42703/);
    expect(await failure(`${begin} when not matched by source then delete`)).toMatch(/^0A000/);
  });
});
