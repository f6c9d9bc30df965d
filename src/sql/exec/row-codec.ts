import { deserialize, serialize } from "node:v8";
import { type Datum, Numeric, type RowDatum } from "../../rows/index.ts";
import type { RowValue } from "../types/row-value.ts";
import type { Row } from "./run.ts";

/**
 * Rows of temporary files. They are read back by the process that wrote them, so they have no
 * version: a row is the number of its values, then each as a tag byte and what the tag says.
 */
const TAG = {
  null: 0,
  false: 1,
  true: 2,
  int32: 3,
  float: 4,
  int64: 5,
  bigint: 6,
  latin: 7,
  text: 8,
  /** UTF-16: UTF-8 would lose a lone surrogate. */
  units: 9,
  bytes: 10,
  numeric: 11,
  special: 12,
  array: 13,
  missing: 14,
  other: 15,
  /** A row as one value. */
  row: 16,
} as const;

const SHORT = /^[\0-\x7f]*$/;
const SPECIALS = [Numeric.nan, Numeric.infinity, Numeric.negativeInfinity];

/** Writes rows one behind the other into a buffer that grows. */
export class RowWriter {
  #buffer = Buffer.allocUnsafe(4_096);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(row: Row): void {
    this.#uint(row.length);
    for (const value of row) this.#value(value);
  }

  /** What was written, and nothing from here on. */
  take(): Uint8Array {
    const taken = new Uint8Array(this.#buffer.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  #room(bytes: number): number {
    const at = this.#length;
    if (at + bytes > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(at + bytes, this.#buffer.length * 2));
      this.#buffer.copy(larger, 0, 0, at);
      this.#buffer = larger;
    }
    this.#length = at + bytes;
    return at;
  }

  #tag(tag: number): void {
    const at = this.#room(1);
    this.#buffer[at] = tag;
  }

  #uint(value: number): void {
    const at = this.#room(4);
    this.#buffer.writeUInt32LE(value, at);
  }

  #value(value: Datum | undefined): void {
    if (value === null) this.#tag(TAG.null);
    else if (typeof value === "number") this.#number(value);
    else if (typeof value === "string") this.#text(value);
    else if (typeof value === "bigint") this.#bigint(value);
    else if (typeof value === "boolean") this.#tag(value ? TAG.true : TAG.false);
    else if (value === undefined) this.#tag(TAG.missing);
    else this.#object(value);
  }

  #number(value: number): void {
    // -0 is a float: as an integer it would lose its sign.
    if ((value | 0) === value && !Object.is(value, -0)) {
      this.#tag(TAG.int32);
      const at = this.#room(4);
      this.#buffer.writeInt32LE(value, at);
      return;
    }
    this.#tag(TAG.float);
    const at = this.#room(8);
    this.#buffer.writeDoubleLE(value, at);
  }

  #bigint(value: bigint): void {
    if (BigInt.asIntN(64, value) === value) {
      this.#tag(TAG.int64);
      const at = this.#room(8);
      this.#buffer.writeBigInt64LE(value, at);
      return;
    }
    this.#tag(TAG.bigint);
    this.#encoded(value.toString(16), "latin1", value.toString(16).length);
  }

  #text(value: string): void {
    if (value.length < 64 && SHORT.test(value)) {
      this.#tag(TAG.latin);
      this.#encoded(value, "latin1", value.length);
    } else if (value.isWellFormed()) {
      this.#tag(TAG.text);
      this.#encoded(value, "utf8", Buffer.byteLength(value));
    } else {
      this.#tag(TAG.units);
      this.#encoded(value, "utf16le", value.length * 2);
    }
  }

  #encoded(text: string, encoding: BufferEncoding, bytes: number): void {
    this.#uint(bytes);
    const at = this.#room(bytes);
    this.#buffer.write(text, at, bytes, encoding);
  }

  #bytes(value: Uint8Array): void {
    this.#uint(value.length);
    const at = this.#room(value.length);
    this.#buffer.set(value, at);
  }

  #object(value: Exclude<Datum, null | boolean | number | bigint | string>): void {
    if (value instanceof Uint8Array) {
      this.#tag(TAG.bytes);
      this.#bytes(value);
    } else if (value instanceof Numeric) {
      this.#numeric(value);
    } else if ("elements" in value) {
      this.#tag(TAG.array);
      this.add(value.dimensions);
      this.add(value.lowerBounds);
      this.add(value.elements);
    } else if ("fields" in value) {
      const { fields, columns } = value as Partial<RowValue> & RowDatum;
      this.#tag(TAG.row);
      this.add(fields);
      // A value of a composite type does not tell of its fields.
      this.#text(columns === undefined ? "" : JSON.stringify(columns));
    } else {
      this.#tag(TAG.other);
      this.#bytes(serialize(value));
    }
  }

  #numeric(value: Numeric): void {
    if (value.isFinite) {
      this.#tag(TAG.numeric);
      this.#uint(value.scale);
      this.#value(value.units);
      return;
    }
    this.#tag(TAG.special);
    this.#uint(value.isNaN ? 0 : value.sign > 0 ? 1 : 2);
  }
}

