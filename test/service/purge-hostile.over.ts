import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { JobId } from "../../src/base/ids.ts";
import type { WorkLimits } from "../../src/base/work-threads.ts";
import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import type { OnUnreadableFiles } from "../../src/service/purge.ts";
import { type Reading, threadReading } from "../../src/service/reading.ts";
import { HOSTILE_AVRO } from "../support/hostile-avro.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { openTestIceberg, scratchDirectory } from "../support/open-iceberg.ts";
import { plantTable } from "../support/planted-table.ts";
import { costOf, expectShortTurns } from "../support/turns.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

const NS = { catalog: "c", namespace: ["a"] } as const;
const shared = threadReading(new SystemClock());
afterAll(() => shared.close());

/** A dropped table of PyIceberg, one of whose files is another one, and its purge. */
async function purgeWith(which: RegExp, content: Uint8Array, reading: () => Reading) {
  const stores = testStores({ clock: new SleepIsTime() });
  const directory = scratchDirectory();
  const metadataLocation = plantTable("v2", directory);
  const told: Parameters<OnUnreadableFiles>[0][] = [];
  const node = await openTestIceberg(stores, directory, {
    reading,
    onUnreadable: (facts) => told.push(facts),
  });
  await node.iceberg.createNamespace(ACTOR, NS, {});
  const request = { name: "t", metadataLocation, overwrite: false };
  await node.iceberg.registerTable(ACTOR, NS, request);
  const { entity } = await node.catalog.tables.get({ catalog: "c", path: ["a"], name: "t" });
  const metadata = join(directory, "v2", "metadata");
  const name =
    readdirSync(metadata)
      .filter((one) => which.test(one))
      .sort()[0] ?? "";
  writeFileSync(join(metadata, name), content);
  await node.iceberg.dropTable(ACTOR, { ...NS, table: "t" }, { purgeRequested: true });
  await stores.clock.sleep(CATALOG_LIMITS.dropRetentionMs);
  return {
    node,
    told,
    name,
    id: entity.id as unknown as JobId,
    data: join(directory, "v2", "data"),
  };
}

const LIST = /^snap-.*\.avro$/;
const MANIFEST = /-m0\.avro$/;

test.each(HOSTILE_AVRO)(
  "a manifest list of %s ends a purge, in short turns",
  async (what, make) => {
    const { node, told, name, id, data } = await purgeWith(LIST, make(), () => shared);
    const cost = await costOf(() => node.runner.runDue());
    await expectShortTurns(what, cost);
    const job = await node.catalog.jobs.get(id);
    expect(job).toMatchObject({ step: "done", failures: 1, lastFailure: "MANIFEST_INVALID" });
    expect(told).toMatchObject([{ files: 1, code: "MANIFEST_INVALID" }]);
    expect(told[0]?.last).toMatch(new RegExp(`/${name}$`));
    expect(node.metrics.print()).toContain("firn_purge_unreadable_files_total 1");
    // What the other lists name is gone.
    expect(readdirSync(data).length).toBeLessThan(5);
  },
);

test("a manifest that costs too much is passed over for good", async () => {
  const make = HOSTILE_AVRO.find(([what]) => what === "arrays of nulls, packed")?.[1];
  const limits: Partial<WorkLimits> = { taskMs: 2 };
  const reading = threadReading(new SystemClock(), limits);
  const { node, id } = await purgeWith(MANIFEST, make?.() ?? Buffer.alloc(0), () => reading);
  await node.runner.runDue();
  expect(await node.catalog.jobs.get(id)).toMatchObject({
    step: "done",
    lastFailure: "WORK_TOO_LONG",
  });
  await reading.close();
});

test("a node that closes leaves the purge to another", async () => {
  const reading = threadReading(new SystemClock());
  const { node, id } = await purgeWith(MANIFEST, Buffer.alloc(0), () => reading);
  await reading.close();
  await node.runner.runDue();
  const job = await node.catalog.jobs.get(id);
  expect(job).toMatchObject({ step: "data", lastFailure: "WORK_STOPPED" });
});
