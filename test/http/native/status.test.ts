import { expect, onTestFinished, test } from "vitest";
import { PRIVILEGES } from "../../../src/api/privileges.ts";
import type { Usage } from "../../../src/api/status-operations.ts";
import { createMetrics } from "../../../src/base/metrics.ts";
import { StoreObservers } from "../../../src/base/store-observers.ts";
import { Firn } from "../../../src/index.ts";
import { OWN_ACTOR } from "../../../src/service/actor.ts";
import { SERVICE_LIMITS } from "../../../src/service/limits.ts";
import { pricesWith } from "../../../src/service/stores/prices.ts";
import { StoreCosts } from "../../../src/service/stores/store-costs.ts";
import { UsageMeter, type UsagePeriod } from "../../../src/service/usage.ts";
import { scratchDirectory } from "../../support/open-iceberg.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { Api } from "./api.ts";

const ACCOUNT = OWN_ACTOR.account;
const ICEBERG = "http://firn/iceberg/v1";

async function iceberg(api: Api, method: string, path: string, body?: object): Promise<void> {
  const response = await api.firn.fetch(
    new Request(`${ICEBERG}${path}`, {
      method,
      ...(body !== undefined && {
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      }),
    }),
  );
  expect([path, response.ok]).toEqual([path, true]);
  await response.arrayBuffer();
}

test("/me says who asks and what that may do", async () => {
  await using api = await Api.open();
  const me = await api.done("GET", "/me");
  expect(me).toEqual({ account: "default", principal: "anonymous", privileges: PRIVILEGES });
});

test("/shards shows the levels of the trees that the node owns", async () => {
  await using inMemory = await Api.open();
  expect(await inMemory.done("GET", "/shards")).toEqual({ items: [] });
  await using api = await Api.open({ profile: "local", dir: scratchDirectory() });
  const before = await api.done<{ items: readonly { lastSequence: string }[] }>("GET", "/shards");
  await api.done("POST", "/catalogs", { name: "lake" });
  const { items } = await api.done<{ items: readonly Record<string, unknown>[] }>("GET", "/shards");
  expect(items.length).toBe(1);
  expect(items[0]).toMatchObject({ name: "system", levels: [{ level: 0 }] });
  expect(BigInt(String(items[0]?.["lastSequence"]))).toBeGreaterThan(
    BigInt(before.items[0]?.lastSequence ?? "0"),
  );
});

test("/usage counts each operation and table apart, whatever protocol asks", async () => {
  await using api = await Api.open();
  const usage = () => api.done<Usage>("GET", "/usage");
  await iceberg(api, "POST", "/namespaces", { namespace: ["n"] });
  const schema = { type: "struct", fields: [] };
  for (const name of ["a", "b"]) {
    await iceberg(api, "POST", "/namespaces/n/tables", { name, schema });
  }
  for (let i = 0; i < 3; i++) await iceberg(api, "GET", "/default/namespaces/n/tables/a");
  await iceberg(api, "GET", "/namespaces/n/tables/b");
  await api.done("GET", "/catalogs/default/namespaces/n/tables/a");
  const { operations, tables, total, otherTables } = await usage();
  const of = (name: string) => tables.find(({ table }) => table === name);
  // A path without a prefix means the same catalog.
  expect(tables.map(({ table, requests }) => [table, requests])).toEqual([
    ["a", 4],
    ["b", 1],
  ]);
  expect(of("a")).toMatchObject({ catalog: "default", namespace: "n", blobWrites: 0, dollars: 0 });
  expect(of("a")?.pointerReads).toBeGreaterThanOrEqual(4);
  const creates = operations.find(({ operation }) => /^POST .*[/]tables$/.test(operation));
  expect(creates).toMatchObject({ requests: 2, blobWrites: 2 });
  expect(creates?.pointerWrites).toBeGreaterThanOrEqual(2);
  expect(otherTables.requests).toBe(0);
  const sum = operations.reduce((all, { pointerReads }) => all + pointerReads, 0);
  expect(total.pointerReads).toBe(sum);
  const again = await usage();
  expect(again.total.requests).toBe(total.requests + 1);
});

function meter() {
  const metrics = createMetrics();
  const usage = new UsageMeter(new VirtualClock(), ACCOUNT);
  StoreObservers.of(metrics).add(usage);
  const costs = StoreCosts.of(metrics);
  return { usage, costs };
}

test("what stores bill goes to the request whose work it is", async () => {
  const { usage, costs } = meter();
  const table = { catalog: "c", namespace: "n", table: "t" };
  await usage.run({ account: ACCOUNT, operation: "load", table }, async () => {
    await new Promise((resolve) => setImmediate(resolve));
    costs.blob({ operation: "GetObject" });
    costs.pointer({ operation: "GetItem", readUnits: 2, writeUnits: 0 });
  });
  costs.blob({ operation: "PutObject" });
  const { total, operations, tables } = usage.report(OWN_ACTOR);
  const expected = 0.4 / 1e6 + (2 * 0.125) / 1e6;
  expect(tables[0]?.dollars).toBeCloseTo(expected, 12);
  expect(operations.map(({ operation }) => operation).sort()).toEqual(["background", "load"]);
  expect(total.dollars).toBeCloseTo(expected + 5 / 1e6, 12);
});

