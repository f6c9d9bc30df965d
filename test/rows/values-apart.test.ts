import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { encodeTablePrefix } from "../../src/keys/index.ts";
import {
  type ApartValue,
  pieceEntry,
  pieceKey,
  referenceTo,
  rowKeyOf,
} from "../../src/rows/apart-format.ts";
import type { Datum, TableDescriptor, TableSpec } from "../../src/rows/index.ts";
import { RowWriter } from "../../src/rows/row-writer.ts";
import { newTableId, type OpenRows, openRows, rowsOf } from "./support/open-rows.ts";

const KB = 1_024;
const APART_INDEX = 0xffff;

const opened: OpenRows[] = [];

afterEach(async () => {
  for (const one of opened.splice(0)) await one.end();
});

async function open(): Promise<OpenRows> {
  const made = await openRows();
  opened.push(made);
  return made;
}

function documents(primaryKey: TableSpec["primaryKey"]): TableSpec {
  return {
    id: newTableId(),
    namespace: ["docs"],
    name: "documents",
    columns: [
      { name: "id", type: { kind: "text" } },
      { name: "kind", type: { kind: "text" } },
      { name: "body", type: { kind: "text" } },
      { name: "scan", type: { kind: "bytea" } },
    ],
    ...(primaryKey && { primaryKey }),
  };
}

const KEYED = documents({ parts: [{ column: "id" }] });

function text(letter: string, length: number): string {
  return letter.repeat(length);
}

async function made(at: OpenRows, spec: TableSpec = KEYED): Promise<TableDescriptor> {
  return await at.rows.run((tx) => tx.createTable({ ...spec, id: newTableId() }));
}

/** Column and key of the row that a piece is of; and its number, if it is not the first. */
function shown(key: Uint8Array): string {
  const row = rowKeyOf(key)!.subarray(7);
  const number = Buffer.from(key).readUInt16BE(key.length - 2);
  const text = Buffer.concat([key.subarray(7, 9), row]).toString("latin1");
  return number === 0 ? text : `${text}#${number}`;
}

/** Keys of the pieces of a table, newest state. */
async function entries(at: OpenRows, { relation }: TableDescriptor): Promise<readonly string[]> {
  const from = encodeTablePrefix({ space: 1, relation, index: APART_INDEX });
  const to = encodeTablePrefix({ space: 1, relation: relation + 1, index: 0 });
  const found: string[] = [];
  for await (const rows of at.engine.scan({ from, to })) {
    for (const { key } of rows) found.push(shown(key));
  }
  return found;
}

async function put(at: OpenRows, table: TableDescriptor, ...row: Datum[]): Promise<void> {
  await at.rows.run((tx) => tx.put(table, row));
}

async function all(at: OpenRows, table: TableDescriptor): Promise<readonly Datum[][]> {
  return (await at.rows.run((tx) => rowsOf(tx.scan(table)))) as readonly Datum[][];
}

/** Bytes of the values that were put behind a sequence. */
async function writtenSince(at: OpenRows, sequence: number): Promise<number> {
  const subscription = at.engine.subscribe(sequence + 1);
  const batches = (await subscription.next()) ?? [];
  subscription.close();
  const ops = batches.flatMap((batch) => batch.ops);
  return ops.reduce((sum, op) => sum + (op.op === "put" ? op.value.length : 0), 0);
}

/** Bytes of the largest row of a table, as it is stored. */
async function rowBytes(at: OpenRows, { relation }: TableDescriptor): Promise<number> {
  const from = encodeTablePrefix({ space: 1, relation, index: 0 });
  const to = encodeTablePrefix({ space: 1, relation, index: 1 });
  let most = 0;
  for await (const rows of at.engine.scan({ from, to })) {
    for (const { value } of rows) most = Math.max(most, value.length);
  }
  return most;
}

