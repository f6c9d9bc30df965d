import { expect, test } from "vitest";
import type { Revision } from "../../src/base/ids.ts";
import type { MemoryBlobStore } from "../../src/blob/memory.ts";
import { changeDirectories, encodeChangeOp } from "../../src/catalog/changes.ts";
import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import type { ChangeInfo } from "../../src/service/entity-history.ts";
import { SERVICE_LIMITS } from "../../src/service/limits.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { commitOf, openTestIceberg, SCHEMA } from "../support/open-iceberg.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

const NS = { catalog: "c", namespace: ["a"] } as const;
const T = { ...NS, table: "t" } as const;
const TABLE = { type: "table", ...NS, name: "t" } as const;
const MINUTE = 60_000;

function as(principal: string, requestId: string) {
  return { ...ACTOR, principal, requestId };
}

/** A table, committed to by two people some minutes apart; all but the last then out of sight. */
async function open() {
  const clock = new SleepIsTime();
  const stores = testStores({ clock });
  const node = await openTestIceberg(stores);
  const { iceberg } = node;
  await iceberg.createNamespace(as("ann", "r1"), NS, {});
  const request = { name: "t", schema: SCHEMA, properties: {}, stageCreate: false };
  await clock.sleep(5 * MINUTE);
  await iceberg.createTable(as("ann", "r2"), NS, request);
  const times = [clock.nowMs()];
  for (const [principal, n] of [
    ["bob", 1],
    ["ann", 2],
    ["bob", 3],
  ] as const) {
    await clock.sleep(5 * MINUTE);
    const update = { action: "set-properties", updates: { n: String(n) } };
    await iceberg.commitTable(as(principal, `r${n + 2}`), T, commitOf([update]));
    times.push(clock.nowMs());
  }
  return { ...node, stores, clock, times };
}

async function allChanges(
  { history }: Pick<Awaited<ReturnType<typeof open>>, "history">,
  from: { readonly token?: string; readonly sinceMs?: number },
  limit = 1_000,
) {
  const found: ChangeInfo[] = [];
  for (let request = from; ; ) {
    const { changes, token, hasMore } = await history.changes(ACTOR, { ...request, limit });
    found.push(...changes);
    if (!hasMore) return { found, token };
    request = { token };
  }
}

test("the versions of a table, the newest first, say who wrote each and how", async () => {
  const { history, times } = await open();
  const { items } = await history.versions(ACTOR, TABLE);
  expect(items.map(({ version, principal, requestId }) => [version, principal, requestId])).toEqual(
    [
      [4n, "bob", "r5"],
      [3n, "ann", "r4"],
      [2n, "bob", "r3"],
      [1n, "ann", "r2"],
    ],
  );
  expect(items.map(({ timeMs }) => timeMs)).toEqual([...times].reverse());
  expect(items.map(({ operation }) => operation)).toEqual([
    "commit-table",
    "commit-table",
    "commit-table",
    "create-table",
  ]);
  expect(new Set(items.map(({ metadataLocation }) => metadataLocation)).size).toBe(4);
  expect(new Set(items.map(({ changeId }) => changeId)).size).toBe(4);
});

test("versions are paged, and found by id or name, also of catalogs and namespaces", async () => {
  const { history } = await open();
  const first = await history.versions(ACTOR, TABLE, { limit: 3 });
  expect(first.next).toBe(1n);
  const rest = await history.versions(ACTOR, TABLE, { from: 1n, limit: 3 });
  expect(rest.items.map(({ version }) => version)).toEqual([1n]);
  expect(rest.next).toBeUndefined();
  const { type, id } = first.items[0] ?? { type: "table", id: "" };
  expect(await history.versions(ACTOR, { type, id }, { limit: 3 })).toEqual(first);
  const namespace = await history.versions(ACTOR, { type: "namespace", ...NS });
  expect(namespace.items).toMatchObject([{ version: 1n, path: ["a"], principal: "ann" }]);
  const catalog = await history.versions(ACTOR, { type: "catalog", name: "c" });
  expect(catalog.items).toMatchObject([{ version: 1n, name: "c" }]);
  await expect(history.versions(ACTOR, TABLE, { limit: 0 })).rejects.toMatchObject({
    code: "PAGE_SIZE_INVALID",
  });
  await expect(
    history.versions(ACTOR, { type: "table", id: "01890000-0000-7000-8000-000000000000" }),
  ).rejects.toMatchObject({ code: "ENTITY_NOT_FOUND" });
});

