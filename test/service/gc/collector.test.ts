import { expect, test } from "vitest";
import { ACTOR } from "../../support/open-catalog.ts";
import {
  broken,
  collect,
  collectAll,
  commits,
  DAY_MS,
  GRACE_MS,
  gcWorld,
  keysOf,
  makeTable,
  payloads,
  stepOfRun,
  T,
} from "../support/garbage.ts";

test("garbage goes with the second mark, and no record in retention loses a payload", async () => {
  const world = gcWorld();
  const node = await world.open();
  await makeTable(node);
  await commits(node, 20);
  const all = await payloads(world);
  await world.clock.sleep(DAY_MS);
  await collectAll(world.clock, node);
  // All of them are in the history.
  expect(await payloads(world)).toEqual(all);
  await world.clock.sleep(7 * DAY_MS);
  expect(await collect(node)).toBe(true);
  expect(await payloads(world)).toEqual(all);
  expect(await stepOfRun(node)).toBe("waiting");
  expect(await keysOf(world, "/changes/")).toEqual([]);
  await world.clock.sleep(GRACE_MS - 1);
  expect(await collect(node)).toBe(true);
  expect(await payloads(world)).toEqual(all);
  await world.clock.sleep(1);
  expect(await collect(node)).toBe(true);
  // One of the account, the catalog, the namespace and the table each.
  expect(await payloads(world)).toHaveLength(4);
  expect(await broken(world)).toEqual([]);
  expect(node.deleted.flatMap(({ paths }) => paths)).toHaveLength(all.length - 4);
  expect(await node.iceberg.loadTable(ACTOR, T, { snapshots: "all" })).toMatchObject({});
  expect(node.stops).toEqual([]);
});
