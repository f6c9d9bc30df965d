import { afterEach, expect, it } from "vitest";
import { columns, Firn, Schema } from "../../../src/index.ts";
import { closeSites, NAME, openSite } from "../../support/aws-site.ts";
import { scratchDirectory } from "../../support/open-iceberg.ts";

const SCHEMA = Schema.table({
  columns: { id: columns.int4(), name: columns.text() },
  primaryKey: ["id"],
  indexes: [{ name: "by_name", parts: [{ column: "name" }], unique: true }],
});

afterEach(closeSites);

function optionsIn(dir: string) {
  return {
    profile: "aws",
    s3Bucket: NAME,
    dynamodbTable: NAME,
    secret: "the secret that all nodes of a test share",
    warehouse: `file://${dir}/warehouse`,
    logLevel: "silent",
  } as const;
}

it("rows on profile aws survive their process; one process at a time serves them", async () => {
  await openSite();
  const options = optionsIn(scratchDirectory());
  const tableOf = (firn: Firn) => firn.catalog("c").namespace("n").table("t", SCHEMA);
  const rowsOf = async (firn: Firn, index = 0): Promise<readonly unknown[]> => {
    const rows: unknown[] = [];
    for await (const row of tableOf(firn).scan({ index })) rows.push(row);
    return rows;
  };
  const first = await Firn.open(options);
  const table = await first.catalog("c").createNamespace("n").createTable("t", SCHEMA);
  const rows = Array.from({ length: 300 }, (_, id) => ({ id, name: `n${999 - id}` }));
  await table.insert(...rows);

  const second = await Firn.open(options);
  await expect(rowsOf(second)).rejects.toMatchObject({
    code: "SHARD_ELSEWHERE",
    kind: "Unavailable",
  });
  expect(await rowsOf(first)).toEqual(rows);
  await first.close();

  // What the second one knew of the owner is asked again once that has let go.
  const third = await Firn.open(options);
  expect(await rowsOf(third)).toEqual(rows);
  expect(await rowsOf(third, 1)).toEqual(rows.toReversed());
  await tableOf(third).update({ id: 3 }, { name: "changed" });
  for await (const finding of third.check()) expect(finding.level).toBe("note");
  await third.close();
  await second.close();
}, 60_000);

it("a node backs up the rows that another one owns, and goes on writing", async () => {
  await openSite();
  const [dir, backups, other] = [scratchDirectory(), scratchDirectory(), scratchDirectory()];
  const options = optionsIn(dir);
  const owner = await Firn.open(options);
  const table = await owner.catalog("c").createNamespace("n").createTable("t", SCHEMA);
  const rows = Array.from({ length: 300 }, (_, id) => ({ id, name: `n${999 - id}` }));
  await table.insert(...rows);
  const second = await Firn.open(options);
  const backup = second.backup(backups);
  await table.insert({ id: 1_000, name: "beside" });
  await backup;
  // The owner serves its rows as before.
  await table.insert({ id: 1_001, name: "later" });
  for await (const finding of second.check()) expect(finding.level).toBe("note");
  await second.close();
  await owner.close();

  const local = { profile: "local", dir: other, logLevel: "silent" } as const;
  await Firn.restore(backups, local);
  const restored = await Firn.open(local);
  const of = restored.catalog("c").namespace("n").table("t", SCHEMA);
  for (const index of [0, 1]) {
    const found: { id: number }[] = [];
    for await (const row of of.scan({ index })) found.push(row);
    const ids = found.map(({ id }) => id).filter((id) => id < 1_000);
    expect(ids.toSorted((a, b) => a - b)).toEqual(rows.map(({ id }) => id));
    expect(found.some(({ id }) => id === 1_001)).toBe(false);
  }
  await restored.close();
}, 60_000);

it("a table moves between shards of one node, whose owner deletes empty ones", async () => {
  await openSite();
  const options = optionsIn(scratchDirectory());
  const first = await Firn.open(options);
  const table = await first.catalog("c").createNamespace("n").createTable("t", SCHEMA);
  await table.insert({ id: 1, name: "one" }, { id: 2, name: "two" });
  const second = await Firn.open(options);
  await second.catalog("c").createShard("hot");
  await second.catalog("c").createShard("brief");

  const move = async () => {
    const request = new Request("http://firn/api/v1/sql", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ statement: "alter table n.t set (shard = 'hot')", catalog: "c" }),
    });
    const answer = await first.fetch(request);
    return { status: answer.status, text: await answer.text() };
  };
  const refused = await move();
  expect(refused.status).toBe(409);
  expect(refused.text).toContain("ROW_MOVE_ELSEWHERE");
  expect(refused.text).toContain(":move?shard=");
  await expect(first.catalog("c").dropShard("hot")).rejects.toMatchObject({
    code: "SHARD_ELSEWHERE",
  });
  expect(await table.get({ id: 2 })).toEqual({ id: 2, name: "two" });
  await second.catalog("c").dropShard("brief");
  await second.close();

  expect((await move()).status).toBe(200);
  expect(await table.get({ id: 2 })).toEqual({ id: 2, name: "two" });
  await expect(first.catalog("c").dropShard("hot")).rejects.toMatchObject({
    code: "ROW_SHARD_NOT_EMPTY",
  });
  await first.catalog("c").createShard("brief");
  await first.catalog("c").dropShard("brief");
  for await (const finding of first.check()) expect(finding.level).toBe("note");
  await first.close();
}, 60_000);
