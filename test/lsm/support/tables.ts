import type { SeededPrng } from "../../../src/base/prng.ts";
import { type Compression, FRAME_BYTES, writeFrame } from "../../../src/lsm/format/block-frame.ts";
import { type Cursor, MISS, type MissingBlock, type Step } from "../../../src/lsm/format/cursor.ts";
import type { DataBlock } from "../../../src/lsm/format/data-block.ts";
import type { IndexBlock } from "../../../src/lsm/format/index-block.ts";
import type { Fragment } from "../../../src/lsm/format/range-map.ts";
import { openSst, type Sst } from "../../../src/lsm/format/sst.ts";
import { type SstBlocks, SstCursor } from "../../../src/lsm/format/sst-cursor.ts";
import type { SstMeta } from "../../../src/lsm/format/sst-meta.ts";
import { type SstOptions, SstWriter } from "../../../src/lsm/format/sst-writer.ts";
import { bytesOf, type Entry, inOrder } from "./model.ts";

export const TABLE_ID = "01JD4Y0Q3Z8K6V5T2R1P0NMHGF";

export interface Written {
  readonly bytes: Buffer;
  readonly meta: SstMeta;
}

export function writeTable(
  entries: readonly Entry[],
  options: Partial<SstOptions> = {},
  ranges: readonly Fragment[] = [],
): Written {
  const writer = new SstWriter(TABLE_ID, options);
  for (const range of ranges) writer.addRange(range);
  for (const entry of inOrder(entries)) writer.append(bytesOf(entry));
  const meta = writer.finish();
  return { bytes: Buffer.concat(writer.takeChunks()), meta };
}

/** Opens a whole file that lies in memory. */
export function openTable(bytes: Uint8Array): Sst {
  const opened = openSst(bytes, { id: TABLE_ID, fileBytes: bytes.length });
  if (opened.state === "short") throw new Error("a whole file is never short");
  return opened.sst;
}

/** All blocks at hand. */
export class WholeFile implements SstBlocks {
  readonly #sst: Sst;
  readonly #bytes: Uint8Array;
  readonly #data: Map<number, DataBlock> = new Map();
  readonly #index: Map<number, IndexBlock> = new Map();
  readonly lengths: Map<number, number> = new Map();

  constructor(sst: Sst, bytes: Uint8Array) {
    this.#sst = sst;
    this.#bytes = bytes;
    const parts = sst.index.level === 0 ? [sst.index] : [];
    for (let i = 0; sst.index.level === 1 && i < sst.index.count; i++) {
      const offset = sst.index.offset(i);
      const frame = bytes.subarray(offset, offset + sst.index.bytes(i));
      parts.push(sst.indexPart(frame, offset));
      this.#index.set(offset, parts.at(-1)!);
    }
    for (const part of parts) {
      for (let i = 0; i < part.count; i++) this.lengths.set(part.offset(i), part.bytes(i));
    }
  }

  data(offset: number): DataBlock {
    const known = this.#data.get(offset);
    if (known !== undefined) return known;
    const frame = this.#bytes.subarray(offset, offset + this.lengths.get(offset)!);
    const block = this.#sst.dataBlock(frame, offset);
    this.#data.set(offset, block);
    return block;
  }

  index(offset: number): IndexBlock | undefined {
    return this.#index.get(offset);
  }
}

/** A file that forgets: each block has to be loaded before it is at hand, and is used once. */
class ForgetfulFile implements SstBlocks {
  readonly #whole: WholeFile;
  readonly #prng: SeededPrng;
  readonly #loaded = new Set<number>();

  constructor(whole: WholeFile, prng: SeededPrng) {
    this.#whole = whole;
    this.#prng = prng;
  }

  data(offset: number): DataBlock | undefined {
    return this.#atHand(offset) ? this.#whole.data(offset) : undefined;
  }

  index(offset: number): IndexBlock | undefined {
    return this.#atHand(offset) ? this.#whole.index(offset) : undefined;
  }