test("a deployment counts at its own prices, and says which they are", async () => {
  const api = await Api.open({ price: ["s3Puts=4.5", "readUnits=0"] });
  onTestFinished(() => api.firn.close());
  const { prices } = await api.done<Usage>("GET", "/usage");
  expect(prices).toMatchObject({ s3Puts: 4.5, s3Gets: 0.4, readUnits: 0, writeUnits: 0.625 });
  expect(prices.source).toBe("AWS list prices, us-east-1; as set: readUnits, s3Puts");
  const metrics = createMetrics();
  const own = pricesWith([{ name: "s3Puts", dollars: 4.5 }]);
  const costs = StoreCosts.price(metrics, own);
  const usage = new UsageMeter(new VirtualClock(), ACCOUNT, StoreCosts.of(metrics).prices);
  StoreObservers.of(metrics).add(usage);
  costs.blob({ operation: "PutObject" });
  expect(usage.report(OWN_ACTOR).total.dollars).toBeCloseTo(4.5 / 1e6, 12);
  expect(usage.report(OWN_ACTOR).prices).toBe(own);
});

test.each(["s3Puts", "s3Puts=", "s3Puts=-1", "s3Puts=1e3", "s3puts=1", "s3Puts=1=2", "source=1"])(
  "the price %s is refused",
  async (price) => {
    await expect(Firn.open({ profile: "memory", logLevel: "silent", price })).rejects.toThrow(
      "must be name=dollars for a million",
    );
  },
);

test("usage keeps so many tables, and adds the others up", () => {
  const { usage } = meter();
  const more = 50;
  for (let i = 0; i < SERVICE_LIMITS.usageTables + more; i++) {
    const table = { catalog: "c", namespace: "n", table: `t${i}` };
    usage.run({ account: ACCOUNT, operation: "load", table }, () => {
      usage.request("pointer", "get");
      usage.request("blob", "of a kind that is not priced");
    });
    // One that is used again and again stays.
    const hot = { ...table, table: "hot" };
    usage.run({ account: ACCOUNT, operation: "load", table: hot }, () => undefined);
  }
  const { tables, otherTables, total } = usage.report(OWN_ACTOR);
  expect(tables.length).toBe(SERVICE_LIMITS.usageTables);
  expect(tables[0]?.table).toBe("hot");
  const listed = tables.reduce((sum, { pointerReads }) => sum + pointerReads, 0);
  expect(listed + otherTables.pointerReads).toBe(total.pointerReads);
  expect(usage.report({ ...OWN_ACTOR, account: "another" }).total.requests).toBe(0);
});

test("requests and commits are counted by hour and day; old ones are forgotten", async () => {
  const clock = new VirtualClock(Date.UTC(2030, 0, 1, 22, 59));
  const usage = new UsageMeter(clock, ACCOUNT);
  const commit = () =>
    usage.run({ account: ACCOUNT, operation: "commit" }, () => {
      usage.request("pointer", "commit");
      usage.request("pointer", "commit");
    });
  const of = (periods: readonly UsagePeriod[]) =>
    periods
      .filter(({ requests, commits, dollars }) => requests + commits + dollars > 0)
      .map(({ startMs, ...rest }) => ({ start: new Date(startMs).toISOString(), ...rest }));
  commit();
  usage.run({ account: ACCOUNT, operation: "load" }, () => usage.dollars("blob", 0.25));
  // No client asked for it.
  usage.request("pointer", "commit");
  await clock.advance(60_000);
  commit();
  const report = () => usage.report(OWN_ACTOR);
  expect(of(report().hours)).toEqual([
    { start: "2030-01-01T22:00:00.000Z", requests: 2, commits: 1, dollars: 0.25 },
    { start: "2030-01-01T23:00:00.000Z", requests: 1, commits: 1, dollars: 0 },
  ]);
  expect(of(report().days)).toEqual([
    { start: "2030-01-01T00:00:00.000Z", requests: 3, commits: 2, dollars: 0.25 },
  ]);
  await clock.advance(24 * 3_600_000 - 1);
  expect(of(report().hours)).toHaveLength(1);
  await clock.advance(1);
  expect(of(report().hours)).toEqual([]);
  expect(report().hours.at(-1)?.startMs).toBe(Date.UTC(2030, 0, 2, 23));
  expect(of(report().days)).toHaveLength(1);
  expect([report().hours.length, report().days.length]).toEqual([24, 30]);
});
