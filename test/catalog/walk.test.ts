import { expect, test } from "vitest";
import type { AccountId } from "../../src/base/ids.ts";
import { FAMILIES, keyOf, parseKey } from "../../src/catalog/keys.ts";
import { blobPathOf, byIdKey, fullKey } from "../../src/catalog/paths.ts";
import { blobsOfChange } from "../../src/catalog/references.ts";
import {
  readChange,
  readOwners,
  takeApart,
  type WalkedPointer,
  walkCounts,
  walkPayloads,
  walkPointers,
} from "../../src/catalog/walk.ts";
import type { Item } from "../../src/pointer/port.ts";
import { InstantClock } from "./support/instant-clock.ts";
import * as op from "./support/operations.ts";
import { imageOf, openWorld, type World } from "./support/world.ts";

const HISTORY: readonly op.Operation[] = [
  op.createCatalog("c"),
  op.createNamespace("s"),
  op.createNamespace("s.below"),
  op.createTable("s.t"),
  op.createTable("s.u"),
  op.commitTable("s.t", "A"),
  op.commitSnapshots("s.t", [7n, -1n, 2n ** 63n - 1n]),
  op.createView("s.v"),
  op.dropTable("s.u"),
  op.renameTable("s.t", "s.w"),
];

async function world(): Promise<World> {
  return openWorld(await imageOf(HISTORY), 0);
}

async function accountOf({ pointers }: World): Promise<AccountId> {
  for await (const { key } of pointers.sweep("/accounts/by-id/")) {
    return parseKey(key).values[0] as AccountId;
  }
  throw new Error("no account");
}

async function all<T>(of: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of of) found.push(one);
  return found;
}

test("a walk over everything passes every pointer once, in key order", async () => {
  const stores = await world();
  const counts = walkCounts();
  const keys = (await all(walkPointers(stores, { counts }))).map(({ item }) => item.key);
  const swept = (await all(stores.pointers.sweep("/"))).map(({ key }) => key);
  expect(keys).toEqual(swept);
  expect(keys).toEqual([...keys].sort());
  expect(counts.pointers).toBe(keys.length);
});

test("a walk over one account goes on behind any key of it", async () => {
  const stores = await world();
  const account = await accountOf(stores);
  const keys = (await all(walkPointers(stores, { account }))).map(({ item }) => item.key);
  expect(keys.slice(0, 3)).toEqual([
    `/accounts/by-id/${account}`,
    `/accounts/${account}`,
    "/accounts/by-name/default",
  ]);
  expect([...keys].sort()).toEqual((await all(stores.pointers.sweep("/"))).map(({ key }) => key));
  for (const [i, after] of keys.entries()) {
    const rest = await all(walkPointers(stores, { account, after }));
    expect(rest.map(({ item }) => item.key)).toEqual(keys.slice(i + 1));
  }
});

test("every blob that is stored is referred to by a pointer or a change record", async () => {
  const stores = await world();
  const referred = new Set<string>();
  for await (const walked of walkPointers(stores)) {
    if (walked.state !== "live") continue;
    const { account, blob, blobs } = walked.references;
    if (blob !== undefined) referred.add(blob);
    for (const path of blobs) referred.add(path);
    if (walked.key.family !== "change") continue;
    const record = await readChange(stores.blobs, walked);
    for (const path of blobsOfChange(account as AccountId, record)) referred.add(path);
  }
  const counts = walkCounts();
  const paths: string[] = [];
  for await (const { path, owners, parsed, size } of walkPayloads(stores, { counts })) {
    paths.push(path);
    expect(parsed, path).toBeDefined();
    expect(size).toBeGreaterThan(0);
    const whole = await readOwners(stores.blobs, path, counts);
    if (owners !== undefined) expect(whole).toEqual(owners);
    expect(whole?.length, path).toBe(parsed?.kind === "snapshot" ? 2 : 1);
  }
  expect(paths.length).toBeGreaterThan(HISTORY.length);
  expect(paths.filter((path) => !referred.has(path))).toEqual([]);
  expect(counts.payloads).toBe(paths.length);
  // Two lists, the second one empty, and one read for each snapshot.
  expect(counts.requests).toBe(2 + paths.filter((path) => path.includes("/snapshots/")).length);
  const middle = paths[Math.floor(paths.length / 2)] ?? "";
  const rest = await all(walkPayloads(stores, { after: middle }));
  expect(rest.map(({ path }) => path)).toEqual(paths.slice(paths.indexOf(middle) + 1));
});

