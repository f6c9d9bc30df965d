import { copyOf } from "../base/bytes.ts";
import type { Maybe, PackedRows } from "../lsm/index.ts";
import { anyApart, JOINED_BYTES, WholeRows, wholeRow } from "./apart-values.ts";
import type { RowBatch, RowScan, SearchFacts } from "./batch.ts";
import type { CompiledIndex, EntryReader } from "./compiled-index.ts";
import { type CompiledTable, readerOf, type TableReader } from "./compiled-table.ts";
import type { Datum } from "./datum.ts";
import { visibleColumns } from "./descriptor.ts";
import type { ScanReads } from "./engine-view.ts";
import { rowError } from "./errors.ts";
import { PostingRows, planPostings } from "./inverted/posting-scan.ts";
import type { KeyCodec } from "./key-codec.ts";
import { keyIn, RangeScans } from "./range-scans.ts";
import type { RowScanRequest } from "./row-requests.ts";
import { BoxRows, planBox } from "./spatial/box-scan.ts";
import { rowsOfEntries, type ScanHost, type StoredRow, type StoredRows } from "./stored-rows.ts";
import type { PackedView } from "./view-scan.ts";

const NO_KEY = new Uint8Array(0);

/** The scans of the ranges of a request, each of which begins when the one before it has ended. */
export function scansOf(
  view: Pick<ScanReads, "scan">,
  codec: KeyCodec,
  request: RowScanRequest,
): readonly (() => PackedView)[] {
  const { ranges = [request], reverse = false, limit, batchRows, lock } = request;
  // Rows that a lock leaves out do not count.
  const most = limit !== undefined && lock === undefined ? { limit } : {};
  const size = batchRows === undefined ? {} : { batchRows };
  return ranges.map((range) => {
    const bounds = codec.range(range);
    return () => view.scan({ ...bounds, reverse, ...most, ...size });
  });
}

/** A scan that is opened when its first rows are asked for. */
export class LazyScan implements RowScan {
  readonly #open: () => Promise<RowScan>;
  #scan: RowScan | undefined;
  #isClosed = false;

  constructor(open: () => Promise<RowScan>) {
    this.#open = open;
  }

  async nextBatch(): Promise<RowBatch | undefined> {
    if (this.#isClosed) return undefined;
    this.#scan ??= await this.#open();
    return await this.#scan.nextBatch();
  }

  close(): void {
    this.#isClosed = true;
    this.#scan?.close();
  }

  found(): SearchFacts | undefined {
    return this.#scan?.found?.();
  }
}

/** Rows in the order of their primary key, decoded where they lie. */
export class PrimaryScan implements RowScan {
  readonly #ranges: RangeScans;
  readonly #reader: TableReader;
  readonly #host: ScanHost;
  /** Rows of a batch with values apart. */
  #apart: RowScan | undefined;

  constructor(begin: readonly (() => PackedView)[], reader: TableReader, host: ScanHost) {
    host.onBegin();
    this.#ranges = new RangeScans(begin);
    this.#reader = reader;
    this.#host = host;
  }

