import { afterEach, expect, test } from "vitest";
import type { CatalogId, TableId } from "../../src/base/ids.ts";
import { createMetrics } from "../../src/base/metrics.ts";
import type { Table } from "../../src/catalog/model.ts";
import { columns, Firn, type FirnOptions, Schema } from "../../src/index.ts";
import type { Engine } from "../../src/lsm/index.ts";
import { RowStore, type RowTransaction } from "../../src/rows/index.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { openStores } from "../../src/runtime/compose.ts";
import { readOptions } from "../../src/runtime/open-settings.ts";
import { SystemPrng } from "../../src/runtime/prng.ts";
import { requireSettings } from "../../src/runtime/read-settings.ts";
import { RowReaders } from "../../src/service/rows/row-readers.ts";
import { columnsOf } from "../../src/service/rows/table-check.ts";
import { closeSites, NAME, openSite, type Site } from "../support/aws-site.ts";
import { firnLine } from "../support/firn-lsm.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";

/*
 * `firn fsck` on profile `aws` reads shards of row tables that any node may own, and owns none.
 */

const INDEX = { name: "by_name", parts: [{ column: "name" }], unique: true } as const;
const SCHEMA = Schema.table({
  columns: { id: columns.int4(), name: columns.text() },
  primaryKey: ["id"],
  indexes: [INDEX],
});
const SECRET = "the secret that all nodes of a test share";
const LINE = ["fsck", "--profile", "aws", "--s3-bucket", NAME, "--dynamodb-table", NAME, "--json"];

const SLOW = { timeout: 60_000 };

afterEach(closeSites);

interface World {
  readonly site: Site;
  readonly options: FirnOptions;
  /** The catalog of the rows, which names their shard. */
  readonly shard: string;
}

const tableOf = (firn: Firn, name = "t") => firn.catalog("c").namespace("n").table(name, SCHEMA);

/** A table with rows on a closed store. */
async function world(): Promise<World> {
  const site = await openSite();
  const warehouse = `file://${scratchDirectory()}/warehouse`;
  const aws = { profile: "aws", s3Bucket: NAME, dynamodbTable: NAME } as const;
  const options: FirnOptions = { ...aws, secret: SECRET, warehouse, logLevel: "silent" };
  const firn = await Firn.open(options);
  const table = await firn.catalog("c").createNamespace("n").createTable("t", SCHEMA);
  await table.insert(...Array.from({ length: 50 }, (_, id) => ({ id, name: `n${id}` })));
  await firn.close();
  return { site, options, shard: shardsIn(site)[0] ?? "" };
}

