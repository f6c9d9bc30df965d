import { afterEach, expect, it } from "vitest";
import { columns, Firn, Schema } from "../../../src/index.ts";
import { closeSites, NAME, openSite } from "../../support/aws-site.ts";
import { scratchDirectory } from "../../support/open-iceberg.ts";

const SECRET = "the secret that all nodes of a test share";
const SCHEMA = Schema.table({
  columns: { id: columns.int4(), name: columns.text() },
  primaryKey: ["id"],
  indexes: [{ name: "by_name", parts: [{ column: "name" }], unique: true }],
});

afterEach(closeSites);

it("rows in a bucket survive their process, and are restored beside it", async () => {
  await openSite();
  const dir = scratchDirectory();
  const options = {
    profile: "bucket",
    s3Bucket: NAME,
    secret: SECRET,
    warehouse: `file://${dir}/warehouse`,
    logLevel: "silent",
  } as const;
  const tableOf = (firn: Firn) => firn.catalog("c").namespace("n").table("t", SCHEMA);
  const rowsOf = async (firn: Firn, index = 0): Promise<readonly unknown[]> => {
    const rows: unknown[] = [];
    for await (const row of tableOf(firn).scan({ index })) rows.push(row);
    return rows;
  };
  const first = await Firn.open({ ...options, s3Prefix: "one" });
  const table = await first.catalog("c").createNamespace("n").createTable("t", SCHEMA);
  const rows = Array.from({ length: 500 }, (_, id) => ({ id, name: `n${999 - id}` }));
  await table.insert(...rows);
  await first.close();

  const second = await Firn.open({ ...options, s3Prefix: "one" });
  expect(await rowsOf(second)).toEqual(rows);
  expect(await rowsOf(second, 1)).toEqual(rows.toReversed());
  await tableOf(second).update({ id: 3 }, { name: "changed" });
  const twice = tableOf(second).insert({ id: 501, name: "changed" });
  await expect(twice).rejects.toMatchObject({ code: "ROW_DUPLICATE" });
  const now = await rowsOf(second);
  await second.backup(`${dir}/backup`);
  for await (const finding of second.check()) expect(finding.level).toBe("note");

  await Firn.restore(`${dir}/backup`, { ...options, s3Prefix: "two" });
  const restored = await Firn.open({ ...options, s3Prefix: "two" });
  expect(await rowsOf(restored)).toEqual(now);
  await tableOf(restored).delete({ id: 3 });
  expect(await tableOf(second).get({ id: 3 })).toEqual({ id: 3, name: "changed" });
  await restored.close();
  await second.close();
}, 60_000);
