import { describe, expect, it } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import type { AccountId } from "../../src/base/ids.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { AccountCatalog } from "../../src/catalog/catalog.ts";
import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import { mintKey } from "../../src/service/access/api-keys.ts";
import { Mortal } from "../support/mortal.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { openInMemory } from "../support/open-iceberg.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

const SNOW = { account: { name: "snow" } };

/** An account `snow` with a tree, a connector and a principal with a key. */
async function plant(catalog: AccountCatalog): Promise<void> {
  await catalog.catalogs.create(ACTOR, { name: "lake", defaultLocation: "mem://w/snow" });
  await catalog.catalogs.create(ACTOR, { name: "pond", defaultLocation: "mem://w/pond" });
  for (const path of [["a"], ["a", "b"], ["z"]]) {
    await catalog.namespaces.create(ACTOR, { catalog: "lake", path }, {});
    const ref = { catalog: "lake", path, name: "t" };
    await catalog.tables.create(ACTOR, "create-table", ref, async () => ({
      location: `mem://w/snow/${path.join("/")}/t`,
      fresh: true,
      content: { format: "OTHER", description: "", properties: {} },
    }));
  }
  await catalog.connectors.create(ACTOR, {
    name: "upstream",
    description: "",
    kind: "DELTA",
    uri: "https://delta.example",
    options: {},
    policy: { enabled: false, intervalMs: 0, scope: [] },
    properties: {},
  });
  const { key } = await mintKey(new SeededPrng(7), {
    description: "",
    createdAtMs: 1,
    expiresAtMs: 0,
  });
  await catalog.principals.create(ACTOR, {
    name: "ann",
    description: "",
    kind: "LOCAL",
    properties: {},
    keys: [key],
    grants: [],
    roles: [],
  });
}

async function world() {
  const stores = testStores({ clock: new SleepIsTime() });
  const files = new MemoryBlobStore(stores.clock);
  const node = await openInMemory(stores, files);
  const made = await node.model.accounts.create(ACTOR, { name: "snow" });
  const { id } = made.entity;
  await plant(node.catalog.within(id));
  const open = (mortal?: Mortal, seed = 2) => {
    const ports = { ...testStores({ clock: stores.clock, seed }), blobs: stores.blobs };
    const pointers = mortal?.pointers(stores.pointers) ?? stores.pointers;
    const blobs = mortal?.files(stores.blobs) ?? stores.blobs;
    return openInMemory({ ...ports, blobs, pointers }, files, { catalog: "other" });
  };
  return { stores, node, open, id };
}

type World = Awaited<ReturnType<typeof world>>;

async function mustBeSound({ stores, node }: World): Promise<void> {
  const findings: unknown[] = [];
  for await (const finding of node.fsck(new MemoryBlobStore(stores.clock)).run(true)) {
    findings.push(finding);
  }
  expect(findings).toEqual([]);
}

/** What each catalog, namespace and table of the account is, in words. */
async function treeOf({ node, id }: World): Promise<readonly string[]> {
  const { context, dropped } = node.catalog.within(id);
  const lines: string[] = [];
  const { items } = await dropped.list({});
  for (const { type, name, state } of items) lines.push(`${state} ${type} ${name}`);
  const found = await node.catalog.within(id).deletes.catalogs({});
  for (const { name } of found.items) lines.push(`ACTIVE catalog ${name}`);
  expect(context.account).toBe(id);
  return lines.sort();
}

const ALL_DROPPED = [
  "DROPPED catalog lake",
  "DROPPED catalog pond",
  "DROPPED namespace a",
  "DROPPED namespace b",
  "DROPPED namespace z",
  "DROPPED table t",
  "DROPPED table t",
  "DROPPED table t",
];

async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "";
  } catch (error) {
    if (error instanceof FirnError) return error.code;
    throw error;
  }
}

/** Live pointers and tombstones below the account, and API keys; payloads but its own. */
async function leftOf({ stores }: World, id: AccountId): Promise<readonly string[]> {
  const left: string[] = [];
  for await (const { key } of stores.pointers.sweep(`/accounts/${id}/`)) left.push(key);
  for await (const item of stores.pointers.sweep("/system/api-keys/")) {
    if (item.state === "live") left.push(item.key);
  }
  for (const { path } of await stores.blobs.list(`accounts/${id}/`, {})) {
    if (!path.startsWith(`accounts/${id}/account/`)) left.push(path);
  }
  return left;
}

