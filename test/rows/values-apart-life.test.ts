import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import type { BlobStore } from "../../src/blob/port.ts";
import { Engine, ObjectWalStore } from "../../src/lsm/index.ts";
import { cloneShard } from "../../src/lsm/tools.ts";
import { type Datum, RowStore, type TableDescriptor } from "../../src/rows/index.ts";
import { InlineMerger } from "../support/inline-merger.ts";
import { looseValues } from "./support/loose-values.ts";
import { newTableId, type OpenRows, openRows, rowsOf } from "./support/open-rows.ts";

const MB = 1_048_576;
const DAYS = 4;
const ROWS_A_DAY = 3;

const opened: OpenRows[] = [];

afterEach(async () => {
  for (const one of opened.splice(0)) await one.end();
});

async function open(): Promise<OpenRows> {
  const made = await openRows();
  opened.push(made);
  return made;
}

/** Rows by day, each with 1.5 MB that do not compress. */
async function filled(at: OpenRows): Promise<TableDescriptor> {
  const table = await at.rows.run((tx) =>
    tx.createTable({
      id: newTableId(),
      namespace: ["docs"],
      name: "events",
      columns: [
        { name: "day", type: { kind: "int4" } },
        { name: "id", type: { kind: "int4" } },
        { name: "body", type: { kind: "bytea" } },
      ],
      primaryKey: { parts: [{ column: "day" }, { column: "id" }] },
    }),
  );
  for (let day = 0; day < DAYS; day++) {
    for (let id = 0; id < ROWS_A_DAY; id++) {
      await at.rows.run((tx) => tx.put(table, [day, id, randomBytes(1.5 * MB)]));
    }
  }
  return table;
}

/** Bytes of tables and long values that a shard keeps. */
async function kept(store: BlobStore, prefix = ""): Promise<number> {
  const found = ["sst/", "values/"].map((directory) =>
    store.list(`${prefix}${directory}`, { limit: 1_000 }),
  );
  return (await Promise.all(found)).flat().reduce((sum, { size }) => sum + size, 0);
}

async function settled(engine: Engine): Promise<void> {
  await engine.flush();
  await engine.compact();
  await engine.collectGarbage();
}

/** A store over the files of another, without its options of age. */
async function reopened(at: OpenRows): Promise<void> {
  await at.engine.close();
  at.engine = await at.world.open({ forTests: { gcMinAgeMs: 0 } });
  const { clock, prng } = at.world;
  at.rows = new RowStore({ engine: at.engine, clock, prng, account: "acme" });
}

describe("disk that long values take", () => {
  it("goes back when a day of rows is deleted as a range", async () => {
    const at = await open();
    await reopened(at);
    const table = await filled(at);
    await settled(at.engine);
    const day = ROWS_A_DAY * 1.5 * MB;
    expect(await kept(at.world.store)).toBeGreaterThan(DAYS * day);
    for (let gone = 0; gone < DAYS; gone++) {
      await at.rows.run((tx) => tx.deleteRange(table, { equal: [gone] }));
      const rows = await at.rows.run((tx) => rowsOf(tx.scan(table, { columns: [1] })));
      expect(rows).toHaveLength((DAYS - 1 - gone) * ROWS_A_DAY);
      expect(await at.rows.run((tx) => tx.checkValues(table))).toEqual([]);
      await settled(at.engine);
      expect(await kept(at.world.store)).toBeLessThan((DAYS - 1 - gone) * day + MB / 4);
    }
  });

  it("goes back when rows are deleted, and when values are replaced by others", async () => {
    const at = await open();
    await reopened(at);
    const table = await filled(at);
    const row = 1.5 * MB;
    for (let day = 0; day < DAYS; day++) {
      await at.rows.run((tx) => tx.delete(table, [day, 0]));
      await at.rows.run((tx) => tx.update(table, [day, 1], new Map([[3, randomBytes(100)]])));
      await at.rows.run((tx) => tx.update(table, [day, 2], new Map([[3, randomBytes(row)]])));
    }
    await settled(at.engine);
    expect(await kept(at.world.store)).toBeLessThan(DAYS * row + MB / 4);
    expect(await at.rows.run((tx) => tx.checkValues(table))).toEqual([]);
    expect(await looseValues(at, table)).toEqual([]);
  });
});

it("a clone of a shard has its long values, and both go on alone", async () => {
  const at = await open();
  const { store, log, clock, prng, processes } = at.world;
  const table = await filled(at);
  const before = await at.rows.run((tx) => rowsOf(tx.scan(table)));
  const into = "clones/a/";
  await cloneShard({ store, wal: log, clock, prng }, into);
  const engine = await Engine.open({
    store,
    clock,
    prng,
    prefix: into,
    wal: new ObjectWalStore(store, { clock, prng, prefix: `${into}wal/` }),
    node: processes.start({ sight: () => "dead" }),
    merger: new InlineMerger(clock),
  });
  const rows = new RowStore({ engine, clock, prng, account: "acme" });
  const clone = { ...at, engine, rows };
  const all = async (of: OpenRows): Promise<readonly (readonly Datum[])[]> => {
    const [found] = await of.rows.run((tx) => tx.tables.list());
    expect(await of.rows.run((tx) => tx.checkValues(found!))).toEqual([]);
    expect(await looseValues(of, found!)).toEqual([]);
    return await of.rows.run((tx) => rowsOf(tx.scan(found!)));
  };
  expect(await all(clone)).toEqual(before);
  const body = new Uint8Array(randomBytes(2 * MB));
  await rows.run((tx) => tx.update(table, [0, 0], new Map([[3, body]])));
  await rows.run((tx) => tx.delete(table, [1, 1]));
  await at.rows.run((tx) => tx.deleteRange(table, { equal: [2] }));
  await settled(at.engine);
  await settled(engine);
  const isOf = (day: number, id: number) => (row: readonly Datum[]) =>
    row[0] === day && row[1] === id;
  expect(await all(at)).toEqual(before.filter(([day]) => day !== 2));
  const changed = await all(clone);
  expect(changed).toHaveLength(before.length - 1);
  expect(changed.find(isOf(0, 0))?.[2]).toEqual(body);
  expect(changed.find(isOf(2, 2))).toEqual(before.find(isOf(2, 2)));
  await engine.close();
});
