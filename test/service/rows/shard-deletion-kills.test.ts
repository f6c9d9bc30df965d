import { expect, it } from "vitest";
import { LIMITS } from "../../../src/base/limits.ts";
import { CATALOG_LIMITS } from "../../../src/catalog/limits.ts";
import { HistoryPin } from "../../../src/catalog/pins.ts";
import { shardPrefix } from "../../../src/runtime/shard-parts.ts";
import { SERVICE_LIMITS } from "../../../src/service/limits.ts";
import { Mortal } from "../../support/mortal.ts";
import { ACTOR } from "../../support/open-catalog.ts";
import type { TestIceberg } from "../../support/open-iceberg.ts";
import { findings, forgetJobs, World } from "./row-world.ts";

const PLACE = { catalog: { name: "c" } };
const MINUTE = 60_000;
/** Longer than what was dropped is kept. */
const DAYS = 30 * 24 * 60 * MINUTE;

const lasting = (): Mortal => new Mortal(Number.POSITIVE_INFINITY);

async function make(node: TestIceberg, name: string, shard?: string): Promise<void> {
  const { store, id } = await node.rows.create(
    ACTOR,
    { catalog: "c", path: ["a"] },
    {
      name,
      columns: [{ name: "id", type: { kind: "int4" } }],
      primaryKey: { parts: [{ column: "id" }] },
      ...(shard !== undefined && { shard }),
    },
  );
  await store.run(async (tx) => await tx.put(await tx.tables.get(id), [1]));
}

/** A catalog with a table in its first shard, and an empty one that held a table. */
async function prepared(): Promise<{ readonly world: World; readonly shard: string }> {
  const world = new World();
  const node = await world.start(lasting());
  await node.model.namespaces.create(ACTOR, PLACE, ["a"], {});
  await world.within(make(node, "kept"));
  const made = await world.within(node.model.rowShards.create(ACTOR, PLACE, "hot"));
  await world.within(make(node, "gone", "hot"));
  const ref = { catalog: "c", path: ["a"], name: "gone" };
  await node.catalog.tables.drop(ACTOR, ref, { purgeRequested: true });
  await world.clock.advance(DAYS);
  await runDue(node, world);
  return { world, shard: made.id };
}

async function namesOf(node: TestIceberg): Promise<readonly string[]> {
  return (await node.model.rowShards.list(ACTOR, PLACE)).map(({ name }) => name);
}

/** Files of a shard that hold what was written to it. */
async function filesOf({ files }: World, shard: string): Promise<readonly string[]> {
  const prefix = shardPrefix(shard);
  const found: string[] = [];
  for (const directory of ["sst/", "values/", "wal/"]) {
    const listed = await files.list(prefix + directory, { limit: 1_000 });
    // The last file of the log says who may write: none.
    const kept = directory === "wal/" ? listed.length - 1 : listed.length;
    found.push(...listed.slice(0, kept).map(({ path }) => path));
  }
  return found;
}

async function runDue(node: TestIceberg, world: World): Promise<void> {
  for (let i = 0; i < 4; i++) {
    await world.within(node.runner.runDue());
    await world.clock.advance(2 * MINUTE);
  }
}

it.each([
  ["ends, and the name is free", false],
  ["whose job is gone leaves a shard that can be used, or none", true],
])(
  "a deletion that is killed before any call to a store %s",
  async (_, isGone) => {
    let kills = 0;
    let unbegun = 0;
    for (let at = 0; ; at++) {
      const { world, shard } = await prepared();
      const dying = new Mortal(at);
      const node = await world.within(world.start(dying)).catch(() => undefined);
      if (node !== undefined) {
        const asked = node.model.rowShards.drop(ACTOR, PLACE, "hot");
        await world.within(asked).catch(() => undefined);
        await world.clock.advance(2 * MINUTE);
        await world.within(node.runner.runDue()).catch(() => undefined);
      }
      const isKilled = dying.ended;
      if (isKilled) kills++;

      await world.clock.advance(CATALOG_LIMITS.jobLeaseMs + LIMITS.clockSkewMs);
      const next = await world.within(world.start(lasting()));
      if (isGone) await forgetJobs(next, world);
      // Before the job goes on.
      expect(await world.within(findings(next, world)), `killed at call ${at}`).toEqual([]);
      await runDue(next, world);
      if ((await namesOf(next)).includes("hot")) {
        unbegun++;
        // Nothing of it was done, or it was forgotten: what is made there stays.
        await world.within(make(next, "more", "hot"));
      } else {
        if (!isGone) expect(await filesOf(world, shard), `killed at call ${at}`).toEqual([]);
        const again = await world.within(next.model.rowShards.create(ACTOR, PLACE, "hot"));
        expect(again.id).not.toBe(shard);
        await world.within(make(next, "more", "hot"));
      }
      expect(await world.within(findings(next, world))).toEqual([]);
      if (!isKilled) break;
    }
    expect(unbegun).toBeGreaterThan(0);
    expect(kills - unbegun).toBeGreaterThan(10);
  },
  120_000,
);

it("files stay while a backup is taken that may have read of the shard", async () => {
  const { world, shard } = await prepared();
  const node = await world.within(world.start(lasting()));
  const { account, clock, ids } = node.catalog.context;
  const { blobs } = world.stores;
  const pin = await HistoryPin.take(blobs, clock, account, {
    id: ids.mint(),
    sinceMs: clock.nowMs(),
  });
  await world.within(node.model.rowShards.drop(ACTOR, PLACE, "hot"));
  expect(await namesOf(node)).toEqual(["default"]);
  await runDue(node, world);
  expect((await filesOf(world, shard)).length).toBeGreaterThan(0);
  await pin.release();
  await world.clock.advance(SERVICE_LIMITS.jobRetryCapMs);
  await runDue(node, world);
  expect(await filesOf(world, shard)).toEqual([]);
});

it("a table that is made while its shard is deleted is there, or was refused", async () => {
  for (let late = 0; late < 12; late++) {
    const { world } = await prepared();
    const node = await world.within(world.start(lasting()));
    const drop = async (): Promise<boolean> => {
      await world.clock.sleep(late < 6 ? 0 : (late - 6) * 20);
      const dropped = node.model.rowShards.drop(ACTOR, PLACE, "hot");
      return await dropped.then(
        () => true,
        () => false,
      );
    };
    const made = (async () => {
      if (late < 6) await world.clock.sleep(late * 20);
      return await make(node, "more", "hot").then(
        () => true,
        () => false,
      );
    })();
    const [isMade, isDropped] = await world.within(Promise.all([made, drop()]));
    expect(isMade, `late by ${late}`).toBe(!isDropped);
    expect(await namesOf(node)).toEqual(isDropped ? ["default"] : ["default", "hot"]);
    expect(await world.within(findings(node, world))).toEqual([]);
  }
});
