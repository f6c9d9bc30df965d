import fc from "fast-check";
import { expect, test } from "vitest";
import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import { owners } from "../../src/catalog/owners.ts";
import { SERVICE_LIMITS } from "../../src/service/limits.ts";
import type { TableRef } from "../../src/service/requests.ts";
import { FaultyBlobStore } from "../support/faulty-blob-store.ts";
import { FaultyPointerStore } from "../support/faulty-pointer-store.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import {
  openTestIceberg,
  SCHEMA,
  scratchDirectory,
  type TestIceberg,
} from "../support/open-iceberg.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

const NS = { catalog: "c", namespace: ["a"] } as const;
const T = { ...NS, table: "t" } as const;

function reportOf(n: number) {
  return { "report-type": "scan-report", "snapshot-id": 2n ** 60n + BigInt(n) };
}

function textOf(n: number): string {
  return `{"report-type":"scan-report","snapshot-id":${2n ** 60n + BigInt(n)}}`;
}

async function withTable(node: TestIceberg, ...tables: readonly string[]): Promise<TestIceberg> {
  await node.iceberg.createNamespace(ACTOR, NS, {});
  for (const name of tables) {
    const request = { name, schema: SCHEMA, properties: {}, stageCreate: false };
    await node.iceberg.createTable(ACTOR, NS, request);
  }
  return node;
}

async function textsOf({ reports }: TestIceberg, ref: TableRef = T, limit?: number) {
  return (await reports.list(ACTOR, ref, limit)).map(({ report }) => report);
}

async function counted({ metrics }: TestIceberg): Promise<Record<string, number>> {
  const samples = metrics.samples("firn_metrics_reports_total");
  return Object.fromEntries(samples.map(({ labels, value }) => [labels["outcome"], value]));
}

test("reports of each table are kept apart, newest first, to the last bit", async () => {
  const node = await withTable(await openTestIceberg(), "t", "u");
  for (const n of [1, 2, 3]) await node.iceberg.reportMetrics(ACTOR, T, reportOf(n));
  await node.iceberg.reportMetrics(ACTOR, { ...T, table: "u" }, reportOf(9));
  await node.reports.settled();
  expect(await textsOf(node)).toEqual([3, 2, 1].map(textOf));
  expect(await textsOf(node, T, 2)).toEqual([3, 2].map(textOf));
  expect(await textsOf(node, { ...T, table: "u" })).toEqual([textOf(9)]);
  const [newest] = await node.reports.list(ACTOR, T);
  expect(newest).toMatchObject({ requestId: ACTOR.requestId, principal: ACTOR.principal });
});

test("only the newest are kept, whichever node took them, and no trace of the others", async () => {
  const limit = CATALOG_LIMITS.reportsPerTable;
  const script = fc.array(fc.nat({ max: 1 }), { minLength: limit - 3, maxLength: 2 * limit + 5 });
  await fc.assert(
    fc.asyncProperty(script, async (turns) => {
      const stores = testStores();
      const directory = scratchDirectory();
      const first = await withTable(await openTestIceberg(stores, directory), "t");
      const nodes = [first, await openTestIceberg(stores, directory)];
      for (const [n, turn] of turns.entries()) {
        const node = nodes[turn] ?? first;
        await node.iceberg.reportMetrics(ACTOR, T, reportOf(n));
        await node.reports.settled();
      }
      const newest = turns.map((_, n) => n).slice(-limit);
      for (const node of nodes) {
        expect(await textsOf(node)).toEqual(newest.toReversed().map(textOf));
      }
      const paths = (await stores.blobs.list("")).map(({ path }) => path);
      const kept = paths.filter((path) => path.includes("/reports/"));
      expect(kept).toHaveLength(newest.length);
      for (const path of kept) {
        const [key = ""] = owners(path) ?? [];
        expect(await stores.pointers.get(key)).toMatchObject({ state: "live", blobPath: path });
      }
    }),
    { numRuns: 6 },
  );
});

test("two nodes at once lose none", async () => {
  const stores = testStores({ clock: new SleepIsTime() });
  const directory = scratchDirectory();
  const first = await withTable(await openTestIceberg(stores, directory), "t");
  const second = await openTestIceberg(stores, directory);
  const sent = Array.from({ length: 20 }, (_, n) => n);
  for (const n of sent) {
    await (n % 2 === 0 ? first : second).iceberg.reportMetrics(ACTOR, T, reportOf(n));
  }
  await Promise.all([first.reports.settled(), second.reports.settled()]);
  expect((await textsOf(first)).toSorted()).toEqual(sent.map(textOf).toSorted());
});

test("a store that fails is not the client's error, and what it lost is counted", async () => {
  let down = false;
  const stores = testStores({ clock: new SleepIsTime() });
  const pointers = new FaultyPointerStore(stores.pointers, (_call, method) =>
    down && method === "commit" ? { fault: "notSent" } : undefined,
  );
  const node = await withTable(await openTestIceberg({ ...stores, pointers }), "t");
  await node.iceberg.reportMetrics(ACTOR, T, reportOf(1));
  await node.reports.settled();
  down = true;
  await node.iceberg.reportMetrics(ACTOR, T, reportOf(2));
  await node.reports.settled();
  down = false;
  await node.iceberg.reportMetrics(ACTOR, T, reportOf(3));
  await node.reports.settled();
  expect(await textsOf(node)).toEqual([3, 1].map(textOf));
  expect(await counted(node)).toEqual({ stored: 2, failed: 1 });
});

test("no more reports wait than may, and none that is too large", async () => {
  const released = Promise.withResolvers<void>();
  const stores = testStores();
  const blobs = new FaultyBlobStore(stores.blobs, (_call, _method, [path]) =>
    String(path).includes("/reports/")
      ? { fault: "stalled", applied: "before", until: () => released.promise }
      : undefined,
  );
  const node = await withTable(await openTestIceberg({ ...stores, blobs }), "t");
  const large = { ...reportOf(0), filter: "x".repeat(SERVICE_LIMITS.reportBytes) };
  await node.iceberg.reportMetrics(ACTOR, T, large);
  for (let n = 0; n < SERVICE_LIMITS.reportsWaiting + 3; n++) {
    await node.iceberg.reportMetrics(ACTOR, T, reportOf(n));
  }
  expect(await counted(node)).toEqual({ dropped: 4 });
  released.resolve();
  await node.reports.settled();
  expect(await counted(node)).toEqual({ dropped: 4, stored: SERVICE_LIMITS.reportsWaiting });
});

test("a table that is not there takes no report, and has none", async () => {
  const node = await withTable(await openTestIceberg(), "t");
  const missing = { ...T, table: "u" };
  const notThere = { kind: "NotFound", code: "TABLE_NOT_FOUND" };
  await expect(node.iceberg.reportMetrics(ACTOR, missing, reportOf(1))).rejects.toMatchObject(
    notThere,
  );
  await expect(node.reports.list(ACTOR, missing)).rejects.toMatchObject(notThere);
});
