import { expect, test } from "vitest";
import { inOnePiece } from "../../src/base/bytes.ts";
import type { Revision } from "../../src/base/ids.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { type Head, MetadataFiles, TABLE_FORMAT } from "../../src/service/metadata-files.ts";
import { inlineReading } from "../../src/service/reading.ts";
import { countedReads } from "../support/counted-blobs.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { commitOf, openInMemory, SCHEMA } from "../support/open-iceberg.ts";

/*
 * Of each table one metadata file is kept in memory, its newest, whichever node committed it.
 */

const NS = { catalog: "c", namespace: ["a"] } as const;
const ALL = { snapshots: "all" } as const;
const REVISION = "0199d8a0-0000-7000-8000-0000000000";

function headOf(id: string, version: number, location: string): Head {
  const revision = `${REVISION}${`${version}`.padStart(2, "0")}` as Revision;
  return { id, version: BigInt(version), location, revision };
}

/** Two nodes over one bucket of metadata files. */
async function openNodes() {
  const stores = testStores();
  const { blobs, pointers, clock } = stores;
  const bucket = new MemoryBlobStore(clock);
  const shared = { blobs, pointers, clock };
  const [a, b] = [countedReads(bucket), countedReads(bucket)];
  const one = await openInMemory(stores, a.store, { unwatched: true });
  const two = await openInMemory({ ...testStores({ seed: 2 }), ...shared }, b.store, {
    unwatched: true,
  });
  await one.iceberg.createNamespace(ACTOR, NS, {});
  for (const name of ["t", "u"]) {
    await one.iceberg.createTable(ACTOR, NS, {
      name,
      schema: SCHEMA,
      properties: {},
      stageCreate: false,
    });
  }
  return { one, two, reads: a.reads };
}

type Node = Awaited<ReturnType<typeof openNodes>>["one"];

function set(node: Node, table: string, value: string) {
  const updates = [{ action: "set-properties", updates: { value } }];
  return node.iceberg.commitTable(ACTOR, { ...NS, table }, commitOf(updates));
}

/** What a node of 3 files of room has, over the files of a table and of another one. */
async function openNarrow() {
  const { one, reads } = await openNodes();
  const text = (table: string) => one.iceberg.loadTable(ACTOR, { ...NS, table }, ALL);
  const [t, u] = [await text("t"), await text("u")];
  if (t === "not-modified" || u === "not-modified") throw new Error("not loaded");
  const bytes = inOnePiece(t.metadata);
  const locations: string[] = [];
  for (let i = 0; i < 12; i++) {
    const location = `mem://w/t/metadata/${i}.metadata.json`;
    await one.locations.write(location, bytes);
    locations.push(location);
  }
  const format = { ...TABLE_FORMAT, cachedBytes: 3 * (bytes.length + 2_200) };
  const files = new MetadataFiles(new SystemClock(), one.locations, format, inlineReading());
  const other = headOf("u", 1, u.metadataLocation ?? "");
  reads.length = 0;
  return { files, locations, other, reads };
}

test("a newer head takes the place of an older one, and evicts no other table", async () => {
  const { files, locations, other, reads } = await openNarrow();
  await files.load(other);
  for (const [i, location] of locations.entries()) await files.load(headOf("t", i + 1, location));
  expect(reads.length).toBe(1 + locations.length);
  await files.load(other);
  await files.load(headOf("t", locations.length, locations.at(-1) ?? ""));
  expect(reads.length).toBe(1 + locations.length);
  expect(files.newest("t")?.location).toBe(locations.at(-1));
});

test("a reader that was overtaken by a commit puts no older file in its place", async () => {
  const { files, locations, reads } = await openNarrow();
  const [older, newer] = [0, 1].map((i) => headOf("t", i + 1, locations[i] ?? ""));
  if (older === undefined || newer === undefined) throw new Error("no heads");
  await files.load(newer);
  expect((await files.load(older)).location).toBe(older.location);
  expect((await files.load(newer)).location).toBe(newer.location);
  expect(reads.length).toBe(2);
});

test("a file is answered from memory before its commit has an answer", async () => {
  const { files, locations, reads } = await openNarrow();
  const base = await files.load(headOf("t", 1, locations[0] ?? ""));
  const written = "mem://w/t/metadata/written.metadata.json";
  const file = await files.renderInTurns(written, base.metadata);
  await files.write(file, { isGzip: false, again: false });
  expect(await files.load(headOf("t", 2, written))).toBe(file);
  files.letGo(file);
  expect(files.newest("t")).toBe(file);
  const lost = await files.renderInTurns(`${written}.gz.metadata.json`, base.metadata);
  await files.write(lost, { isGzip: true, again: false });
  files.letGo(lost);
  expect(await files.load(headOf("t", 3, lost.location))).not.toBe(lost);
  expect(reads.length).toBe(2);
});

test("what this node commits is kept until another node commits", async () => {
  const { one, two, reads } = await openNodes();
  const load = async (table: string) => {
    const loaded = await one.iceberg.loadTable(ACTOR, { ...NS, table }, ALL);
    if (loaded === "not-modified") throw new Error("not loaded");
    return loaded.metadataLocation;
  };
  await set(one, "t", "1");
  const tableChanges = ["t", "u"].map((table) => ({
    namespace: NS.namespace,
    table,
    ...commitOf([{ action: "set-properties", updates: { value: "2" } }]),
  }));
  await one.iceberg.commitTransaction(ACTOR, NS.catalog, tableChanges);
  const before = [await load("t"), await load("u")];
  expect(reads).toEqual([]);
  for (const value of ["3", "4", "5"]) await set(two, "t", value);
  expect(await load("t")).not.toBe(before[0]);
  await set(one, "t", "6");
  await load("t");
  expect(await load("u")).toBe(before[1]);
  expect(reads.length).toBe(1);
});

test("what a mark does not come to is not kept, and what it comes to is", async () => {
  const { files, locations, other, reads } = await openNarrow();
  const head = headOf("t", 1, locations[0] ?? "");
  for (let round = 0; round < 2; round++) {
    await files.load(other);
    await files.load(head);
    files.mark("t");
    files.mark("unknown");
    files.endMark();
    expect(files.newest("u")).toBeUndefined();
    expect(files.newest("t")?.location).toBe(head.location);
  }
  expect(reads.length).toBe(3);
  files.endMark();
  expect(files.newest("t")).toBeUndefined();
});
