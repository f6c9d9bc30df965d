import { expect, test } from "vitest";
import type { JobId, NamespaceId, WriterId } from "../../src/base/ids.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import { byIdKey } from "../../src/catalog/paths.ts";
import { SERVICE_LIMITS } from "../../src/service/limits.ts";
import type { Fault } from "../support/faulty-pointer-store.ts";
import { FaultyPointerStore } from "../support/faulty-pointer-store.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { openInMemory } from "../support/open-iceberg.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const NS = { catalog: "c", namespace: ["a"] } as const;
const DAY_MS = 86_400_000;
const POLL_MS = SERVICE_LIMITS.jobPollMs;

/** Nodes over one store; of each, the store's calls that it made. */
async function world() {
  const clock = new VirtualClock();
  const stores = testStores({ clock });
  const files = new MemoryBlobStore(clock);
  const open = async (fault: () => Fault | undefined = () => undefined) => {
    const pointers = new FaultyPointerStore(stores.pointers, fault);
    const node = await openInMemory({ ...stores, pointers }, files);
    let from = pointers.history.length;
    /** Methods called since the last time that this was asked. */
    const calls = (): readonly string[] => {
      const since = pointers.history.slice(from).map(({ method }) => method);
      from += since.length;
      return since;
    };
    return { ...node, calls };
  };
  return { clock, open };
}

const LOOK = Array.from({ length: CATALOG_LIMITS.jobBuckets }, () => "list");

test("an idle node looks once, at its start, and never again", async () => {
  const { clock, open } = await world();
  const { runner, calls } = await open();
  runner.start();
  await clock.advance(0);
  expect(calls()).toEqual(LOOK);
  await clock.advance(60 * DAY_MS);
  expect(calls()).toEqual([]);
  await runner.stop();
  expect(clock.sleeping).toBe(0);
});

test("while it is used a node looks once a while, and no more when it is not", async () => {
  const { clock, open } = await world();
  const { runner, iceberg, calls } = await open();
  await iceberg.createNamespace(ACTOR, NS, {});
  runner.start();
  await clock.advance(0);
  calls();
  for (let second = 0; second < 600; second++) {
    await iceberg.loadNamespace(ACTOR, NS);
    await clock.advance(1_000);
  }
  const looks = calls().filter((method) => method === "list").length / CATALOG_LIMITS.jobBuckets;
  expect(looks).toBe(600_000 / POLL_MS - 1);
  await clock.advance(DAY_MS);
  expect(calls()).toEqual([]);
  await runner.stop();
});

test("what is due is done by itself, and not before", async () => {
  const { clock, open } = await world();
  const { runner, iceberg, dropped, calls } = await open();
  runner.start();
  await iceberg.createNamespace(ACTOR, NS, {});
  await iceberg.dropNamespace(ACTOR, NS);
  calls();
  await clock.advance(CATALOG_LIMITS.dropRetentionMs - 1);
  expect(calls()).toEqual([]);
  expect((await dropped.list(ACTOR)).items).toHaveLength(1);
  await clock.advance(POLL_MS + 1);
  expect((await dropped.list(ACTOR)).items).toEqual([]);
  calls();
  // Until the record of the purge is to go, which is one more job.
  await clock.advance(CATALOG_LIMITS.jobKeptMs - POLL_MS - 1);
  expect(calls()).toEqual([]);
  await clock.advance(2 * POLL_MS);
  expect(calls()).toContain("commit");
  await clock.advance(60 * DAY_MS);
  expect(calls()).toEqual([]);
  await runner.stop();
  await runner.stop();
});

test("a job whose node died is done by one that is idle, once one request has come", async () => {
  const { clock, open } = await world();
  const [doomed, idle] = [await open(), await open()];
  for (const { runner } of [doomed, idle]) runner.start();
  await doomed.iceberg.createNamespace(ACTOR, NS, {});
  await clock.advance(2 * POLL_MS);
  idle.calls();
  await doomed.iceberg.dropNamespace(ACTOR, NS);
  // It takes what it knows with it.
  await doomed.runner.stop();
  await clock.advance(CATALOG_LIMITS.dropRetentionMs + DAY_MS);
  expect(idle.calls()).toEqual([]);
  expect((await idle.dropped.list(ACTOR)).items).toHaveLength(1);
  await idle.iceberg.listNamespaces(ACTOR, "c", [], {});
  await clock.advance(0);
  expect((await idle.dropped.list(ACTOR)).items).toEqual([]);
  await idle.runner.stop();
});

test("a look tells when others' jobs are due: then it needs no request", async () => {
  const { clock, open } = await world();
  const doomed = await open();
  await doomed.iceberg.createNamespace(ACTOR, NS, {});
  await doomed.iceberg.dropNamespace(ACTOR, NS);
  const idle = await open();
  idle.runner.start();
  await clock.advance(0);
  expect(idle.calls()).toEqual(LOOK);
  await clock.advance(CATALOG_LIMITS.dropRetentionMs + POLL_MS);
  expect((await idle.dropped.list(ACTOR)).items).toEqual([]);
  await idle.runner.stop();
});

test("a job that a dead node held is taken up when its lease is over", async () => {
  const { clock, open } = await world();
  const doomed = await open();
  await doomed.iceberg.createNamespace(ACTOR, NS, {});
  await doomed.iceberg.dropNamespace(ACTOR, NS);
  await clock.advance(CATALOG_LIMITS.dropRetentionMs);
  const { due } = await doomed.catalog.jobs.due();
  expect(due).toHaveLength(1);
  for (const id of due) await doomed.catalog.jobs.take(id);
  const idle = await open();
  idle.runner.start();
  await clock.advance(CATALOG_LIMITS.jobLeaseMs - 1);
  expect((await idle.dropped.list(ACTOR)).items).toHaveLength(1);
  await clock.advance(POLL_MS + 1);
  expect((await idle.dropped.list(ACTOR)).items).toEqual([]);
  await idle.runner.stop();
});

test("a job whose subject is gone ends, and leaves no lease and nothing due", async () => {
  const { clock, open } = await world();
  const { catalog, runner, iceberg } = await open();
  await iceberg.createNamespace(ACTOR, NS, {});
  await iceberg.dropNamespace(ACTOR, NS);
  await clock.advance(CATALOG_LIMITS.dropRetentionMs);
  const [id = "" as JobId] = (await catalog.jobs.due()).due;
  // A store that was damaged, or mended by hand: the entity went without its job.
  const { account, pointers } = catalog.context;
  const key = byIdKey("namespace", account, id as string as NamespaceId);
  const { version: expected } = await pointers.get(key);
  const writerId = catalog.context.ids.mint<WriterId>();
  await pointers.commit({ writerId, ops: [{ op: "delete", key, expected }] });
  await runner.run(id);
  expect(await catalog.jobs.get(id)).toBeUndefined();
  expect(await catalog.jobs.due()).toMatchObject({ due: [] });
});

test("a look that the store does not answer is made again", async () => {
  const { clock, open } = await world();
  const maker = await open();
  await maker.iceberg.createNamespace(ACTOR, NS, {});
  await maker.iceberg.dropNamespace(ACTOR, NS);
  await clock.advance(CATALOG_LIMITS.dropRetentionMs);
  let down = false;
  const node = await open(() => (down ? { fault: "notSent" } : undefined));
  down = true;
  node.runner.start();
  await clock.advance(POLL_MS / 2);
  down = false;
  expect((await maker.dropped.list(ACTOR)).items).toHaveLength(1);
  await clock.advance(2 * POLL_MS);
  expect((await maker.dropped.list(ACTOR)).items).toEqual([]);
  await node.runner.stop();
});
