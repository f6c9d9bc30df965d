import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JobId } from "../../src/base/ids.ts";
import type { AccountStores } from "../../src/catalog/accounts.ts";
import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import type { PointerStore } from "../../src/pointer/port.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { openTestIceberg, scratchDirectory, type TestIceberg } from "../support/open-iceberg.ts";
import { plantTable } from "../support/planted-table.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

const NS = { catalog: "c", namespace: ["a"] } as const;
const T = { ...NS, table: "t" } as const;
const GONE = { kind: "NotFound", code: "DROPPED_NOT_FOUND" };

/** Every file of a directory, by its path below. */
function filesOf(directory: string): readonly string[] {
  const all = readdirSync(directory, { recursive: true, withFileTypes: true });
  return all
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort();
}

interface Planted extends TestIceberg {
  readonly stores: AccountStores;
  readonly id: string;
  readonly root: string;
  readonly metadataLocation: string;
  /** Lets the retention pass. */
  readonly later: () => Promise<void>;
}

/** A table that PyIceberg wrote, registered, with a stranger's file in its directory. */
async function planted(version: "v1" | "v2" = "v2", given?: AccountStores): Promise<Planted> {
  const stores = given ?? testStores({ clock: new SleepIsTime() });
  const directory = scratchDirectory();
  const metadataLocation = plantTable(version, directory);
  const node = await openTestIceberg(stores, directory);
  await node.iceberg.createNamespace(ACTOR, NS, {});
  await register(node, "t", metadataLocation);
  const { entity } = await node.catalog.tables.get({ catalog: "c", path: ["a"], name: "t" });
  const root = join(directory, version);
  writeFileSync(join(root, "data", "stranger.parquet"), "not the table's");
  const later = () => stores.clock.sleep(CATALOG_LIMITS.dropRetentionMs);
  return { ...node, stores, id: entity.id, root, metadataLocation, later };
}

function register({ iceberg }: TestIceberg, name: string, metadataLocation: string) {
  return iceberg.registerTable(ACTOR, NS, { name, metadataLocation, overwrite: false });
}

function drop({ iceberg }: TestIceberg, purgeRequested = true, table = "t") {
  return iceberg.dropTable(ACTOR, { ...NS, table }, { purgeRequested });
}

/** Lets the table go for good, and its files stay. */
async function forget(node: Planted): Promise<void> {
  await drop(node, false);
  await node.later();
  await node.runner.runDue();
}

/** What the catalog still knows of a table, apart from the record of its purge. */
async function remains({ stores, id }: Planted): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const item of stores.pointers.sweep("/")) {
    if (item.state === "absent" || !item.key.includes(id)) continue;
    if (!item.key.includes("/jobs/")) keys.push(item.key);
  }
  return keys;
}

test.each(["v1", "v2"] as const)("a table of PyIceberg loses its files, %s", async (version) => {
  const node = await planted(version);
  const before = filesOf(node.root);
  expect(before.length).toBeGreaterThan(15);
  await drop(node);
  await node.runner.runDue();
  expect(filesOf(node.root)).toEqual(before);
  await node.later();
  await node.runner.runDue();
  expect(filesOf(node.root)).toEqual(["data/stranger.parquet"]);
  expect(await remains(node)).toEqual([]);
  await expect(node.dropped.undrop(ACTOR, node.id)).rejects.toMatchObject(GONE);
});

test("after the retention a drop can be taken back until a node looks", async () => {
  const node = await planted();
  await drop(node);
  await node.later();
  await node.dropped.undrop(ACTOR, node.id);
  await node.runner.runDue();
  await node.iceberg.tableExists(ACTOR, T);
  expect(existsSync(node.metadataLocation.slice("file://".length))).toBe(true);
});

test("without a purge no file goes, and the metadata may be registered again", async () => {
  const node = await planted();
  const before = filesOf(node.root);
  await drop(node, false);
  await node.later();
  await node.runner.runDue();
  expect(filesOf(node.root)).toEqual(before);
  expect(await remains(node)).toEqual([]);
  await register(node, "again", node.metadataLocation);
});

