import { expect, test } from "vitest";
import { CatalogError } from "../../src/base/error.ts";
import { Locations } from "../../src/blob/locations.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { LoadedTable } from "../../src/service/requests.ts";
import { FaultyBlobStore } from "../support/faulty-blob-store.ts";
import { FaultyPointerStore } from "../support/faulty-pointer-store.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { openTestIceberg, SCHEMA, type TestIceberg } from "../support/open-iceberg.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

const NS = { catalog: "c", namespace: ["a"] } as const;
const T = { ...NS, table: "t" } as const;
const NEW = { name: "t", schema: SCHEMA, properties: {}, stageCreate: false } as const;

/** Has every look after a file go through `look`, which is given the way to look for real. */
function onLook(
  locations: Locations,
  look: (location: string, exists: () => Promise<boolean>) => Promise<boolean>,
): void {
  const exists = locations.exists.bind(locations);
  locations.exists = (location) => look(location, () => exists(location));
  locations.watch = (location) => () => locations.exists(location);
}

/** A node with a table, whose file is looked for once more and then no answer comes. */
async function withSilence(): Promise<TestIceberg & { created: LoadedTable; silence(): void }> {
  const node = await openTestIceberg();
  let answers = Number.POSITIVE_INFINITY;
  onLook(node.locations, async (_location, exists) => {
    if (answers-- > 0) return exists();
    throw new CatalogError("Unavailable", "BLOB_STORE_UNAVAILABLE", "no answer");
  });
  await node.iceberg.createNamespace(ACTOR, NS, {});
  const created = await node.iceberg.createTable(ACTOR, NS, NEW);
  const silence = (): void => {
    answers = 1;
  };
  return { ...node, created, silence };
}

test.each(["unregisterTable", "registerTable"] as const)(
  "what is committed is never answered as if it were not: %s",
  async (operation) => {
    const { iceberg, created, silence } = await withSilence();
    const register = { name: "u", metadataLocation: created.metadataLocation ?? "" };
    if (operation === "registerTable") {
      await iceberg.dropTable(ACTOR, T, { purgeRequested: false });
    }
    silence();
    const done =
      operation === "unregisterTable"
        ? iceberg.unregisterTable(ACTOR, T)
        : iceberg.registerTable(ACTOR, NS, { ...register, overwrite: false });
    await expect(done).rejects.toMatchObject({ kind: "Unknown", code: "OUTCOME_UNKNOWN" });
    const { items } = await iceberg.listTables(ACTOR, NS, {});
    expect(items).toEqual(operation === "unregisterTable" ? [] : ["u"]);
  },
);

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
