import { expect } from "vitest";
import { IdSource } from "../../../src/base/ids.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import type { AccountStores } from "../../../src/catalog/accounts.ts";
import { blobsOfChange } from "../../../src/catalog/references.ts";
import { readChange, walkPayloads, walkPointers } from "../../../src/catalog/walk.ts";
import type { PointerStore } from "../../../src/pointer/port.ts";
import { GC_JOB, readJob } from "../../../src/service/gc/job.ts";
import type { GcParts } from "../../../src/service/gc/parts.ts";
import { SERVICE_LIMITS } from "../../../src/service/limits.ts";
import type { NodeGc } from "../../../src/service/node.ts";
import { ACTOR, type TestStores, testStores } from "../../support/open-catalog.ts";
import { commitOf, openInMemory, SCHEMA, type TestIceberg } from "../../support/open-iceberg.ts";
import { SleepIsTime } from "../../support/virtual-clock.ts";

export const DAY_MS = 86_400_000;
/** From the end of a first mark on, a second one may begin. */
export const GRACE_MS: number = SERVICE_LIMITS.gcGraceMs + 2 * LIMITS.clockSkewMs;

export const NS = { catalog: "c", namespace: ["a"] } as const;
export const T = { catalog: "c", namespace: ["a"], table: "t" } as const;

export type Deleted = Parameters<NonNullable<GcParts["onDeleted"]>>[0];
export type Stopped = Parameters<NonNullable<GcParts["onStopped"]>>[0];

/** A node over stores that a test shares between several. */
export type GcNode = Omit<TestIceberg, "directory"> & {
  readonly deleted: Deleted[];
  readonly stops: Stopped[];
};

export interface GcWorld {
  readonly clock: SleepIsTime;
  readonly stores: TestStores;
  readonly files: MemoryBlobStore;
  /** Opens a node; `wrap` puts something between it and the stores. */
  open(wrap?: Wrap): Promise<GcNode>;
}

export interface Wrap {
  readonly pointers?: (inner: PointerStore) => PointerStore;
  readonly blobs?: (inner: BlobStore) => BlobStore;
  readonly files?: (inner: BlobStore) => BlobStore;
  readonly gc?: NodeGc;
  readonly pointersExpire?: boolean;
  readonly clock?: AccountStores["clock"];
}

/** Stores in memory, and time that passes by sleeping. */
export function gcWorld(seed = 1): GcWorld {
  const clock = new SleepIsTime();
  const stores = testStores({ clock, seed });
  const files = new MemoryBlobStore(clock);
  let nodes = 0;
  const same = <S>(inner: S): S => inner;
  const open = async (wrap: Wrap = {}): Promise<GcNode> => {
    const { pointers = same, blobs = same, files: wrapFiles = same, gc = {} } = wrap;
    const deleted: Deleted[] = [];
    const stops: Stopped[] = [];
    const prng = new SeededPrng(seed * 1_000 + nodes++);
    const own = wrap.clock ?? clock;
    const parts: AccountStores = {
      ...stores,
      clock: own,
      prng,
      ids: new IdSource(own, prng),
      pointers: pointers(stores.pointers),
      blobs: blobs(stores.blobs),
    };
    const told = {
      onDeleted: (facts: Deleted) => void deleted.push(facts),
      onStopped: (facts: Stopped) => void stops.push(facts),
    };
    const node = await openInMemory(parts, wrapFiles(files), {
      gc: { ...told, ...gc },
      ...(wrap.pointersExpire === undefined ? {} : { pointersExpire: wrap.pointersExpire }),
    });
    return { ...node, deleted, stops };
  };
  return { clock, stores, files, open };
}

/** Table `t`, and so many commits of it. */
export async function makeTable(
  { iceberg }: Pick<GcNode, "iceberg">,
  properties: Readonly<Record<string, string>> = {},
): Promise<void> {
  await iceberg.createNamespace(ACTOR, NS, {});
  await iceberg.createTable(ACTOR, NS, {
    name: "t",
    schema: SCHEMA,
    stageCreate: false,
    properties,
  });
}

export function setProperty(name: string, value: string): ReturnType<typeof commitOf> {
  return commitOf([{ action: "set-properties", updates: { [name]: value } }]);
}

export async function commits({ iceberg }: Pick<GcNode, "iceberg">, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await iceberg.commitTable(ACTOR, T, setProperty("n", `${n}`));
}

/** Takes the job of the collection up at once, if nobody holds it. */
export async function collect({ collector, runner }: GcNode): Promise<boolean> {
  await collector.ask();
  return runner.runEarly(GC_JOB);
}

/** A whole run: the first mark, the grace, the second mark, the deletes. */
export async function collectAll(clock: SleepIsTime, node: GcNode): Promise<void> {
  expect(await collect(node)).toBe(true);
  await clock.sleep(GRACE_MS);
  expect(await collect(node)).toBe(true);
}

/** Where the run of the account stands. */
export async function stepOfRun({ catalog }: Pick<GcNode, "catalog">): Promise<string | undefined> {
  return (await readJob(catalog.context))?.step.split(" ")[0];
}

/** Paths of all payloads. */
export async function payloads({ stores }: Pick<GcWorld, "stores">): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { path } of walkPayloads(stores)) found.push(path);
  return found;
}

export async function keysOf(
  { stores }: Pick<GcWorld, "stores">,
  part: string,
  state: "live" | "absent" = "live",
): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const item of stores.pointers.sweep("/")) {
    if (item.state === state && item.key.includes(part)) found.push(item.key);
  }
  return found;
}

/** Payloads that a live pointer, or a change record, names and that are not there. */
export async function broken({ stores }: Pick<GcWorld, "stores">): Promise<readonly string[]> {
  const there = new Set(await payloads({ stores }));
  const missing: string[] = [];
  for await (const walked of walkPointers(stores)) {
    if (walked.state === "unreadable") missing.push(`unreadable ${walked.item.key}`);
    if (walked.state !== "live") continue;
    const named = [walked.references.blob, ...walked.references.blobs];
    const { content, account } = walked.references;
    if (content.is === "change" && content.record === undefined && account !== undefined) {
      named.push(...blobsOfChange(account, await readChange(stores.blobs, walked)));
    }
    for (const path of named) {
      if (path !== undefined && !there.has(path)) missing.push(`${walked.item.key} -> ${path}`);
    }
  }
  return missing;
}
