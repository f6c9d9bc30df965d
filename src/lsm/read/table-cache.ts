import { assert } from "../../base/assert.ts";
import { FirnError } from "../../base/error.ts";
import type { BlobStore } from "../../blob/port.ts";
import { closed } from "../errors.ts";
import { inFile } from "../format/corrupt.ts";
import type { MissingBlock } from "../format/cursor.ts";
import { DataBlock } from "../format/data-block.ts";
import type { IndexBlock } from "../format/index-block.ts";
import { openSst, type Sst } from "../format/sst.ts";
import { lowerBound, type SstMeta } from "../format/sst-meta.ts";
import type { Ulid } from "../format/ulid.ts";
import { ApartValues } from "./apart-values.ts";
import type { BlockCache } from "./cache.ts";
import { type Loaded, OpenTable, type ReadAhead, SsTable } from "./ss-table.ts";

export interface TableOptions {
  /** Parts of a table that lie closer together than this are read with one request. */
  readonly readGapBytes: number;
  /** The longest request. */
  readonly readBytes: number;
  /** Tells what a failed read means, before any caller that waits for it is told. */
  readonly explain?: (error: unknown) => Promise<unknown>;
}

/** Requests for tables and for values apart, and what they brought. */
export interface TableFigures {
  readonly tableReads: number;
  readonly tableReadBytes: number;
  readonly valueReads: number;
  readonly valueReadBytes: number;
}

/** What one request reads of one table. */
interface Read {
  readonly table: SsTable;
  readonly parts: readonly MissingBlock[];
}

/** Where the file of a table lies. */
export function tablePath(prefix: string, id: Ulid): string {
  return `${prefix}sst/${id}.sst`;
}

/** Where the file of a table lies that a manifest names, of the shard at a prefix. */
export function pathOf(
  prefix: string,
  { id, home = prefix }: Pick<SstMeta, "id" | "home">,
): string {
  return tablePath(home, id);
}

/** The tables that this process reads, each once, and the loading of what they miss. */
export class TableCache {
  readonly #store: BlobStore;
  readonly #prefix: string;
  readonly #cache: BlockCache;
  readonly #options: TableOptions;
  readonly #tables = new Map<Ulid, SsTable>();
  readonly values: ApartValues;
  #closed = false;
  #reads = 0;
  #readBytes = 0;

  constructor(store: BlobStore, prefix: string, cache: BlockCache, options: TableOptions) {
    this.#store = store;
    this.#prefix = prefix;
    this.#cache = cache;
    this.#options = options;
    this.values = new ApartValues(store, prefix, cache);
  }

  /** The table that a manifest describes. Reads nothing. */
  of(meta: SstMeta): SsTable {
    const known = this.#tables.get(meta.id);
    if (known !== undefined) {
      assert(known.meta.fileBytes === meta.fileBytes, "a table never changes under its id");
      if (lowerBound(known.meta) === lowerBound(meta)) return known;
    }
    const table = new SsTable(meta, this.#cache, known);
    this.#tables.set(meta.id, table);
    return table;
  }

  /** Forgets all other tables than these. */
  keepOnly(ids: ReadonlySet<Ulid>): void {
    for (const [id, table] of this.#tables) {
      if (ids.has(id)) continue;
      this.#tables.delete(id);
      table.forget();
    }
  }

  /** Forgets all of them. Reads that wait are told so. */
  close(): void {
    this.#closed = true;
    this.keepOnly(new Set());
    this.values.close();
  }

  get figures(): TableFigures {
    const values = this.values.figures;
    return { tableReads: this.#reads, tableReadBytes: this.#readBytes, ...values };
  }

  /**
   * Brings what cursors miss to hand: one request for each stretch of a table, all at once, none
   * for what another caller is loading already. What was loaded stays in memory until the function
   * that is answered is called, after the call that missed it has been repeated.
   *
   * @throws FirnError `Corrupt`, codes `LSM_TABLE_MISSING`, `LSM_VALUE_MISSING`,
   *   `LSM_FILE_CORRUPT`; `Unavailable`, codes `LSM_FENCED`, `LSM_CLOSED`; what the store throws.
   */
  async load(missing: readonly MissingBlock[], ahead?: ReadAhead): Promise<() => void> {
    const wanted = new Map<SsTable, Map<number, MissingBlock>>();
    const values = missing.filter(({ kind }) => kind === "value");
    for (const part of missing) {
      if (part.kind === "value") continue;
      const table = this.#tables.get(part.file as Ulid);
      if (table === undefined) {
        const path = tablePath(this.#prefix, part.file as Ulid);
        throw this.#closed ? closed() : tableGone(path, part.offset);
      }
      const parts = wanted.get(table) ?? new Map<number, MissingBlock>();
      wanted.set(table, parts.set(part.offset, part));
    }
    const held: [SsTable, number][] = [];
    let letGoOfValues: (() => void) | undefined;
    const release = (): void => {
      for (const [table, offset] of held.splice(0)) table.letGo(offset);
      letGoOfValues?.();
    };
    const loads = [...wanted].map(async ([table, parts]) => {
      const loaded = await this.#loadParts(table, [...parts.values()], ahead);
      for (const [offset, value] of loaded) {
        // Others who waited for it may have used it and lost it by now: then it is asked for again.
        if (value instanceof DataBlock && value.isGone) continue;
        table.hold(offset, value);
        held.push([table, offset]);
      }
    });
    if (values.length > 0) {
      loads.push(
        this.values.load(values).then((letGo) => {
          letGoOfValues = letGo;
        }),
      );
    }
    const outcomes = await Promise.allSettled(loads);
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed === undefined) return release;
    release();
    const { explain } = this.#options;
    throw explain === undefined ? failed.reason : await explain(failed.reason);
  }

  async #loadParts(
    table: SsTable,
    parts: readonly MissingBlock[],
    ahead: ReadAhead | undefined,
  ): Promise<Map<number, Loaded>> {
    const blocks = parts.filter((part) => part.offset !== table.tailAt);
    const open = table.open ?? (await this.#openTable(table));
    const loaded = new Map<number, Loaded>([[table.tailAt, open]]);
    const wanted = ahead === undefined ? blocks : table.withFollowing(open.sst, blocks, ahead);
    const fresh = wanted.filter((part) => !table.loading.has(part.offset));
    for (const read of this.#plan(table, fresh)) {
      const reading = this.#read(read, open.sst).finally(() => {
        for (const { offset } of read.parts) table.loading.delete(offset);
      });
      for (const { offset } of read.parts) table.loading.set(offset, reading);
    }
    const readings = new Set(wanted.map((part) => table.loading.get(part.offset)));
    const offsets = new Set(wanted.map((part) => part.offset));
    for (const values of await Promise.all(readings)) {
      for (const [offset, value] of values ?? []) {
        if (offsets.has(offset)) loaded.set(offset, value);
      }
    }
    assert(
      blocks.every(({ offset }) => loaded.has(offset)),
      "a load brings all that was missing, or the call would miss it for ever",
    );
    return loaded;
  }

