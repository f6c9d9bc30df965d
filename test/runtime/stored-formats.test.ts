import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Firn } from "../../src/index.ts";
import {
  type PackedStore,
  packedStores,
  type Relation,
  readPacked,
  unpack,
} from "../fixtures/stores/packed.ts";
import { ask, exchange } from "../server/support.ts";

/*
 * Stores that other versions of Firn wrote (`test/fixtures/stores`), opened by this one.
 */

const names = await packedStores();

/** JSON as the fixtures have it: integers beyond a double are strings. */
function quoted(json: string): string {
  return json.replaceAll(/(?<=[:[,]\s*)\d{16,}(?=\s*[,\]}])/g, '"$&"');
}

async function relation(firn: Firn, path: string): Promise<Relation> {
  const answer = await firn.fetch(new Request(`http://firn/iceberg/v1${path}`));
  expect([path, answer.status]).toEqual([path, 200]);
  const got = JSON.parse(quoted(await answer.text()));
  return { "metadata-location": got["metadata-location"], metadata: got.metadata };
}

/** A copy of the store, at the time when it was written: nothing is due that was not then. */
async function unpacked(packed: PackedStore): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "firn-formats-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await unpack(packed.store, dir);
  // Its place is stored, so that runs share it: its files stay.
  await unpack(packed.files, packed.warehouse);
  const { now } = Date;
  const behind = now() - packed.writtenAtMs;
  vi.spyOn(Date, "now").mockImplementation(() => now() - behind);
  onTestFinished(() => void vi.restoreAllMocks());
  return dir;
}

/** Another machine may have been killed: then it says that it still owns the store. */
function open(dir: string, { end }: PackedStore): Promise<Firn> {
  return Firn.open({ profile: "local", dir, logLevel: "silent", takeover: end === "kill" });
}

async function expectSound(firn: Firn): Promise<void> {
  const run = firn.check();
  const found: unknown[] = [];
  for (;;) {
    const { done, value } = await run.next();
    if (done === true) {
      expect({ ...value, found }).toMatchObject({ damage: 0, derived: 0, busy: 0, found: [] });
      expect(value.pointers).toBeGreaterThan(20);
      return;
    }
    found.push(value);
  }
}

/** Everything that the writing version answered is answered now. */
async function expectAll(firn: Firn, { expected }: PackedStore): Promise<void> {
  const { namespaces } = await ask(firn, "GET", "/namespaces");
  expect(namespaces.flat().sort()).toEqual(Object.keys(expected.namespaces).sort());
  for (const [name, properties] of Object.entries(expected.namespaces)) {
    // Later versions show where its tables go, too.
    expect((await ask(firn, "GET", `/namespaces/${name}`)).properties).toMatchObject(properties);
  }
  for (const [path, told] of Object.entries({ ...expected.tables, ...expected.views })) {
    expect(await relation(firn, path)).toEqual(told);
  }
  const listed: string[] = [];
  for (const name of Object.keys(expected.namespaces)) {
    for (const kind of ["tables", "views"]) {
      const { identifiers } = await ask(firn, "GET", `/namespaces/${name}/${kind}`);
      for (const each of identifiers) listed.push(`/namespaces/${name}/${kind}/${each.name}`);
    }
  }
  const all = [...Object.keys(expected.tables), ...Object.keys(expected.views)];
  expect(listed.sort()).toEqual(all.sort());
}

/** What the catalog itself keeps of the snapshots, beside the metadata file. */
async function expectSnapshots(firn: Firn): Promise<void> {
  const { refs, snapshots } = (await relation(firn, "/namespaces/web/tables/events")).metadata;
  expect(Object.keys(refs as object).sort()).toEqual(["audit", "first", "main"]);
  expect(snapshots).toHaveLength(2);
  const table = { catalog: "default", namespace: ["web"], table: "events" };
  expect(await firn.snapshots.list(table, { limit: 10 })).toHaveLength(2);
}

async function expectUndrop(firn: Firn, { expected }: PackedStore): Promise<void> {
  const { path, table } = expected.dropped;
  expect((await exchange(firn, "GET", path)).status).toBe(404);
  const { items } = await firn.dropped.list();
  expect(items.map(({ type, name }) => [type, name])).toEqual([["table", "gone"]]);
  await firn.dropped.undrop(items[0]?.id ?? "");
  expect(await relation(firn, path)).toEqual(table);
}

/** A commit of this version to everything that the other one left. @returns what it came to. */
async function commitAll(firn: Firn, { expected }: PackedStore) {
  const after = new Map<string, Relation>();
  const body = {
    requirements: [],
    updates: [{ action: "set-properties", updates: { by: "this version" } }],
  };
  const relations = { ...expected.tables, ...expected.views };
  for (const path of [...Object.keys(relations), expected.dropped.path]) {
    await ask(firn, "POST", path, body);
    const now = await relation(firn, path);
    // The warehouse stays: what this run adds to it does not.
    onTestFinished(() => rm(now["metadata-location"].slice("file://".length), { force: true }));
    expect(now.metadata).toMatchObject({ properties: { by: "this version" } });
    after.set(path, now);
  }
  return after;
}

describe("stores of other versions", () => {
  it("are of the first version and of the last, stopped and killed", () => {
    expect(names).toEqual(expect.arrayContaining(["first-killed", "first-stopped"]));
    expect(names.length).toBeGreaterThanOrEqual(4);
  });

  it.each(names)("%s is read, found sound, written and read again", async (name) => {
    const packed = await readPacked(name);
    const dir = await unpacked(packed);
    let firn = await open(dir, packed);
    onTestFinished(() => firn.close());
    await expectAll(firn, packed);
    await expectSnapshots(firn);
    await expectSound(firn);
    await expectUndrop(firn, packed);
    const after = await commitAll(firn, packed);
    await firn.close();

    firn = await open(dir, packed);
    for (const [path, told] of after) expect(await relation(firn, path)).toEqual(told);
    await expectSound(firn);
  });
});
