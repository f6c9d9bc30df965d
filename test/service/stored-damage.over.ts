import { expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { sha256Hex } from "../../src/base/hash.ts";
import type { AccountId, WriterId } from "../../src/base/ids.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { decodeChange, encodeChange } from "../../src/catalog/codec/change.ts";
import { decodePayload, encodePayload } from "../../src/catalog/codec/entities.ts";
import { decodeJob, encodeJob } from "../../src/catalog/codec/job.ts";
import { decodeSummary, encodeSummary } from "../../src/catalog/codec/summary.ts";
import { KEY_FAMILIES, parseKey } from "../../src/catalog/keys.ts";
import type { Entity } from "../../src/catalog/model.ts";
import { payloadPath } from "../../src/catalog/paths.ts";
import { MemoryPointerStore } from "../../src/pointer/memory.ts";
import type { Live, PointerOp } from "../../src/pointer/port.ts";
import { takeBackup } from "../../src/service/backup/take.ts";
import { SERVICE_LIMITS } from "../../src/service/limits.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { commitOf, openInMemory, SCHEMA } from "../support/open-iceberg.ts";
import { addSnapshot, metadataOf, setRef } from "../support/snapshots.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

/*
 * Whatever stands in a store, an operation says what is wrong with it: `Corrupt`, or what follows
 * from it. An assertion that trips over what was stored would blame our own code, and end a
 * collection or a check that could have gone on.
 */

/** Those at the end have each broken something that the others did not. */
const SEEDS = [...Array.from({ length: 100 }, (_, i) => i + 1), 214, 399, 544];
const C = { catalog: "c" } as const;
const NS = { catalog: "c", namespace: ["n"] } as const;
const T = { ...NS, table: "t" } as const;
const SUBJECT = { type: "table", catalog: "c", namespace: ["n"], name: "t" } as const;
const WRITER = "00000000-0000-7000-8000-00000000dead" as WriterId;

async function open() {
  const clock = new SleepIsTime();
  await clock.sleep(Date.UTC(2026, 0, 1));
  const pointers = new MemoryPointerStore({ families: KEY_FAMILIES, clock });
  const stores = testStores({ clock, pointers });
  const files = new MemoryBlobStore(clock);
  const node = await openInMemory(stores, files);
  const { iceberg } = node;
  await iceberg.createNamespace(ACTOR, NS, {});
  await iceberg.createNamespace(ACTOR, { ...C, namespace: ["n", "m"] }, {});
  for (const name of ["t", "u", "gone"]) {
    const request = { name, schema: SCHEMA, properties: {}, stageCreate: false };
    await iceberg.createTable(ACTOR, NS, request);
  }
  await iceberg.dropTable(ACTOR, { ...NS, table: "gone" }, { purgeRequested: true });
  await append(node, 1_001n);
  await iceberg.reportMetrics(ACTOR, T, { "report-type": "scan-report" });
  await node.reports.settled();
  await node.catalog.context.background.settled();
  return { node, stores, clock };
}

type World = Awaited<ReturnType<typeof open>>;

async function append({ iceberg }: World["node"], id: bigint): Promise<void> {
  const loaded = await iceberg.loadTable(ACTOR, T, { snapshots: "all" });
  const updates = [addSnapshot(metadataOf(loaded), id), setRef("main", id)];
  await iceberg.commitTable(ACTOR, T, commitOf(updates));
}

/** A value like this one, and wrong. */
function other(value: unknown, prng: SeededPrng): unknown {
  const of = <T>(all: readonly T[]): T => all[Math.floor(prng.float() * all.length)] as T;
  switch (typeof value) {
    case "number":
      return of([0, 1, value + 1, Math.max(0, value - 1), 2 ** 52]);
    case "bigint":
      return of([0n, 1n, value + 1n, value - 1n, 2n ** 62n, -1n]);
    case "boolean":
      return !value;
    case "string":
      return of(["", "x", `${value}x`, value.slice(1), "../..", "%2F"]);
    default:
      if (value instanceof Uint8Array) return of([new Uint8Array(), value.subarray(1)]);
      if (Array.isArray(value)) return of([[], value.slice(1), [...value, ...value]]);
      return undefined;
  }
}

/** An object with one field, at whatever depth, that is wrong. */
function twisted<T extends object>(from: T, prng: SeededPrng): T {
  const names = Object.keys(from) as (keyof T)[];
  const name = names[Math.floor(prng.float() * names.length)];
  if (name === undefined) return from;
  const value: unknown = from[name];
  const isDeep = typeof value === "object" && value !== null && !(value instanceof Uint8Array);
  const isInside = isDeep && Object.keys(value).length > 0 && prng.float() < 0.8;
  const inside = (): unknown => {
    const of = twisted(value as object, prng);
    return Array.isArray(value) ? Object.values(of) : of;
  };
  return { ...from, [name]: isInside ? inside() : other(value, prng) };
}

function flipped(bytes: Uint8Array, prng: SeededPrng): Uint8Array {
  const copy = new Uint8Array(bytes);
  const at = Math.floor(prng.float() * copy.length);
  if (at < copy.length) copy[at] = (copy[at] ?? 0) ^ (1 << Math.floor(prng.float() * 8));
  return copy;
}

/** The summary of a pointer with one field that is wrong; undefined where it has none to twist. */
function summaryOf(item: Live, prng: SeededPrng): Uint8Array | undefined {
  const { summary } = item;
  if (summary === undefined) return undefined;
  if (prng.float() < 0.25) return flipped(summary, prng);
  const { family, values } = parseKey(item.key);
  switch (family) {
    case "change":
      return encodeChange(twisted(decodeChange(summary), prng));
    case "jobById":
      return encodeJob(twisted(decodeJob(values[1] as never, summary), prng));
    case "receipt":
    case "keyedReceipt":
    case "snapshotById":
    case "snapshotByTime":
      return flipped(summary, prng);
    default:
      return encodeSummary(twisted(decodeSummary(summary), prng));
  }
}

/** Gives an entity another content, under the hash that belongs to it. */
async function rewritten({ stores }: World, item: Live, prng: SeededPrng): Promise<string> {
  const { entityType } = decodeSummary(item.summary as Uint8Array);
  const blob = await stores.blobs.get(item.blobPath as string);
  const { entity, envelope } = decodePayload(entityType, blob?.bytes as Uint8Array);
  const { bytes } = encodePayload(envelope, twisted(entity, prng) as Entity);
  const [account = ""] = parseKey(item.key).values;
  const path = payloadPath(
    entityType,
    account as AccountId,
    entityType === "account" ? account : entity.id,
    sha256Hex(bytes),
  );
  await stores.blobs.put(path, bytes);
  return path;
}

/** @returns what was done, or undefined where that cannot even be written. */
async function plant(world: World, prng: SeededPrng): Promise<string | undefined> {
  const { pointers } = world.stores;
  const items = new Map<string, Live[]>();
  for await (const item of pointers.sweep("/")) {
    if (item.state !== "live") continue;
    const { family } = parseKey(item.key);
    items.set(family, [...(items.get(family) ?? []), item]);
  }
  const of = <T>(all: readonly T[]): T => all[Math.floor(prng.float() * all.length)] as T;
  const item = of(of([...items.values()]));
  const { key, version: expected, summary, blobPath } = item;
  const isEntity = /\/by-id\//.test(key) && blobPath !== undefined && !key.includes("/snapshots/");
  const put = (more: object): PointerOp => ({
    op: "put",
    key,
    expected,
    ...(summary !== undefined && { summary }),
    ...(blobPath !== undefined && { blobPath }),
    ...more,
  });
  let op: PointerOp;
  let what: string;
  try {
    const chance = prng.float();
    if (chance < 0.1) [op, what] = [{ op: "delete", key, expected }, "deleted"];
    else if (isEntity && chance < 0.5) {
      [op, what] = [put({ blobPath: await rewritten(world, item, prng) }), "payload"];
    } else {
      const said = summaryOf(item, prng);
      if (said === undefined) return undefined;
      [op, what] = [put({ summary: said }), "summary"];
    }
  } catch {
    return undefined;
  }
  const { outcome } = await pointers.commit({ writerId: WRITER, ops: [op] });
  return outcome === "committed" ? `${what} of ${key}` : undefined;
}

/** Everything that somebody may ask for, and what works by itself. */
function operations({ node, stores, clock }: World): Record<string, () => Promise<unknown>> {
  const { iceberg, dropped, snapshots, history, jobsAdmin, catalog } = node;
  const target = new MemoryBlobStore(clock);
  const all = async (found: AsyncIterable<unknown>): Promise<void> => {
    for await (const _ of found);
  };
  const { historyRetentionMs } = SERVICE_LIMITS;
  return {
    namespaces: () => iceberg.listNamespaces(ACTOR, "c", [], {}),
    tables: () => iceberg.listTables(ACTOR, NS, {}),
    load: () => iceberg.loadTable(ACTOR, T, { snapshots: "all" }),
    commit: () => append(node, 1_002n),
    create: () =>
      iceberg.createTable(ACTOR, NS, {
        name: "new",
        schema: SCHEMA,
        properties: {},
        stageCreate: false,
      }),
    child: () => iceberg.createNamespace(ACTOR, { ...C, namespace: ["n", "o"] }, {}),
    update: () => iceberg.updateNamespace(ACTOR, NS, { removals: [], updates: { a: "b" } }),
    childless: () => iceberg.dropNamespace(ACTOR, { ...C, namespace: ["n", "m"] }),
    snapshots: () => snapshots.list(ACTOR, T, { limit: 10 }),
    current: () => snapshots.current(ACTOR, T),
    versions: () => history.versions(ACTOR, SUBJECT, { limit: 10 }),
    at: () => history.at(ACTOR, SUBJECT, { timeMs: clock.nowMs() }),
    audit: () => history.audit(ACTOR, { fromMs: clock.nowMs() - 60_000, toMs: clock.nowMs() }),
    rename: () =>
      iceberg.renameTable(ACTOR, {
        ...C,
        from: { namespace: ["n"], table: "u" },
        to: { namespace: ["n"], table: "v" },
      }),
    drop: () => iceberg.dropTable(ACTOR, T, { purgeRequested: false }),
    dropped: () => dropped.list(ACTOR),
    undrop: async () => {
      for (const { id } of (await dropped.list(ACTOR)).items) await dropped.undrop(ACTOR, id);
    },
    jobs: () => jobsAdmin.list(ACTOR),
    check: () => all(node.fsck(new MemoryBlobStore(clock), stores.blobs).run(true)),
    look: () => node.collector.look(new AbortController().signal),
    backup: () => takeBackup({ ...stores, target, historyRetentionMs }, "default"),
    "due jobs": async () => {
      await clock.sleep(SERVICE_LIMITS.gcPeriodMs * 8);
      await node.collector.ask();
      await node.runner.runDue();
      const { items } = await jobsAdmin.list(ACTOR);
      const failed = items.find(({ error }) => /INTERNAL|ASSERTION/.test(error?.code ?? ""));
      if (failed !== undefined) throw new Error(`job ${failed.id}: ${failed.error?.message}`);
    },
    settled: () => catalog.context.background.settled(),
  };
}

/** A check has to go on, whatever it meets: what stops it hides all that comes after. */
function isDefect(operation: string, error: unknown): boolean {
  return !(error instanceof FirnError) || error.kind === "Internal" || operation === "check";
}

test("every operation succeeds over what nothing has damaged", async () => {
  for (const [name, run] of Object.entries(operations(await open()))) {
    await expect(run(), name).resolves.not.toThrow();
  }
});

test("no operation takes what is damaged for a defect of its own", async () => {
  const defects: string[] = [];
  let told = 0;
  for (const seed of SEEDS) {
    const prng = new SeededPrng(seed);
    const world = await open();
    let damage: string | undefined;
    for (let tries = 0; damage === undefined && tries < 20; tries++) {
      damage = await plant(world, prng);
    }
    if (damage === undefined) throw new Error(`seed ${seed} plants nothing`);
    for (const [name, run] of Object.entries(operations(world))) {
      try {
        await run();
      } catch (error) {
        told++;
        if (isDefect(name, error)) {
          defects.push(`${seed}: ${name} after ${damage}: ${error}`);
        }
      }
    }
  }
  expect(defects).toEqual([]);
  expect(told).toBeGreaterThan(SEEDS.length / 4);
}, 120_000);
