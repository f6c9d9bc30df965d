import { expect, test } from "vitest";
import { CATALOG_LIMITS } from "../../../src/catalog/limits.ts";
import { GC_JOB } from "../../../src/service/gc/job.ts";
import {
  broken,
  collect,
  commits,
  DAY_MS,
  GRACE_MS,
  gcWorld,
  makeTable,
  payloads,
  stepOfRun,
} from "../support/garbage.ts";
import { Life } from "../support/life.ts";

const LIVE = 4;

/** A run of which a node dies at one of its calls; another goes on, and a table is written to. */
async function runKilledAt(at: number, side: "before" | "after"): Promise<boolean> {
  const world = gcWorld(at);
  const writer = await world.open();
  await makeTable(writer);
  await commits(writer, 4);
  await world.clock.sleep(8 * DAY_MS);
  const life = new Life(at, side);
  const doomed = await world.open(life.wrapping);
  await doomed.collector.ask();
  life.armed = true;
  const steps = async (): Promise<void> => {
    await doomed.runner.runEarly(GC_JOB);
    await world.clock.sleep(GRACE_MS);
    await doomed.runner.runEarly(GC_JOB);
  };
  await Promise.race([steps(), life.over]);
  expect(await broken(world)).toEqual([]);
  // Between two calls of the dead node the world goes on.
  await commits(writer, 1);
  const other = await world.open();
  for (let round = 0; round < 4 && (await payloads(world)).length > LIVE + 2; round++) {
    await world.clock.sleep(GRACE_MS + CATALOG_LIMITS.jobLeaseMs);
    await collect(other);
    expect(await broken(world)).toEqual([]);
    expect(other.stops).toEqual([]);
  }
  // What the last commit replaced is in the history still, with its own record.
  expect((await payloads(world)).length).toBeLessThanOrEqual(LIVE + 2);
  expect(await world.stores.blobs.list("gc/")).toEqual(
    (await stepOfRun(other)) === "" ? [] : expect.anything(),
  );
  return life.isOver;
}

test.each(["before", "after"] as const)(
  "killed %s every store call, another node resumes",
  async (side) => {
    let at = 0;
    while (await runKilledAt(at, side)) at++;
    expect(at).toBeGreaterThan(40);
  },
);
