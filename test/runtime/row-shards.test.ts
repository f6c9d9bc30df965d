import { expect, test } from "vitest";
import { columns, Firn, Schema } from "../../src/index.ts";
import { firnLine } from "../support/firn-lsm.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";

test("tables of two shards outlive a restart, a backup and a restore", async () => {
  const [dir, backups, other] = [scratchDirectory(), scratchDirectory(), scratchDirectory()];
  const schema = Schema.table({
    columns: { id: columns.int4(), v: columns.text() },
    primaryKey: ["id"],
  });
  const first = await Firn.open({ profile: "local", dir });
  const acme = first.catalog("acme");
  const space = await acme.createNamespace("s");
  await acme.createShard("hot");
  const own = await space.createTable("own", schema);
  const hot = await space.createTable("hot", schema, { shard: "hot" });
  await own.put({ id: 1, v: "own" });
  await hot.put({ id: 1, v: "hot" });
  await expect(space.createTable("x", schema, { shard: "none" })).rejects.toMatchObject({
    code: "ROW_SHARD_NOT_FOUND",
  });
  await acme.createShard("brief");
  const brief = await space.createTable("brief", schema, { shard: "brief" });
  await expect(acme.dropShard("brief")).rejects.toMatchObject({ code: "ROW_SHARD_NOT_EMPTY" });
  expect(await brief.get({ id: 1 })).toBeUndefined();
  await acme.createShard("empty");
  await acme.dropShard("empty");
  await acme.createShard("empty");
  await acme.dropShard("empty");
  await expect(acme.dropShard("empty")).rejects.toMatchObject({ code: "ROW_SHARD_NOT_FOUND" });
  await first.close();

  const again = await Firn.open({ profile: "local", dir });
  const later = again.catalog("acme").namespace("s");
  expect(await later.table("hot", schema).get({ id: 1 })).toEqual({ id: 1, v: "hot" });
  await later.table("hot", schema).put({ id: 2, v: "more" });
  await again.backup(backups);
  await later.dropTable("hot");
  expect(await later.table("own", schema).get({ id: 1 })).toEqual({ id: 1, v: "own" });
  await again.close();

  await Firn.restore(backups, { profile: "local", dir: other });
  const restored = await Firn.open({ profile: "local", dir: other });
  const there = restored.catalog("acme").namespace("s");
  expect(await there.table("hot", schema).get({ id: 2 })).toEqual({ id: 2, v: "more" });
  expect(await there.table("own", schema).get({ id: 1 })).toEqual({ id: 1, v: "own" });
  // What serves, and the command on the closed store, look at both shards.
  const found: unknown[] = [];
  for await (const one of restored.check()) found.push(one);
  expect(found).toEqual([]);
  await restored.close();
  expect(await firnLine(["fsck", other])).toMatchObject({ exitCode: 0, errors: "" });
});
