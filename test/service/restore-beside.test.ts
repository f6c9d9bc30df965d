import { existsSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import { takeBackup } from "../../src/service/backup/take.ts";
import { ACTOR } from "../support/open-catalog.ts";
import { commitOf, openTestIceberg } from "../support/open-iceberg.ts";
import { addSnapshot, setRef } from "../support/snapshots.ts";
import { partsOf, putParts, STATS } from "./support/parts.ts";
import {
  COPY,
  damageOf,
  load,
  metadataOf,
  missing,
  NS,
  purge,
  restore,
  stoppingAt,
  T,
  world,
} from "./support/restored-beside.ts";

test("a catalog comes back beside the original, with metadata files of its own", async () => {
  const given = await world();
  const { node } = given;
  const report = await restore(given, node);
  expect(report).toMatchObject({ catalog: "d", namespaces: 2, tables: 2, views: 1, leftOut: [] });
  expect([...(await node.catalogs.list(ACTOR))].sort()).toEqual(["c", "d"]);
  const [first, copy] = [await load(node, T), await load(node, COPY)];
  expect(copy.at).not.toBe(first.at);
  const { location } = copy.metadata;
  expect(copy.at.startsWith(`${location}/metadata/00000-`)).toBe(true);
  expect(location).toContain("/d/a/t-");
  const { properties } = first.metadata;
  expect(copy.metadata).toEqual({
    ...first.metadata,
    location,
    "last-updated-ms": expect.any(Number),
    "metadata-log": [],
    properties: { ...properties, "gc.enabled": "false" },
  });
  const namespace = { catalog: "d", namespace: ["a"] };
  const shown = await node.iceberg.loadNamespace(ACTOR, namespace);
  expect(shown.properties).toMatchObject({ owner: "me" });
  const view = await node.iceberg.loadView(ACTOR, { ...namespace, view: "v" });
  const original = await node.iceberg.loadView(ACTOR, { ...NS, view: "v" });
  expect(metadataOf(view.metadata).versions).toEqual(metadataOf(original.metadata).versions);
  expect(metadataOf(view.metadata).location).not.toBe(metadataOf(original.metadata).location);
  // Either goes on alone.
  const commit = commitOf([{ action: "set-properties", updates: { k: "copy" } }]);
  await node.iceberg.commitTable(ACTOR, COPY, commit);
  expect((await load(node, T)).metadata).toEqual(first.metadata);
  expect(await damageOf(node, given)).toEqual([]);
});

test("statistics and constraints come back beside the original", async () => {
  const given = await world();
  const { node, stores, source } = given;
  const at = { ...NS, namespace: ["a", "deep"], table: "u", snapshotId: 1_001n };
  const { metadata } = await load(node, at);
  const updates = [addSnapshot(metadata, at.snapshotId), setRef("main", at.snapshotId)];
  await node.iceberg.commitTable(ACTOR, at, commitOf(updates));
  await putParts(node, at);
  const was = await partsOf(node, at);
  expect(was.stats).toHaveLength(STATS.length);
  await takeBackup({ ...stores, target: source, historyRetentionMs: 86_400_000 }, "default");
  const report = await restore(given, node);
  expect(report).toMatchObject({ tables: 2, statistics: STATS.length, constraints: 1 });
  expect(await partsOf(node, { ...at, catalog: "d" })).toEqual(was);
  expect(await damageOf(node, given)).toEqual([]);
});

test("a purge of the original leaves what the copy reaches", async () => {
  const given = await world();
  await restore(given, given.node);
  await purge(given.node, given, T);
  await expect(load(given.node, T)).rejects.toMatchObject({ kind: "NotFound" });
  expect(missing(given)).toEqual([]);
  await load(given.node, COPY);
});

test("a purge of the copy leaves the original's files, whoever enabled it", async () => {
  for (const enabled of ["false", "true"]) {
    const given = await world();
    const { node } = given;
    await restore(given, node);
    const updates = [{ action: "set-properties", updates: { "gc.enabled": enabled } }];
    await node.iceberg.commitTable(ACTOR, COPY, commitOf(updates));
    // The original is gone from the catalog, and its files were to stay.
    await node.iceberg.dropTable(ACTOR, T, { purgeRequested: false });
    await given.stores.clock.sleep(CATALOG_LIMITS.dropRetentionMs);
    await node.runner.runDue();
    await purge(node, given, COPY);
    expect(missing(given)).toEqual([]);
    expect(existsSync(given.metadataLocation.slice("file://".length))).toBe(true);
  }
});

test("a restore that ends at any call shows nothing under its name, and is run again", async () => {
  const given = await world();
  const { node, stores, directory } = given;
  let deaths = 0;
  for (let n = 0; ; n += 3) {
    const ended = new Error("the process has ended");
    const dying = stoppingAt(stores, n, () => Promise.reject(ended));
    const restoring = await openTestIceberg(dying.stores, directory).catch(() => undefined);
    if (restoring === undefined) continue;
    try {
      await restore(given, restoring);
    } catch {
      deaths++;
      expect(await node.catalogs.list(ACTOR)).not.toContain("d");
      continue;
    }
    break;
  }
  expect(deaths).toBeGreaterThan(5);
  expect([...(await node.catalogs.list(ACTOR))].sort()).toEqual(["c", "d"]);
  await load(node, COPY);
  expect(await damageOf(node, given)).toEqual([]);
});

test("what cannot be copied is named, and the rest comes back", async () => {
  const given = await world();
  rmSync(given.metadataLocation.slice("file://".length));
  const report = await restore(given, given.node);
  const leftOut = [{ type: "table", name: "a.t", code: "METADATA_FILE_MISSING" }];
  expect(report).toMatchObject({ tables: 1, views: 1, leftOut });
});

test("a name that is taken, and one that another restore has begun, are refused", async () => {
  const given = await world();
  const { node } = given;
  const taken = restore(given, node, { as: "c" });
  await expect(taken).rejects.toMatchObject({ code: "CATALOG_ALREADY_EXISTS" });
  const none = restore(given, node, { catalog: "none" });
  await expect(none).rejects.toMatchObject({ code: "CATALOG_NOT_FOUND" });
  await node.catalogs.create(ACTOR, "d.restoring");
  await expect(restore(given, node)).rejects.toMatchObject({ code: "RESTORE_UNFINISHED" });
  expect((await restore(given, node, { as: "e" })).catalog).toBe("e");
});
