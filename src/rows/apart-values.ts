import { bytesEqual } from "../base/bytes.ts";
import {
  decodeTablePrefix,
  encodeTablePrefix,
  type KeyRange,
  rangeOfPrefix,
  TABLE_PREFIX_BYTES,
} from "../keys/index.ts";
import type { Maybe } from "../lsm/index.ts";
import {
  APART_INDEX,
  type ApartHost,
  type ApartValue,
  apartPrefix,
  columnPrefix,
  lengthOf,
  mayBeApart,
  pieceEntry,
  pieceKey,
  pieceOf,
  piecesOf,
  type Reference,
} from "./apart-format.ts";
import { type CompiledTable, isShort, type TableReader } from "./compiled-table.ts";
import type { Datum } from "./datum.ts";
import type { TableDescriptor } from "./descriptor.ts";
import type { EngineView } from "./engine-view.ts";
import { ROW_SPACE } from "./key-codec.ts";
import { encodedAhead } from "./long-values.ts";
import { HAS_APART, idsAt, setBytes, WIDE } from "./row-format.ts";
import { layoutOf } from "./row-layout.ts";
import type { StoredRow, StoredRows } from "./stored-rows.ts";

const NONE: readonly Reference[] = [];

/** Bytes of values that are joined at once, beyond those of one row. */
export const JOINED_BYTES: number = 8 * 1_024 * 1_024;

function hasApart(value: Uint8Array, from = 0): boolean {
  return ((value[from + 1] as number) & HAS_APART) !== 0;
}

export function referencesOf(value: Uint8Array): readonly Reference[] {
  if (!hasApart(value)) return NONE;
  const { ids, ends, apart, values } = layoutOf(value, 0, value.length);
  return ids.flatMap((columnId, i) => {
    if (!isIn(value, apart, i)) return [];
    const reference = value.subarray(values + (ends[i - 1] ?? 0), values + (ends[i] as number));
    return [{ columnId, reference }];
  });
}

function isIn(bytes: Uint8Array, set: number, place: number): boolean {
  return ((bytes[set + (place >> 3)] as number) & (1 << (place & 7))) !== 0;
}

const room: ApartValue[] = [];

/**
 * Puts a row with its values that are stored apart; those that it had already stay.
 *
 * @param old what is stored under its key.
 * @param oldRow what that is the row of.
 */
export function putRow(
  view: Pick<EngineView, "put" | "delete">,
  compiled: CompiledTable,
  key: Uint8Array,
  row: readonly Datum[],
  old?: Uint8Array,
  oldRow?: readonly Datum[],
): void {
  room.length = 0;
  const mayKeep = old !== undefined && oldRow !== undefined && hasApart(old);
  const kept = mayKeep ? { row: oldRow, references: referencesOf(old) } : undefined;
  const ahead = compiled.mayBeApart ? encodedAhead(row) : undefined;
  const bytes = compiled.encode(row, mayBeApart(key) ? room : undefined, kept, ahead);
  if (room.length > 0 || (old !== undefined && hasApart(old))) putValues(view, key, old);
  view.put(key, bytes);
}

function putValues(
  view: Pick<EngineView, "put" | "delete">,
  key: Uint8Array,
  old: Uint8Array | undefined,
): void {
  const before = old === undefined ? NONE : referencesOf(old);
  for (const one of before) {
    const next = room.find(({ columnId }) => columnId === one.columnId);
    deletePieces(view, key, one, next === undefined ? 0 : piecesOf(next.reference));
  }
  for (const value of room.splice(0)) {
    const { columnId, reference } = value;
    const had = before.find((one) => one.columnId === columnId);
    if (had !== undefined && bytesEqual(had.reference, reference)) continue;
    for (let piece = 0; piece < piecesOf(reference); piece++) {
      view.put(pieceKey(key, columnId, piece), pieceEntry(value, piece));
    }
  }
}

function deletePieces(
  view: Pick<EngineView, "delete">,
  key: Uint8Array,
  { columnId, reference }: Reference,
  from = 0,
): void {
  for (let piece = from; piece < piecesOf(reference); piece++) {
    view.delete(pieceKey(key, columnId, piece));
  }
}

/** A row that is new, and the pieces of its values, as they are stored. */
export function storedRow(
  compiled: CompiledTable,
  key: Uint8Array,
  row: readonly Datum[],
): { readonly row: StoredRow; readonly pieces: readonly StoredRow[] } {
  room.length = 0;
  const value = compiled.encode(row, mayBeApart(key) ? room : undefined);
  const pieces = room.splice(0).flatMap((one) =>
    Array.from({ length: piecesOf(one.reference) }, (_, piece) => ({
      key: pieceKey(key, one.columnId, piece),
      value: pieceEntry(one, piece),
    })),
  );
  return { row: { key, value }, pieces };
}

