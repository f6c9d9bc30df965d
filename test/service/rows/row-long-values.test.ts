import { readdir } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMetrics } from "../../../src/base/metrics.ts";
import { CATALOG_LIMITS } from "../../../src/catalog/limits.ts";
import { columns, Firn, type FirnOptions, Schema } from "../../../src/index.ts";
import { encodeTablePrefix } from "../../../src/keys/index.ts";
import type { Engine } from "../../../src/lsm/index.ts";
import { SystemClock } from "../../../src/runtime/clock.ts";
import { openStores } from "../../../src/runtime/compose.ts";
import { readOptions } from "../../../src/runtime/open-settings.ts";
import { SystemPrng } from "../../../src/runtime/prng.ts";
import { requireSettings } from "../../../src/runtime/read-settings.ts";
import { shardPrefix } from "../../../src/runtime/shard-parts.ts";
import { codeOf } from "../../patterns/support.ts";
import { firnLine } from "../../support/firn-lsm.ts";
import { Mortal } from "../../support/mortal.ts";
import { ACTOR } from "../../support/open-catalog.ts";
import { scratchDirectory, type TestIceberg } from "../../support/open-iceberg.ts";
import { World } from "./row-world.ts";

const MB = 1_048_576;
const SCHEMA = Schema.table({
  columns: {
    id: columns.int4(),
    kind: columns.text(),
    body: columns.text().nullable(),
    raw: columns.bytes().nullable(),
  },
  primaryKey: ["id"],
  indexes: [{ name: "by_kind", parts: [{ column: "kind" }], include: ["body"] }],
});
/** Of three pieces, of one, and short. */
const ROWS = [
  { id: 1, kind: "a", body: "é".repeat(MB + 7), raw: null },
  { id: 2, kind: "b", body: "b".repeat(40_000), raw: new Uint8Array(50_000).fill(3) },
  { id: 3, kind: "c", body: "short", raw: new Uint8Array([1]) },
];

const tableOf = (firn: Firn, catalog = "c", name = "t") =>
  firn.catalog(catalog).namespace("n").table(name, SCHEMA);

async function filled(firn: Firn, catalog = "c"): Promise<void> {
  const table = await firn.catalog(catalog).createNamespace("n").createTable("t", SCHEMA);
  await table.insert(...ROWS);
}

async function rowsOf(firn: Firn, catalog = "c", name = "t"): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  for await (const { raw, ...row } of tableOf(firn, catalog, name).scan()) {
    rows.push({ ...row, raw: raw && new Uint8Array(raw) });
  }
  return rows;
}

describe("long values of an embedded Firn", () => {
  let firn: Firn;
  beforeEach(async () => {
    firn = await Firn.open({ profile: "memory" });
    await filled(firn);
  });
  afterEach(async () => await firn.close());

  it("come back with their table: undrop", async () => {
    const namespace = firn.catalog("c").namespace("n");
    await namespace.dropTable("t");
    // A table of the same name has values of other keys.
    const next = await namespace.createTable("t", SCHEMA);
    await next.insert({ id: 1, kind: "new", body: "n".repeat(50_000), raw: null });
    const { items } = await firn.dropped.list({ limit: 10 });
    await firn.dropped.undrop(items[0]?.id as string, { name: "old" });
    expect(await rowsOf(firn, "c", "old")).toEqual(ROWS);
    expect(await next.get({ id: 1 })).toMatchObject({ kind: "new", body: "n".repeat(50_000) });
    for await (const found of firn.check()) expect(found.level).toBe("note");
  });

  it("are part of the version that a conditional write names", async () => {
    const table = tableOf(firn);
    const versionOf = async (id: number): Promise<string> =>
      (await table.getVersioned({ id }))?.version ?? "none";
    const first = await versionOf(1);
    // As long, and other in its last letter alone.
    const body = `${"é".repeat(MB + 6)}è`;
    await table.update({ id: 1 }, { body }, { ifVersion: first });
    const second = await versionOf(1);
    expect(second).not.toBe(first);
    const long = "z".repeat(2 * MB);
    const options = { ifVersion: first };
    const refused = [
      table.update({ id: 1 }, { body: long }, options),
      table.put({ id: 1, kind: "z", body: long, raw: null }, options),
      table.delete({ id: 1 }, options),
    ];
    for (const write of refused) expect(await codeOf(write)).toBe("ROW_CHANGED");
    expect(await table.getVersioned({ id: 1 })).toEqual({
      row: { ...ROWS[0], body },
      version: second,
    });
    // Another column's change is a new version too, and back again is the old one.
    await table.update({ id: 1 }, { kind: "b" }, { ifVersion: second });
    expect(await codeOf(table.delete({ id: 1 }, { ifVersion: second }))).toBe("ROW_CHANGED");
    await table.update({ id: 1 }, { kind: "a" });
    expect(await table.delete({ id: 1 }, { ifVersion: second })).toBe(true);
    for await (const found of firn.check()) expect(found.level).toBe("note");
  });
});