describe("a value of more than 32 KiB", () => {
  it("has an entry of its own, and shorter ones stay in the row", async () => {
    const at = await open();
    const table = await made(at);
    const rows = [
      ["a", "k", text("x", 32 * KB), null],
      ["b", "k", text("y", 32 * KB + 1), new Uint8Array(100 * KB).fill(7)],
      ["c", text("é", 20 * KB), "short", null],
    ];
    for (const row of rows) await put(at, table, ...row);
    expect(await all(at, table)).toEqual(rows);
    expect(await entries(at, table)).toEqual(["\0\x02\x10c", "\0\x03\x10b", "\0\x04\x10b"]);
    await at.reopen();
    expect(await all(at, table)).toEqual(rows);
    expect(await rowBytes(at, table)).toBeLessThan(33 * KB);
  });

  it("is read by key, by many keys, by index, backwards, with a lock, or not at all", async () => {
    const at = await open();
    const first = await made(at);
    const table = await at.rows.run((tx) =>
      tx.createIndex(first.id, { name: "by_kind", parts: [{ column: "kind" }] }),
    );
    const [a, b] = [text("a", 90 * KB), text("b", 40 * KB)];
    await put(at, table, "1", "k", a, null);
    await put(at, table, "2", "k", "short", null);
    await put(at, table, "3", "l", b, new Uint8Array(40 * KB));
    await at.rows.run(async (tx) => {
      const whole = ["1", "k", a, null];
      expect(await tx.get(table, ["1"])).toEqual(whole);
      expect(await tx.get(table, ["1"], { lock: { mode: "update" } })).toEqual(whole);
      expect(await tx.get(table, ["1"], { columns: [2] })).toEqual(["k"]);
      const many = await tx.getMany(table, [["3"], ["9"], ["2"]], { columns: [3, 1] });
      expect(many).toEqual([[b, "3"], undefined, ["short", "2"]]);
      const index = table.indexes[0]!.id;
      const byIndex = await rowsOf(tx.scan(table, { index, equal: ["k"], columns: [3] }));
      expect(byIndex).toEqual([[a], ["short"]]);
      const back = await rowsOf(tx.scan(table, { reverse: true, columns: [3, 2] }));
      expect(back).toEqual([
        [b, "l"],
        ["short", "k"],
        [a, "k"],
      ]);
      const locked = tx.scan(table, { columns: [3], lock: { mode: "share" }, limit: 1 });
      expect(await rowsOf(locked)).toEqual([[a]]);
      expect(await rowsOf(tx.scan(table, { equal: ["3"], columns: [3] }))).toEqual([[b]]);
    });
  });

  it("goes with its row, and stays while another column changes", async () => {
    const at = await open();
    const table = await made(at);
    const [a, b] = [text("a", 90 * KB), text("b", 90 * KB)];
    await put(at, table, "1", "k", a, new Uint8Array(50 * KB));
    const sequence = at.engine.lastSequence;
    await at.rows.run((tx) => tx.update(table, ["1"], new Map([[2, "other"]])));
    // Neither value is written again.
    expect(await writtenSince(at, sequence)).toBeLessThan(2 * KB);
    expect(await all(at, table)).toEqual([["1", "other", a, new Uint8Array(50 * KB)]]);
    await at.rows.run((tx) =>
      tx.update(
        table,
        ["1"],
        new Map<number, Datum>([
          [3, b],
          [4, null],
        ]),
      ),
    );
    expect(await all(at, table)).toEqual([["1", "other", b, null]]);
    expect(await entries(at, table)).toEqual(["\0\x03\x101"]);
    await at.rows.run((tx) => tx.update(table, ["1"], new Map([[1, "2"]])));
    expect(await all(at, table)).toEqual([["2", "other", b, null]]);
    expect(await entries(at, table)).toEqual(["\0\x03\x102"]);
    await put(at, table, "2", "k", "short", null);
    expect(await entries(at, table)).toEqual([]);
    await put(at, table, "2", "k", b, null);
    await at.rows.run((tx) => tx.delete(table, ["2"]));
    expect(await entries(at, table)).toEqual([]);
  });
});

