import { assert } from "../base/assert.ts";
import { copyOf } from "../base/bytes.ts";
import type { ColumnType } from "./column-type.ts";
import type { Datum } from "./datum.ts";
import { HEADER_BYTES, ROW_FORMAT, WIDE } from "./row-format.ts";
import { ValueWriter } from "./value-writer.ts";

/** A column that stands in the values of rows. */
export interface StoredColumn {
  readonly id: number;
  readonly type: ColumnType;
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

  /**
   * @param columns in any order.
   * @param given where the value of each stands in the rows that are given; as they stand here
   *   unless told otherwise.
   */
  constructor(
    columns: readonly StoredColumn[],
    schemaVersion: number,
    owner: number,
    given?: readonly number[],
  ) {
    const places = columns.map((_, place) => place);
    places.sort((a, b) => (columns[a] as StoredColumn).id - (columns[b] as StoredColumn).id);
    this.#places = given === undefined ? places : places.map((place) => given[place] as number);
    this.#columns = places.map((place) => columns[place] as StoredColumn);
    this.#schemaVersion = schemaVersion;
    this.#owner = owner;
    this.#columns.forEach(({ id }, i) => {
      const before = this.#columns[i - 1]?.id ?? 0;
      assert(id > before && id <= MOST_ID, "column ids are distinct and have two bytes");
    });
  }

  /** @param row a value for each column, checked before (`storedDatum`). */
  write(row: readonly Datum[]): Uint8Array {
    assert(row.length >= this.#columns.length, "a row has a value for each column");
    return this.#written(row, (this.#columns.at(-1)?.id ?? 0) > MOST_NARROW_ID);
  }

  #written(row: readonly Datum[], isWide: boolean): Uint8Array {
    const columns = this.#columns;
    const count = columns.length;
    const size = isWide ? 2 : 1;
    const nulls = HEADER_BYTES + size * count;
    const ends = nulls + ((count + 7) >> 3);
    const first = ends + 2 * size * count;
    values.length = 0;
    values.extend(first);
    values.bytes.fill(0, 0, first);
    for (let i = 0; i < count; i++) {
      const column = columns[i] as StoredColumn;
      const value = row[this.#places[i] as number] as Datum;
      if (value !== null) values.write(column.type, value);
      const end = values.length - first;
      if (end > MOST_NARROW_BYTES && !isWide) return this.#written(row, true);
      // Only now: the room may have grown, and moved.
      const { bytes } = values;
      if (value === null) bytes[nulls + (i >> 3)] = (bytes[nulls + (i >> 3)] as number) | bit(i);
      if (isWide) {
        bytes.writeUInt16LE(column.id, HEADER_BYTES + 2 * i);
        bytes.writeUInt32LE(end, ends + 4 * i);
      } else {
        bytes[HEADER_BYTES + i] = column.id;
        bytes.writeUInt16LE(end, ends + 2 * i);
      }
    }
    this.#head(values.bytes, isWide);
    return copyOf(values.bytes, 0, values.length);
  }

  #head(bytes: Buffer, isWide: boolean): void {
    bytes[0] = ROW_FORMAT;
    bytes[1] = isWide ? WIDE : 0;
    bytes.writeUInt16LE(this.#columns.length, 2);
    bytes.writeUInt32LE(this.#schemaVersion, 4);
    bytes.writeUInt32LE(this.#owner, 8);
  }
}

function bit(place: number): number {
  return 1 << (place & 7);
}
