import { mkdirSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import type { LoadResult } from "../../src/service/requests.ts";
import { gatedBlobs } from "../catalog/support/gate.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import {
  commitOf,
  openInMemory,
  openTestIceberg,
  SCHEMA,
  scratchDirectory,
  type TestIceberg,
} from "../support/open-iceberg.ts";

/*
 * A path that is used again: tables of Hadoop's catalog name their files v1, v2 …, and a restore
 * puts other files where some were. What a node keeps of the older file is of no account then.
 */

type Node = Omit<TestIceberg, "directory">;

const NS = { catalog: "c", namespace: ["a"] } as const;
const T = { ...NS, table: "t" } as const;
const ALL = { snapshots: "all" } as const;
const UUIDS = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"];

/** Two nodes of one store over files of some kind, and where a metadata file goes. */
interface World {
  readonly nodes: readonly [Node, Node];
  readonly location: string;
  readonly put: (text: string) => Promise<void>;
}

const KINDS: Readonly<Record<string, () => Promise<World>>> = {
  local: async () => {
    const directory = scratchDirectory();
    const stores = testStores();
    const one = await openTestIceberg(stores, directory);
    const two = await openTestIceberg({ ...testStores({ seed: 2 }), ...shared(stores) }, directory);
    const path = `${directory}/h/metadata/v1.metadata.json`;
    const put = async (text: string) => {
      mkdirSync(`${directory}/h/metadata`, { recursive: true });
      writeFileSync(path, text);
    };
    return { nodes: [one, two], location: `file://${path}`, put };
  },
  bucket: () => inBucket((files) => files),
};

function shared({ blobs, pointers, clock }: ReturnType<typeof testStores>) {
  return { blobs, pointers, clock };
}

async function inBucket(wrap: (files: BlobStore) => BlobStore): Promise<World> {
  const stores = testStores();
  const files = new MemoryBlobStore(stores.clock);
  const open = (seed: number) =>
    openInMemory({ ...testStores({ seed }), ...shared(stores) }, wrap(files), { unwatched: true });
  const nodes = [await open(1), await open(2)] as const;
  const put = async (text: string) => void (await files.put(PATH, Buffer.from(text)));
  return { nodes, location: `mem://w/${PATH}`, put };
}

const PATH = "h/metadata/v1.metadata.json";

/** The metadata file of a new table there, as another writer would put it. */
async function written({ iceberg }: Node, location: string, uuid: string): Promise<string> {
  const request = { name: "model", schema: SCHEMA, properties: { of: uuid }, stageCreate: true };
  const staged = await iceberg.createTable(ACTOR, NS, request);
  const metadata = JSON.parse(Buffer.concat(staged.metadata).toString("utf8"));
  const table = location.slice(0, location.indexOf("/metadata/"));
  return JSON.stringify({ ...metadata, "table-uuid": uuid, location: table });
}

function register({ iceberg }: Node, metadataLocation: string, overwrite = false) {
  return iceberg.registerTable(ACTOR, NS, { name: "t", metadataLocation, overwrite });
}

function uuidOf(table: LoadResult): string {
  if (table === "not-modified") throw new Error("not loaded");
  return JSON.parse(Buffer.concat(table.metadata).toString("utf8"))["table-uuid"];
}

const drop = { purgeRequested: false } as const;

test.each(Object.keys(KINDS))(
  "%s: what lies there now is registered, loaded, committed",
  async (kind) => {
    const { nodes, location, put } = await KINDS[kind]!();
    const [one, two] = nodes;
    await one.iceberg.createNamespace(ACTOR, NS, {});
    const [older = "", newer = ""] = UUIDS;
    await put(await written(one, location, older));
    expect(uuidOf(await register(one, location))).toBe(older);
    // Both nodes keep the first file.
    for (const node of nodes)
      expect(uuidOf(await node.iceberg.loadTable(ACTOR, T, ALL))).toBe(older);
    await one.iceberg.dropTable(ACTOR, T, drop);
    await put(await written(one, location, newer));
    expect(uuidOf(await register(one, location))).toBe(newer);
    for (const node of nodes)
      expect(uuidOf(await node.iceberg.loadTable(ACTOR, T, ALL))).toBe(newer);
    const set = commitOf([{ action: "set-properties", updates: { k: "v" } }]);
    expect(uuidOf(await two.iceberg.commitTable(ACTOR, T, set))).toBe(newer);
  },
);

test.each(Object.keys(KINDS))(
  "%s: so is what took its place under the same table",
  async (kind) => {
    const { nodes, location, put } = await KINDS[kind]!();
    const [one, two] = nodes;
    await one.iceberg.createNamespace(ACTOR, NS, {});
    const [older = "", newer = ""] = UUIDS;
    await put(await written(one, location, older));
    await register(one, location);
    await two.iceberg.loadTable(ACTOR, T, ALL);
    await put(await written(one, location, newer));
    expect(uuidOf(await register(one, location, true))).toBe(newer);
    expect(uuidOf(await two.iceberg.loadTable(ACTOR, T, ALL))).toBe(newer);
    const gone = await two.iceberg.unregisterTable(ACTOR, T);
    expect(uuidOf(gone)).toBe(newer);
  },
);

test("a file that changes while it is registered is told, and not registered", async () => {
  let reads = 0;
  let onRead = async () => {};
  const world = await inBucket((files) => ({
    ...gatedBlobs(files),
    get: async (path) => {
      const blob = await files.get(path);
      if (path === PATH && reads++ === 0) await onRead();
      return blob;
    },
  }));
  const { nodes, location, put } = world;
  const [one, two] = nodes;
  await one.iceberg.createNamespace(ACTOR, NS, {});
  const [older = "", newer = ""] = UUIDS;
  const next = await written(one, location, newer);
  await put(await written(one, location, older));
  onRead = () => put(next);
  const changed = { kind: "Conflict", code: "METADATA_FILE_CHANGED" };
  await expect(register(one, location)).rejects.toMatchObject(changed);
  const missing = { code: "TABLE_NOT_FOUND" };
  await expect(two.iceberg.loadTable(ACTOR, T, ALL)).rejects.toMatchObject(missing);
  expect(uuidOf(await register(one, location))).toBe(newer);
});
