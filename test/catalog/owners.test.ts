import { expect, test } from "vitest";
import { sha256Hex } from "../../src/base/hash.ts";
import { owners } from "../../src/catalog/owners.ts";
import { BLOBS, blobPathOf } from "../../src/catalog/paths.ts";
import * as op from "./support/operations.ts";
import { readStore } from "./support/read-store.ts";
import { imageOf, openWorld } from "./support/world.ts";

const LONG = "n".repeat(250);

/** So many, in places so unlike, that the record of their change fits no pointer, even packed. */
const FAR_APART = Array.from({ length: 19 }, (_, table) => {
  const folders = Array.from({ length: 8 }, (_, level) => sha256Hex(`${table}/${level}`));
  return { path: `s.t${table}`, location: `file:///w/${folders.join("/")}` };
});

const HISTORY: readonly op.Operation[] = [
  op.createCatalog("c"),
  op.createNamespace("s"),
  op.createNamespace(LONG),
  op.createTable("s.t"),
  op.createTogether(FAR_APART),
  op.createTable(`${LONG}.${LONG}`, `file:///w/${"long/".repeat(60)}x`),
  op.renameTable("s.t", `s.${LONG}`),
  op.commitTable(`s.${LONG}`, "A"),
  op.moveTable(`s.${LONG}`, `file:///w/${"other/".repeat(60)}x`),
  op.commitSnapshots(`s.${LONG}`, [7n, -1n, 2n ** 63n - 1n]),
  op.dropTable(`s.${LONG}`),
  op.createView("s.v"),
  op.renameView("s.v", `s.${LONG}`),
  op.renameCatalog("c", "d"),
];

test("every blob that a pointer leads to names that pointer among its owners", async () => {
  const world = await openWorld(await imageOf(HISTORY), 0);
  const { items } = await readStore(world.pointers, world.blobs);
  const kinds = new Set<string>();
  let changes = 0;
  for (const item of items.values()) {
    if (item.state === "absent" || item.blobPath === undefined) continue;
    const blob = await world.blobs.get(item.blobPath);
    const known = owners(item.blobPath, blob?.bytes);
    if (!item.blobPath.includes("/snapshots/")) expect(known).toEqual([item.key]);
    // One payload for both pointers.
    else expect(known).toHaveLength(2);
    expect(known).toContain(item.key);
    kinds.add(item.blobPath.split("/").at(-2) ?? "");
    if (item.blobPath.includes("/changes/")) changes++;
  }
  expect([...kinds]).toEqual(
    expect.arrayContaining(["account", "catalog", "namespace", "table", "view", "snapshot"]),
  );
  expect(changes).toBeGreaterThan(0);
});

test("every blob in the store has known owners, also those of earlier revisions", async () => {
  const world = await openWorld(await imageOf(HISTORY), 0);
  const blobs = await world.blobs.list("");
  expect(blobs.length).toBeGreaterThan(HISTORY.length);
  for (const { path } of blobs) {
    const bytes = (await world.blobs.get(path))?.bytes;
    if (path.startsWith("metadata/")) continue;
    expect(owners(path, bytes), path).toHaveLength(path.includes("/snapshots/") ? 2 : 1);
  }
});

test("what cannot be told is not guessed: such a blob is kept", () => {
  const sha = "0".repeat(64);
  const change = blobPathOf("change", "a", "1-2", sha);
  expect(owners(change)).toBeUndefined();
  expect(owners(change, new Uint8Array([255, 255]))).toBeUndefined();
  const snapshot = blobPathOf("snapshot", "a", "t", "7", sha);
  expect(owners(snapshot)).toBeUndefined();
  expect(owners(snapshot, new Uint8Array([255, 255]))).toBeUndefined();
  const strange = [
    "",
    "accounts",
    `accounts/a/tables/t/table/${sha}`,
    `accounts/a/tables/t/table/${sha.slice(1)}.pb`,
    `accounts/a/tables//table/${sha}.pb`,
    `accounts/a/tables/t/table/more/${sha}.pb`,
    `accounts/a/unheard/t/of/${sha}.pb`,
    "shards/s/wal/1",
  ];
  for (const path of strange) expect(owners(path, new Uint8Array()), path).toBeUndefined();
});

test("no two kinds of blob share a path", () => {
  const shapes = Object.values(BLOBS).map(({ pattern }) => pattern.replaceAll(/\{[^}]+\}/g, "x"));
  expect(new Set(shapes).size).toBe(shapes.length);
});
