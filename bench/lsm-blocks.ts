import { SeededPrng } from "../src/base/prng.ts";
import { type Cursor, ENTRY } from "../src/lsm/format/cursor.ts";
import type { DataBlock } from "../src/lsm/format/data-block.ts";
import { DataBlockCursor } from "../src/lsm/format/data-block-cursor.ts";
import { type Key, keyOfBytes, PUT } from "../src/lsm/format/entry.ts";
import type { IndexBlock } from "../src/lsm/format/index-block.ts";
import { openSst, type Sst } from "../src/lsm/format/sst.ts";
import { type SstBlocks, SstCursor } from "../src/lsm/format/sst-cursor.ts";
import { SstWriter } from "../src/lsm/format/sst-writer.ts";
import { Memtable } from "../src/lsm/memtable/memtable.ts";
import { MergeCursor } from "../src/lsm/read/merge.ts";
import { VisibleCursor } from "../src/lsm/read/merge-visible.ts";
import { Operators } from "../src/lsm/read/operators.ts";
import { formatTable } from "./report.ts";

const ID = "01JD4Y0Q3Z8K6V5T2R1P0NMHGF";
const VALUE_BYTES = 100;
const KEY_BYTES = 16;
const PROBES = 200_000;
/** Of processor time, for one measurement. */
const LEAST_US = 60_000;

interface Table {
  readonly sst: Sst;
  readonly blocks: SstBlocks;
  readonly list: readonly DataBlock[];
  readonly bytes: number;
}

/** What is measured, the unit, and what a prototype of it reached on the same kind of machine. */
interface Cell {
  readonly name: string;
  readonly unit: "MB/s" | "k/s";
  readonly aim: number;
  readonly run: () => number;
}

function keyOf(n: number): Key {
  // Through bytes, as keys come: a padded text would be one in two pieces.
  return keyOfBytes(Buffer.from(String(n).padStart(KEY_BYTES, "0"), "latin1"));
}

/** A finished table, in the chunks that it came in. */
function encoded(keys: readonly Key[], sequence: (i: number) => number): readonly Uint8Array[] {
  const value = new SeededPrng(1).bytes(VALUE_BYTES);
  // One index and one filter: parts are read by the engine, which `lsm` measures.
  const whole = { indexPartBytes: 1 << 30, filterPartBytes: Number.POSITIVE_INFINITY };
  const writer = new SstWriter(ID, whole);
  keys.forEach((key, i) => {
    writer.add(key, sequence(i), PUT, value);
  });
  writer.finish();
  return writer.takeChunks();
}

/** A table in memory, its blocks decoded: what a warm cache holds. */
function table(keys: readonly Key[], sequence: (i: number) => number): Table {
  const file = Buffer.concat(encoded(keys, sequence));
  const opened = openSst(file, { id: ID });
  if (opened.state === "short") throw new Error("a whole file is never short");
  const { sst } = opened;
  const { index } = sst;
  const list: DataBlock[] = [];
  const byOffset = new Map<number, DataBlock>();
  for (let i = 0; i < index.count; i++) {
    const offset = index.offset(i);
    const frame = new Uint8Array(file.subarray(offset, offset + index.bytes(i)));
    const block = sst.dataBlock(frame, offset);
    list.push(block);
    byOffset.set(offset, block);
  }
  const blocks: SstBlocks = {
    data: (offset) => byOffset.get(offset),
    index: (): IndexBlock | undefined => undefined,
  };
  return { sst, blocks, list, bytes: file.length };
}

function shuffled<T>(items: readonly T[]): readonly T[] {
  const prng = new SeededPrng(2);
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(prng.float() * (i + 1));
    [out[i], out[j]] = [out[j] as T, out[i] as T];
  }
  return out;
}

/**
 * Thousands of units a second of processor time: other work on the machine counts less so. What is
 * quick is done again and again, or the collection of what came before would be most of it.
 */
function rate(run: () => number): number {
  const start = process.cpuUsage();
  for (let done = 0; ; ) {
    done += run();
    const { user, system } = process.cpuUsage(start);
    if (user + system >= LEAST_US) return (1_000 * done) / (user + system);
  }
}

function drain(cursor: Cursor | VisibleCursor, backward: boolean): number {
  let entries = 0;
  let step = backward ? cursor.last() : cursor.first();
  for (; step === ENTRY; step = backward ? cursor.prev() : cursor.next()) entries++;
  return entries;
}

function filled(keys: readonly Key[]): Memtable {
  const value = new SeededPrng(1).bytes(VALUE_BYTES);
  const memtable = new Memtable();
  keys.forEach((key, i) => {
    memtable.add(key, i + 1, PUT, value);
  });
  return memtable;
}

