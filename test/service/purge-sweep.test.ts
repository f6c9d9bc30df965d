import { expect, test } from "vitest";
import type { AccountId, IdSource, TableUuid } from "../../src/base/ids.ts";
import { LIMITS } from "../../src/base/limits.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { encodeSummary } from "../../src/catalog/codec/summary.ts";
import type { CatalogContext } from "../../src/catalog/context.ts";
import { FAMILIES, KEY_FAMILIES, keyOf } from "../../src/catalog/keys.ts";
import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import type { Table } from "../../src/catalog/model.ts";
import { sharesFiles } from "../../src/catalog/purging.ts";
import { tableIndexKey } from "../../src/catalog/table-index.ts";
import { MemoryPointerStore } from "../../src/pointer/memory.ts";
import type { PointerStore } from "../../src/pointer/port.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { ACCOUNT_ID, SUMMARY, TABLE } from "../catalog/support/samples.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { openInMemory, SCHEMA } from "../support/open-iceberg.ts";
import { costOf } from "../support/turns.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

/*
 * Where the indexes of tables are not complete, a purge asks all tables who has a part in the
 * files, and a large store takes long to tell: longer than a lease lasts, and without a table among
 * what it goes through. The job is held meanwhile.
 */

const NS = { catalog: "c", namespace: ["a"] } as const;
const T = { ...NS, table: "t" } as const;

/** As a version wrote it that had no index of tables. */
async function unindexed(pointers: PointerStore, account: AccountId): Promise<void> {
  const { key, version: expected } = await pointers.get(tableIndexKey(account));
  await pointers.commit({ writerId: "w", ops: [{ op: "delete", key, expected }] });
}

/** Two nodes, on each of which a sweep takes so long before it tells of the first item. */
async function world(sweepMs: number) {
  const clock = new VirtualClock();
  const stores = testStores({ clock });
  const files = new MemoryBlobStore(clock);
  const swept = { begun: 0 };
  const slow: PointerStore = {
    get: (key) => stores.pointers.get(key),
    getMany: (keys) => stores.pointers.getMany(keys),
    commit: (batch) => stores.pointers.commit(batch),
    list: (directory, options) => stores.pointers.list(directory, options),
    forget: (key, version) => stores.pointers.forget(key, version),
    async *sweep(prefix) {
      swept.begun++;
      await clock.sleep(sweepMs);
      yield* stores.pointers.sweep(prefix);
    },
  };
  const open = (seed: number) =>
    openInMemory({ ...testStores({ seed, clock }), ...stores, pointers: slow }, files);
  const first = await open(1);
  const second = await open(2);
  await unindexed(stores.pointers, first.catalog.context.account);
  await first.iceberg.createNamespace(ACTOR, NS, {});
  const request = { name: "t", schema: SCHEMA, properties: {}, stageCreate: false };
  await first.iceberg.createTable(ACTOR, NS, request);
  await first.iceberg.dropTable(ACTOR, T, { purgeRequested: true });
  await clock.advance(CATALOG_LIMITS.dropRetentionMs);
  return { clock, files, swept, first, second };
}

test("a purge whose look at all tables outlasts its lease is one node's all the same", async () => {
  const { clock, files, swept, first, second } = await world(5 * CATALOG_LIMITS.jobLeaseMs);
  let over = false;
  const purged = first.runner.runDue().then(() => {
    over = true;
  });
  await clock.advance(0);
  expect(swept.begun).toBe(1);
  // The other one looks all the while, and finds the job taken.
  for (let looks = 0; looks < 40 && !over; looks++) {
    const looked = second.runner.runDue();
    await clock.advance(CATALOG_LIMITS.jobLeaseMs / 3);
    await looked;
  }
  expect([over, swept.begun]).toEqual([true, 1]);
  await purged;
  expect(await files.list("")).toEqual([]);
  expect((await first.dropped.list(ACTOR)).items).toEqual([]);
  expect(first.metrics.print()).toMatch(/firn_jobs_total\{[^}]*outcome="done"[^}]*\} 1/);
  expect(second.metrics.print()).not.toMatch(/firn_jobs_total\{[^}]*\} [1-9]/);
  expect(clock.sleeping).toBe(0);
});

/** Tables of which no two have anything to do with each other, as pointers alone. */
async function manyTables(pointers: PointerStore): Promise<readonly Table[]> {
  const { ids } = testStores();
  const tables = Array.from({ length: 25_000 }, () => tableAt(ids, ids.mint<TableUuid>()));
  for (let at = 0; at < tables.length; at += LIMITS.batchOps) {
    const ops = tables.slice(at, at + LIMITS.batchOps).map(({ id, iceberg }) => {
      const summary = { ...SUMMARY, ...iceberg, entityType: "table", entityId: id } as const;
      const key = keyOf(FAMILIES.tableById, ACCOUNT_ID, id);
      const bytes = encodeSummary(summary);
      return { op: "put" as const, key, expected: 0n, blobPath: "p", summary: bytes };
    });
    expect(await pointers.commit({ writerId: "w", ops })).toMatchObject({ outcome: "committed" });
  }
  return tables;
}

function tableAt(ids: IdSource, tableUuid: TableUuid): Table {
  const location = `s3://lake/w/${tableUuid}`;
  const metadataLocation = `${location}/metadata/0.metadata.json`;
  const iceberg = { tableUuid, metadataLocation, purgeRequested: true };
  return { ...TABLE, id: ids.mint(), location, iceberg };
}

test("however many tables there are, they are asked in short turns", async () => {
  const clock = new SystemClock();
  const pointers = new MemoryPointerStore({ families: KEY_FAMILIES, clock });
  const tables = await manyTables(pointers);
  const { ids } = testStores({ seed: 2 });
  const context = { account: ACCOUNT_ID, pointers, clock } as unknown as CatalogContext;
  const asked = await costOf(() => sharesFiles(context, tableAt(ids, ids.mint())));
  expect(asked.result).toBe(false);
  // In one turn it would be over the limit, so the pauses are what is measured.
  expect(asked.cpuMs).toBeGreaterThan(100);
  expect(asked.longestTurnMs).toBeLessThan(100);
  const { tableUuid = ids.mint<TableUuid>() } = tables.at(-1)?.iceberg ?? {};
  expect(await sharesFiles(context, tableAt(ids, tableUuid))).toBe(true);
});

test("a short look waits for nothing", async () => {
  const { clock, first } = await world(0);
  const before = clock.monotonicMs();
  await clock.run(first.runner.runDue());
  expect(clock.monotonicMs()).toBe(before);
});
