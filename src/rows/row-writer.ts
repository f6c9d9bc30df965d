import { assert } from "../base/assert.ts";
import { copyOf } from "../base/bytes.ts";
import {
  APART_BYTES,
  type ApartValue,
  lengthOf,
  MOST_APART_BYTES,
  REFERENCE_BYTES,
  type Reference,
  referenceTo,
} from "./apart-format.ts";
import type { ColumnType } from "./column-type.ts";
import type { Datum } from "./datum.ts";
import { valueTooLong } from "./errors.ts";
import { HAS_APART, HEADER_BYTES, ROW_FORMAT, setBytes, WIDE } from "./row-format.ts";
import { UNREAD } from "./unread.ts";
import { ValueWriter } from "./value-writer.ts";

/** A row that is stored, and its values that are stored apart. */
export interface KeptValues {
  readonly row: readonly Datum[];
  readonly references: readonly Reference[];
}

/** A value with the bytes that it is stored as. */
export interface EncodedValue extends ApartValue {
  readonly value: Datum;
}

const NO_BYTES = new Uint8Array(0);

/** A column that stands in the values of rows. */
export interface StoredColumn {
  readonly id: number;
  readonly type: ColumnType;
}

/** What need not be encoded. */
interface Known {
  readonly kept: KeptValues | undefined;
  readonly ahead: readonly EncodedValue[] | undefined;
}

const MOST_ID = 0xffff;
const MOST_NARROW_ID = 0xff;
const MOST_NARROW_BYTES = 0xffff;

const values = new ValueWriter();

/** Writes rows of one schema version: see `row-format.ts`. */
export class RowWriter {
  readonly #columns: readonly StoredColumn[];
  readonly #places: readonly number[];
  readonly #schemaVersion: number;
  readonly #owner: number;
  readonly #apartBytes: number;