/** Reads rows that a `RowWriter` wrote. */
export class RowReader {
  readonly #buffer: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** All that are left. */
  rows(): Row[] {
    const rows: Row[] = [];
    while (this.#at < this.#buffer.length) rows.push(this.#row() as Row);
    return rows;
  }

  #rowValue(): RowDatum {
    const fields = this.#row() as Datum[];
    const columns = String(this.#value());
    const row: RowDatum | RowValue =
      columns === "" ? { fields } : { fields, columns: JSON.parse(columns) };
    return row;
  }

  #row(): unknown[] {
    const length = this.#uint();
    const row = new Array<unknown>(length);
    for (let i = 0; i < length; i++) row[i] = this.#value();
    return row;
  }

  #uint(): number {
    this.#at += 4;
    return this.#buffer.readUInt32LE(this.#at - 4);
  }

  #value(): unknown {
    const tag = this.#buffer[this.#at++];
    switch (tag) {
      case TAG.null:
        return null;
      case TAG.false:
        return false;
      case TAG.true:
        return true;
      case TAG.int32:
        this.#at += 4;
        return this.#buffer.readInt32LE(this.#at - 4);
      case TAG.float:
        this.#at += 8;
        return this.#buffer.readDoubleLE(this.#at - 8);
      case TAG.int64:
        this.#at += 8;
        return this.#buffer.readBigInt64LE(this.#at - 8);
      case TAG.latin:
        return this.#text("latin1");
      case TAG.text:
        return this.#text("utf8");
      case TAG.missing:
        return undefined;
      default:
        return this.#object(tag);
    }
  }

  #object(tag: number | undefined): unknown {
    switch (tag) {
      case TAG.bigint: {
        const text = this.#text("latin1");
        return text.startsWith("-") ? -BigInt(`0x${text.slice(1)}`) : BigInt(`0x${text}`);
      }
      case TAG.units:
        return this.#text("utf16le");
      case TAG.bytes:
        return this.#bytes();
      case TAG.numeric: {
        const scale = this.#uint();
        return Numeric.exact(this.#value() as number, scale);
      }
      case TAG.special:
        return SPECIALS[this.#uint()];
      case TAG.array:
        return {
          dimensions: this.#row(),
          lowerBounds: this.#row(),
          elements: this.#row(),
        };
      case TAG.row:
        return this.#rowValue();
      case TAG.other:
        return deserialize(this.#bytes());
      default:
        throw new Error(`no value of a temporary file (tag=${tag})`);
    }
  }

  #text(encoding: BufferEncoding): string {
    const length = this.#uint();
    this.#at += length;
    return this.#buffer.toString(encoding, this.#at - length, this.#at);
  }

  #bytes(): Uint8Array {
    const length = this.#uint();
    this.#at += length;
    // Not a Buffer: a value is of the class that it was written of.
    return new Uint8Array(this.#buffer.subarray(this.#at - length, this.#at));
  }
}