describe("a backup of long values", () => {
  it("restores them whole, and leaves them out beside the original", async () => {
    const [dir, into, backup] = [scratchDirectory(), scratchDirectory(), scratchDirectory()];
    const options = (at: string): FirnOptions => ({
      profile: "local",
      dir: at,
      logLevel: "silent",
    });
    const firn = await Firn.open(options(dir));
    await filled(firn);
    await filled(firn, "other");
    await tableOf(firn).update({ id: 2 }, { body: "B".repeat(3 * MB) });
    const before = await rowsOf(firn);
    await firn.backup(backup);
    // Later than the backup: neither is in it.
    await tableOf(firn).update({ id: 1 }, { body: "later".repeat(20_000) });
    await tableOf(firn).delete({ id: 2 });
    const beside = await firn.restore(backup, { catalog: "c", as: "copy" });
    expect(beside.leftOut).toMatchObject([{ name: "n.t", code: "TABLE_NOT_ICEBERG" }]);
    expect(await rowsOf(firn)).toHaveLength(2);
    expect(await tableOf(firn).get({ id: 1 })).toMatchObject({ body: "later".repeat(20_000) });
    await firn.close();
    await Firn.restore(backup, { profile: "local", dir: into }, { catalog: "c" });
    const restored = await Firn.open(options(into));
    expect(await rowsOf(restored)).toEqual(before);
    for await (const found of restored.check()) expect(found.level).toBe("note");
    // What is restored goes on: its pieces are replaced and go with their rows.
    await tableOf(restored).update({ id: 2 }, { body: "b".repeat(MB + 1), raw: null });
    await tableOf(restored).delete({ id: 1 });
    for await (const found of restored.check()) expect(found.level).toBe("note");
    await restored.close();
  }, 60_000);
});

/** Works on the shard of rows in a directory that nothing serves. */
async function onShard(dir: string, work: (engine: Engine) => Promise<void>): Promise<void> {
  const [clock, prng] = [new SystemClock(), new SystemPrng()];
  const quiet = { nodeId: "planter", onDefect: () => undefined, notify: () => undefined };
  const settings = requireSettings(readOptions({ profile: "local", dir }, process.cwd()));
  const stores = await openStores(settings, { clock, prng, ...quiet }, createMetrics());
  const [shard = ""] = (await readdir(`${dir}/store/wal`)).filter((name) => name !== "system");
  const opened = await stores.openRowShard?.(shard);
  const engine = await opened?.engine();
  if (engine === undefined) throw new Error("profile local has row tables");
  await work(engine);
  await engine.durable();
  await opened?.close();
  await stores.close();
}

/** Keys of the pieces of the only table, in their order: column by column, row by row. */
async function piecesIn(engine: Engine): Promise<readonly Uint8Array[]> {
  const relation = 16;
  const from = encodeTablePrefix({ space: 1, relation, index: 0xffff });
  const to = encodeTablePrefix({ space: 1, relation: relation + 1, index: 0 });
  const found: Uint8Array[] = [];
  for await (const rows of engine.scan({ from, to })) {
    for (const { key } of rows) found.push(new Uint8Array(key));
  }
  return found;
}

/** What the command says of row tables, and its exit code. */
async function checked(dir: string): Promise<readonly [number, readonly object[]]> {
  const { exitCode, out, errors } = await firnLine(["fsck", dir, "--json"]);
  expect(errors).toBe("");
  const lines = out.trim().split("\n");
  const all = lines.map((line) => JSON.parse(line) as { level?: string });
  return [exitCode, all.filter(({ level }) => level === "damage")];
}

