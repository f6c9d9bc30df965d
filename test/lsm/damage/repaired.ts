import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LocalBlobStore } from "../../../src/blob/local.ts";
import { DataBlockCursor } from "../../../src/lsm/format/data-block-cursor.ts";
import { openSst } from "../../../src/lsm/format/sst.ts";
import type { Ulid } from "../../../src/lsm/format/ulid.ts";
import type { Loss } from "../../../src/lsm/tools/repair/loss.ts";
import { type Repaired, repairShard } from "../../../src/lsm/tools/repair/repair.ts";
import { verifyShard } from "../../../src/lsm/tools/verify.ts";
import { SegmentReader } from "../../../src/lsm/wal/reader.ts";
import { batchOf, rowsAfter } from "../../kill/matrix/batches.ts";
import type { Case } from "./cases.ts";
import { diskIn, openIn, PORTS, storeIn, type Written } from "./directory.ts";
import { contentBytes, groupsOf, headerOf, leavesOf } from "./structure.ts";
import { Wrong } from "./wrong.ts";

const OPS = 5;

/** What a repair made of a damaged directory. */
export interface RepairedDirectory {
  readonly told: Repaired | { readonly refused: string };
  readonly rows: ReadonlyMap<string, string>;
}

/** Where the newest version of a row lies: all of these bytes prove it. */
interface Place {
  readonly path: string;
  readonly ranges: readonly (readonly [start: number, end: number])[];
}

/** Repairs a directory, which it must leave as it is, and reads the new one. @throws Wrong */
export async function repairOf(directory: string): Promise<RepairedDirectory> {
  const into = mkdtempSync(join(tmpdir(), "firn-damage-"));
  const before = contentOf(directory);
  try {
    const repaired = await repairInto(directory, into);
    const after = contentOf(directory);
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      (path) => before.get(path)?.equals(after.get(path) ?? Buffer.from("gone")) !== true,
    );
    if (changed.length > 0) throw new Wrong(`a repair changed ${changed.join()}`);
    return repaired;
  } catch (error) {
    if (error instanceof Wrong) throw error;
    throw new Wrong("a repair failed", { cause: error });
  } finally {
    rmSync(into, { recursive: true, force: true });
  }
}

async function repairInto(directory: string, into: string): Promise<RepairedDirectory> {
  const store = storeIn(directory) as LocalBlobStore;
  const target = { ...PORTS, store: storeIn(into), prefix: "" };
  const readDamaged = store.readDamaged.bind(store);
  const wal = new SegmentReader(diskIn(directory));
  const told = await repairShard(
    { store, prefix: "", wal, clock: PORTS.clock, readDamaged },
    { ...target, forTests: { tableBytes: 20_000, blockBytes: 1_024, memtableBytes: 30_000 } },
  );
  const rows = await rowsIn(into);
  const files = { ...target, wal: new SegmentReader(diskIn(into)) };
  for await (const { file, what } of verifyShard(files)) {
    throw new Wrong(`the repaired shard has damage: ${file}: ${what}`);
  }
  return { told, rows };
}

/** Holds what a repair brought back against what was written, and what it says is lost. */
export class RepairJudge {
  readonly #written: Written;
  readonly #places: ReadonlyMap<string, Place>;

  constructor(written: Written) {
    this.#written = written;
    this.#places = placesOf(written);
  }