/** Deletes a row and its values. @param old what is stored under its key. */
export function deleteRow(
  view: Pick<EngineView, "delete">,
  key: Uint8Array,
  old: Uint8Array,
): void {
  for (const one of referencesOf(old)) deletePieces(view, key, one);
  view.delete(key);
}

/** Where all values of a table lie that are stored apart. */
export function apartRange({ table }: CompiledTable): KeyRange {
  const { relation } = table;
  return rangeOfPrefix(encodeTablePrefix({ space: ROW_SPACE, relation, index: APART_INDEX }));
}

/** Where the values of rows of a range lie, that are stored apart. */
export function apartRanges(
  table: TableDescriptor,
  from: Uint8Array,
  to: Uint8Array | undefined,
): readonly { readonly from: Uint8Array; readonly to: Uint8Array }[] {
  // Those of columns that were dropped too.
  const columns = table.columns.filter(({ type }) => !isShort(type));
  return columns.map(({ id }) => ({
    from: apartPrefix(from, id),
    to: isRowBound(to) ? apartPrefix(to, id) : afterColumn(from, id),
  }));
}

/** Whether a bound lies among the rows, not behind them all. */
function isRowBound(to: Uint8Array | undefined): to is Uint8Array {
  return to !== undefined && to.length >= TABLE_PREFIX_BYTES && decodeTablePrefix(to).index === 0;
}

/** Behind all values of a column. */
function afterColumn(rowKey: Uint8Array, columnId: number): Uint8Array {
  const start = rowKey.subarray(0, TABLE_PREFIX_BYTES);
  if (columnId < 0xffff) return columnPrefix(start, columnId + 1);
  const { space, relation } = decodeTablePrefix(start);
  return encodeTablePrefix({ space, relation: relation + 1, index: 0 });
}

function wantedOf(reader: TableReader, value: Uint8Array): readonly Reference[] {
  return referencesOf(value).filter(({ columnId }) => reader.isStored(columnId));
}

/**
 * The bytes of a row with the values in it that a reader wants: what it is to read.
 *
 * @throws FirnError `Corrupt`, code `ROW_CORRUPT`.
 */
export function wholeRow(
  host: ApartHost,
  reader: TableReader,
  key: Uint8Array,
  value: Uint8Array,
): Maybe<Uint8Array> {
  if (!hasApart(value)) return value;
  const wanted = wantedOf(reader, value);
  if (wanted.length === 0) return value;
  const found = host.getMany(keysOf(key, wanted));
  return found instanceof Promise
    ? found.then((entries) => joined(value, wanted, entries))
    : joined(value, wanted, found);
}

type Entries = readonly (Uint8Array | undefined)[];

/** The keys of all pieces of a row's values. */
export function keysOf(rowKey: Uint8Array, references: readonly Reference[]): Uint8Array[] {
  return references.flatMap(({ columnId, reference }) =>
    Array.from({ length: piecesOf(reference) }, (_, piece) => pieceKey(rowKey, columnId, piece)),
  );
}

/** The pieces of each value, in order. @param entries those of `keysOf`. @throws as `pieceOf`. */
export function valuesOf(
  references: readonly Reference[],
  entries: Entries,
): readonly (readonly Uint8Array[])[] {
  let at = 0;
  return references.map(({ reference }) =>
    Array.from({ length: piecesOf(reference) }, (_, piece) =>
      pieceOf(entries[at++], reference, piece),
    ),
  );
}

/** What a reader wants of a row. @throws as `wholeRow`. */
export function readRow(
  host: ApartHost,
  reader: TableReader,
  key: Uint8Array,
  value: Uint8Array,
): Maybe<readonly Datum[]> {
  const whole = wholeRow(host, reader, key, value);
  return whole instanceof Promise
    ? whole.then((bytes) => reader.row(key, bytes))
    : reader.row(key, whole);
}

/** The same of many; undefined where there is no row. */
export async function readRows(
  host: ApartHost,
  reader: TableReader,
  keys: readonly Uint8Array[],
): Promise<readonly (readonly Datum[] | undefined)[]> {
  const values = await host.getMany(keys);
  const rows: (readonly Datum[] | undefined)[] = [];
  for (const [i, key] of keys.entries()) {
    const value = values[i];
    // Most have nothing apart: a promise for each costs more than the row.
    const whole = value && wholeRow(host, reader, key, value);
    const bytes = whole instanceof Promise ? await whole : whole;
    rows.push(bytes && reader.row(key, bytes));
  }
  return rows;
}