describe("a long value", () => {
  it("is of the state that a transaction reads, and rolls back with its row", async () => {
    const at = await open();
    const table = await made(at);
    const [a, b] = [text("a", 90 * KB), text("b", 90 * KB)];
    await put(at, table, "1", "k", a, null);
    const old = await at.rows.begin({ readOnly: true });
    const scan = old.scan(table);
    await put(at, table, "1", "k", b, null);
    expect(await old.get(table, ["1"])).toEqual(["1", "k", a, null]);
    expect(await rowsOf(scan)).toEqual([["1", "k", a, null]]);
    old.rollback();
    const tx = await at.rows.begin();
    const before = tx.savepoint();
    await tx.put(table, ["1", "k", "short", null]);
    tx.rollbackTo(before);
    expect(await tx.get(table, ["1"])).toEqual(["1", "k", b, null]);
    await tx.delete(table, ["1"]);
    tx.rollback();
    expect(await all(at, table)).toEqual([["1", "k", b, null]]);
  });

  it("is what a scan began with, also where its transaction writes ahead of it", async () => {
    const at = await open();
    const table = await made(at);
    const long = (letter: string): string => text(letter, 5 * KB * KB);
    for (const id of ["1", "2", "3"]) await put(at, table, id, "k", long(id), null);
    await at.rows.run(async (tx) => {
      const scan = tx.scan(table, { columns: [1, 3] });
      const first = await scan.nextBatch();
      // Values of 15 MB are not in memory at once.
      expect(first?.columns).toEqual([["1"], [long("1")]]);
      await tx.update(table, ["2"], new Map([[3, "short"]]));
      await tx.delete(table, ["3"]);
      expect(await rowsOf(scan)).toEqual([
        ["2", long("2")],
        ["3", long("3")],
      ]);
    });
    expect(await all(at, table)).toEqual([
      ["1", "k", long("1"), null],
      ["2", "k", "short", null],
    ]);
    const pieces = ["", "#1", "#2", "#3", "#4"].map((number) => `\0\x03\x101${number}`);
    expect(await entries(at, table)).toEqual(pieces);
  });

  it("goes with a range, a truncate, a drop, and the values of a dropped column", async () => {
    const at = await open();
    let table = await made(at);
    const body = text("a", 40 * KB);
    // "1!" lies between the key "1" and the entries of it.
    for (const id of ["0", "1", "1!", "2"]) await put(at, table, id, "k", body, null);
    const upper = { value: "1", inclusive: true };
    await at.rows.run((tx) => tx.deleteRange(table, { upper }));
    expect(await entries(at, table)).toEqual(["\0\x03\x101!", "\0\x03\x102"]);
    await at.rows.run((tx) => tx.deleteRange(table, { lower: { value: "2", inclusive: true } }));
    expect(await entries(at, table)).toEqual(["\0\x03\x101!"]);
    table = await at.rows.run((tx) => tx.alter(table.id, { kind: "drop column", column: "body" }));
    expect(await all(at, table)).toEqual([["1!", "k", null]]);
    await put(at, table, "1!", "l", null);
    expect(await entries(at, table)).toEqual([]);
    await put(at, table, "3", body, null);
    const before = table;
    table = await at.rows.run((tx) => tx.truncate(table.id));
    expect(await entries(at, before)).toEqual([]);
    await put(at, table, "3", body, null);
    await at.rows.run((tx) => tx.deleteRange(table, {}));
    expect(await entries(at, table)).toEqual([]);
    await put(at, table, "3", body, null);
    await at.rows.run((tx) => tx.dropTable(table.id));
    expect(await entries(at, table)).toEqual([]);
  });

  it("moves to a new relation with its rows", async () => {
    const at = await open();
    const table = await made(at, documents(undefined));
    const body = text("a", 40 * KB);
    await at.rows.run((tx) => tx.insert(table, [["1", "k", body, null]]));
    const key = { name: "documents_pkey", columns: ["id"] };
    const keyed = await at.rows.run((tx) => tx.alter(table.id, { kind: "add primary key", key }));
    expect(await all(at, keyed)).toEqual([["1", "k", body, null]]);
    expect(await entries(at, keyed)).toEqual(["\0\x03\x101"]);
    expect(await entries(at, table)).toEqual([]);
  });
});