test("an entity as it was at a version, and at a time", async () => {
  const { history, times } = await open();
  expect(await history.at(ACTOR, TABLE, { version: 2n })).toMatchObject({ version: 2n });
  const [created = 0, second = 0] = times;
  expect(await history.at(ACTOR, TABLE, { timeMs: second })).toMatchObject({ version: 2n });
  expect(await history.at(ACTOR, TABLE, { timeMs: second - 1 })).toMatchObject({ version: 1n });
  expect(await history.at(ACTOR, TABLE, { timeMs: second + MINUTE })).toMatchObject({
    version: 2n,
  });
  expect(await history.at(ACTOR, TABLE, { timeMs: 2 ** 50 })).toMatchObject({ version: 4n });
  for (const never of [{ version: 5n }, { version: 0n }, { timeMs: created - 1 }]) {
    await expect(history.at(ACTOR, TABLE, never)).rejects.toMatchObject({
      code: "VERSION_NOT_FOUND",
    });
  }
});

test("versions of one minute are told apart", async () => {
  const { history, iceberg } = await open();
  for (const n of [10, 11, 12]) {
    const update = { action: "set-properties", updates: { n: String(n) } };
    await iceberg.commitTable(as("ann", `r${n}`), T, commitOf([update]));
  }
  const { items } = await history.versions(ACTOR, TABLE, { limit: 3 });
  expect(items.map(({ version, requestId }) => [version, requestId])).toEqual([
    [7n, "r12"],
    [6n, "r11"],
    [5n, "r10"],
  ]);
  expect(new Set(items.map(({ changeId }) => changeId)).size).toBe(3);
});

test("a renamed table keeps its history, under its new name", async () => {
  const { history, iceberg } = await open();
  const to = { ...NS, table: "u" };
  await iceberg.renameTable(ACTOR, { catalog: "c", from: T, to });
  const { items } = await history.versions(ACTOR, { ...TABLE, name: "u" });
  expect(items.map(({ version, name }) => `${version} ${name}`)).toEqual([
    "5 u",
    "4 t",
    "3 t",
    "2 t",
    "1 t",
  ]);
  await expect(history.versions(ACTOR, TABLE)).rejects.toMatchObject({ code: "TABLE_NOT_FOUND" });
});

test("what is out of the retention answers HISTORY_GONE, and what is left is told", async () => {
  const world = await open();
  const { history, stores, catalog, times } = world;
  const { account, pointers } = catalog.context;
  // As a collection does: the records of the first two versions, and the payload of the first.
  for (const timeMs of times.slice(0, 2)) {
    for (const directory of changeDirectories(account, timeMs)) {
      for (const { key, version } of await pointers.list(directory)) {
        await pointers.commit({ writerId: "gc", ops: [{ op: "delete", key, expected: version }] });
      }
    }
  }
  const { items } = await history.versions(ACTOR, TABLE);
  expect(items.map(({ version, operation }) => [version, operation])).toEqual([
    [4n, "commit-table"],
    [3n, "commit-table"],
    [2n, undefined],
  ]);
  const gone = { code: "HISTORY_GONE", kind: "NotFound" };
  await expect(history.at(ACTOR, TABLE, { version: 1n })).rejects.toMatchObject(gone);
  await expect(history.at(ACTOR, TABLE, { timeMs: times[0] ?? 0 })).rejects.toMatchObject(gone);
  await expect(history.versions(ACTOR, TABLE, { from: 1n })).rejects.toMatchObject(gone);
  const id = items[0]?.id ?? "";
  const blobs = stores.blobs as MemoryBlobStore;
  const current = await pointers.get(`/accounts/${account}/tables/by-id/${id}`);
  const keep = current.state === "live" ? current.blobPath : undefined;
  for (const { path } of await blobs.list(`accounts/${account}/tables/${id}/table/`)) {
    if (path !== keep) await blobs.delete(path);
  }
  const last = await history.versions(ACTOR, TABLE);
  expect(last.items.map(({ version }) => version)).toEqual([4n]);
  await expect(history.at(ACTOR, TABLE, { version: 3n })).rejects.toMatchObject(gone);
});