  async nextBatch(): Promise<RowBatch | undefined> {
    this.#host.onRead();
    const more = this.#apart === undefined ? undefined : await this.#apart.nextBatch();
    if (more !== undefined) return more;
    this.#apart = undefined;
    const packed = await this.#ranges.next();
    if (packed === undefined) return undefined;
    if (anyApart(this.#reader, packed)) {
      this.#apart = new DecodedScan(new CopiedRows(packed), this.#reader, this.#host);
      return await this.#apart.nextBatch();
    }
    const columns = Array.from({ length: this.#reader.columns }, () => new Array(packed.count));
    const vectors = this.#reader.vectors(columns);
    const { values, valueStarts, valueEnds, count } = packed;
    const { isKeyRead } = this.#reader;
    for (let i = 0; i < count; i++) {
      const key = isKeyRead ? keyIn(packed, i) : NO_KEY;
      const from = valueStarts[i] as number;
      this.#reader.read(key, values, from, valueEnds[i] as number, columns, vectors, i);
    }
    return { count, columns };
  }

  close(): void {
    this.#ranges.close();
  }
}

/** The row of one key, or none: a look-up, which costs a fraction of what a range does. */
export class PointScan implements RowScan {
  readonly #key: Uint8Array;
  readonly #reader: TableReader;
  readonly #host: ScanHost;
  #isDone = false;

  constructor(key: Uint8Array, reader: TableReader, host: ScanHost) {
    this.#key = key;
    this.#reader = reader;
    this.#host = host;
  }

  async nextBatch(): Promise<RowBatch | undefined> {
    this.#host.onRead();
    if (this.#isDone) return undefined;
    this.#isDone = true;
    const read = this.#host.get(this.#key);
    const value = read instanceof Promise ? await read : read;
    if (value === undefined) return undefined;
    const joined = wholeRow(this.#host.apart, this.#reader, this.#key, value);
    const whole = joined instanceof Promise ? await joined : joined;
    return { count: 1, columns: this.#reader.columnsOf(this.#key, whole) };
  }

  close(): void {
    this.#isDone = true;
  }
}

/** The key that a request is of, where it is of one alone. */
function onlyKeyOf(codec: KeyCodec, request: RowScanRequest): Uint8Array | undefined {
  const { equal = [], ranges, limit = 1, lock } = request;
  const isWhole = equal.length === codec.parts.length && !equal.includes(null);
  if (!isWhole || ranges !== undefined || lock !== undefined || limit < 1) return undefined;
  if (request.lower !== undefined || request.upper !== undefined) return undefined;
  return codec.encodeStart(equal);
}

function copied(packed: PackedRows): readonly StoredRow[] {
  const { values, valueStarts, valueEnds, count } = packed;
  return Array.from({ length: count }, (_, i) => {
    const key = keyIn(packed, i);
    return {
      key: copyOf(key, 0, key.length),
      value: copyOf(values, valueStarts[i] as number, valueEnds[i] as number),
    };
  });
}

/** The rows of one batch, copied out of the scan's memory. */
class CopiedRows implements StoredRows {
  #rows: readonly StoredRow[] | undefined;

  constructor(packed: PackedRows) {
    this.#rows = copied(packed);
  }

  async next(): Promise<readonly StoredRow[] | undefined> {
    const rows = this.#rows;
    this.#rows = undefined;
    return rows;
  }

  close(): void {
    this.#rows = undefined;
  }
}

/** Rows as they are stored, copied out of the scan's memory. */
export class StoredScan implements StoredRows {
  readonly #ranges: RangeScans;
  readonly #host: ScanHost;

  constructor(begin: readonly (() => PackedView)[], host: ScanHost) {
    host.onBegin();
    this.#ranges = new RangeScans(begin);
    this.#host = host;
  }

  async next(): Promise<readonly StoredRow[] | undefined> {
    this.#host.onRead();
    const packed = await this.#ranges.next();
    if (packed === undefined) return undefined;
    return copied(packed);
  }

  close(): void {
    this.#ranges.close();
  }
}

/** All rows of a table, as they are stored. @param reader of what they are to have in them. */
export function storedScan(
  view: ScanReads,
  compiled: CompiledTable,
  host: ScanHost,
  reader: TableReader = compiled.rows,
): StoredRows {
  const rows = new StoredScan(scansOf(view, compiled.key, {}), host);
  return new WholeRows(rows, reader, host.apart);
}

/** Rows of index entries, in their order: each entry's row is fetched, many at once. */
export class IndexedRows implements StoredRows {
  readonly #ranges: RangeScans;
  readonly #table: CompiledTable;
  readonly #index: CompiledIndex;
  readonly #host: ScanHost;

  constructor(
    begin: readonly (() => PackedView)[],
    table: CompiledTable,
    index: CompiledIndex,
    host: ScanHost,
  ) {
    this.#ranges = new RangeScans(begin);
    this.#table = table;
    this.#index = index;
    this.#host = host;
  }

  async next(): Promise<readonly StoredRow[] | undefined> {
    this.#host.onRead();
    const packed = await this.#ranges.next();
    if (packed === undefined) return undefined;
    const { values: entries, valueStarts, valueEnds, count } = packed;
    const keys = Array.from({ length: count }, (_, i) => {
      const [from, to] = [valueStarts[i] as number, valueEnds[i] as number];
      return this.#table.key.encode(this.#index.keyIn(keyIn(packed, i), entries, from, to));
    });
    return await rowsOfEntries(this.#host, this.#table, this.#index, keys);
  }

  close(): void {
    this.#ranges.close();
  }
}

/** What entries hold, without their rows: read where they lie. */
export class IndexOnlyScan implements RowScan {
  readonly #ranges: RangeScans;
  readonly #reader: EntryReader;
  readonly #host: ScanHost;

  constructor(begin: readonly (() => PackedView)[], reader: EntryReader, host: ScanHost) {
    this.#ranges = new RangeScans(begin);
    this.#reader = reader;
    this.#host = host;
  }

  async nextBatch(): Promise<RowBatch | undefined> {
    this.#host.onRead();
    const packed = await this.#ranges.next();
    if (packed === undefined) return undefined;
    const { values, valueStarts, valueEnds, count } = packed;
    const columns = Array.from({ length: this.#reader.columns }, () => new Array<Datum>(count));
    const room = this.#reader.room(count);
    for (let i = 0; i < count; i++) {
      const key = keyIn(packed, i);
      const [from, to] = [valueStarts[i] as number, valueEnds[i] as number];
      this.#reader.read(key, values, from, to, columns, room, i);
    }
    return { count, columns };
  }

  close(): void {
    this.#ranges.close();
  }
}

/** Keeps a row, as it is or as it has become, or leaves it out. */
export type RowFilter = (row: StoredRow) => Promise<StoredRow | undefined>;

/** Stored rows as batches of columns. */
export class DecodedScan implements RowScan {
  readonly #rows: StoredRows;
  readonly #reader: TableReader;
  readonly #host: ScanHost;
  #left: number;

  constructor(
    rows: StoredRows,
    reader: TableReader,
    host: ScanHost,
    filter?: RowFilter,
    limit: number = Infinity,
  ) {
    this.#rows =
      filter === undefined
        ? new WholeRows(rows, reader, host.apart)
        : new KeptRows(rows, filter, limit);
    this.#reader = reader;
    this.#host = host;
    this.#left = limit;
  }

  async nextBatch(): Promise<RowBatch | undefined> {
    if (this.#left > 0) {
      this.#host.onRead();
      const rows = await this.#rows.next();
      if (rows === undefined) return undefined;
      return this.#decoded(rows.slice(0, this.#left));
    }
    this.close();
    return undefined;
  }

  close(): void {
    this.#rows.close();
  }

  #decoded(rows: readonly StoredRow[]): RowBatch {
    this.#left -= rows.length;
    const columns = Array.from({ length: this.#reader.columns }, () => new Array(rows.length));
    const vectors = this.#reader.vectors(columns);
    rows.forEach(({ key, value }, i) => {
      this.#reader.read(key, value, 0, value.length, columns, vectors, i);
    });
    return { count: rows.length, columns };
  }
}

/** Those rows that a filter keeps. It joins them: another row's wait may renew the state. */
class KeptRows implements StoredRows {
  readonly #rows: StoredRows;
  readonly #filter: RowFilter;
  #left: number;
  #rest: readonly StoredRow[] = [];

  constructor(rows: StoredRows, filter: RowFilter, limit: number) {
    this.#rows = rows;
    this.#filter = filter;
    this.#left = limit;
  }

  async next(): Promise<readonly StoredRow[] | undefined> {
    while (this.#left > 0) {
      const rows = this.#rest.length > 0 ? this.#rest : await this.#rows.next();
      if (rows === undefined) return undefined;
      const kept: StoredRow[] = [];
      let [done, bytes] = [0, 0];
      for (const row of rows) {
        // No row beyond the limit is locked.
        if (kept.length >= this.#left || bytes > JOINED_BYTES) break;
        done++;
        const one = await this.#filter(row);
        if (one === undefined) continue;
        kept.push(one);
        bytes += one.value.length;
      }
      this.#rest = rows.slice(done);
      this.#left -= kept.length;
      if (kept.length > 0) return kept;
    }
    return undefined;
  }

  close(): void {
    this.#rows.close();
  }
}

/** Rows of a request for the primary key. */
export function primaryScan(
  view: ScanReads,
  compiled: CompiledTable,
  request: RowScanRequest,
  host: ScanHost,
  filter: RowFilter | undefined,
): RowScan {
  const reader = readerOf(compiled, request.columns);
  const only = onlyKeyOf(compiled.key, request);
  if (only !== undefined) return new PointScan(only, reader, host);
  const begin = scansOf(view, compiled.key, request);
  if (request.lock === undefined && request.ranges === undefined) {
    return new PrimaryScan(begin, reader, host);
  }
  return new DecodedScan(new StoredScan(begin, host), reader, host, filter, request.limit);
}

/**
 * Rows of a table, by the index of the request.
 *
 * @throws FirnError `Invalid`, codes `ROW_INDEX_UNREADY` (55000), `ROW_INDEX_UNCOVERED` (0A000).
 */
export function openScan(
  view: ScanReads,
  compiled: CompiledTable,
  request: RowScanRequest,
  host: ScanHost,
  filter: RowFilter | undefined,
): Maybe<RowScan> {
  const { index: id = 0 } = request;
  if (id === 0) return primaryScan(view, compiled, request, host, filter);
  const index = compiled.index(id);
  const { table } = compiled;
  const place = { table: table.name, index: index.index.name };
  if (index.index.state !== "public") {
    const message = "the index is not built yet";
    throw rowError("Invalid", "ROW_INDEX_UNREADY", "55000", message, place);
  }
  if (index.index.method === "gin") {
    return openPostings(view, compiled, index, request, host, filter);
  }
  if (index.index.method === "hilbert") {
    return openBox(view, compiled, index, request, host, filter);
  }
  const columns = request.columns ?? visibleColumns(table).map((column) => column.id);
  const entries = scansOf(view, index.key, request);
  const isCovered = columns.every((column) => index.covers(column));
  if (request.indexOnly === true && !isCovered) {
    const message = "the index does not have all columns: INCLUDE them";
    throw rowError("Invalid", "ROW_INDEX_UNCOVERED", "0A000", message, place);
  }
  if (isCovered && request.lock === undefined && request.ranges === undefined) {
    return new IndexOnlyScan(entries, index.reader(columns), host);
  }
  const rows = new IndexedRows(entries, compiled, index, host);
  return new DecodedScan(rows, compiled.reader(columns), host, filter, request.limit);
}

/**
 * Rows of posting lists, or the whole table where that costs less.
 *
 * @throws FirnError `Invalid`, code `ROW_INDEX_UNORDERED` (0A000).
 */
async function openPostings(
  view: ScanReads,
  compiled: CompiledTable,
  index: CompiledIndex,
  request: RowScanRequest,
  host: ScanHost,
  filter: RowFilter | undefined,
): Promise<RowScan> {
  const { postings, mayReadWhole = true, limit, columns } = request;
  if (postings === undefined) throw unordered(compiled, index, "terms");
  refuseOrder(compiled, index, request, "terms");
  const plan = await planPostings(view, compiled, index, postings, mayReadWhole);
  const { query, lists, ofLists } = plan;
  if (query === undefined) {
    const facts = { kind: "lists", lists, ofLists, entries: 0, rows: 0, isWhole: true } as const;
    return new TellingScan(wholeScan(view, compiled, request, host, filter), () => facts);
  }
  const rows = new PostingRows(view, compiled, index, query, host);
  const scan = new DecodedScan(rows, readerOf(compiled, columns), host, filter, limit);
  const counts = { kind: "lists", lists, ofLists, isWhole: false } as const;
  return new TellingScan(scan, () => ({ ...counts, entries: rows.entries, rows: rows.rows }));
}

/**
 * Rows of a box, or the whole table where that costs less.
 *
 * @throws FirnError `Invalid`, code `ROW_INDEX_UNORDERED` (0A000).
 */
async function openBox(
  view: ScanReads,
  compiled: CompiledTable,
  index: CompiledIndex,
  request: RowScanRequest,
  host: ScanHost,
  filter: RowFilter | undefined,
): Promise<RowScan> {
  const { box, mayReadWhole = true, limit, columns } = request;
  if (box === undefined) throw unordered(compiled, index, "a box");
  refuseOrder(compiled, index, request, "a box");
  const plan = await planBox(view, compiled, index, box, mayReadWhole);
  if (plan === undefined) {
    const facts = { kind: "box", ranges: 0, entries: 0, rows: 0, isWhole: true } as const;
    return new TellingScan(wholeScan(view, compiled, request, host, filter), () => facts);
  }
  const begin = scansOf(view, index.key, { ranges: plan.ranges });
  const rows = new BoxRows(begin, compiled, index, plan.grid, host);
  const scan = new DecodedScan(rows, readerOf(compiled, columns), host, filter, limit);
  const counts = { kind: "box", ranges: plan.ranges.length, isWhole: false } as const;
  return new TellingScan(scan, () => ({ ...counts, entries: rows.entries, rows: rows.rows }));
}

/** The rows of a table in the order of its key, in place of those of an index without an order. */
function wholeScan(
  view: ScanReads,
  compiled: CompiledTable,
  { columns, lock, limit, batchRows }: RowScanRequest,
  host: ScanHost,
  filter: RowFilter | undefined,
): RowScan {
  const request = {
    ...(columns !== undefined && { columns }),
    ...(lock !== undefined && { lock }),
    ...(limit !== undefined && { limit }),
    ...(batchRows !== undefined && { batchRows }),
  };
  return primaryScan(view, compiled, request, host, filter);
}

function refuseOrder(
  compiled: CompiledTable,
  index: CompiledIndex,
  { indexOnly, reverse }: RowScanRequest,
  what: string,
): void {
  if (indexOnly === true || reverse === true) throw unordered(compiled, index, what);
}

function unordered({ table }: CompiledTable, { index }: CompiledIndex, what: string): Error {
  const message = `the index has no order of its columns: ask for ${what}`;
  const place = { table: table.name, index: index.name };
  return rowError("Invalid", "ROW_INDEX_UNORDERED", "0A000", message, place);
}

/** A scan that tells what it has read. */
class TellingScan implements RowScan {
  readonly #scan: RowScan;
  readonly found: () => SearchFacts;

  constructor(scan: RowScan, found: () => SearchFacts) {
    this.#scan = scan;
    this.found = found;
  }

  async nextBatch(): Promise<RowBatch | undefined> {
    return await this.#scan.nextBatch();
  }

  close(): void {
    this.#scan.close();
  }
}