/** A row with the values of entries in it; it is wide. */
function joined(row: Uint8Array, wanted: readonly Reference[], entries: Entries): Uint8Array {
  const { flags, ids, ends, nulls, apart, values } = layoutOf(row, 0, row.length);
  const count = ids.length;
  const pieces = valuesOf(wanted, entries);
  const given = new Map(wanted.map(({ columnId }, i) => [columnId, pieces[i] as Uint8Array[]]));
  const parts = ids.map((id, i) => {
    const own = given.get(id);
    return own ?? [row.subarray(values + (ends[i - 1] ?? 0), values + (ends[i] as number))];
  });
  const left = ids.map((id, i) => isIn(row, apart, i) && !given.has(id));
  const isLeft = left.includes(true);
  const head = idsAt(flags);
  const sets = setBytes(count) * (isLeft ? 2 : 1);
  const first = head + 2 * count + sets + 4 * count;
  const length = parts.flat().reduce((sum, part) => sum + part.length, 0);
  const out = Buffer.allocUnsafeSlow(first + length).fill(0, 0, first);
  out.set(row.subarray(0, head), 0);
  out[1] = (flags & ~HAS_APART) | WIDE | (isLeft ? HAS_APART : 0);
  ids.forEach((id, i) => {
    out.writeUInt16LE(id, head + 2 * i);
  });
  const nullsAt = head + 2 * count;
  out.set(row.subarray(nulls, nulls + setBytes(count)), nullsAt);
  if (isLeft) {
    const at = nullsAt + setBytes(count);
    left.forEach((one, i) => {
      if (one) out[at + (i >> 3)] = (out[at + (i >> 3)] as number) | (1 << (i & 7));
    });
  }
  let end = 0;
  parts.forEach((own, i) => {
    for (const part of own) {
      out.set(part, first + end);
      end += part.length;
    }
    out.writeUInt32LE(end, nullsAt + sets + 4 * i);
  });
  return out;
}

/** Whether one of the rows in packed ones may have values apart that a reader wants. */
export function anyApart(
  reader: TableReader,
  rows: { readonly count: number; readonly values: Uint8Array; readonly valueStarts: Uint32Array },
): boolean {
  if (!reader.mayBeApart) return false;
  const { count, values, valueStarts } = rows;
  for (let i = 0; i < count; i++) {
    if (hasApart(values, valueStarts[i] as number)) return true;
  }
  return false;
}

/** Rows with the values in them that a reader wants, as many at once as have room in memory. */
export class WholeRows implements StoredRows {
  readonly #rows: StoredRows;
  readonly #reader: TableReader;
  readonly #host: ApartHost;
  #left: readonly StoredRow[] = [];

  constructor(rows: StoredRows, reader: TableReader, host: ApartHost) {
    this.#rows = rows;
    this.#reader = reader;
    this.#host = host;
  }

  async next(): Promise<readonly StoredRow[] | undefined> {
    while (this.#left.length === 0) {
      const rows = await this.#rows.next();
      if (rows === undefined) return undefined;
      this.#left = rows;
    }
    if (!this.#left.some(({ value }) => hasApart(value))) return this.#taken(this.#left.length);
    return await this.#joined();
  }

  close(): void {
    this.#left = [];
    this.#rows.close();
  }

  #taken(count: number): readonly StoredRow[] {
    const taken = this.#left.slice(0, count);
    this.#left = this.#left.slice(count);
    return taken;
  }

  async #joined(): Promise<readonly StoredRow[]> {
    const wanted: (readonly Reference[])[] = [];
    let bytes = 0;
    for (const { value } of this.#left) {
      const of = wantedOf(this.#reader, value);
      for (const { reference } of of) bytes += lengthOf(reference);
      if (bytes > JOINED_BYTES && wanted.length > 0) break;
      wanted.push(of);
    }
    const rows = this.#taken(wanted.length);
    const keys = rows.map(({ key }, i) => keysOf(key, wanted[i] as readonly Reference[]));
    const all = keys.flat();
    const entries = all.length === 0 ? [] : await this.#host.getMany(all);
    let at = 0;
    return rows.map(({ key, value }, i) => {
      const of = wanted[i] as readonly Reference[];
      if (of.length === 0) return { key, value };
      const from = at;
      at += (keys[i] as readonly Uint8Array[]).length;
      return { key, value: joined(value, of, entries.slice(from, at)) };
    });
  }
}
