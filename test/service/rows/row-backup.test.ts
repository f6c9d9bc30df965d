import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { CatalogId } from "../../../src/base/ids.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { columns, Firn, Schema } from "../../../src/index.ts";
import { backUpRows, restoreRows, verifyRows } from "../../../src/service/backup/rows.ts";
import {
  brokenIndexes,
  newTableId,
  openRows,
  rowsOf as rowsOfScan,
} from "../../rows/support/open-rows.ts";

const SCHEMA = Schema.table({
  columns: {
    id: columns.int4(),
    name: columns.text(),
    body: columns.text().nullable(),
  },
  primaryKey: ["id"],
  indexes: [{ name: "by_name", parts: [{ column: "name" }], unique: true }],
});

const ROWS = 3_000;
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "firn-row-backup-"));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

const open = (name: string): Promise<Firn> =>
  Firn.open({ profile: "local", dir: join(root, name), logLevel: "silent" });
const restoreInto = (name: string, backup: string, catalog?: string): Promise<unknown> =>
  Firn.restore(backup, { profile: "local", dir: join(root, name) }, catalog ? { catalog } : {});
const tableOf = (firn: Firn, catalog: string) =>
  firn.catalog(catalog).namespace("n").table("t", SCHEMA);

async function fill(firn: Firn, catalog: string, rows: number): Promise<void> {
  const table = await firn.catalog(catalog).createNamespace("n").createTable("t", SCHEMA);
  const all = Array.from({ length: rows }, (_, id) => {
    // Some are stored beside their rows.
    const body = id % 500 === 7 ? "y".repeat(40_000 + id) : "x".repeat(id % 700);
    return { id, name: `${catalog} ${id}`, body: id % 3 === 0 ? null : body };
  });
  await table.insert(...all);
  await table.delete({ id: 1 });
}

async function rowsOf(firn: Firn, catalog: string, index = 0): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  for await (const row of tableOf(firn, catalog).scan({ index })) rows.push(row);
  return rows;
}

it("a backup brings the rows of every catalog back, and they go on being written", async () => {
  const backup = join(root, "backup");
  const firn = await open("a");
  await fill(firn, "one", ROWS);
  await fill(firn, "two", 10);
  const before = [
    await rowsOf(firn, "one"),
    await rowsOf(firn, "two"),
    await rowsOf(firn, "one", 1),
  ];
  await firn.backup(backup);
  // What is written later is not in it.
  await tableOf(firn, "one").put({ id: 5, name: "later", body: null });
  await firn.close();

  await restoreInto("b", backup);
  const restored = await open("b");
  const after = [
    await rowsOf(restored, "one"),
    await rowsOf(restored, "two"),
    await rowsOf(restored, "one", 1),
  ];
  expect(after).toEqual(before);
  expect(before[0]).toHaveLength(ROWS - 1);
  const twice = tableOf(restored, "one").insert({ id: 9_999, name: "one 7", body: null });
  await expect(twice).rejects.toMatchObject({ code: "ROW_DUPLICATE" });
  // A new table takes a relation that none of the restored ones has.
  const other = await restored.catalog("one").namespace("n").createTable("u", SCHEMA);
  await other.insert({ id: 1, name: "u", body: null });
  expect(await rowsOf(restored, "one")).toEqual(before[0]);
  for await (const finding of restored.check()) expect(finding.level).toBe("note");
  await restored.close();
});

it("one catalog of a backup is restored with its rows alone", async () => {
  const backup = join(root, "backup");
  const firn = await open("a");
  await fill(firn, "one", 20);
  await fill(firn, "two", 10);
  const before = await rowsOf(firn, "two");
  await firn.backup(backup);
  await firn.close();
  await restoreInto("b", backup, "two");
  const restored = await open("b");
  expect(await rowsOf(restored, "two")).toEqual(before);
  expect(await restored.listCatalogs()).not.toContain("one");
  await restored.close();
});

