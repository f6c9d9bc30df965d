import { expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { Locations } from "../../src/blob/locations.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { Actor } from "../../src/service/actor.ts";
import type { LoadedTable } from "../../src/service/requests.ts";
import { checkStore } from "../catalog/support/check-store.ts";
import { FaultyBlobStore } from "../support/faulty-blob-store.ts";
import { FaultyPointerStore } from "../support/faulty-pointer-store.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { openTestIceberg, SCHEMA, type TestIceberg } from "../support/open-iceberg.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

const NS = { catalog: "c", namespace: ["a"] } as const;
const T = { ...NS, table: "t" } as const;
const NEW = { name: "t", schema: SCHEMA, properties: {}, stageCreate: false } as const;

/** Has every look at a file go through `look`, which is given the way to look for real. */
function onLook(
  locations: Locations,
  look: (location: string, exists: () => Promise<boolean>) => Promise<boolean>,
): void {
  const exists = locations.exists.bind(locations);
  locations.exists = (location) => look(location, () => exists(location));
  locations.watch = (location) => () => locations.exists(location);
  const [read, etagOf] = [locations.read.bind(locations), locations.etagOf.bind(locations)];
  const first = async <T>(location: string, ask: (location: string) => Promise<T>) =>
    (await look(location, () => exists(location))) ? ask(location) : undefined;
  locations.read = (location) => first(location, read);
  locations.etagOf = (location) => first(location, etagOf);
}

/** A node with a table, whose file is looked for once more and then no answer comes. */
async function withSilence(): Promise<TestIceberg & { created: LoadedTable; silence(): void }> {
  const node = await openTestIceberg();
  let answers = Number.POSITIVE_INFINITY;
  onLook(node.locations, async (_location, exists) => {
    if (answers-- > 0) return exists();
    throw new FirnError("Unavailable", "BLOB_STORE_UNAVAILABLE", "no answer");
  });
  await node.iceberg.createNamespace(ACTOR, NS, {});
  const created = await node.iceberg.createTable(ACTOR, NS, NEW);
  const silence = (): void => {
    answers = 1;
  };
  return { ...node, created, silence };
}

test("what is committed is never answered as if it were not: registerTable", async () => {
  const { iceberg, created, silence } = await withSilence();
  const { metadataLocation = "" } = created;
  await iceberg.dropTable(ACTOR, T, { purgeRequested: false });
  silence();
  const done = iceberg.registerTable(ACTOR, NS, { name: "u", metadataLocation, overwrite: false });
  await expect(done).rejects.toMatchObject({ kind: "Unknown", code: "OUTCOME_UNKNOWN" });
  const { items } = await iceberg.listTables(ACTOR, NS, {});
  expect(items).toEqual(["u"]);
});

test("what is unregistered is answered with what was read before", async () => {
  const { iceberg, created, silence } = await withSilence();
  silence();
  const gone = await iceberg.unregisterTable(ACTOR, T);
  expect(gone.metadataLocation).toBe(created.metadataLocation);
});

test("a register that takes itself back leaves what has its name by then alone", async () => {
  const { iceberg, locations } = await openTestIceberg();
  await iceberg.createNamespace(ACTOR, NS, {});
  let looks = Number.NEGATIVE_INFINITY;
  let old = "";
  onLook(locations, async (location, exists) => {
    if (location !== old || ++looks < 2) return exists();
    await iceberg.dropTable(ACTOR, T, { purgeRequested: false });
    await iceberg.createTable(ACTOR, NS, NEW);
    await locations.delete(old);
    return false;
  });
  old = (await iceberg.createTable(ACTOR, NS, NEW)).metadataLocation ?? "";
  await iceberg.dropTable(ACTOR, T, { purgeRequested: false });
  looks = 0;
  const request = { name: "t", metadataLocation: old, overwrite: false };
  const missing = { kind: "NotFound", code: "METADATA_FILE_MISSING" };
  await expect(iceberg.registerTable(ACTOR, NS, request)).rejects.toMatchObject(missing);
  expect(looks).toBe(2);
  await iceberg.tableExists(ACTOR, T);
});

/** A table, and the file of another one, which goes just after a register over the first. */
async function withFleetingFile(meanwhile: (home: string) => Promise<void> = async () => {}) {
  const stores = testStores();
  const node = await openTestIceberg(stores);
  const { iceberg, locations } = node;
  await iceberg.createNamespace(ACTOR, NS, {});
  const kept = await iceberg.createTable(ACTOR, NS, NEW);
  const other = await iceberg.createTable(ACTOR, NS, { ...NEW, name: "other" });
  await iceberg.dropTable(ACTOR, { ...NS, table: "other" }, { purgeRequested: false });
  const fleeting = other.metadataLocation ?? "";
  const home = kept.metadataLocation?.split("/metadata/")[0] ?? "";
  let looks = 0;
  onLook(locations, async (location, exists) => {
    if (location === fleeting && ++looks === 2) {
      await meanwhile(home);
      await locations.delete(fleeting);
    }
    return exists();
  });
  const request = { name: "t", metadataLocation: fleeting, overwrite: true };
  return { ...node, stores, kept, home, request };
}

test("a register over a table that is taken back leaves the table as it was", async () => {
  const { iceberg, catalog, stores, kept, home, request } = await withFleetingFile();
  const ref = { catalog: "c", path: NS.namespace, name: "t" };
  const { id } = (await catalog.tables.get(ref)).entity;
  const missing = { kind: "NotFound", code: "METADATA_FILE_MISSING" };
  await expect(iceberg.registerTable(ACTOR, NS, request)).rejects.toMatchObject(missing);
  const found = await iceberg.loadTable(ACTOR, T, { snapshots: "all" });
  expect(found).toMatchObject({ metadataLocation: kept.metadataLocation });
  const { entity } = await catalog.tables.get(ref);
  expect(entity.id).toBe(id);
  await checkStore(stores.pointers, stores.blobs);
  // It has its own place again, and the other one's is free.
  expect(entity.location).toBe(home);
});

test("a register over a table that cannot be taken back drops nothing", async () => {
  let rival = (_home: string): Promise<unknown> => Promise.resolve();
  const opened = withFleetingFile(async (home) => void (await rival(home)));
  const { iceberg, stores, request } = await opened;
  rival = (location) => iceberg.createTable(ACTOR, NS, { ...NEW, name: "rival", location });
  const missing = { code: "METADATA_FILE_MISSING" };
  await expect(iceberg.registerTable(ACTOR, NS, request)).rejects.toMatchObject(missing);
  const { items } = await iceberg.listTables(ACTOR, NS, {});
  expect(items).toEqual(["rival", "t"]);
  await checkStore(stores.pointers, stores.blobs);
});

test("a register that is replayed undoes nothing, whatever has become of its file", async () => {
  const { iceberg, locations } = await openTestIceberg();
  await iceberg.createNamespace(ACTOR, NS, {});
  const { metadataLocation = "" } = await iceberg.createTable(ACTOR, NS, NEW);
  await iceberg.dropTable(ACTOR, T, { purgeRequested: false });
  const request = { name: "t", metadataLocation, overwrite: false };
  const keyed = (): Actor => {
    const key = "0199d8a0-0000-7000-8000-000000000001";
    const requestHash = new Uint8Array(32).fill(1);
    return { ...ACTOR, idempotency: { key, requestHash, replayed: false } };
  };
  await iceberg.registerTable(keyed(), NS, request);
  await locations.delete(metadataLocation);
  const missing = { code: "METADATA_FILE_MISSING" };
  await expect(iceberg.registerTable(keyed(), NS, request)).rejects.toMatchObject(missing);
  await iceberg.tableExists(ACTOR, T);
});

test("to register over a table never fails for its going or coming meanwhile", async () => {
  for (const meanwhile of ["drops", "creates"] as const) {
    const stores = testStores({ clock: new SleepIsTime() });
    const rival = await openTestIceberg(stores);
    await rival.iceberg.createNamespace(ACTOR, NS, {});
    const old = await rival.iceberg.createTable(ACTOR, NS, { ...NEW, name: "old" });
    await rival.iceberg.dropTable(ACTOR, { ...NS, table: "old" }, { purgeRequested: false });
    if (meanwhile === "drops") await rival.iceberg.createTable(ACTOR, NS, NEW);
    let first: (() => Promise<unknown>) | undefined;
    const pointers = new FaultyPointerStore(stores.pointers, (_index, method) => {
      const until = first;
      if (until === undefined || method !== "commit") return undefined;
      first = undefined;
      return { fault: "stalled", applied: "after", until: async () => void (await until()) };
    });
    const ports = { ...testStores({ seed: 4 }), ...stores, pointers };
    const node = await openTestIceberg(ports, rival.directory);
    first = () =>
      meanwhile === "drops"
        ? rival.iceberg.dropTable(ACTOR, T, { purgeRequested: false })
        : rival.iceberg.createTable(ACTOR, NS, NEW);
    const request = { name: "t", metadataLocation: old.metadataLocation ?? "", overwrite: true };
    const done = await node.iceberg.registerTable(ACTOR, NS, request);
    expect(done.metadataLocation).toBe(old.metadataLocation);
    expect(first).toBeUndefined();
  }
});

test("a write that broke off is made whole by the next try, never deleted", async () => {
  const clock = new SleepIsTime();
  const inner = new MemoryBlobStore(clock);
  const store = new FaultyBlobStore(inner, (index) =>
    index === 0 ? { fault: "torn", bytes: 3 } : undefined,
  );
  const scheme = {
    normalize: (uri: string) => uri,
    open: (root: string) => ({ store, pathOf: (uri: string) => uri.slice(root.length + 1) }),
  };
  const locations = new Locations({
    allowedRoots: ["mem://w"],
    clock,
    prng: testStores().prng,
    schemes: new Map([["mem", scheme]]),
  });
  const bytes = Buffer.from("the whole of it");
  await expect(locations.write("mem://w/f", bytes)).rejects.toMatchObject({ kind: "Unknown" });
  await locations.writeAgain("mem://w/f", bytes);
  await locations.writeAgain("mem://w/f", bytes);
  expect(Buffer.from((await inner.get("f"))?.bytes ?? [])).toEqual(bytes);
  expect(store.history.map(({ method }) => method)).toEqual(["put", "get", "put", "get"]);
});