test("gc.enabled=false keeps every file", async () => {
  const node = await planted();
  const path = node.metadataLocation.slice("file://".length);
  const metadata = JSON.parse(readFileSync(path, "utf8"));
  await forget(node);
  metadata.properties["gc.enabled"] = "false";
  const kept = path.replace("00004-", "00005-");
  writeFileSync(kept, JSON.stringify(metadata));
  await register(node, "u", `file://${kept}`);
  await drop(node, true, "u");
  const before = filesOf(node.root);
  await node.later();
  await node.runner.runDue();
  expect(filesOf(node.root)).toEqual(before);
  expect((await node.dropped.list(ACTOR)).items).toEqual([]);
});

test("a table that was registered from the same metadata keeps the files", async () => {
  const node = await planted();
  const before = filesOf(node.root);
  await drop(node);
  await register(node, "u", node.metadataLocation);
  await node.later();
  await node.runner.runDue();
  expect(filesOf(node.root)).toEqual(before);
  expect(await remains(node)).toEqual([]);
});

test("so does one that moved away with them, also when it is dropped itself", async () => {
  const node = await planted();
  const before = filesOf(node.root);
  await drop(node);
  await register(node, "u", node.metadataLocation);
  const away = `file://${node.directory}/elsewhere`;
  const updates = [{ action: "set-location", location: away }];
  const { commitOf } = await import("../support/open-iceberg.ts");
  await node.iceberg.commitTable(ACTOR, { ...NS, table: "u" }, commitOf(updates as never));
  await node.later();
  await drop(node, false, "u");
  await node.runner.runDue();
  expect(filesOf(node.root)).toEqual(before);
});

test("files outside the table's location stay", async () => {
  const node = await planted();
  const path = node.metadataLocation.slice("file://".length);
  const metadata = JSON.parse(readFileSync(path, "utf8"));
  await forget(node);
  const outside = join(node.directory, "outside");
  mkdirSync(outside);
  const statistics = join(outside, "stats.puffin");
  const log = join(outside, "00000-x.metadata.json");
  for (const file of [statistics, log, join(node.root, "metadata", "own.puffin")]) {
    writeFileSync(file, "a file");
  }
  const statisticsOf = (file: string) => ({
    "snapshot-id": metadata["current-snapshot-id"],
    "statistics-path": `file://${file}`,
    "file-size-in-bytes": 6,
    "file-footer-size-in-bytes": 1,
    "blob-metadata": [],
  });
  metadata.statistics = [statisticsOf(statistics)];
  metadata["partition-statistics"] = [statisticsOf(join(node.root, "metadata", "own.puffin"))];
  metadata["metadata-log"].unshift(
    { "timestamp-ms": 1, "metadata-file": `file://${log}` },
    // Nor may a path lead out again.
    { "timestamp-ms": 2, "metadata-file": `file://${node.root}/../outside/stats.puffin` },
    { "timestamp-ms": 3, "metadata-file": "file:///etc/passwd" },
  );
  const current = path.replace("00004-", "00005-");
  writeFileSync(current, JSON.stringify(metadata));
  await register(node, "u", `file://${current}`);
  await drop(node, true, "u");
  await node.later();
  await node.runner.runDue();
  expect(filesOf(outside)).toEqual(["00000-x.metadata.json", "stats.puffin"]);
  // The file that only the old drop knew went with the log that names it.
  expect(filesOf(node.root)).toEqual([
    "data/stranger.parquet",
    `metadata/${path.split("/").at(-1)}`,
  ]);
});