it("a backup of which a file of rows was changed restores nothing", async () => {
  const backup = join(root, "backup");
  const firn = await open("a");
  await fill(firn, "one", ROWS);
  await firn.backup(backup);
  await firn.close();
  const [file = ""] = await readdir(join(backup, "backups"));
  const text = await readFile(join(backup, "backups", file), "utf8");
  const { shards, version } = JSON.parse(text.slice(0, text.indexOf("\n}") + 2));
  expect(version).toBe(2);
  expect(shards[0].rows.lines).toBeGreaterThan(2 * (ROWS - 1));
  const files = await readdir(backup, { recursive: true });
  const name = files.find((one) => one.includes(shards[0].rows.chunks[0]));
  const chunk = join(backup, name ?? "");
  const bytes = await readFile(chunk);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  await writeFile(chunk, bytes);
  await expect(restoreInto("b", backup)).rejects.toMatchObject({ kind: "Corrupt" });
});

/** A store whose calls throw from some call on: the process has ended. */
function dying(inner: BlobStore, calls: { left: number }): BlobStore {
  return new Proxy(inner, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (calls.left-- <= 0) throw new Error("the process has ended");
        return (value as (...all: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

it("rows are of one state while others write; a restore that is killed is run again", async () => {
  const [from, to] = [await openRows(), await openRows()];
  const catalog = "00000000-0000-7000-8000-000000000001" as CatalogId;
  const table = await from.rows.run(async (tx) => {
    const columns = [
      { name: "id", type: { kind: "int4" } },
      { name: "body", type: { kind: "text" } },
    ] as const;
    const primaryKey = { parts: [{ column: "id" }] };
    const indexes = [{ name: "by_body", parts: [{ column: "body" }] }];
    const spec = { id: newTableId(), namespace: [], name: "t", columns, primaryKey, indexes };
    return await tx.createTable(spec);
  });
  const put = (id: number, body: string) =>
    from.rows.run(async (tx) => await tx.put(table, [id, body]));
  await from.rows.run(async (tx) => {
    for (let id = 0; id < 12_000; id++) await tx.put(table, [id, "before"]);
  });
  const target = new MemoryBlobStore(from.world.clock);
  // Each file that is written is a chance for others to write rows.
  let writes = 0;
  const busy: BlobStore = new Proxy(target, {
    get: (inner, name) => {
      const value: unknown = Reflect.get(inner, name);
      if (typeof value !== "function") return value;
      return async (...args: unknown[]) => {
        if (name === "put") await put(11_000 + writes++, "later");
        return (value as (...all: unknown[]) => unknown).apply(inner, args);
      };
    },
  });
  const catalogs = async function* () {
    yield { catalog, shards: [catalog] };
  };
  const [shard] = await backUpRows(busy, async () => from.engine, catalogs());
  if (shard === undefined) throw new Error("no shard");
  expect(writes).toBeGreaterThan(2);
  await verifyRows(target, shard);

  const { clock, prng } = to.world;
  // What an earlier run has left must not stay.
  await to.engine.put(Buffer.from("0100000010ff", "hex"), Buffer.from("left"));
  let deaths = 0;
  for (let left = 0; ; left++) {
    const source = dying(target, { left });
    try {
      await restoreRows({ source, clock, prng }, to.engine, shard);
      break;
    } catch (error) {
      expect(String(error)).toContain("the process has ended");
      deaths++;
    }
  }
  expect(deaths).toBe(shard.rows.chunks.length);
  const bodies = await to.rows.run(async (tx) => {
    const found = await tx.tables.get(table.id);
    expect(await brokenIndexes(tx, found)).toEqual([]);
    return new Set((await rowsOfScan(tx.scan(found))).map(([, body]) => body));
  });
  expect(bodies).toEqual(new Set(["before"]));
  const other = { ...shard, sha: "0".repeat(64) };
  await expect(verifyRows(target, other)).rejects.toMatchObject({ code: "BACKUP_DAMAGED" });
  const restoring = restoreRows({ source: target, clock, prng }, to.engine, other);
  await expect(restoring).rejects.toMatchObject({ code: "RESTORE_DIFFERS" });
  await from.end();
  await to.end();
});
