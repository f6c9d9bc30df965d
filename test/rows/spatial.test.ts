import { afterEach, expect, it } from "vitest";
import { SeededPrng } from "../../src/base/prng.ts";
import {
  type BoxSide,
  beginIndex,
  buildIndex,
  type Datum,
  type IndexReport,
  type IndexSpec,
  repairIndex,
  type TableSpec,
} from "../../src/rows/index.ts";
import { newTableId, type OpenRows, openRows, rowsOf } from "./support/open-rows.ts";

let opened: OpenRows | undefined;
afterEach(async () => {
  await opened?.end();
  opened = undefined;
});

const BY_PLACE: IndexSpec = {
  name: "by_place",
  method: "hilbert",
  parts: [{ column: "x" }, { column: "y" }],
};
const RIGHT = { missing: 0, extra: 0, wrong: 0 };

async function made(rows: number): Promise<{ readonly on: OpenRows; readonly spec: TableSpec }> {
  const on = await openRows();
  opened = on;
  const spec: TableSpec = {
    id: newTableId(),
    namespace: ["geo"],
    name: "places",
    columns: [
      { name: "id", type: { kind: "text" } },
      { name: "x", type: { kind: "int4" } },
      { name: "y", type: { kind: "float8" } },
    ],
    primaryKey: { parts: [{ column: "id" }] },
  };
  await on.rows.run(async (tx) => {
    const table = await tx.createTable(spec);
    const all = Array.from({ length: rows }, (_, at) => [
      `p${at}`,
      at % 10 === 9 ? null : at % 37,
      (at % 41) / 2,
    ]);
    await tx.insert(table, all);
  });
  return { on, spec };
}

async function checked(on: OpenRows, { id }: TableSpec): Promise<IndexReport> {
  return await on.rows.run(async (tx) => {
    const table = await tx.tables.get(id);
    expect(table.indexes[0]?.state).toBe("public");
    return await tx.checkIndex(table, table.indexes[0]?.id ?? 0);
  });
}

async function inBox(on: OpenRows, { id }: TableSpec, box: readonly BoxSide[]): Promise<string[]> {
  return await on.rows.run(async (tx) => {
    const table = await tx.tables.get(id);
    const index = table.indexes[0]?.id ?? 0;
    const rows = await rowsOf(tx.scan(table, { index, box, mayReadWhole: false }));
    return rows.map(([name]) => String(name)).sort();
  });
}

it.each([1, 2, 3])("is built while others write (seed %i)", async (seed) => {
  const { on, spec } = await made(120);
  await beginIndex(on.rows, spec.id, BY_PLACE);
  let isStopped = false;
  let written = 0;
  const write = async (writer: number): Promise<void> => {
    const prng = new SeededPrng(seed * 31 + writer);
    while (!isStopped) {
      const name = `p${prng.uint32() % 140}`;
      const x: Datum = prng.uint32() % 5 === 0 ? null : prng.uint32() % 37;
      const kind = prng.uint32() % 3;
      await on.rows
        .run(
          async (tx) => {
            const table = await tx.tables.get(spec.id);
            if (kind === 0) await tx.delete(table, [name]);
            else if (kind === 1) await tx.put(table, [name, x, 1.5]);
            else await tx.update(table, [name], new Map([[2, x]]));
          },
          { isolation: kind === 1 ? "serializable" : "read committed" },
        )
        .then(
          () => written++,
          () => undefined,
        );
      await new Promise((resume) => setImmediate(resume));
    }
  };
  const writers = [write(1), write(2), write(3)];
  const pause = () => new Promise<void>((resume) => setImmediate(resume));
  await buildIndex(on.rows, spec.id, BY_PLACE.name, pause, 7);
  isStopped = true;
  await Promise.all(writers);
  expect(written).toBeGreaterThan(10);
  expect(await checked(on, spec)).toMatchObject(RIGHT);
  const box = [
    { low: 5, high: 20 },
    { low: 1, high: 6 },
  ];
  const all = await on.rows.run(async (tx) => rowsOf(tx.scan(await tx.tables.get(spec.id))));
  const expected = all.filter(([, x, y]) => {
    return x !== null && Number(x) >= 5 && Number(x) <= 20 && Number(y) >= 1 && Number(y) <= 6;
  });
  expect(expected.length).toBeGreaterThan(0);
  expect(await inBox(on, spec, box)).toEqual(expected.map(([name]) => String(name)).sort());
});

it("has no entry for a row with NULL, and is mended where it was tampered with", async () => {
  const { on, spec } = await made(600);
  await on.rows.run((tx) => tx.createIndex(spec.id, BY_PLACE));
  expect(await checked(on, spec)).toMatchObject({ ...RIGHT, rows: 600, entries: 540 });
  const prefix = Buffer.alloc(7);
  prefix[0] = 1;
  const { relation } = await on.rows.run((tx) => tx.tables.get(spec.id));
  prefix.writeUInt32BE(relation, 1);
  prefix.writeUInt16BE(1, 5);
  const keys: Buffer[] = [];
  for await (const batch of on.engine.scan({ from: prefix })) {
    for (const { key } of batch)
      if (Buffer.from(key).indexOf(prefix) === 0) keys.push(Buffer.from(key));
  }
  expect(keys).toHaveLength(540);
  await on.engine.delete(keys[3] as Buffer);
  const moved = Buffer.from(keys[100] as Buffer);
  // The last byte of the place on the curve.
  moved[15] = (moved[15] ?? 0) ^ 1;
  await on.engine.put(moved, new Uint8Array(0));
  const bad = { missing: 1, extra: 1, wrong: 0 };
  expect(await checked(on, spec)).toMatchObject(bad);
  expect(await repairIndex(on.rows, spec.id, BY_PLACE.name)).toMatchObject(bad);
  expect(await checked(on, spec)).toMatchObject({ ...RIGHT, entries: 540 });
});

it("gives no row of a box that holds none, and asks for a box", async () => {
  const { on, spec } = await made(50);
  await on.rows.run((tx) => tx.createIndex(spec.id, BY_PLACE));
  expect(await inBox(on, spec, [{ low: 5, high: 4 }, {}])).toEqual([]);
  expect(await inBox(on, spec, [{ low: 5, high: 5 }, {}])).toEqual(["p42", "p5"]);
  const read = on.rows.run(async (tx) =>
    rowsOf(tx.scan(await tx.tables.get(spec.id), { index: 1 })),
  );
  await expect(read).rejects.toMatchObject({ code: "ROW_INDEX_UNORDERED" });
});
