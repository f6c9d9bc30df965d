import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import { ACTOR } from "../support/open-catalog.ts";
import { openTestIceberg, type TestIceberg } from "../support/open-iceberg.ts";
import {
  COPY,
  load,
  missing,
  restore,
  stoppingAt,
  T,
  type World,
  world,
} from "./support/restored-beside.ts";

/** What a restore and a purge of the original came to: a copy is whole, or left out. */
async function expectWhole(given: World, node: TestIceberg): Promise<"copied" | "left out"> {
  try {
    await load(node, COPY);
  } catch {
    return "left out";
  }
  expect(missing(given)).toEqual([]);
  return "copied";
}

test("a restore at every call of a purge copies what stays, or nothing", async () => {
  const outcomes = new Set<string>();
  for (let n = 0; ; n++) {
    const given = await world();
    const { node, stores, directory } = given;
    await node.iceberg.dropTable(ACTOR, T, { purgeRequested: true });
    await stores.clock.sleep(CATALOG_LIMITS.dropRetentionMs);
    const stopping = stoppingAt(stores, n, async () => {
      await restore(given, node);
    });
    const purging = await openTestIceberg(stopping.stores, directory);
    await purging.runner.runDue();
    if (!stopping.state.isDone) break;
    outcomes.add(await expectWhole(given, node));
    rmSync(directory, { recursive: true, force: true });
  }
  expect([...outcomes].sort()).toEqual(["copied", "left out"]);
});

test("a purge at every call of a restore leaves what was copied, or nothing was", async () => {
  const outcomes = new Set<string>();
  for (let n = 0; ; n++) {
    const given = await world();
    const { node, stores, directory } = given;
    await node.iceberg.dropTable(ACTOR, T, { purgeRequested: true });
    await stores.clock.sleep(CATALOG_LIMITS.dropRetentionMs);
    const stopping = stoppingAt(stores, n, () => node.runner.runDue());
    const restoring = await openTestIceberg(stopping.stores, directory);
    // It may have waited for too long to know what became of its batch: then it is run again.
    await restore(given, restoring).catch((error: unknown) => {
      expect(error).toMatchObject({
        kind: expect.stringMatching(/^(?:Unknown|Overloaded|Unavailable)$/),
      });
      return restore(given, node);
    });
    if (!stopping.state.isDone) break;
    outcomes.add(await expectWhole(given, node));
    rmSync(directory, { recursive: true, force: true });
  }
  expect([...outcomes].sort()).toEqual(["copied", "left out"]);
});