  load(offset: number): void {
    this.#loaded.add(offset);
  }

  /** Once a call has been answered, some of what it needed is gone. */
  forget(): void {
    for (const offset of this.#loaded) if (this.#prng.float() < 0.5) this.#loaded.delete(offset);
  }

  #atHand(offset: number): boolean {
    return this.#loaded.has(offset);
  }
}

/** The parts of a table's index, of which it has several. */
export function partsOf(bytes: Uint8Array): readonly IndexBlock[] {
  const sst = openTable(bytes);
  return Array.from({ length: sst.index.count }, (_, i) => {
    const offset = sst.index.offset(i);
    return sst.indexPart(bytes.subarray(offset, offset + sst.index.bytes(i)), offset);
  });
}

export function cursorOf(bytes: Uint8Array): SstCursor {
  const sst = openTable(bytes);
  return new SstCursor(sst, new WholeFile(sst, bytes));
}

export interface Forgetful {
  readonly cursor: SstCursor;
  readonly file: ForgetfulFile;
}

export function forgetfulCursor(bytes: Uint8Array, prng: SeededPrng): Forgetful {
  const sst = openTable(bytes);
  const file = new ForgetfulFile(new WholeFile(sst, bytes), prng);
  return { cursor: new SstCursor(sst, file), file };
}

/** Anything that moves and misses: `Cursor`, and `VisibleCursor`, which has fewer moves. */
interface Moves {
  missing(into: MissingBlock[]): void;
  readonly isPaused?: boolean;
  readonly isMidway?: boolean;
  refresh?(): void;
  resume?(): Step;
}

/** Calls until one is answered, of a cursor that ever will be. */
const MOST_CALLS = 100_000;

/** Loads what a call misses and makes it again, until it is answered. */
export function settled<C extends Moves>(
  cursor: C,
  files: readonly ForgetfulFile[],
  move: (cursor: C) => Step,
): Step {
  for (let calls = 0; calls < MOST_CALLS; calls++) {
    const step = cursor.isMidway ? (cursor.resume?.() ?? MISS) : move(cursor);
    if (step !== MISS) {
      for (const file of files) file.forget();
      return step;
    }
    const missing: MissingBlock[] = [];
    cursor.missing(missing);
    if (cursor.isPaused) {
      cursor.refresh?.();
      continue;
    }
    if (missing.length === 0) throw new Error("a miss names what is missing");
    for (const block of missing) for (const file of files) file.load(block.offset);
  }
  throw new Error("a cursor misses what is there");
}

/** A cursor whose every call is repeated until nothing is missing. */
export function patient(below: Cursor, files: readonly ForgetfulFile[]): Cursor {
  return {
    get key() {
      return below.key;
    },
    get sequence() {
      return below.sequence;
    },
    get kind() {
      return below.kind;
    },
    get operator() {
      return below.operator;
    },
    get expiresAtMs() {
      return below.expiresAtMs;
    },
    get entry() {
      return below.entry;
    },
    get valueSource() {
      return below.valueSource;
    },
    get valueStart() {
      return below.valueStart;
    },
    get valueEnd() {
      return below.valueEnd;
    },
    value: () => below.value(),
    first: () => settled(below, files, (c) => c.first()),
    last: () => settled(below, files, (c) => c.last()),
    seek: (key, sequence) => settled(below, files, (c) => c.seek(key, sequence)),
    seekBefore: (key, sequence) => settled(below, files, (c) => c.seekBefore(key, sequence)),
    next: () => settled(below, files, (c) => c.next()),
    prev: () => settled(below, files, (c) => c.prev()),
    missing: (into) => below.missing(into),
  };
}

/** The frame of some content, in an array of its own. */
export function sealFrame(
  content: Uint8Array,
  compression: Compression,
  seed: number,
  offset: number,
): Uint8Array {
  const out = Buffer.alloc(content.length + FRAME_BYTES);
  return out.subarray(0, writeFrame(out, 0, content, compression, seed, offset));
}