async function runToTheEnd({ stores }: World, node: World["node"]): Promise<void> {
  for (let round = 0; round < 6; round++) {
    await stores.clock.sleep(CATALOG_LIMITS.dropRetentionMs / 4);
    await node.runner.runDue();
  }
}

describe("a delete of an account", () => {
  it("drops all catalogs in it, ends its sign-in, and can be undone", async () => {
    const of = await world();
    const { node, id } = of;
    const within = node.catalog.within(id);
    expect(await refusalOf(node.model.accounts.drop(ACTOR, SNOW))).toBe("ACCOUNT_NOT_EMPTY");
    const version = await within.principals.accessVersion();
    const job = await node.model.accounts.dropAll(ACTOR, SNOW);
    expect(job).toMatchObject({ kind: "delete", state: "due", subjectType: "account" });
    // Nodes that know its principals look again, and find no account.
    expect(await within.principals.accessVersion()).toBeGreaterThan(version);
    expect(await refusalOf(node.catalog.accounts.byId(id))).toBe("ACCOUNT_NOT_FOUND");
    const again = node.model.accounts.create(ACTOR, { name: "snow" });
    expect(await refusalOf(again)).toBe("ACCOUNT_DELETING");
    await mustBeSound(of);
    await node.runner.runDue();
    const over = await node.jobsAdmin.get(ACTOR, job.id);
    expect(over).toMatchObject({ state: "over", progress: { done: 9, total: 9 } });
    expect(over.error).toBeUndefined();
    expect(await treeOf(of)).toEqual(ALL_DROPPED);
    await mustBeSound(of);
    const late = within.catalogs.create(ACTOR, { name: "late", defaultLocation: "mem://w/late" });
    expect(await refusalOf(late)).not.toBe("");
    const next = await node.model.accounts.create(ACTOR, { name: "snow" });
    expect(await refusalOf(node.dropped.undrop(ACTOR, id))).toBe("ACCOUNT_ALREADY_EXISTS");
    expect(next.entity.id).not.toBe(id);
    const { items } = await node.dropped.list(ACTOR);
    expect(items).toMatchObject([{ id, type: "account", name: "snow" }]);
    const back = await node.dropped.undrop(ACTOR, id, { name: "thaw" });
    expect(back).toMatchObject({ id, type: "account", name: "thaw" });
    await mustBeSound(of);
    // With its principals and connectors; its catalogs come back by themselves.
    expect((await within.principals.get("ann")).entity.keys).toHaveLength(1);
    const lake = (await within.dropped.list({})).items.find(({ name }) => name === "lake");
    await within.dropped.undrop(ACTOR, lake?.id ?? "");
    expect((await within.catalogs.get("lake")).entity.name).toBe("lake");
    await mustBeSound(of);
  });

  it("drops an empty one at once, and no one that is protected, stale or the own", async () => {
    const of = await world();
    const { node } = of;
    const { model } = node;
    const own = { account: { name: "default" } };
    expect(await refusalOf(model.accounts.dropAll(ACTOR, own))).toBe("ACCOUNT_IN_USE");
    expect(await refusalOf(model.accounts.drop(ACTOR, own))).toBe("ACCOUNT_IN_USE");
    const rain = { account: { name: "rain" } };
    const { entity } = await model.accounts.create(ACTOR, { name: "rain" });
    const stale = { ifMatch: ['"7-none"'] };
    expect(await refusalOf(model.accounts.drop(ACTOR, rain, stale))).toBe("PRECONDITION_FAILED");
    await model.accounts.update(ACTOR, rain, { protected: true });
    expect(await refusalOf(model.accounts.drop(ACTOR, rain))).toBe("PROTECTED");
    expect(await refusalOf(model.accounts.dropAll(ACTOR, rain))).toBe("PROTECTED");
    await model.accounts.update(ACTOR, rain, { protected: false });
    await model.accounts.drop(ACTOR, rain);
    expect(await refusalOf(model.accounts.get(ACTOR, rain))).toBe("ACCOUNT_NOT_FOUND");
    await mustBeSound(of);
    await node.dropped.undrop(ACTOR, entity.id);
    expect((await model.accounts.get(ACTOR, rain)).entity).toMatchObject({ state: "ACTIVE" });
    await mustBeSound(of);
  });

  it("takes nothing where something is protected; no other account undoes it", async () => {
    const of = await world();
    const { node, id } = of;
    const within = node.catalog.within(id);
    const before = await treeOf(of);
    await within.catalogs.revise(ACTOR, "pond", ({ entity }) => ({ ...entity, protected: true }));
    const refused = await node.model.accounts.dropAll(ACTOR, SNOW);
    await node.runner.runDue();
    const over = await node.jobsAdmin.get(ACTOR, refused.id);
    expect(over).toMatchObject({ state: "over", error: { code: "PROTECTED" } });
    expect(over.error?.message).toContain("snow.pond");
    expect(await treeOf(of)).toEqual(before);
    expect((await node.catalog.accounts.byId(id)).entity).toMatchObject({ state: "ACTIVE" });
    await mustBeSound(of);
    await within.catalogs.revise(ACTOR, "pond", ({ entity }) => ({ ...entity, protected: false }));
    await node.model.accounts.dropAll(ACTOR, SNOW);
    await node.runner.runDue();
    const foreign = await node.model.accounts.create(ACTOR, { name: "foreign" });
    const elsewhere = node.catalog.within(foreign.entity.id);
    expect(await refusalOf(elsewhere.dropped.undrop(ACTOR, id))).toBe("DROPPED_NOT_FOUND");
  });

  it("ends with nothing left of it once the retention is over", async () => {
    const of = await world();
    const { node, id } = of;
    await node.model.accounts.dropAll(ACTOR, SNOW);
    await node.runner.runDue();
    await of.stores.clock.sleep(CATALOG_LIMITS.dropRetentionMs + 1);
    await node.runner.runDue();
    // Its tombstones are not past their life yet.
    expect(await refusalOf(node.dropped.undrop(ACTOR, id))).toBe("BEING_PURGED");
    await mustBeSound(of);
    await runToTheEnd(of, node);
    expect(await leftOf(of, id)).toEqual([]);
    expect(await refusalOf(node.dropped.undrop(ACTOR, id))).toBe("DROPPED_NOT_FOUND");
    await mustBeSound(of);
  });
});