test("roots are alive, but for those of keys that have none", async () => {
  const stores = await world();
  const found = new Map<string, WalkedPointer>();
  for await (const walked of walkPointers(stores)) found.set(walked.item.key, walked);
  const rootless = new Set<string>();
  const derived = new Set<string>();
  for (const walked of found.values()) {
    if (walked.state !== "live") continue;
    const { root, isDerived, entities, account } = walked.references;
    if (root === undefined) rootless.add(walked.key.family);
    else expect(found.get(root)?.state, walked.item.key).toBe("live");
    if (isDerived) derived.add(walked.key.family);
    for (const { type, id } of entities) {
      const of = account ?? (id as AccountId);
      expect(found.get(byIdKey(type, of, id))?.state, walked.item.key).toBe("live");
    }
  }
  expect([...rootless].sort()).toEqual([
    ...["accountById", "catalogById", "change", "namespaceById", "receipt"],
    ...["tableById", "viewById"],
  ]);
  expect([...derived].sort()).toEqual([
    ...["jobById", "jobDue", "snapshotById", "snapshotByTime"],
    ...["tableByMetadata", "tableByName", "tableIndex", "viewByName"],
  ]);
});

test("what is read and written of a table is named: parent, catalog, metadata file", async () => {
  const stores = await world();
  for await (const walked of walkPointers(stores)) {
    if (walked.state !== "live" || walked.key.family !== "tableById") continue;
    const { references } = walked;
    expect(references.entities.map(({ type }) => type)).toEqual(["table", "namespace", "catalog"]);
    expect(references.metadataLocation).toMatch(/^s\.[tu]\/0/);
  }
});

test("a key of no family and a summary that is none are told, not thrown", () => {
  const live = { state: "live", version: 1n, writerId: "w" } as const;
  const account = "018f0000-0000-7000-8000-000000000001";
  const strange: Item[] = [
    { ...live, key: "/stray/key" },
    { ...live, key: keyOf(FAMILIES.tableById, account, "x") },
    { ...live, key: keyOf(FAMILIES.tableById, account, "x"), summary: new Uint8Array([255]) },
    { ...live, key: keyOf(FAMILIES.change, account, "1-2", "x") },
    { ...live, key: keyOf(FAMILIES.jobById, account, "x") },
    { ...live, key: keyOf(FAMILIES.jobDue, account, "1", "x") },
    { ...live, key: keyOf(FAMILIES.receipt, account, "x", "y") },
    { ...live, key: keyOf(FAMILIES.snapshotById, account, "x", "y") },
  ];
  for (const item of strange) expect(takeApart(item).state, item.key).toBe("unreadable");
});

test("a change record names the payloads of its keys, in full", () => {
  const account = "a" as AccountId;
  const hash = Buffer.alloc(32, 7);
  const sha = "07".repeat(32);
  const changed = { versionFrom: 0n, versionTo: 1n, deleted: false };
  const keys = [
    { key: "tables/by-id/t", blobFrom: Buffer.alloc(32, 8), blobTo: hash, ...changed },
    { key: "tables/t/snapshots/by-id/0000000000000000007", blobTo: hash, ...changed },
    {
      key: "tables/t/snapshots/by-time/9223372036854775807-9223372036854775800",
      blobTo: hash,
      ...changed,
    },
    { key: "/accounts/by-id/a", blobTo: hash, ...changed },
    { key: "catalogs/by-name/c", ...changed },
  ];
  const record = { requestId: "r", principal: "p", timeMs: 1, operation: "o", keys };
  expect(blobsOfChange(account, record)).toEqual([
    blobPathOf("table", "a", "t", "08".repeat(32)),
    blobPathOf("table", "a", "t", sha),
    blobPathOf("snapshot", "a", "t", "0000000000000000007", sha),
    blobPathOf("account", "a", sha),
  ]);
  expect(fullKey(account, "tables/by-id/t")).toBe("/accounts/a/tables/by-id/t");
});

test("others have the event loop between a few hundred pointers", async () => {
  let turns = 0;
  class CountingClock extends InstantClock {
    override sleep(ms: number): Promise<void> {
      turns++;
      return super.sleep(ms);
    }
  }
  const item: Item = { state: "absent", key: "/accounts/a/tables/by-id/t", version: 1n };
  const pointers = {
    ...(await world()).pointers,
    async *sweep() {
      for (let i = 0; i < 2_000; i++) yield item;
    },
  };
  expect(await all(walkPointers({ pointers, clock: new CountingClock() }))).toHaveLength(2_000);
  expect(turns).toBe(7);
});