function blockCells(whole: Table, keys: readonly Key[]): readonly Cell[] {
  const random = shuffled(keys).slice(0, PROBES);
  const cursor = new SstCursor(whole.sst, whole.blocks);
  const raw = keys.length * (KEY_BYTES + VALUE_BYTES);
  const decode = (withKeys: boolean): number => {
    const block = new DataBlockCursor();
    let units = 0;
    for (const each of whole.list) {
      block.reset(each);
      while (block.next()) units += withKeys ? block.key.length : block.valueEnd;
    }
    if (units === 0) throw new Error("nothing was decoded");
    return raw / 1_000;
  };
  const absent = random.map((key) => `${key.slice(0, -1)}x`);
  const probe = (among: readonly Key[]): number => {
    for (const key of among) whole.sst.filter?.mayContain(key);
    return among.length;
  };
  return [
    {
      name: "table, encode",
      unit: "MB/s",
      aim: 500,
      run: () => {
        encoded(keys, (i) => i + 1);
        return raw / 1_000;
      },
    },
    { name: "blocks, decode", unit: "MB/s", aim: 2_600, run: () => decode(false) },
    { name: "blocks, decode with keys", unit: "MB/s", aim: 1_000, run: () => decode(true) },
    {
      name: "table, seek, cached",
      unit: "k/s",
      aim: 700,
      run: () => {
        for (const key of random) cursor.seek(key);
        return random.length;
      },
    },
    { name: "table, scan back", unit: "k/s", aim: 5_000, run: () => drain(cursor, true) },
    { name: "filter, hit", unit: "k/s", aim: 4_500, run: () => probe(random) },
    { name: "filter, miss", unit: "k/s", aim: 4_500, run: () => probe(absent) },
  ];
}

function memtableCells(keys: readonly Key[]): readonly Cell[] {
  const random = shuffled(keys);
  const memtable = filled(random);
  const insert = (order: readonly Key[]): number => filled(order).entries;
  return [
    { name: "memtable, insert random", unit: "k/s", aim: 1_070, run: () => insert(random) },
    { name: "memtable, insert in order", unit: "k/s", aim: 6_600, run: () => insert(keys) },
    {
      name: "memtable, scan",
      unit: "k/s",
      aim: 6_000,
      run: () => drain(memtable.cursor(), false),
    },
    {
      name: "memtable, scan back",
      unit: "k/s",
      aim: 6_000,
      run: () => drain(memtable.cursor(), true),
    },
    {
      name: "memtable, get",
      unit: "k/s",
      aim: 1_000,
      run: () => {
        for (const key of random.slice(0, PROBES)) memtable.get(key);
        return Math.min(PROBES, random.length);
      },
    },
  ];
}

function mergeCells(keys: readonly Key[]): readonly Cell[] {
  const ways = 4;
  const tables = Array.from({ length: ways }, (_, way) =>
    table(
      keys.filter((_key, i) => (i * 7_919) % ways === way),
      (i) => i * ways + way + 1,
    ),
  );
  const merged = (): MergeCursor =>
    new MergeCursor(tables.map(({ sst, blocks }) => new SstCursor(sst, blocks)));
  const raw = keys.length * (KEY_BYTES + VALUE_BYTES);
  const compact = (): number => {
    const cursor = merged();
    const writer = new SstWriter(ID);
    for (let step = cursor.first(); step === ENTRY; step = cursor.next()) {
      writer.append(cursor.entry);
      writer.takeChunks();
    }
    writer.finish();
    return raw / 1_000;
  };
  const visible = (): VisibleCursor =>
    new VisibleCursor(merged(), keys.length * ways, {
      operators: new Operators([]),
      nowMs: () => 0,
    });
  return [
    { name: "merge of 4 tables", unit: "k/s", aim: 5_000, run: () => drain(merged(), false) },
    { name: "merge of 4 tables, back", unit: "k/s", aim: 5_000, run: () => drain(merged(), true) },
    { name: "snapshot of 4 tables", unit: "k/s", aim: 4_500, run: () => drain(visible(), false) },
    { name: "snapshot, back", unit: "k/s", aim: 4_500, run: () => drain(visible(), true) },
    { name: "compaction of 4 tables", unit: "MB/s", aim: 360, run: compact },
  ];
}

/**
 * The parts of the storage engine, each alone and in memory, by processor time (of the garbage
 * collector's threads too); medians of rounds in which all take turns. The aims are what throw-away
 * prototypes of the same structures reached without versions, checks or checksums.
 */
export function benchLsmBlocks(options: { readonly smoke: boolean }): {
  readonly cells: number;
  readonly failed: number;
} {
  const count = options.smoke ? 20_000 : 400_000;
  const rounds = options.smoke ? 1 : 7;
  const keys = Array.from({ length: count }, (_, i) => keyOf(i * 3));
  const whole = table(keys, (i) => i + 1);
  const cells = [...blockCells(whole, keys), ...memtableCells(keys), ...mergeCells(keys)];
  const rates = new Map<string, number[]>(cells.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, run } of cells) rates.get(name)?.push(rate(run));
  }
  const rows = cells.map(({ name, unit, aim }) => {
    const sorted = (rates.get(name) ?? []).toSorted((a, b) => a - b);
    const median = sorted[sorted.length >> 1] ?? Number.NaN;
    return [name, median.toFixed(0), unit, String(aim), (median / aim).toFixed(2)];
  });
  console.log(formatTable(["operation", "rate", "unit", "prototype", "ratio"], rows));
  const failed = rows.filter(([, median]) => !(Number(median) > 0)).length;
  return { cells: cells.length, failed };
}