describe("the entry of a long value", () => {
  it("is seen by checks and builds of indexes", async () => {
    const at = await open();
    const first = await made(at);
    const long = text("A", 40 * KB);
    await put(at, first, "1", "k", long, new Uint8Array(40 * KB));
    const table = await at.rows.run((tx) =>
      tx.createIndex(first.id, {
        name: "by_kind",
        parts: [{ column: "kind" }],
        include: ["body"],
      }),
    );
    const index = table.indexes[0]!.id;
    const clean = { index: "by_kind", rows: 1, entries: 1, missing: 0, extra: 0, wrong: 0 };
    await at.rows.run(async (tx) => {
      expect(await tx.checkIndex(table, index)).toEqual(clean);
      const only = tx.scan(table, { index, columns: [3], indexOnly: true });
      expect(await rowsOf(only)).toEqual([[long]]);
    });
  });

  it("is refused, never guessed, where its entry is missing or of another value", async () => {
    const at = await open();
    const table = await made(at);
    await put(at, table, "1", "k", text("a", 40 * KB), null);
    const prefix = encodeTablePrefix({ space: 1, relation: table.relation, index: 0 });
    const key = pieceKey(Buffer.concat([prefix, Buffer.from("\x101")]), 3, 0);
    const bytes = Buffer.from(text("b", 40 * KB));
    const other = pieceEntry({ columnId: 3, reference: referenceTo(bytes), bytes }, 0);
    const corrupt = expect.objectContaining({ code: "ROW_CORRUPT" });
    await (await at.engine.put(key, other)).durable();
    const check = () => at.rows.run((tx) => tx.checkValues(table));
    await expect(all(at, table)).rejects.toThrow(corrupt);
    const fault = { column: "body", row: '["1"]', missing: 0, extra: 0, wrong: 0 };
    expect(await check()).toEqual([{ ...fault, wrong: 1 }]);
    // Of the right hash, with other bytes.
    const forged = { columnId: 3, reference: referenceTo(Buffer.from(text("a", 40 * KB))), bytes };
    await (await at.engine.put(key, pieceEntry(forged, 0))).durable();
    expect(await check()).toEqual([{ ...fault, wrong: 1 }]);
    await (await at.engine.delete(key)).durable();
    await expect(at.rows.run((tx) => tx.get(table, ["1"]))).rejects.toThrow(corrupt);
    expect(await check()).toEqual([{ ...fault, missing: 1 }]);
    const kinds = await at.rows.run((tx) => rowsOf(tx.scan(table, { columns: [2] })));
    expect(kinds).toEqual([["k"]]);
    const right = {
      columnId: 3,
      reference: forged.reference,
      bytes: Buffer.from(text("a", 40 * KB)),
    };
    await (await at.engine.put(key, pieceEntry(right, 0))).durable();
    expect(await check()).toEqual([]);
    const left = (row: string, column: number, piece: number): Uint8Array =>
      pieceKey(Buffer.concat([prefix, Buffer.from(row)]), column, piece);
    const planted = [left("\x102", 3, 0), left("\x102", 3, 1), left("\x101", 4, 0)];
    for (const one of planted) await (await at.engine.put(one, other)).durable();
    expect(await check()).toEqual([
      { ...fault, row: '["2"]', extra: 2 },
      { ...fault, column: "scan", extra: 1 },
    ]);
  });

  it("has a reference in its row, which older readers refuse by its flag", () => {
    const columns = [
      { id: 1, type: { kind: "int4" } },
      { id: 2, type: { kind: "text" } },
    ] as const;
    const apart: ApartValue[] = [];
    const row = new RowWriter(columns, 3, 7, undefined, 4).write([5, "hello"], apart);
    const sha = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    // Head with flag 16, ids, no NULL, the second is apart, ends, 5, length and hash.
    const head = "01100200" + "03000000" + "07000000" + "0102" + "00" + "02" + "04002800";
    expect(Buffer.from(row).toString("hex")).toBe(`${head}0500000005000000${sha}`);
    expect(apart.map(({ columnId, bytes }) => [columnId, Buffer.from(bytes).toString()])).toEqual([
      [2, "hello"],
    ]);
  });

  it("has the bytes that its file shows", () => {
    const url = new URL("../../src/rows/apart-format.ts", import.meta.url);
    const shown = /Example: ([\s\S]*?)\*\//.exec(readFileSync(url, "utf8"))?.[1] ?? "";
    const lines = [...shown.matchAll(/^ \* {3}([0-9a-f ]+)$/gm)].map((match) => match[1] ?? "");
    const prefix = encodeTablePrefix({ space: 1, relation: 16, index: 0 });
    const key = pieceKey(Buffer.concat([prefix, Buffer.of(0x80, 0, 0, 1)]), 5, 0);
    const bytes = Buffer.from("h");
    const entry = pieceEntry({ columnId: 5, reference: referenceTo(bytes), bytes }, 0);
    const hex = (of: Uint8Array): string => Buffer.from(of).toString("hex");
    expect(lines.join("").replaceAll(" ", "")).toBe(hex(key) + hex(entry));
  });
});
