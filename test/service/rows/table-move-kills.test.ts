import { expect, it } from "vitest";
import type { WriterId } from "../../../src/base/ids.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { CATALOG_LIMITS } from "../../../src/catalog/limits.ts";
import { HistoryPin } from "../../../src/catalog/pins.ts";
import { SERVICE_LIMITS } from "../../../src/service/limits.ts";
import { Mortal } from "../../support/mortal.ts";
import { ACTOR } from "../../support/open-catalog.ts";

import { add, describeMoveKills, leftIn, prepared, REF, ROWS, runDue } from "./table-move.ts";

/** `npm run test:over` kills before every call. */
describeMoveKills(4);

it("the old rows stay while a backup is taken that may have read of them", async () => {
  const world = await prepared();
  const node = await world.within(world.start(new Mortal(Number.POSITIVE_INFINITY)));
  const { account, clock, ids } = node.catalog.context;
  const { blobs } = world.stores;
  const first = (await node.catalog.tables.get(REF)).entity.catalogId;
  const id = ids.mint<WriterId>();
  const pin = await HistoryPin.take(blobs, clock, account, { id, sinceMs: clock.nowMs() });
  for (let i = 0; i < 2; i++) await runDue(node, world);
  expect((await node.catalog.tables.get(REF)).entity.shard).toBeDefined();
  // A row and its entry each.
  expect(await leftIn(node, first)).toBe(2 * ROWS);
  await pin.release();
  await world.clock.advance(SERVICE_LIMITS.jobRetryCapMs);
  await runDue(node, world);
  expect(await leftIn(node, first)).toBe(0);
});

/** Ends a move that was killed before a call; whether it had got no further than its copy. */
async function endsWithoutCopy(how: "cancel" | "drop", at: number): Promise<boolean> {
  const world = await prepared();
  const begun = await world.within(world.start(new Mortal(at)));
  await world.within(begun.runner.runDue()).catch(() => undefined);
  const node = await world.within(world.start(new Mortal(Number.POSITIVE_INFINITY)));
  const [job] = (await node.catalog.jobs.list()).items;
  const { entity } = await node.catalog.tables.get(REF);
  if (job === undefined) throw new Error("no job");
  const [, target = "", step] = job.step.split(" ");
  if (step !== "copy") return false;
  if (how === "cancel") await node.catalog.jobs.cancel(job.id);
  else await node.catalog.tables.drop(ACTOR, REF, { purgeRequested: false });
  await world.clock.advance(CATALOG_LIMITS.jobLeaseMs + LIMITS.clockSkewMs);
  await runDue(node, world);
  const ended = await node.catalog.jobs.get(job.id);
  const code = how === "cancel" ? "JOB_CANCELLED" : "TABLE_NOT_FOUND";
  expect([ended?.step, ended?.lastFailure]).toEqual(["done", code]);
  expect(await leftIn(node, target), `killed at call ${at}`).toBe(0);
  expect(await leftIn(node, entity.catalogId)).toBe(2 * ROWS);
  if (how === "cancel") await world.within(add(node, ROWS));
  return true;
}

it.each(["cancel", "drop"] as const)(
  "a job that is cancelled, or whose table is dropped, leaves no copy: %s",
  async (how) => {
    let at = 20;
    while (await endsWithoutCopy(how, at)) at += 3;
    expect(at).toBeGreaterThan(40);
  },
);