describe("firn fsck of long values", () => {
  it("names pieces that were removed, planted or exchanged by hand", async () => {
    const dir = scratchDirectory();
    const open = () => Firn.open({ profile: "local", dir, logLevel: "silent" });
    const firn = await open();
    await filled(firn);
    await firn.close();
    expect(await checked(dir)).toEqual([0, []]);
    const fault = { code: "ROW_VALUES_MISMATCH", level: "damage", table: "t" };
    const none = { missing: 0, extra: 0, wrong: 0 };
    const of = (report: object) => expect.objectContaining({ ...fault, ...none, ...report });
    const taken: { key: Uint8Array; value: Uint8Array }[] = [];
    await onShard(dir, async (engine) => {
      const keys = await piecesIn(engine);
      // Three of the body of row 1, one of row 2, and the one of its bytes.
      expect(keys).toHaveLength(5);
      const key = keys[2] as Uint8Array;
      taken.push({ key, value: (await engine.get(key)) as Uint8Array });
      await engine.delete(key);
    });
    expect(await checked(dir)).toEqual([1, [of({ column: "body", row: "[1]", missing: 1 })]]);
    await onShard(dir, async (engine) => {
      const [{ key, value } = { key: EMPTY, value: EMPTY }] = taken;
      await engine.put(key, value);
      // A fourth piece of row 1, and one of a row that has none.
      const next = Buffer.concat([key.subarray(0, -2), Buffer.of(0, 3)]);
      await engine.put(next, value);
      const raw = (await piecesIn(engine)).at(-1) as Uint8Array;
      // The last byte of the row's key stands before its end and the number.
      const other = Buffer.from(raw);
      other[other.length - 5] = 3;
      await engine.put(other, (await engine.get(raw)) as Uint8Array);
    });
    const planted = [
      of({ column: "body", row: "[1]", extra: 1 }),
      of({ column: "raw", row: "[3]", extra: 1 }),
    ];
    expect(await checked(dir)).toEqual([1, planted]);
    await onShard(dir, async (engine) => {
      const keys = await piecesIn(engine);
      expect(keys).toHaveLength(7);
      await engine.delete(keys[3] as Uint8Array);
      await engine.delete(keys[6] as Uint8Array);
      const value = Buffer.from((await engine.get(keys[4] as Uint8Array)) as Uint8Array);
      value[1_000] = (value[1_000] ?? 0) ^ 1;
      await engine.put(keys[4] as Uint8Array, value);
    });
    // The index has a copy, which is right.
    const copy = { code: "ROW_INDEX_MISMATCH", index: "by_kind", ...none, wrong: 1 };
    const wrong = of({ column: "body", row: "[2]", wrong: 1 });
    expect(await checked(dir)).toEqual([1, [expect.objectContaining(copy), wrong]]);
    // A new value mends it.
    const again = await open();
    await tableOf(again).put({ ...ROWS[1], body: "new".repeat(20_000) } as never);
    await again.close();
    expect(await checked(dir)).toEqual([0, []]);
  }, 60_000);
});

const EMPTY = new Uint8Array(0);
const PLACE = { catalog: { name: "c" } };
const lasting = (): Mortal => new Mortal(Number.POSITIVE_INFINITY);

/** Bytes of a shard's long values and tables. */
async function bytesOf({ files }: World, shard: string): Promise<number> {
  const found = ["sst/", "values/"].map((directory) =>
    files.list(`${shardPrefix(shard)}${directory}`, { limit: 1_000 }),
  );
  return (await Promise.all(found)).flat().reduce((sum, { size }) => sum + size, 0);
}

async function runDue(node: TestIceberg, world: World): Promise<void> {
  for (let i = 0; i < 4; i++) {
    await world.within(node.runner.runDue());
    await world.clock.advance(120_000);
  }
}

it("a purged table and its deleted shard leave no long value in the store", async () => {
  const world = new World();
  const node = await world.start(lasting());
  await node.model.namespaces.create(ACTOR, PLACE, ["a"], {});
  const { id: shard } = await world.within(node.model.rowShards.create(ACTOR, PLACE, "hot"));
  const made = await world.within(
    node.rows.create(
      ACTOR,
      { catalog: "c", path: ["a"] },
      {
        name: "t",
        columns: [
          { name: "id", type: { kind: "int4" } },
          { name: "raw", type: { kind: "bytea" } },
        ],
        primaryKey: { parts: [{ column: "id" }] },
        shard: "hot",
      },
    ),
  );
  const prng = new SystemPrng();
  for (let id = 0; id < 4; id++) {
    const put = made.store.run(async (tx) => {
      await tx.put(await tx.tables.get(made.id), [id, prng.bytes(2 * MB)]);
    });
    await world.within(put);
  }
  const engine = await world.lastEngine();
  await world.within(Promise.resolve(engine?.flush()));
  expect(await bytesOf(world, shard)).toBeGreaterThan(8 * MB);
  await node.catalog.tables.drop(
    ACTOR,
    { catalog: "c", path: ["a"], name: "t" },
    { purgeRequested: true },
  );
  await world.clock.advance(2 * CATALOG_LIMITS.dropRetentionMs);
  await runDue(node, world);
  await world.within(node.model.rowShards.drop(ACTOR, PLACE, "hot"));
  await runDue(node, world);
  expect(await bytesOf(world, shard)).toBe(0);
});
