import { expect, it } from "vitest";
import { HistoryPin } from "../../../src/catalog/pins.ts";
import { closeShard } from "../../../src/rows/index.ts";
import { SERVICE_LIMITS } from "../../../src/service/limits.ts";
import { ACTOR } from "../../support/open-catalog.ts";
import { findings } from "./row-world.ts";

import {
  describeDeletionKills,
  filesOf,
  lasting,
  make,
  namesOf,
  PLACE,
  prepared,
  runDue,
} from "./shard-deletion.ts";

/** `npm run test:over` kills before every call. */
describeDeletionKills(4);

it("a shard that a forgotten deletion has closed can be used again", async () => {
  const { world, store } = await prepared();
  expect(await world.within(closeShard(store, "forgotten"))).toEqual([]);
  const next = await world.within(world.start(lasting()));
  await runDue(next, world);
  await world.within(make(next, "more", "hot"));
  expect(await world.within(findings(next, world))).toEqual([]);
});

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
