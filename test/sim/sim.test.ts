import { expect, test } from "vitest";
import { CATALOG, openStores } from "./catalog/cluster.ts";
import { CATALOG_SUITE } from "./catalog/suite.ts";
import { Coverage, emptyCells, matrixOf } from "./harness/coverage.ts";
import { FAIR, SITES } from "./harness/faults.ts";
import { Host } from "./harness/host.ts";
import { never, runSeed, type Sim, type Suite, Violation } from "./harness/sim.ts";
import { LSM_SUITE } from "./lsm/suite.ts";
import { SQL_SUITE } from "./sql/suite.ts";

/** Two more are run twice; `npm run sim` runs hundreds. */
const SEEDS = 1;

function suiteOf(run: Suite["run"]): Suite {
  return { name: "small", sites: SITES, operations: {}, fullSeeds: 1, run };
}

test("seeds of the catalog pass", async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { violation } = await runSeed(CATALOG_SUITE, seed);
    expect(violation, `seed ${seed}`).toBeUndefined();
  }
});

test.each([CATALOG_SUITE, LSM_SUITE, SQL_SUITE])(
  "a seed passes and decides everything: run again it leaves the same trace ($name)",
  async (suite) => {
    const seed = 4711;
    const first = await runSeed(suite, seed);
    const other = await runSeed(suite, seed + 1);
    const again = await runSeed(suite, seed);
    for (const { violation } of [first, other]) expect(violation).toBeUndefined();
    expect(again.sim.trace.count).toBeGreaterThan(50);
    expect(again.digest).toBe(first.digest);
    expect(other.digest).not.toBe(first.digest);
  },
);

test.each<readonly [string, Suite["run"]]>([
  ["work that waits for nothing", () => never()],
  [
    "a statement that does not hold",
    async (sim) => {
      sim.must(false, () => "no");
      return async () => undefined;
    },
  ],
  [
    "work beside that throws",
    async (sim) => {
      void sim.spawn(async () => {
        await sim.sleep(10);
        throw new Violation("late");
      });
      return async () => undefined;
    },
  ],
  [
    "an end that does not hold",
    async () => async () => {
      throw new Violation("the end");
    },
  ],
  [
    "an end that does not hold, after a sleep",
    (sim) => sim.sleep(1).then(() => () => sim.sleep(1).then(() => sim.fail(new Violation("end")))),
  ],
])("it fails: %s", async (_what, run) => {
  expect((await runSeed(suiteOf(run), 1)).violation).toBeInstanceOf(Violation);
});

test("a run lets no time pass itself: the harness would take it for a stand-still", async () => {
  const { violation } = await runSeed(
    suiteOf(async (sim) => {
      await sim.sleep(1);
      await sim.clock.run(sim.sleep(1));
      await sim.sleep(1);
      return async () => undefined;
    }),
    1,
  );
  expect(String(violation)).toContain("already passes");
});

test("a cell that nothing was injected into is found", async () => {
  const coverage = new Coverage();
  coverage.inject("load", "node", "crash");
  const sites = { node: ["crash", "clockJump"] };
  const matrix = matrixOf(coverage, sites, { load: ["node"] });
  expect(emptyCells(matrix, sites)).toEqual(["load at node: clockJump"]);
});

test("a process that has ended is not answered any more", async () => {
  let answered = false;
  const { violation } = await runSeed(
    suiteOf(async (sim: Sim) => {
      const host = new Host(sim, "host");
      host.weather = FAIR;
      const pointers = host.pointers(openStores(sim).pointers);
      void pointers.get(`/accounts/by-name/${CATALOG}`).then(() => {
        answered = true;
      });
      host.crash();
      await host.death;
      await sim.sleep(10_000);
      return async () => undefined;
    }),
    1,
  );
  expect(violation).toBeUndefined();
  expect(answered).toBe(false);
});