  async #openTable(table: SsTable): Promise<OpenTable> {
    const { tailAt } = table;
    let opening = table.loading.get(tailAt);
    if (opening === undefined) {
      opening = this.#readTail(table).finally(() => table.loading.delete(tailAt));
      table.loading.set(tailAt, opening);
    }
    return (await opening).get(tailAt) as OpenTable;
  }

  async #readTail(table: SsTable): Promise<Map<number, Loaded>> {
    const { id, fileBytes, tailBytes, sequence } = table.meta;
    const path = pathOf(this.#prefix, table.meta);
    const blob = await this.#store.getSuffix(path, tailBytes);
    if (blob === undefined) throw tableGone(path, table.tailAt);
    this.#count(blob.bytes);
    const opened = inFile(path, () => openSst(blob.bytes, { id, fileBytes, sequence }));
    if (opened.state === "short") throw tableGone(path, table.tailAt);
    return new Map<number, Loaded>([[table.tailAt, new OpenTable(opened.sst, table)]]);
  }

  /** Cuts parts, in any order, into requests. */
  #plan(table: SsTable, parts: readonly MissingBlock[]): readonly Read[] {
    const { readGapBytes, readBytes } = this.#options;
    const reads: { table: SsTable; parts: MissingBlock[]; start: number; end: number }[] = [];
    for (const part of parts.toSorted((a, b) => a.offset - b.offset)) {
      const last = reads.at(-1);
      const end = part.offset + part.bytes;
      if (
        last !== undefined &&
        part.offset - last.end <= readGapBytes &&
        end - last.start <= readBytes
      ) {
        last.parts.push(part);
        last.end = end;
      } else reads.push({ table, parts: [part], start: part.offset, end });
    }
    return reads;
  }

  async #read({ table, parts }: Read, sst: Sst): Promise<Map<number, Loaded>> {
    const start = parts[0]?.offset ?? 0;
    const last = parts.at(-1);
    const length = last === undefined ? 0 : last.offset + last.bytes - start;
    assert(length > 0 && start + length <= table.tailAt, "blocks lie before the tail");
    const path = pathOf(this.#prefix, table.meta);
    const blob = await this.#store.getRange(path, start, length);
    if (blob === undefined) throw tableGone(path, start);
    this.#count(blob.bytes);
    const loaded = new Map<number, DataBlock | IndexBlock>();
    const life = blob.own === true && parts.length === 1 ? "alone" : "kept";
    for (const { kind, offset, bytes } of parts) {
      assert(kind !== "value", "a value is read by itself");
      const frame = blob.bytes.subarray(offset - start, offset - start + bytes);
      const read = inFile(path, () =>
        kind === "data" ? sst.dataBlock(frame, offset, life) : sst.indexPart(frame, offset),
      );
      loaded.set(offset, read);
    }
    return loaded;
  }

  #count(bytes: Uint8Array): void {
    this.#reads++;
    this.#readBytes += bytes.length;
  }
}

/**
 * The manifest names a file that is not there: another process deleted it, or it was never whole.
 */
export function tableGone(path: string, offset: number): FirnError {
  const facts = { path, offset };
  return new FirnError("Corrupt", "LSM_TABLE_MISSING", "a table of the manifest is missing", facts);
}