test("the feed tells every change, then only new ones once a minute is settled", async () => {
  const world = await open();
  const { clock, iceberg } = world;
  const { found, token } = await allChanges(world, { sinceMs: 0 });
  const operations = found.map(({ operation }) => operation);
  expect(operations.filter((one) => one === "commit-table")).toHaveLength(3);
  expect(operations).toEqual(expect.arrayContaining(["create-account", "create-namespace"]));
  const commit = found.find(({ requestId }) => requestId === "r4");
  expect(commit?.entities).toMatchObject([
    { type: "table", versionFrom: 2n, versionTo: 3n, deleted: false },
  ]);
  const again = await allChanges(world, { token });
  expect(again.found).toEqual([]);
  await iceberg.commitTable(
    as("eve", "r9"),
    T,
    commitOf([{ action: "set-properties", updates: { n: "9" } }]),
  );
  const more = await allChanges(world, { token: again.token });
  expect(more.found.map(({ requestId }) => requestId)).toContain("r9");
  await clock.sleep(CATALOG_LIMITS.changeSettledMs + 2 * MINUTE);
  const settled = await allChanges(world, { token: more.token });
  expect(settled.found).toEqual([]);
  // Nothing of a settled minute is kept in the token.
  expect(settled.token.length).toBeLessThan(more.token.length);
});

test("a record that lands late is delivered, until its minute is settled", async () => {
  const world = await open();
  const { clock, stores, catalog } = world;
  const { account, ids } = catalog.context;
  // The request of a node that died: its batch is on its way for a quarter of an hour.
  const authorship = {
    revision: ids.mint<Revision>(),
    updatedAtMs: clock.nowMs(),
    updatedBy: "slow",
    requestId: "late",
  };
  const { op } = encodeChangeOp(account, ids.mint(), "commit-table", authorship, []);
  const before = await allChanges(world, { sinceMs: clock.nowMs() - MINUTE });
  await clock.sleep(CATALOG_LIMITS.changeSettledMs - MINUTE);
  const between = await allChanges(world, { token: before.token });
  expect(between.found).toEqual([]);
  const landed = await stores.pointers.commit({ writerId: ids.mint(), ops: [op] });
  expect(landed.outcome).toBe("committed");
  const after = await allChanges(world, { token: between.token });
  expect(after.found.map(({ requestId }) => requestId)).toContain("late");
});

test("a small limit delivers the same changes, none of them lost", async () => {
  const world = await open();
  const sinceMs = 0;
  const all = await allChanges(world, { sinceMs });
  const few = await allChanges(world, { sinceMs }, 1);
  const idsOf = (found: readonly ChangeInfo[]) => [...new Set(found.map(({ id }) => id))].sort();
  expect(idsOf(few.found)).toEqual(idsOf(all.found));
});

test("a forged token, one too old, and both token and time are refused", async () => {
  const world = await open();
  const { history, clock } = world;
  const { token } = await history.changes(ACTOR);
  const bad = { code: "PAGE_TOKEN_INVALID" };
  await expect(history.changes(ACTOR, { token: `${token}x` })).rejects.toMatchObject(bad);
  await expect(history.changes(ACTOR, { token: "x" })).rejects.toMatchObject(bad);
  const both = { code: "FEED_INVALID" };
  await expect(history.changes(ACTOR, { token, sinceMs: 1 })).rejects.toMatchObject(both);
  await expect(history.changes(ACTOR, { sinceMs: -1 })).rejects.toMatchObject(both);
  await clock.sleep(SERVICE_LIMITS.historyRetentionMs + 60 * MINUTE);
  const gone = { code: "HISTORY_GONE" };
  await expect(history.changes(ACTOR, { token })).rejects.toMatchObject(gone);
  await expect(history.audit(ACTOR, { fromMs: 0 })).rejects.toMatchObject(gone);
});

test("an audit tells who changed what, by principal, operation, time and entity", async () => {
  const { history, times } = await open();
  const [first = 0, second = 0, third = 0] = times;
  const fromMs = Math.max(0, first - 20 * MINUTE);
  const requests = async (query: Partial<Parameters<typeof history.audit>[1]>) =>
    (await history.audit(ACTOR, { fromMs, ...query })).map(({ requestId }) => requestId);
  expect(await requests({ principal: "bob" })).toEqual(["r3", "r5"]);
  expect(await requests({ operation: "commit-table" })).toEqual(["r3", "r4", "r5"]);
  expect(await requests({ entity: TABLE })).toEqual(["r2", "r3", "r4", "r5"]);
  expect(await requests({ entity: { type: "namespace", ...NS } })).toEqual(["r1"]);
  expect(await requests({ fromMs: second, toMs: third })).toEqual(["r3", "r4"]);
  expect(await requests({ principal: "eve" })).toEqual([]);
  for (const wrong of [{ fromMs: -1 }, { fromMs: 0.5 }, { toMs: Number.NaN }]) {
    await expect(requests(wrong)).rejects.toMatchObject({ code: "AUDIT_INVALID" });
  }
});
