import { expect, test } from "vitest";
import type { JobId } from "../../src/base/ids.ts";
import { JobLease } from "../../src/catalog/jobs.ts";
import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import { ImportJobs, importJob } from "../../src/service/import-jobs.ts";
import type { RemoteCatalog } from "../../src/service/remote-catalog.ts";
import type { ImportedTable, RemotePlace } from "../../src/service/table-import.ts";
import { ACTOR, openTestCatalog, testStores } from "../support/open-catalog.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const CONNECTOR = {
  name: "other",
  description: "",
  kind: "ICEBERG_REST",
  uri: "https://other",
  options: {},
  policy: { enabled: true, intervalMs: 1_000, scope: [] },
  properties: {},
} as const;

type Outcome = Pick<ImportedTable, "outcome" | "code" | "message">;

/** A remote catalog of these tables, and the ones that a job has asked to bring here. */
async function world(names: readonly string[]) {
  const clock = new VirtualClock();
  const catalog = await openTestCatalog(testStores({ clock }));
  const { entity: into } = await catalog.catalogs.create(ACTOR, {
    name: "into",
    description: "",
    properties: {},
    defaultLocation: "file:///w",
    allowedLocations: [],
  });
  const { entity: connector } = await catalog.connectors.create(ACTOR, CONNECTOR);
  const remote = { tables: [...names] };
  const asked: string[] = [];
  /** Called before each table. */
  const events = { before: async (_name: string): Promise<Outcome> => ({ outcome: "registered" }) };
  const tables = {
    open: async () =>
      ({
        namespaces: async () => [["a"]],
        tables: async () => [...remote.tables].sort(),
      }) as unknown as RemoteCatalog,
    one: async (_actor: object, _run: object, place: RemotePlace): Promise<ImportedTable> => {
      asked.push(place.name);
      return { ...place, ...(await events.before(place.name)) };
    },
  };
  const jobs = new ImportJobs(catalog, tables);
  const id = catalog.context.ids.mint<JobId>();
  await catalog.jobs.begin(
    importJob(id, connector.id, { into: into.id, replace: false }, clock.nowMs()),
  );
  const take = async (): Promise<JobLease> => {
    const lease = await catalog.jobs.take(id);
    if (!(lease instanceof JobLease)) throw new Error("the job is not free");
    return lease;
  };
  const never = new AbortController().signal;
  return { clock, catalog, remote, asked, events, jobs, id, take, never };
}

test("a node that stops hands on what is left, and nothing is looked at twice", async () => {
  const { catalog, asked, events, jobs, id, take, never } = await world(["a", "b", "c", "d"]);
  const stop = new AbortController();
  events.before = async (name) => {
    if (name === "b") stop.abort();
    return name === "b"
      ? { outcome: "failed", code: "X", message: "y" }
      : { outcome: "registered" };
  };
  const first = await take();
  expect(await jobs.run(first, stop.signal)).toBe(false);
  await first.release(0);
  expect(asked).toEqual(["a", "b"]);
  expect(await catalog.jobs.get(id)).toMatchObject({ done: 2, failures: 1, lastFailure: "X" });
  expect(await jobs.run(await take(), never)).toBe(true);
  expect(asked).toEqual(["a", "b", "c", "d"]);
  expect(await catalog.jobs.get(id)).toMatchObject({
    step: "done",
    done: 4,
    total: 4,
    failures: 1,
    lastFailure: "X",
    lastMessage: "y",
  });
});

test("a node that dies is followed by one that goes on from its last note", async () => {
  const { clock, catalog, asked, events, jobs, id, take, never } = await world(["a", "b", "c"]);
  events.before = async (name) => {
    await clock.advance(2_000);
    if (name === "c") throw new Error("killed");
    return { outcome: "registered" };
  };
  await expect(jobs.run(await take(), never)).rejects.toThrow("killed");
  events.before = async () => ({ outcome: "registered" });
  await clock.advance(CATALOG_LIMITS.jobLeaseMs);
  expect(await jobs.run(await take(), never)).toBe(true);
  expect(asked).toEqual(["a", "b", "c", "c"]);
  expect(await catalog.jobs.get(id)).toMatchObject({ step: "done", done: 3, total: 3 });
});

test("where the table that it stood at has gone, it begins again", async () => {
  const { catalog, remote, asked, events, jobs, id, take, never } = await world(["a", "b", "c"]);
  const stop = new AbortController();
  events.before = async (name) => {
    if (name === "b") stop.abort();
    return { outcome: "registered" };
  };
  const first = await take();
  expect(await jobs.run(first, stop.signal)).toBe(false);
  await first.release(0);
  remote.tables.splice(1, 1);
  const second = await take();
  expect(await jobs.run(second, never)).toBe(false);
  await second.release(0);
  expect(await jobs.run(await take(), never)).toBe(true);
  expect(asked).toEqual(["a", "b", "a", "c"]);
  expect(await catalog.jobs.get(id)).toMatchObject({ done: 2, total: 2, failures: 0 });
});

test("a holder that has lost its job brings nothing more here", async () => {
  const { clock, asked, events, jobs, take, never } = await world(["a", "b"]);
  events.before = async () => {
    await clock.advance(CATALOG_LIMITS.jobLeaseMs + 1);
    await take();
    return { outcome: "registered" };
  };
  await expect(jobs.run(await take(), never)).rejects.toMatchObject({ code: "JOB_LEASE_LOST" });
  expect(asked).toEqual(["a"]);
});

test("it ends when it is cancelled, and what came stays", async () => {
  const { catalog, asked, events, jobs, id, take, never } = await world(["a", "b"]);
  events.before = async () => {
    await catalog.jobs.cancel(id);
    return { outcome: "registered" };
  };
  await expect(jobs.run(await take(), never)).rejects.toMatchObject({ code: "JOB_LEASE_LOST" });
  expect(await jobs.run(await take(), never)).toBe(true);
  const over = await catalog.jobs.get(id);
  expect(over).toMatchObject({ step: "done", cancelled: true, lastFailure: "JOB_CANCELLED" });
  expect(asked).toContain("a");
  await expect(catalog.jobs.cancel(id)).rejects.toMatchObject({ code: "JOB_OVER" });
});

test.each([
  ["connector", "CONNECTOR_NOT_FOUND"],
  ["catalog", "CATALOG_NOT_FOUND"],
] as const)("it ends when its %s has gone", async (what, code) => {
  const { catalog, asked, jobs, id, take, never } = await world(["a"]);
  if (what === "connector") await catalog.connectors.delete(ACTOR, "other", () => {});
  else await catalog.catalogs.drop(ACTOR, "into");
  expect(await jobs.run(await take(), never)).toBe(true);
  expect(await catalog.jobs.get(id)).toMatchObject({ step: "done", lastFailure: code });
  expect(asked).toEqual([]);
});