  /**
   * @param tail the last batch where the log ends in what cannot be told from a torn write.
   * @throws Wrong
   */
  judge(damage: Case, { told, rows }: RepairedDirectory, tail: number | undefined): void {
    const due = rowsAfter(tail ?? this.#written.last);
    const losses = "losses" in told ? told.losses : [];
    for (const key of new Set([...due.keys(), ...rows.keys()])) {
      const [should, is] = [due.get(key), rows.get(key)];
      if (should === is) continue;
      if (tail === undefined && should !== undefined && this.#isProven(key, damage)) {
        throw new Wrong(`a repair lost ${key}, which nothing damaged: ${textOf(losses)}`);
      }
      if (is !== undefined && !this.#wasWritten(key, is)) throw new Wrong(`it invented ${key}`);
      const told = losses.filter(({ keys }) => keys && key >= keys.from && key < keys.to);
      if (told.length === 0) throw new Wrong(`a repair is silent on ${key}: ${textOf(losses)}`);
      const isDoubted = told.some(({ doubtful }) => doubtful > 0);
      if (is !== undefined && !isDoubted) throw new Wrong(`it does not doubt ${key}`);
    }
  }

  /** Whether no byte is changed of what holds the newest version of a row. */
  #isProven(key: string, { path, bytes }: Case): boolean {
    const place = this.#places.get(key);
    if (place === undefined) throw new Wrong(`the row ${key} lies nowhere`);
    if (place.path !== path) return true;
    const original = this.#written.files.get(path) as Buffer;
    return place.ranges.every(
      ([start, end]) => bytes?.subarray(start, end).equals(original.subarray(start, end)) === true,
    );
  }

  #wasWritten(key: string, value: string): boolean {
    for (let n = 1; n <= this.#written.last; n++) {
      for (const op of batchOf(n)) {
        if (op.op !== "put" || Buffer.from(op.key).toString() !== key) continue;
        if (Buffer.from(op.value).toString() === value) return true;
      }
    }
    return false;
  }
}

/** The newest version of each row that is left: in a block of a table, or in a group of the log. */
function placesOf({ files, last }: Written): ReadonlyMap<string, Place> {
  const found = new Map<string, { readonly sequence: number; readonly place: Place }>();
  const note = (key: string, sequence: number, place: Place): void => {
    if ((found.get(key)?.sequence ?? 0) < sequence) found.set(key, { sequence, place });
  };
  for (const [path, file] of files) {
    if (path.endsWith(".sst.blob")) {
      for (const { key, sequence, range } of entriesOf(path, file)) {
        note(key, sequence, { path, ranges: [range] });
      }
    } else if (path.endsWith(".wal") && headerOf(path, file) !== undefined) {
      let first = (headerOf(path, file)?.firstSequence ?? 1) as number;
      for (const { start, end, lastSequence } of groupsOf(path, file)) {
        const place: Place = {
          path,
          ranges: [
            [0, 64],
            [start, end],
          ],
        };
        for (; first <= lastSequence; first++) {
          const op = batchOf(Math.ceil(first / OPS))[(first - 1) % OPS];
          if (op?.op === "put") note(Buffer.from(op.key).toString(), first, place);
        }
      }
    }
  }
  const rows = rowsAfter(last);
  return new Map(
    [...found].filter(([key]) => rows.has(key)).map(([key, { place }]) => [key, place]),
  );
}

function* entriesOf(
  path: string,
  file: Buffer,
): Generator<{ key: string; sequence: number; range: readonly [number, number] }> {
  const id = path.slice(path.lastIndexOf("/") + 1, -".sst.blob".length) as Ulid;
  const bytes = file.subarray(0, contentBytes(file));
  const opened = openSst(bytes, { id });
  if (opened.state !== "open") throw new Error("a table that does not open");
  const cursor = new DataBlockCursor();
  for (const index of leavesOf(opened.sst, bytes)) {
    for (let i = 0; i < index.count; i++) {
      const [start, end] = [index.offset(i), index.offset(i) + index.bytes(i)];
      cursor.reset(opened.sst.dataBlock(bytes.subarray(start, end), start));
      while (cursor.next()) {
        yield { key: cursor.key, sequence: cursor.sequence, range: [start, end] };
      }
    }
  }
}

async function rowsIn(directory: string): Promise<ReadonlyMap<string, string>> {
  const engine = await openIn(directory);
  try {
    const rows = new Map<string, string>();
    for await (const batch of engine.scan()) {
      for (const { key, value } of batch) {
        rows.set(Buffer.from(key).toString(), Buffer.from(value).toString());
      }
    }
    return rows;
  } finally {
    await engine.close();
  }
}

function contentOf(directory: string): ReadonlyMap<string, Buffer> {
  const paths = readdirSync(directory, { recursive: true }).map(String);
  const files = paths.filter((path) => statSync(join(directory, path)).isFile());
  return new Map(files.map((path) => [path, readFileSync(join(directory, path))]));
}

function textOf(losses: readonly Loss[]): string {
  return losses
    .map(({ file, what, keys }) => `${file}: ${what} (${keys?.from.slice(0, 20)})`)
    .join("; ");
}