/** Shards of rows in the bucket: those of catalogs. */
function shardsIn(site: Site): readonly string[] {
  const keys = site.s3.model.buckets.get(NAME)?.keys() ?? [];
  const found = keys.flatMap((key) => /^(?:.*\/)?shards\/([0-9a-f-]{36})\//.exec(key)?.[1] ?? []);
  return [...new Set(found)];
}

/** Works on the rows of a shard, as nobody does who serves them. */
async function onShard(
  { options, shard }: World,
  work: (engine: Engine, store: RowStore, readers: RowReaders) => Promise<void>,
): Promise<void> {
  const [clock, prng] = [new SystemClock(), new SystemPrng()];
  const quiet = { nodeId: "planter", onDefect: () => undefined, notify: () => undefined };
  const settings = requireSettings(readOptions(options, process.cwd()));
  const stores = await openStores(settings, { clock, prng, ...quiet }, createMetrics());
  const opened = await stores.openRowShard?.(shard);
  const engine = await opened?.engine();
  if (engine === undefined) throw new Error("profile aws has row tables");
  const read = async (name: string) => await stores.readRowShard?.(name);
  const readers = new RowReaders({ clock, prng, read });
  await work(engine, new RowStore({ engine, clock, prng, account: "default" }), readers);
  await readers.close();
  await opened?.close();
  await stores.close();
}

async function inStore(
  world: World,
  change: (tx: RowTransaction, id: TableId) => Promise<unknown>,
): Promise<void> {
  await onShard(world, async (_, store) => {
    await store.run(async (tx) => {
      const [table] = await tx.tables.list();
      if (table === undefined) throw new Error("the shard has a table");
      await change(tx, table.id);
    });
  });
}

/** What the command finds, and its exit code. */
async function checked(): Promise<readonly [exitCode: number, found: readonly object[]]> {
  const { exitCode, out, errors } = await firnLine(LINE, { FIRN_SECRET: SECRET });
  expect(exitCode, errors).not.toBe(2);
  const lines = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(lines.at(-1)).toHaveProperty("summary");
  return [
    exitCode,
    lines.slice(0, -1).filter((line) => !("level" in line && line.level === "leftover")),
  ];
}

/** Entries of the only index of the only table. */
const FIRST_ENTRY = Buffer.from("01000000100001", "hex");

test("the command checks rows on a closed store, and leaves the shard as it is", SLOW, async () => {
  const { site, options } = await world();
  const before = site.dynamo.tables.ready(NAME).all().length;
  expect(await checked()).toEqual([0, []]);
  expect(site.dynamo.tables.ready(NAME).all().length).toBe(before);
  const firn = await Firn.open(options);
  expect(await tableOf(firn).get({ id: 7 })).toEqual({ id: 7, name: "n7" });
  await firn.close();
});

test(
  "entries that an index lacks, or has for no row, are found beside the owner",
  SLOW,
  async () => {
    const planted = await world();
    await onShard(planted, async (engine) => {
      let at = 0;
      for await (const rows of engine.scan({ from: FIRST_ENTRY })) {
        for (const { key, value } of rows) {
          if (at++ > 1) continue;
          await engine.delete(key);
          if (at === 2) await engine.put(Buffer.concat([key, Buffer.of(1)]), value);
        }
      }
    });
    const finding = { code: "ROW_INDEX_MISMATCH", level: "damage" };
    const facts = { index: "by_name", missing: 2, extra: 1, wrong: 0 };
    const found = [1, [expect.objectContaining({ ...finding, ...facts })]];
    expect(await checked()).toEqual(found);
    const owner = await Firn.open(planted.options);
    await tableOf(owner).insert({ id: 100, name: "beside" });
    expect(await checked()).toEqual(found);
    // What another node says of the rows that it does not own.
    const other = await Firn.open(planted.options);
    const told: object[] = [];
    for await (const each of other.check()) told.push(each);
    expect(told).toContainEqual(expect.objectContaining({ ...finding, facts }));
    // The owner was not asked, and owns them as before.
    await tableOf(owner).insert({ id: 101, name: "later" });
    await other.close();
    await owner.close();
  },
);

test("a table that the shard lost, or whose columns the catalog does not show", SLOW, async () => {
  const planted = await world();
  const column = { name: "more", type: { kind: "int4" } } as const;
  await inStore(planted, (tx, id) => tx.alter(id, { kind: "add column", column }));
  expect(await checked()).toMatchObject([1, [{ code: "ROW_COLUMNS_MISMATCH" }]]);
  await inStore(planted, (tx, id) => tx.dropTable(id));
  expect(await checked()).toMatchObject([1, [{ code: "ROW_TABLE_LOST", table: "t" }]]);
});

test("a shard that is damaged, and one that is gone", SLOW, async () => {
  const { site, shard } = await world();
  const bucket = site.s3.model.buckets.get(NAME);
  const own = () => (bucket?.keys() ?? []).filter((key) => key.includes(`shards/${shard}/`));
  const [table = ""] = own().filter((key) => key.endsWith(".sst"));
  const stored = bucket?.get(table);
  if (stored === undefined) throw new Error(`no table among ${own().join(" ")}`);
  const body = Buffer.from(stored.body);
  for (let at = 0; at < body.length; at += 7) body[at] = (body[at] ?? 0) ^ 0x55;
  bucket?.set(table, { ...stored, body });
  expect(await checked()).toMatchObject([1, [{ code: "ROW_TABLE_UNREADABLE", table: "t" }]]);
  for (const key of own()) bucket?.delete(key);
  for (let run = 0; run < 2; run++) {
    expect(await checked()).toMatchObject([1, [{ code: "ROW_TABLE_LOST", table: "t" }]]);
    expect(shardsIn(site)).toEqual([]);
  }
});

test("no finding beside writers that make tables, rows and indexes", SLOW, async () => {
  const { options } = await world();
  const owner = await Firn.open(options);
  const going = { is: true };
  const writing = (async () => {
    for (let n = 0; going.is; n++) {
      const made = await owner.catalog("c").namespace("n").createTable(`w${n}`, SCHEMA);
      await made.insert({ id: 1, name: "x" }, { id: 2, name: "y" });
      await tableOf(owner).update({ id: n % 50 }, { name: `m${n}` });
      if (n % 2 === 0) await made.delete({ id: 1 });
    }
  })();
  for (let run = 0; run < 4; run++) expect(await checked()).toEqual([0, []]);
  going.is = false;
  await writing;
  await owner.close();
});

test("a table that is younger than what was read of its shard is not lost", SLOW, async () => {
  const planted = await world();
  await onShard(planted, async (_, store, readers) => {
    const check = async (at: number) => {
      const tables = await store.run((tx) => tx.tables.list(), { readOnly: true });
      const table = tables[at];
      if (table === undefined) throw new Error("no such table");
      const [catalogId, columns] = [planted.shard as CatalogId, columnsOf(table)];
      return await readers.check({ id: table.id, catalogId, columns } as Table);
    };
    const fine = { indexes: [], values: [], isShown: true };
    expect(await check(0)).toEqual(fine);
    await store.run(async (tx) => {
      const [table] = await tx.tables.list();
      if (table === undefined) throw new Error("the shard has a table");
      const id = table.id.replace(/.$/, (last) => (last === "f" ? "e" : "f")) as TableId;
      const column = { name: "id", type: { kind: "int4" } } as const;
      await tx.createTable({ id, namespace: ["n"], name: "young", columns: [column] });
    });
    expect(await check(1)).toEqual(fine);
    expect(await check(0)).toEqual(fine);
  });
});
