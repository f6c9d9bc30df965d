import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JobId } from "../../src/base/ids.ts";
import { createMetrics } from "../../src/base/metrics.ts";
import { Locations } from "../../src/blob/locations.ts";
import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import { type CatalogNode, openNode } from "../../src/service/node.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";
import { plantTable } from "../support/planted-table.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

/*
 * Jobs that another node takes up than the one that made them. What a node may not read by its own
 * settings, or cannot read now, is not a reason to call a job done.
 */

const NS = { catalog: "c", namespace: ["a"] } as const;

/** A table of PyIceberg in one directory, in a catalog of another, and nodes over their stores. */
function deployment() {
  const stores = testStores({ clock: new SleepIsTime() });
  const [home, elsewhere] = [scratchDirectory(), scratchDirectory()];
  const metadataLocation = plantTable("v2", elsewhere);
  const failed: unknown[] = [];
  let seed = 1;
  /** `shared`: roots that this node alone allows. */
  const start = async (shared: readonly string[] = []) => {
    const ports = testStores({ clock: stores.clock, seed: ++seed });
    const { clock, prng } = ports;
    const metrics = createMetrics();
    const node = await openNode({
      stores: { ...ports, blobs: stores.blobs, pointers: stores.pointers },
      locations: new Locations({ allowedRoots: shared, clock, prng, durable: false }),
      metrics,
      secret: new Uint8Array(32),
      warehouse: `file://${home}`,
      sharedRoots: shared,
      onJobFailed: (facts: unknown) => void failed.push(facts),
    });
    return { ...node, metrics };
  };
  const files = () =>
    readdirSync(join(elsewhere, "v2"), { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    ).length;
  const retention = () => stores.clock.sleep(CATALOG_LIMITS.dropRetentionMs);
  return { start, files, failed, retention, metadataLocation, stores, elsewhere };
}

/** Registers the table, drops it with its files, and answers its id, which its job has too. */
async function dropped(node: CatalogNode, metadataLocation: string): Promise<JobId> {
  await node.iceberg.createNamespace(ACTOR, NS, {});
  const request = { name: "t", metadataLocation, overwrite: false };
  await node.iceberg.registerTable(ACTOR, NS, request);
  const { entity } = await node.catalog.tables.get({ catalog: "c", path: ["a"], name: "t" });
  await node.iceberg.dropTable(ACTOR, { ...NS, table: "t" }, { purgeRequested: true });
  return entity.id as unknown as JobId;
}

test("a node that was started before the catalog was added purges its tables", async () => {
  const { start, files, failed, retention, metadataLocation, elsewhere } = deployment();
  const old = await start();
  const maker = await start();
  await maker.catalogs.create(ACTOR, "c", `file://${elsewhere}`);
  await dropped(maker, metadataLocation);
  await retention();
  await old.jobs.runDue();
  expect([files(), failed]).toEqual([0, []]);
});

test("so does one that was started after the catalog was dropped", async () => {
  const { start, files, failed, retention, metadataLocation, elsewhere } = deployment();
  const maker = await start();
  await maker.catalogs.create(ACTOR, "c", `file://${elsewhere}`);
  await dropped(maker, metadataLocation);
  await maker.iceberg.dropNamespace(ACTOR, NS);
  await maker.catalog.catalogs.drop(ACTOR, "c");
  await retention();
  const late = await start();
  await late.catalogs.learnRoots(ACTOR);
  const [first = ""] = (await late.catalog.jobs.due()).due;
  expect(first).not.toBe("");
  await late.jobs.runDue();
  expect([files(), failed]).toEqual([0, []]);
});

test("what a node may not read is given back, told with its code, done by another", async () => {
  const { start, files, failed, retention, metadataLocation, elsewhere } = deployment();
  const maker = await start([`file://${elsewhere}`]);
  await maker.catalogs.create(ACTOR, "c");
  const id = await dropped(maker, metadataLocation);
  const all = files();
  await retention();
  const other = await start();
  await other.jobs.runDue();
  expect(files()).toBe(all);
  const code = "LOCATION_NOT_ALLOWED";
  expect(failed).toEqual([expect.objectContaining({ kind: "purge", job: id, code, tries: 1 })]);
  expect(await maker.catalog.jobs.get(id)).toMatchObject({ lastFailure: code, tries: 1 });
  const printed = other.metrics.print();
  expect(printed).toContain(`firn_job_failures_total{kind="purge",code="${code}"} 1`);
  expect(printed).not.toMatch(/firn_jobs_total\{[^}]*outcome="done"/);
  await retention();
  await maker.jobs.runDue();
  expect(files()).toBe(0);
  const over = await maker.catalog.jobs.get(id);
  expect(over).toMatchObject({ step: "done", failures: 0 });
  expect(over?.lastFailure).toBeUndefined();
});

test("a node that may read part of a table's directory deletes nothing of it", async () => {
  const { start, files, failed, retention, metadataLocation, elsewhere } = deployment();
  const maker = await start([`file://${elsewhere}`]);
  await maker.catalogs.create(ACTOR, "c");
  await dropped(maker, metadataLocation);
  const all = files();
  await retention();
  const code = "LOCATION_NOT_ALLOWED";
  for (const part of ["metadata", "data"]) {
    const other = await start([`file://${elsewhere}/v2/${part}`]);
    await other.jobs.runDue();
    await retention();
  }
  expect(files()).toBe(all);
  expect(failed).toEqual(Array(2).fill(expect.objectContaining({ code })));
});