  /**
   * @param columns in any order.
   * @param given where the value of each stands in the rows that are given; as they stand here
   *   unless told otherwise.
   * @param apartBytes the longest value that stands in the row, of those that may be apart.
   */
  constructor(
    columns: readonly StoredColumn[],
    schemaVersion: number,
    owner: number,
    given?: readonly number[],
    apartBytes: number = APART_BYTES,
  ) {
    const places = columns.map((_, place) => place);
    places.sort((a, b) => (columns[a] as StoredColumn).id - (columns[b] as StoredColumn).id);
    this.#places = given === undefined ? places : places.map((place) => given[place] as number);
    this.#columns = places.map((place) => columns[place] as StoredColumn);
    this.#schemaVersion = schemaVersion;
    this.#owner = owner;
    this.#apartBytes = apartBytes;
    this.#columns.forEach(({ id }, i) => {
      const before = this.#columns[i - 1]?.id ?? 0;
      assert(id > before && id <= MOST_ID, "column ids are distinct and have two bytes");
    });
  }

  /**
   * @param row a value for each column, checked before (`storedDatum`).
   * @param apart gets the values that are to be stored apart; without it all stand in the row.
   * @param kept what is stored apart already: a value that is the same one is not encoded again.
   * @param ahead what was encoded before.
   */
  write(
    row: readonly Datum[],
    apart?: ApartValue[],
    kept?: KeptValues,
    ahead?: readonly EncodedValue[],
  ): Uint8Array {
    assert(row.length >= this.#columns.length, "a row has a value for each column");
    const isWide = (this.#columns.at(-1)?.id ?? 0) > MOST_NARROW_ID;
    const known = { kept, ahead: apart && ahead };
    return this.#written(row, isWide, false, apart, known);
  }

  #written(
    row: readonly Datum[],
    isWide: boolean,
    hasApart: boolean,
    apart: ApartValue[] | undefined,
    known: Known,
  ): Uint8Array {
    const columns = this.#columns;
    const count = columns.length;
    const size = isWide ? 2 : 1;
    const nulls = HEADER_BYTES + size * count;
    const apartSet = nulls + setBytes(count);
    const ends = hasApart ? apartSet + setBytes(count) : apartSet;
    const first = ends + 2 * size * count;
    values.length = 0;
    values.extend(first);
    values.bytes.fill(0, 0, first);
    if (hasApart && apart !== undefined) apart.length = 0;
    for (let i = 0; i < count; i++) {
      const column = columns[i] as StoredColumn;
      const value = row[this.#places[i] as number] as Datum;
      const begin = values.length;
      const same =
        this.#aheadOf(known, column.id, value) ??
        (known.kept && keptOf(known.kept, column.id, value, this.#places[i] as number));
      if (value !== null && same === undefined) {
        assert(value !== UNREAD, "a value that was not read stays where it is");
        values.write(column.type, value);
      }
      const isLong = same !== undefined || values.length - begin > this.#apartBytes;
      if (isLong && apart !== undefined) {
        if (!hasApart) return this.#written(row, isWide, true, apart, known);
        apart.push(same === undefined ? takenOut(column.id, begin) : keptAgain(same));
        setBit(apartSet, i);
      }
      const end = values.length - first;
      if (end > MOST_NARROW_BYTES && !isWide)
        return this.#written(row, true, hasApart, apart, known);
      // Only now: the room may have grown, and moved.
      const { bytes } = values;
      if (value === null) setBit(nulls, i);
      if (isWide) {
        bytes.writeUInt16LE(column.id, HEADER_BYTES + 2 * i);
        bytes.writeUInt32LE(end, ends + 4 * i);
      } else {
        bytes[HEADER_BYTES + i] = column.id;
        bytes.writeUInt16LE(end, ends + 2 * i);
      }
    }
    this.#head(values.bytes, (isWide ? WIDE : 0) | (hasApart ? HAS_APART : 0));
    return copyOf(values.bytes, 0, values.length);
  }

  /** One that is short enough stands in its row, and is encoded there. */
  #aheadOf({ ahead }: Known, columnId: number, value: Datum): EncodedValue | undefined {
    const found = ahead?.find((one) => one.columnId === columnId && one.value === value);
    const length = found === undefined ? 0 : lengthOf(found.reference);
    if (length <= this.#apartBytes) return undefined;
    if (length > MOST_APART_BYTES) throw valueTooLong(length, MOST_APART_BYTES);
    return found;
  }

  #head(bytes: Buffer, flags: number): void {
    bytes[0] = ROW_FORMAT;
    bytes[1] = flags;
    bytes.writeUInt16LE(this.#columns.length, 2);
    bytes.writeUInt32LE(this.#schemaVersion, 4);
    bytes.writeUInt32LE(this.#owner, 8);
  }
}

function setBit(set: number, place: number): void {
  const at = set + (place >> 3);
  values.bytes[at] = (values.bytes[at] as number) | (1 << (place & 7));
}

/** What is stored of a value, where it is the same one. */
function keptOf(
  { row, references }: KeptValues,
  columnId: number,
  value: Datum,
  place: number,
): Reference | undefined {
  if (value === null || value !== row[place]) return undefined;
  return references.find((one) => one.columnId === columnId);
}

/** Its reference stands in its place. If its bytes are stored, they are not asked for. */
function keptAgain(known: Reference | EncodedValue): ApartValue {
  refer(known.reference);
  return "bytes" in known ? known : { ...known, bytes: NO_BYTES };
}

function refer(reference: Uint8Array): void {
  const at = values.extend(REFERENCE_BYTES);
  values.bytes.set(reference, at);
}

/** The last value that was written: its reference stands in its place. */
function takenOut(columnId: number, begin: number): ApartValue {
  const length = values.length - begin;
  if (length > MOST_APART_BYTES) throw valueTooLong(length, MOST_APART_BYTES);
  const bytes = copyOf(values.bytes, begin, values.length);
  const reference = referenceTo(bytes);
  values.length = begin;
  refer(reference);
  return { columnId, reference, bytes };
}