/** Lets a node run until it ends at a call; answers whether it came that far. */
async function killAt(of: World, call: number): Promise<boolean> {
  const start = new Mortal(Number.POSITIVE_INFINITY);
  await of.open(start);
  const mortal = new Mortal(start.calls + call);
  const doomed = await of.open(mortal, 3);
  await doomed.runner.runDue().catch(() => undefined);
  return mortal.ended;
}

describe("a delete of an account whose node is killed", () => {
  it("comes to the same end from any call, by another node", async () => {
    let kills = 0;
    for (let call = 0; ; call += 3) {
      const of = await world();
      const { id } = await of.node.model.accounts.dropAll(ACTOR, SNOW);
      if (!(await killAt(of, call))) break;
      kills++;
      await of.stores.clock.sleep(CATALOG_LIMITS.jobLeaseMs);
      await (await of.open()).runner.runDue();
      expect(await treeOf(of), `call ${call}`).toEqual(ALL_DROPPED);
      expect((await of.node.jobsAdmin.get(ACTOR, id)).progress?.done).toBe(9);
      await mustBeSound(of);
    }
    expect(kills).toBeGreaterThan(30);
  }, 60_000);

  it("leaves nothing behind from any call of its purge", async () => {
    let kills = 0;
    for (let call = 0; ; call += 13) {
      const of = await world();
      await of.node.model.accounts.dropAll(ACTOR, SNOW);
      await of.node.runner.runDue();
      await of.stores.clock.sleep(CATALOG_LIMITS.dropRetentionMs + 1);
      if (!(await killAt(of, call))) break;
      kills++;
      await runToTheEnd(of, await of.open());
      expect(await leftOf(of, of.id), `call ${call}`).toEqual([]);
      await mustBeSound(of);
    }
    expect(kills).toBeGreaterThan(10);
  }, 60_000);
});
