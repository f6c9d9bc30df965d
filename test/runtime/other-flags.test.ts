import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createMetrics } from "../../src/base/metrics.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { KEY_FAMILIES } from "../../src/catalog/keys.ts";
import { MemoryPointerStore } from "../../src/pointer/memory.ts";
import { type Composition, composeOver } from "../../src/runtime/compose.ts";
import {
  fromEnv,
  fromFields,
  readSettings,
  requireSettings,
} from "../../src/runtime/read-settings.ts";
import type { LoadResult } from "../../src/service/requests.ts";
import { CostCounter } from "../cost/measure.ts";
import { ACTOR } from "../support/open-catalog.ts";
import { commitOf, SCHEMA, scratchDirectory } from "../support/open-iceberg.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

/*
 * Nodes of one store that were started with other flags, as they are while a deployment rolls. What
 * a flag says of catalogs is stored when its node starts, and every other node serves by it.
 */

const ALL = { snapshots: "all" } as const;
const SET = commitOf([{ action: "set-properties", updates: { k: "v" } }]);
const OUTSIDE = { kind: "Invalid", code: "LOCATION_NOT_ALLOWED" };

interface Flags {
  readonly warehouse: string;
  readonly catalog?: string;
  readonly allowLocation?: string;
}

/** Stores in memory and tables in a directory, for any number of nodes. */
function deployment() {
  const clock = new VirtualClock();
  const directory = scratchDirectory();
  const counter = new CostCounter();
  const stores = {
    blobs: new MemoryBlobStore(clock),
    pointers: counter.pointers(new MemoryPointerStore({ families: KEY_FAMILIES, clock })),
    secret: new Uint8Array(32),
    close: async () => {},
  };
  let nodes = 0;
  const told: string[] = [];
  const start = async (flags: Flags): Promise<Composition> => {
    const given = fromFields({ profile: "aws", s3Bucket: "unused", ...flags });
    const secret = fromEnv({ FIRN_SECRET: "a secret that the nodes of it share" });
    const settings = requireSettings(readSettings([given, secret], directory));
    const components = {
      clock,
      prng: new SeededPrng(++nodes),
      nodeId: `node-${nodes}`,
      notify: (text: string) => void told.push(text),
      onDefect: () => {},
    };
    const node = await composeOver(stores, settings, components, createMetrics());
    onTestFinished(() => node.close());
    return node;
  };
  return { start, told, counter, below: (name: string) => `file://${join(directory, name)}` };
}

function nameOf(catalog: string) {
  const ns = { catalog, namespace: ["ns"] };
  return { ns, table: { ...ns, table: "t" } };
}

function create(node: Composition, catalog: string, location?: string, name = "t") {
  const request = { name, schema: SCHEMA, properties: {}, stageCreate: false };
  const where = location === undefined ? request : { ...request, location };
  return node.iceberg.createTable(ACTOR, nameOf(catalog).ns, where);
}

function locationOf(loaded: LoadResult): string {
  if (loaded === "not-modified") throw new Error("not loaded");
  return loaded.metadataLocation ?? "";
}

let others = 0;

/** What a client does with a table, at a node that did not make it. */
async function useAt(node: Composition, catalog: string): Promise<void> {
  const { table } = nameOf(catalog);
  await node.iceberg.loadTable(ACTOR, table, ALL);
  await node.iceberg.commitTable(ACTOR, table, SET);
  const { ns } = nameOf(catalog);
  await create(node, catalog, undefined, `another-${others++}`);
  const { metadataLocation = "" } = await node.iceberg.unregisterTable(ACTOR, table);
  const again = { name: "t", metadataLocation, overwrite: false };
  await node.iceberg.registerTable(ACTOR, ns, again);
}

test("a catalog that another node adds is used without a restart", async () => {
  const { start, below } = deployment();
  const a = await start({ warehouse: below("one") });
  const b = await start({ warehouse: below("one"), catalog: `two=${below("two")}` });
  await b.iceberg.createNamespace(ACTOR, nameOf("two").ns, {});
  expect(locationOf(await create(b, "two"))).toContain(below("two"));
  await useAt(a, "two");
});

test("a warehouse that another node moves is where all create; old tables work", async () => {
  const { start, below } = deployment();
  const a = await start({ warehouse: below("old") });
  await a.iceberg.createNamespace(ACTOR, nameOf("default").ns, {});
  await create(a, "default");
  const b = await start({ warehouse: below("new") });
  expect(locationOf(await create(a, "default", undefined, "at-a"))).toContain(below("new"));
  expect(locationOf(await create(b, "default", undefined, "at-b"))).toContain(below("new"));
  await a.iceberg.loadTable(ACTOR, { ...nameOf("default").ns, table: "at-b" }, ALL);
  await useAt(b, "default");
  // One that starts as it was started before moves it back, and knows both.
  const c = await start({ warehouse: below("old") });
  await c.iceberg.loadTable(ACTOR, { ...nameOf("default").ns, table: "at-b" }, ALL);
});

test("a location that one node allows is every node's, also after it is gone", async () => {
  const { start, below, told } = deployment();
  const a = await start({ warehouse: below("one") });
  await a.iceberg.createNamespace(ACTOR, nameOf("default").ns, {});
  const where = `${below("more")}/t`;
  await expect(create(a, "default", where)).rejects.toMatchObject(OUTSIDE);
  expect(told).toEqual([]);
  const b = await start({ warehouse: below("one"), allowLocation: below("more") });
  expect(told).toEqual([expect.stringContaining("further locations")]);
  await create(b, "default", where);
  await b.close();
  await useAt(a, "default");
  await useAt(await start({ warehouse: below("one") }), "default");
  await start({ warehouse: below("one"), allowLocation: below("more") });
  expect(told).toHaveLength(1);
});

test("what a catalog made at run time allows is what its node was told", async () => {
  const { start, below } = deployment();
  const a = await start({ warehouse: below("one") });
  const b = await start({ warehouse: below("one"), allowLocation: below("more") });
  await b.catalogs.create(ACTOR, "late", below("late"));
  await a.iceberg.createNamespace(ACTOR, nameOf("late").ns, {});
  await create(a, "late", `${below("more")}/t`);
});

test("what is unknown is looked up once: one read, and one more of each catalog", async () => {
  const { start, below, counter } = deployment();
  const a = await start({ warehouse: below("one") });
  const b = await start({ warehouse: below("one"), catalog: `two=${below("two")}` });
  const { ns } = nameOf("two");
  await b.iceberg.createNamespace(ACTOR, ns, {});
  const costs: unknown[] = [];
  for (const table of ["t", "u"]) {
    await create(b, "two", undefined, table);
    await a.iceberg.tableExists(ACTOR, { ...ns, table });
    counter.reset();
    await a.iceberg.loadTable(ACTOR, { ...ns, table }, ALL);
    costs.push(counter.cost().dynamo);
  }
  const warm = { BatchGetItem: 1 };
  // A version, the names of the catalogs, and each of the two.
  expect(costs).toEqual([{ GetItem: 1, Query: 1, BatchGetItem: 1 + 2 }, warm]);
});
