import { CatalogError } from "../../base/error.ts";
import { END, ENTRY, MISS, type Step } from "../format/cursor.ts";
import type { Key } from "../format/entry.ts";
import type { SstMeta } from "../format/sst-meta.ts";
import { SstWriter } from "../format/sst-writer.ts";
import type { Ulid } from "../format/ulid.ts";
import { MergeCursor } from "../merge.ts";
import { VersionKeeper } from "../versions.ts";
import { InputRun, InputTable, inTable } from "./input-table.ts";
import type { MergeFeed, MergeOutput, MergeSpec, MergeStep, Part, Want } from "./merger.ts";

interface OpenWriter {
  readonly id: Ulid;
  readonly sst: SstWriter;
}

/** Entries between two looks at how much was made. */
const LOOK_ENTRIES = 64;
/** The cursor stands on the first entry of another table. */
const NEXT_TABLE = "next-table";
const stay = (): Step => ENTRY;

/**
 * A merge as a function over bytes: ranges of its inputs come in, ranges of its outputs go out. It
 * does no I/O and waits for nothing, so it runs anywhere; its memory is two windows of each input
 * and what one step makes.
 *
 * Every entry of the inputs is accounted for: one that its table counts and that does not come is
 * `Corrupt`, so that nothing is lost in silence.
 */
export class MergeJob {
  readonly #spec: MergeSpec;
  readonly #tables = new Map<Ulid, InputTable>();
  readonly #inputs: readonly InputRun[];
  readonly #cursor: MergeCursor;
  readonly #keeper: VersionKeeper;
  readonly #ids: Ulid[] = [];
  readonly #outputs: MergeOutput[] = [];
  #move: () => Step;
  #writer: OpenWriter | undefined;
  /** The open table is as large as one should be: it ends where the next key begins. */
  #full = false;
  #lastKey: Key | undefined;
  /** Of the open table, encoded and not handed out. */
  readonly #chunks: Uint8Array[] = [];
  #entries = 0;
  #done = false;

  constructor(spec: MergeSpec) {
    this.#spec = spec;
    this.#inputs = spec.inputs.map((tables) => {
      const inputs = tables.map((meta) => new InputTable(meta, spec.windowBytes));
      for (const input of inputs) this.#tables.set(input.meta.id, input);
      return new InputRun(inputs);
    });
    this.#cursor = new MergeCursor(this.#inputs);
    this.#keeper = new VersionKeeper(spec.snapshots, spec.dropTombstones);
    this.#move = () => this.#cursor.first();
  }

  /** @throws CatalogError `Corrupt`. */
  step({ parts, ids }: MergeFeed): MergeStep {
    for (const part of parts) this.#feed(part);
    this.#ids.push(...ids);
    const wants: Want[] = [];
    for (const input of this.#inputs) input.ask(wants);
    const blocked = !this.#done && this.#merge() === MISS;
    if (this.#writer !== undefined) this.#emit(this.#writer.id, undefined);
    // What was entered makes room for more; what was missed has to be on its way.
    for (const input of this.#inputs) input.ask(wants);
    const outputs = this.#outputs.splice(0);
    return { wants, outputs, blocked, spareIds: this.#ids.length, done: this.#done };
  }

  #feed({ table, offset, bytes }: Part): void {
    const input = this.#tables.get(table);
    try {
      input?.feed(offset, bytes);
    } catch (error) {
      throw inTable(error, input?.meta);
    }
  }

  /** Until enough was made (`ENTRY`), a block is missing, or the end. */
  #merge(): Step {
    const { stepBytes, tableBytes } = this.#spec;
    for (let made = 0; made < stepBytes; ) {
      const writer = this.#writer ?? this.#begin();
      if (writer === undefined) return ENTRY;
      const step = this.#some(writer.sst);
      if (step === END) {
        this.#finish();
        return step;
      }
      made += this.#drain(writer.sst);
      if (step === NEXT_TABLE) this.#endTable(writer);
      else this.#full = writer.sst.entries > 0 && writer.sst.estimatedBytes >= tableBytes;
      if (step === MISS) return step;
    }
    return ENTRY;
  }

  #begin(): OpenWriter | undefined {
    const id = this.#ids.shift();
    if (id === undefined) return undefined;
    const { compression, blockBytes, stepBytes: chunkBytes } = this.#spec;
    this.#writer = { id, sst: new SstWriter(id, { compression, blockBytes, chunkBytes }) };
    return this.#writer;
  }

  /**
   * Some entries, and where that came to an end. The versions of a key stay in one table: a table
   * that is compacted without its neighbour could lose the deletion of what lies in that.
   */
  #some(writer: SstWriter): Step | typeof NEXT_TABLE {
    const cursor = this.#cursor;
    const keeper = this.#keeper;
    for (let left = LOOK_ENTRIES; left > 0; left--) {
      const step = this.#move();
      if (step !== ENTRY) return step;
      const { key, sequence, kind } = cursor;
      if (this.#full && key !== this.#lastKey) {
        this.#move = stay;
        return NEXT_TABLE;
      }
      this.#move = this.#next;
      this.#lastKey = key;
      this.#entries++;
      if (!keeper.keep(key, sequence, kind)) continue;
      writer.append(cursor.entry);
    }
    return ENTRY;
  }

  readonly #next = (): Step => this.#cursor.next();

  #finish(): void {
    const expected = [...this.#tables.values()].reduce((n, { meta }) => n + meta.stats.entries, 0);
    if (this.#entries !== expected) throw entriesMissing(this.#entries, expected);
    if (this.#writer !== undefined && this.#writer.sst.entries > 0) this.#endTable(this.#writer);
    this.#done = true;
  }

  #endTable({ id, sst }: OpenWriter): void {
    if (sst.entries === 0) return;
    const meta = sst.finish();
    this.#drain(sst);
    this.#emit(id, meta);
    this.#writer = undefined;
    this.#full = false;
  }

  /** Takes over what is encoded; answers its bytes. */
  #drain(sst: SstWriter): number {
    let bytes = 0;
    for (const chunk of sst.takeChunks()) {
      this.#chunks.push(chunk);
      bytes += chunk.length;
    }
    return bytes;
  }

  #emit(table: Ulid, meta: SstMeta | undefined): void {
    const chunks = this.#chunks.splice(0);
    chunks.forEach((chunk, i) => {
      const bytes = wholeArray(chunk);
      this.#outputs.push({ table, bytes, meta: i === chunks.length - 1 ? meta : undefined });
    });
  }
}

/** An array changes hands as a whole: one that is far from full is copied instead. */
function wholeArray(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = chunk;
  return buffer instanceof ArrayBuffer && 2 * length >= buffer.byteLength
    ? new Uint8Array(buffer, byteOffset, length)
    : new Uint8Array(chunk);
}

function entriesMissing(found: number, expected: number): CatalogError {
  const message = "tables hold another number of entries than they count";
  return new CatalogError("Corrupt", "LSM_FILE_CORRUPT", message, { found, expected });
}
