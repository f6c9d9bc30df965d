import { unreachable } from "../base/assert.ts";
import type { ColumnType } from "./column-type.ts";
import type { ArrayDatum, Datum, Interval, RowDatum, TimeWithZone } from "./datum.ts";

/*
 * The values of columns as bytes, lowest byte first:
 *
 *   type                   bytes
 *   bool                   1
 *   int2                   2
 *   int4, date             4; of a date the largest is infinity, the smallest -infinity
 *   int8, timestamp(tz)    8
 *   float4, float8         4, 8
 *   time                   8
 *   timetz                 8 of the time, 4 of the zone
 *   interval               4 of the months, 4 of the days, 8 of the microseconds
 *   uuid                   16, as it is written
 *   numeric                its decimal text
 *   bytea                  as it is
 *   array                  see `#array`
 *   composite              see `#row`
 *   all others             UTF-8
 *
 * Values end where the row says so: none tells its own length.
 */

export const DATE_INFINITY = 0x7fff_ffff;
export const DATE_MINUS_INFINITY = -0x8000_0000;

const FIRST_BYTES = 1_024;

/** Values under construction, one behind the other. */
export class ValueWriter {
  bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  length = 0;

  /** Room for so many bytes more; answers where they begin. */
  extend(count: number): number {
    const at = this.length;
    const end = at + count;
    if (end > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, 2 * this.bytes.length));
      larger.set(this.bytes.subarray(0, at));
      this.bytes = larger;
    }
    this.length = end;
    return at;
  }

  /** A value that is not NULL and is of its type: see `storedDatum`. */
  write(type: ColumnType, value: Datum): void {
    switch (type.kind) {
      case "bool":
        this.#byte(value === true ? 1 : 0);
        return;
      case "int2": {
        const at = this.extend(2);
        this.bytes.writeInt16LE(value as number, at);
        return;
      }
      case "int4":
        this.int4(value as number);
        return;
      case "date":
        this.int4(dayNumber(value as number));
        return;
      case "int8":
      case "timestamp":
      case "timestamptz":
        this.int8(value as bigint);
        return;
      case "float4": {
        const at = this.extend(4);
        this.bytes.writeFloatLE(value as number, at);
        return;
      }
      case "float8": {
        const at = this.extend(8);
        this.bytes.writeDoubleLE(value as number, at);
        return;
      }
      case "time":
        this.int8(BigInt(value as number));
        return;
      case "timetz":
        this.int8(BigInt((value as TimeWithZone).micros));
        this.int4((value as TimeWithZone).zone);
        return;
      case "interval":
        this.int4((value as Interval).months);
        this.int4((value as Interval).days);
        this.int8((value as Interval).micros);
        return;
      case "uuid":
        this.uuid(value as string);
        return;
      case "bytea": {
        const at = this.extend((value as Uint8Array).length);
        this.bytes.set(value as Uint8Array, at);
        return;
      }
      case "array":
        this.#array(type.element as ColumnType, value as ArrayDatum);
        return;
      case "composite":
        this.#row(type, value as RowDatum);
        return;
      case "numeric":
      case "text":
      case "varchar":
      case "char":
      case "name":
      case "json":
      case "jsonb":
        this.text(String(value));
        return;
      case "enum":
        this.text(tokenOf(type, String(value)));
        return;
      default:
        unreachable(type.kind);
    }
  }

  /** Room first: it may be elsewhere then. */
  #byte(value: number): void {
    const at = this.extend(1);
    this.bytes[at] = value;
  }

  int4(value: number): void {
    const at = this.extend(4);
    this.bytes.writeInt32LE(value, at);
  }

  int8(value: bigint): void {
    const at = this.extend(8);
    this.bytes.writeBigInt64LE(value, at);
  }

  uuid(text: string): void {
    const at = this.extend(16);
    this.bytes.write(text.replaceAll("-", ""), at, "hex");
  }

  text(text: string): void {
    // A UTF-16 unit is three bytes at most.
    const at = this.length;
    this.extend(3 * text.length);
    this.length = at + this.bytes.write(text, at, "utf8");
  }

  /** 1 + n bytes: n dimensions, each 4 of its length and 4 of its lower bound; then the elements,
   * each 4 of its length, -1 of a NULL, and its bytes. */
  #array(element: ColumnType, { dimensions, lowerBounds, elements }: ArrayDatum): void {
    this.#byte(dimensions.length);
    dimensions.forEach((length, i) => {
      this.int4(length);
      this.int4(lowerBounds[i] as number);
    });
    for (const one of elements) {
      const at = this.extend(4);
      if (one !== null) this.write(element, one);
      this.bytes.writeInt32LE(one === null ? -1 : this.length - at - 4, at);
    }
  }

  /** Of each field that is not NULL: 2 bytes of its id, 4 of its length, and its value. So a type
   * gets and loses fields, and no row is written again. */
  #row({ fields: columns = [] }: ColumnType, { fields }: RowDatum): void {
    for (const [i, { id, type }] of columns.entries()) {
      const field = fields[i] ?? null;
      if (field === null) continue;
      const at = this.extend(6);
      this.write(type, field);
      this.bytes.writeUInt16LE(id, at);
      this.bytes.writeUInt32LE(this.length - at - 6, at + 2);
    }
  }
}

function dayNumber(date: number): number {
  if (date === Number.POSITIVE_INFINITY) return DATE_INFINITY;
  return date === Number.NEGATIVE_INFINITY ? DATE_MINUS_INFINITY : date;
}

/** How rows store a label: it stays so when the label gets another name. */
function tokenOf({ labels = [], tokens }: ColumnType, label: string): string {
  return tokens?.[labels.indexOf(label)] ?? label;
}
