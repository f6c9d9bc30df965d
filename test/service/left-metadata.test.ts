import { expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { type Fault, FaultyPointerStore } from "../support/faulty-pointer-store.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import {
  commitOf,
  openInMemory,
  openTestIceberg,
  SCHEMA,
  type TestIceberg,
} from "../support/open-iceberg.ts";
import { metadataOf } from "../support/snapshots.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

const NS = { catalog: "c", namespace: ["a"] } as const;
const T = { ...NS, table: "t" } as const;
const ALL = { snapshots: "all" } as const;
const CLEAN = "write.metadata.delete-after-commit.enabled";
const MAX = "write.metadata.previous-versions-max";

type Node = Omit<TestIceberg, "directory">;

async function make({ iceberg }: Node, properties: Readonly<Record<string, string>>) {
  await iceberg.createNamespace(ACTOR, NS, {});
  await iceberg.createTable(ACTOR, NS, {
    name: "t",
    schema: SCHEMA,
    properties,
    stageCreate: false,
  });
}

const set = (name: string, value: string) =>
  commitOf([{ action: "set-properties", updates: { [name]: value } }]);

async function commits({ iceberg }: Node, count: number): Promise<string[]> {
  const written: string[] = [];
  for (let n = 0; n < count; n++) {
    const { metadataLocation } = await iceberg.commitTable(ACTOR, T, set("n", `${n}`));
    written.push(metadataLocation ?? "");
  }
  return written;
}

/** The files that a table names, newest first; each of them has to be there. */
async function namedOf({ iceberg, locations }: Node): Promise<readonly string[]> {
  const loaded = await iceberg.loadTable(ACTOR, T, ALL);
  if (loaded === "not-modified") throw new Error("not loaded");
  const log = metadataOf(loaded)["metadata-log"] as readonly { readonly "metadata-file": string }[];
  const named = [loaded.metadataLocation ?? "", ...log.map((e) => e["metadata-file"]).toReversed()];
  for (const file of named) expect(await locations.exists(file), file).toBe(true);
  return named;
}

const STORES = {
  file: () => openTestIceberg(),
  bucket: () =>
    openInMemory(testStores(), new MemoryBlobStore(testStores().clock), { unwatched: true }),
} as const;

test.each(["file", "bucket"] as const)("what left the log goes, in a %s", async (kind) => {
  const node = await STORES[kind]();
  await make(node, { [CLEAN]: "true", [MAX]: "3" });
  const written = await commits(node, 20);
  await node.catalog.context.background.settled();
  expect(await namedOf(node)).toEqual(written.slice(-4).toReversed());
  for (const old of written.slice(0, -4)) expect(await node.locations.exists(old)).toBe(false);
  // What stands is still all there after nothing has changed, and after a shorter log.
  await node.iceberg.commitTable(ACTOR, T, set(MAX, "1"));
  await node.catalog.context.background.settled();
  expect(await namedOf(node)).toHaveLength(2);
  expect(await node.locations.exists(written.at(-2) ?? "")).toBe(false);
});

test("nothing goes unless the table asks for it", async () => {
  const node = await openTestIceberg();
  await make(node, { [MAX]: "3" });
  const written = await commits(node, 6);
  await node.catalog.context.background.settled();
  for (const old of written) expect(await node.locations.exists(old)).toBe(true);
});

test("a transaction lets go of what left the logs of its tables", async () => {
  const node = await openTestIceberg();
  await make(node, { [CLEAN]: "true", [MAX]: "1" });
  const [first, second] = await commits(node, 2);
  const change = { namespace: NS.namespace, table: "t", ...set("n", "x") };
  await node.iceberg.commitTransaction(ACTOR, "c", [change]);
  await node.catalog.context.background.settled();
  expect(await namedOf(node)).toContain(second);
  expect(await node.locations.exists(first ?? "")).toBe(false);
});

test("what was written before the table was registered stays: its undrop may want it", async () => {
  const clock = new SleepIsTime();
  const node = await openTestIceberg(testStores({ clock }));
  await make(node, { [CLEAN]: "true", [MAX]: "2" });
  const before = await commits(node, 3);
  await node.iceberg.dropTable(ACTOR, T, { purgeRequested: false });
  await clock.sleep(1_000);
  const request = { name: "t", metadataLocation: before.at(-1) ?? "", overwrite: false };
  await node.iceberg.registerTable(ACTOR, NS, request);
  const after = await commits(node, 5);
  await node.catalog.context.background.settled();
  for (const old of before.slice(1)) expect(await node.locations.exists(old)).toBe(true);
  expect(await node.locations.exists(after[1] ?? "")).toBe(false);
});

test("a file that was registered again meanwhile stays", async () => {
  const node = await openTestIceberg();
  await make(node, { [CLEAN]: "true", [MAX]: "2" });
  const { promise, resolve } = Promise.withResolvers<void>();
  const [old] = await commits(node, 3);
  node.catalog.context.background.run(() => promise);
  await commits(node, 1);
  const request = { name: "t", metadataLocation: old ?? "", overwrite: true };
  await node.iceberg.registerTable(ACTOR, NS, request);
  resolve();
  await node.catalog.context.background.settled();
  const loaded = await node.iceberg.loadTable(ACTOR, T, ALL);
  expect(loaded).toMatchObject({ metadataLocation: old });
  expect(await node.locations.exists(old ?? "")).toBe(true);
});

const FAULTS: readonly ((index: number) => Fault)[] = [
  () => ({ fault: "notSent" }),
  () => ({ fault: "answerLost" }),
  (index) => ({ fault: "late", lands: { beforeCall: index + 3 } }),
  () => ({ fault: "refused" }),
];

test("a fault at any call of any length: every file that the table names is there", async () => {
  let runs = 0;
  for (const fault of FAULTS) {
    for (const length of [1, 40]) {
      for (let at = 0, calls = 1; at < calls; at++) {
        const clock = new SleepIsTime();
        let first = Number.POSITIVE_INFINITY;
        const inner = testStores({ clock }).pointers;
        const store = new FaultyPointerStore(inner, (index) =>
          index >= first + at && index < first + at + length ? fault(index) : undefined,
        );
        const stores = testStores({ clock, pointers: store });
        const node = await openInMemory(stores, new MemoryBlobStore(clock), { unwatched: true });
        await make(node, { [CLEAN]: "true", [MAX]: "1" });
        await commits(node, 2);
        await node.catalog.context.background.settled();
        first = store.history.length;
        await commits(node, 1).catch((error: unknown) => expect(error).toBeInstanceOf(FirnError));
        await node.catalog.context.background.settled();
        calls = store.history.length - first;
        first = Number.POSITIVE_INFINITY;
        await store.releaseAll();
        await namedOf(node);
        runs++;
      }
    }
  }
  expect(runs).toBeGreaterThan(8);
});
