import { RowReader, RowWriter } from "./row-codec.ts";
import { type ExecRun, type Row, type RowSource, WorkMemory } from "./run.ts";
import type { Block, Spill, TapeFile } from "./spill.ts";

/** Rows one behind the other, in a file that others may share. */
export class Tape {
  readonly #file: TapeFile;
  readonly #blockBytes: number;
  readonly #writer = new RowWriter();
  readonly #blocks: Block[] = [];
  rows = 0;
  bytes = 0;

  constructor(file: TapeFile, blockBytes: number) {
    this.#file = file;
    this.#blockBytes = blockBytes;
  }

  /** A promise where a block is full. */
  add(row: Row): Promise<void> | undefined {
    this.#writer.add(row);
    this.rows++;
    return this.#writer.length >= this.#blockBytes ? this.endBlock() : undefined;
  }

  /** Rows from here on are another block. */
  async endBlock(): Promise<void> {
    if (this.#writer.length === 0) return;
    const bytes = this.#writer.take();
    this.bytes += bytes.length;
    this.#blocks.push(await this.#file.append(bytes));
  }

  get blocks(): number {
    return this.#blocks.length;
  }

  async block(index: number): Promise<readonly Row[]> {
    return new RowReader(await this.#file.read(this.#blocks[index] as Block)).rows();
  }

  /** From the first row on; its last block must have ended. */
  reader(run: ExecRun): RowSource {
    let at = 0;
    return {
      next: async () => {
        const pause = run.pause();
        if (pause !== undefined) await pause;
        return at < this.#blocks.length ? await this.block(at++) : undefined;
      },
      close: () => {
        at = Number.POSITIVE_INFINITY;
      },
    };
  }
}

/** How often rows are split again where a part is still too large for the memory. */
export const MOST_LEVELS = 5;
const PARTS = 16;

/** Rows by the hash of their keys: rows of equal keys are in one part. */
export class Parts {
  readonly #file: TapeFile;
  readonly #tapes: readonly Tape[];
  readonly #seed: number;
  rows = 0;

  constructor(spill: Spill, level: number) {
    this.#file = spill.open();
    this.#seed = Math.imul(level + 1, 0x9e37_79b1);
    this.#tapes = Array.from({ length: PARTS }, () => new Tape(this.#file, spill.blockBytes));
  }

  get bytes(): number {
    return this.#file.bytes;
  }

  add(key: unknown, row: Row): Promise<void> | undefined {
    this.rows++;
    return (this.#tapes[partOf(key, this.#seed)] as Tape).add(row);
  }

  /** All that were added, part by part. */
  async finish(): Promise<readonly Tape[]> {
    for (const tape of this.#tapes) await tape.endBlock();
    return this.#tapes;
  }

  close(): void {
    this.#file.close();
  }
}

function partOf(key: unknown, seed: number): number {
  const text = String(key);
  let hash = seed ^ text.length;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x5bd1_e995);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) & (PARTS - 1);
}

/** What EXPLAIN ANALYZE tells of an operator that keeps rows. */
export class WorkFacts {
  peak = 0;
  disk = 0;
  batches = 1;

  sees(bytes: number): void {
    this.peak = Math.max(this.peak, bytes);
  }

  wrote(bytes: number, batches = 0): void {
    this.disk += bytes;
    this.batches += batches;
  }

  /** As PostgreSQL words it for hash tables. */
  get hash(): readonly string[] {
    const disk = this.disk === 0 ? "" : `  Disk Usage: ${kilobytes(this.disk)}`;
    return [`Batches: ${this.batches}  Memory Usage: ${kilobytes(this.peak)}${disk}`];
  }
}

export function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_024)}kB`;
}

/**
 * Rows that are kept until they are read, as often as is asked for: in memory as long as they fit
 * it, then in a file.
 */
export class RowPile {
  readonly #run: ExecRun;
  readonly #memory: WorkMemory;
  readonly #batches: (readonly Row[])[] = [];
  #tape: Tape | undefined;
  #file: TapeFile | undefined;
  count = 0;

  constructor(run: ExecRun) {
    this.#run = run;
    this.#memory = new WorkMemory(run);
  }

  /** How many batches were added. */
  get batches(): number {
    return this.#tape?.blocks ?? this.#batches.length;
  }

  /** On disk. */
  get bytes(): number {
    return this.#file?.bytes ?? 0;
  }

  /** @throws SqlError 53200, 53400, 53100. */
  async add(batch: readonly Row[]): Promise<void> {
    if (batch.length === 0) return;
    this.count += batch.length;
    if (this.#tape !== undefined) return await write(this.#tape, batch);
    this.#memory.keepRows(batch);
    this.#batches.push(batch);
    const { spill } = this.#run;
    if (spill === undefined || this.#memory.bytes <= spill.limits.workBytes) return;
    this.#file = spill.open();
    // A block is a batch: readers are at a batch of this number, wherever it is.
    const tape = new Tape(this.#file, Number.POSITIVE_INFINITY);
    for (const each of this.#batches) await write(tape, each);
    this.#tape = tape;
    this.#batches.length = 0;
    this.#memory.release();
  }

  async batch(index: number): Promise<readonly Row[] | undefined> {
    if (index >= this.batches) return undefined;
    if (this.#tape === undefined) return this.#batches[index];
    return await this.#tape.block(index);
  }

  reader(): RowSource {
    let at = 0;
    return {
      next: async () => {
        const pause = this.#run.pause();
        if (pause !== undefined) await pause;
        return await this.batch(at++);
      },
      close: () => {
        at = Number.POSITIVE_INFINITY;
      },
    };
  }

  close(): void {
    this.#batches.length = 0;
    this.#memory.release();
    this.#file?.close();
  }
}

async function write(tape: Tape, batch: readonly Row[]): Promise<void> {
  for (const row of batch) tape.add(row);
  await tape.endBlock();
}