test("what cannot be read is passed over, and the job says so; the rest goes", async () => {
  const node = await planted();
  const metadata = join(node.root, "metadata");
  const manifest = readdirSync(metadata).find((name) => name.endsWith("-m0.avro")) ?? "";
  writeFileSync(join(metadata, manifest), "no manifest");
  const before = filesOf(node.root);
  await drop(node);
  await node.later();
  await node.runner.runDue();
  const after = filesOf(node.root);
  expect(after.length).toBeLessThan(before.length);
  for (const file of after) expect(file).toMatch(/^data\//);
  const job = await node.catalog.jobs.get(node.id as JobId);
  expect(job).toMatchObject({ step: "done", failures: 1, lastFailure: "MANIFEST_INVALID" });
  await expect(node.dropped.undrop(ACTOR, node.id)).rejects.toMatchObject(GONE);
});

test.each([
  ["is gone", undefined, "METADATA_FILE_MISSING"],
  ["is nonsense", "{", "METADATA_INVALID"],
])("metadata that %s names no files: none goes", async (_, text, code) => {
  const node = await planted();
  await drop(node);
  const path = node.metadataLocation.slice("file://".length);
  const { rmSync } = await import("node:fs");
  if (text === undefined) rmSync(path);
  else writeFileSync(path, text);
  const before = filesOf(node.root);
  await node.later();
  await node.runner.runDue();
  expect(filesOf(node.root)).toEqual(before);
  const job = await node.catalog.jobs.get(node.id as JobId);
  expect(job).toMatchObject({ step: "done", failures: 1, lastFailure: code });
});

/** Runs `at` once, before the n-th commit of pointers from now. */
function before(
  inner: PointerStore,
  at: () => { readonly call: number; readonly work: () => Promise<void> } | undefined,
): PointerStore {
  let calls = 0;
  return {
    get: (key) => inner.get(key),
    getMany: (keys) => inner.getMany(keys),
    list: (directory, options) => inner.list(directory, options),
    sweep: (...of) => inner.sweep(...of),
    forget: (key, version) => inner.forget(key, version),
    commit: async (batch) => {
      const due = at();
      if (due !== undefined && calls++ === due.call) await due.work();
      return inner.commit(batch);
    },
  };
}

test("while files go, nobody brings it back, registers it, or comes to its location", async () => {
  const stores = testStores({ clock: new SleepIsTime() });
  let node: Planted | undefined;
  let armed = false;
  const answers: unknown[] = [];
  const work = async (): Promise<void> => {
    const { iceberg, dropped, id, metadataLocation, root } = node!;
    const tries = [
      () => dropped.undrop(ACTOR, id),
      () => register(node!, "again", metadataLocation),
      ...["", "/in/side"].map((below) => () => {
        const request = { name: "n", location: `file://${root}${below}`, stageCreate: false };
        const schema = { type: "struct", fields: [] };
        return iceberg.createTable(ACTOR, NS, { ...request, schema, properties: {} });
      }),
    ];
    for (const attempt of tries) {
      answers.push(await attempt().catch(({ kind, code }) => `${kind} ${code}`));
    }
  };
  // The lease, the step to PURGING, then the first renewal.
  const pointers = before(stores.pointers, () => (armed ? { call: 2, work } : undefined));
  node = await planted("v2", { ...stores, pointers });
  await drop(node);
  await node.later();
  armed = true;
  await node.runner.runDue();
  expect(answers).toEqual([
    "Conflict BEING_PURGED",
    "Invalid LOCATION_TAKEN",
    "Invalid LOCATION_TAKEN",
    "Invalid LOCATION_OVERLAPS",
  ]);
  expect(filesOf(node.root)).toEqual(["data/stranger.parquet"]);
});

test("somebody who comes to lie within it, where that is allowed, stops the rest", async () => {
  const stores = testStores({ clock: new SleepIsTime() });
  let node: Planted | undefined;
  let armed = false;
  const work = async (): Promise<void> => {
    const root = `file://${node!.directory}`;
    await node!.catalogs.create(ACTOR, "loose", root, { "location.overlap.allowed": "true" });
    const within = { catalog: "loose", namespace: ["x"] };
    await node!.iceberg.createNamespace(ACTOR, within, {});
    const schema = { type: "struct", fields: [] };
    const request = { name: "n", location: `file://${node!.root}/data`, stageCreate: false };
    await node!.iceberg.createTable(ACTOR, within, { ...request, schema, properties: {} });
  };
  const pointers = before(stores.pointers, () => (armed ? { call: 2, work } : undefined));
  node = await planted("v2", { ...stores, pointers });
  const was = filesOf(node.root);
  await drop(node);
  await node.later();
  armed = true;
  await node.runner.runDue();
  const left = filesOf(node.root).filter((file) => !/^data\/metadata\//.test(file));
  expect(left).toEqual(was);
  expect(await node.catalog.jobs.get(node.id as JobId)).toMatchObject({
    step: "done",
    failures: 1,
    lastFailure: "LOCATION_OVERLAPS",
  });
});
