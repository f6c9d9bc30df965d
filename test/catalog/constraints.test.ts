import { expect, test } from "vitest";
import type { Constraint } from "../../src/catalog/model.ts";
import { gcWorld, makeTable, setProperty, T } from "../service/support/garbage.ts";
import { ACTOR } from "../support/open-catalog.ts";
import { commitOf } from "../support/open-iceberg.ts";
import { addSnapshot, metadataOf, setRef } from "../support/snapshots.ts";

const KEY: Constraint = {
  name: "pk",
  kind: "PRIMARY_KEY",
  columns: [{ id: 1, name: "id", ordinal: 0 }],
  expression: "",
  enforced: false,
};

/** Table `t` with snapshot 1001, and who puts constraints of it. */
async function open() {
  const node = await gcWorld().open();
  await makeTable(node);
  const loaded = await node.iceberg.loadTable(ACTOR, T, { snapshots: "all" });
  const updates = [addSnapshot(metadataOf(loaded), 1_001n), setRef("main", 1_001n)];
  await node.iceberg.commitTable(ACTOR, T, commitOf(updates));
  const ref = { catalog: "c", path: ["a"], name: "t" };
  const { entity } = await node.catalog.tables.get(ref);
  const at = { table: entity.id, snapshotId: 1_001n };
  return { ...node, at, find: async () => (await node.catalog.tables.get(ref)).item };
}

test("constraints rest on the table at the version that has their snapshot", async () => {
  const { catalog, iceberg, at, find } = await open();
  let looks = 0;
  const root = async () => {
    const item = await find();
    // A commit between the look and the batch may have removed the snapshot.
    if (looks++ === 0) await iceberg.commitTable(ACTOR, T, setProperty("a", "b"));
    return item;
  };
  const done = await catalog.constraints.change(ACTOR, at, root, () => [KEY]);
  expect(done).toMatchObject({ changed: true, version: 1n });
  expect(looks).toBe(2);
});

test("two changes at once are both in the bundle", async () => {
  const { catalog, at, find } = await open();
  const names = ["a", "b", "c", "d"];
  const add = (name: string) =>
    catalog.constraints.change(ACTOR, at, find, ({ constraints }) => [
      ...constraints,
      { ...KEY, name },
    ]);
  await Promise.all(names.map(add));
  const { constraints, version } = await catalog.constraints.get(at);
  expect(constraints.map(({ name }) => name).sort()).toEqual(names);
  expect(version).toBe(4n);
});

test("two puts of one target at once leave one of them whole", async () => {
  const { catalog, at } = await open();
  const stats = (rowCount: bigint) => ({
    target: { kind: "FILE", path: "s3://b/1.parquet" } as const,
    rowCount,
    producer: "test",
    complete: true,
    properties: {},
  });
  const counts = [1n, 2n, 3n, 4n];
  await Promise.all(counts.map((count) => catalog.statistics.put(ACTOR, at, [stats(count)])));
  const [{ id = "" } = {}] = (await catalog.statistics.files(at, {})).items;
  const [own, { items }] = await Promise.all([
    catalog.statistics.get(at, id),
    catalog.statistics.files(at, {}),
  ]);
  expect(counts).toContain(own.stats.rowCount);
  expect(own.version).toBe(4n);
  expect(items).toMatchObject([{ stats: own.stats, revision: own.revision }]);
});
