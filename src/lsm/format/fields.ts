import { utf8, utf8Text } from "../../base/bytes.ts";
import type { FirnError } from "../../base/error.ts";
import { readVarint, varintBytes, writeVarint } from "./varint.ts";

/*
 * Fields: how a record is stored that later versions add to.
 *
 *   bytes   what
 *   varint  number of the field, from 1
 *   varint  bytes of its value
 *   n       value
 *
 * Fields stand in ascending order of their numbers; one that repeats is a list. A whole number is a
 * varint, a text UTF-8, a record fields again. A number that a reader does not know is kept, bytes
 * and all, and written again: an older process that rewrites the record loses nothing. A record
 * that cannot be read right without a new field says so in the required features of its file.
 *
 * Example: field 1 = 300, field 2 = "ice" are 9 bytes:
 *
 *   01 02 ac02
 *   02 03 696365
 */

/** Fields of a record that its reader did not know, as they were stored. */
export type UnknownFields = readonly { readonly id: number; readonly bytes: Uint8Array }[];

/** Writes the fields of one record, in any order of calls. */
export class FieldWriter {
  readonly #fields: { readonly id: number; readonly bytes: Uint8Array }[] = [];

  bytes(id: number, bytes: Uint8Array): this {
    this.#fields.push({ id, bytes });
    return this;
  }

  number(id: number, value: number): this {
    const bytes = new Uint8Array(varintBytes(value));
    writeVarint(bytes, 0, value);
    return this.bytes(id, bytes);
  }

  text(id: number, text: string): this {
    return this.bytes(id, utf8(text));
  }

  /** A field that is left out where there is no value. */
  optionalNumber(id: number, value: number | undefined): this {
    return value === undefined ? this : this.number(id, value);
  }

  key(id: number, key: string): this {
    return this.bytes(id, Buffer.from(key, "latin1"));
  }

  unknown(fields: UnknownFields): this {
    this.#fields.push(...fields);
    return this;
  }

  finish(): Uint8Array {
    const sorted = this.#fields.toSorted((a, b) => a.id - b.id);
    const size = (n: number): number => varintBytes(n);
    let total = 0;
    for (const { id, bytes } of sorted) total += size(id) + size(bytes.length) + bytes.length;
    const out = new Uint8Array(total);
    let at = 0;
    for (const { id, bytes } of sorted) {
      at = writeVarint(out, writeVarint(out, at, id), bytes.length);
      out.set(bytes, at);
      at += bytes.length;
    }
    return out;
  }
}

/** Makes the error of a record that cannot be read; `offset` lies in the record's file. */
export type FieldFault = (offset: number, what: string) => FirnError;

/** Fields that `FieldReader.slowly` finds between two pauses. */
const FIELDS_A_PAUSE = 8;

interface Field {
  readonly bytes: Uint8Array;
  /** Of the value, in the file. */
  readonly offset: number;
}

/**
 * The fields of one record. Each reader takes fields by number; what no reader took is `unknown()`.
 * Every malformed byte ends in the error that `fault` makes.
 */
export class FieldReader {
  readonly #fields: Map<number, Field[]> = new Map();
  readonly #fault: FieldFault;
  readonly #offset: number;
  /** The record as it is stored: part of what its file was read into. */
  readonly stored: Uint8Array;

  private constructor(bytes: Uint8Array, offset: number, fault: FieldFault) {
    this.#fault = fault;
    this.#offset = offset;
    this.stored = bytes;
  }

  /** @param offset of the record, in its file. @throws what `fault` makes. */
  static of(bytes: Uint8Array, offset: number, fault: FieldFault): FieldReader {
    const reader = new FieldReader(bytes, offset, fault);
    reader.#find(0, 1, Number.POSITIVE_INFINITY);
    return reader;
  }

  /** As `of`, for a record with so many fields that a turn is too short to find them: pauses. */
  static *slowly(
    bytes: Uint8Array,
    offset: number,
    fault: FieldFault,
  ): Generator<void, FieldReader> {
    const reader = new FieldReader(bytes, offset, fault);
    let found = reader.#find(0, 1, FIELDS_A_PAUSE);
    while (found.at < bytes.length) {
      yield;
      found = reader.#find(found.at, found.before, FIELDS_A_PAUSE);
    }
    return reader;
  }

  /** Finds fields from an offset on, some at most; answers where it ended, and behind which. */
  #find(
    from: number,
    behind: number,
    most: number,
  ): { readonly at: number; readonly before: number } {
    const { stored: bytes } = this;
    const [fault, offset] = [this.#fault, this.#offset];
    let at = from;
    let before = behind;
    for (let found = 0; at < bytes.length && found < most; found++) {
      const id = readVarint(bytes, at, bytes.length);
      const size = id && readVarint(bytes, id.after, bytes.length);
      if (id === undefined || size === undefined) throw fault(offset + at, "malformed field");
      const end = size.after + size.value;
      if (id.value < before || end > bytes.length) throw fault(offset + at, "field out of place");
      before = id.value;
      const field = { bytes: bytes.subarray(size.after, end), offset: offset + size.after };
      const list = this.#fields.get(id.value);
      if (list === undefined) this.#fields.set(id.value, [field]);
      else list.push(field);
      at = end;
    }
    return { at, before };
  }

  fault(what: string): FirnError {
    return this.#fault(this.#offset, what);
  }

  number(id: number): number {
    return this.optionalNumber(id) ?? this.#missing(id);
  }

  optionalNumber(id: number): number | undefined {
    const field = this.#single(id);
    if (field === undefined) return undefined;
    const read = readVarint(field.bytes, 0, field.bytes.length);
    if (read?.after !== field.bytes.length) throw this.#fault(field.offset, "malformed number");
    return read.value;
  }

  text(id: number): string {
    return this.#textOf(this.#single(id) ?? this.#missing(id));
  }

  optionalText(id: number): string | undefined {
    const field = this.#single(id);
    return field && this.#textOf(field);
  }

  texts(id: number): readonly string[] {
    return (this.#take(id) ?? []).map((field) => this.#textOf(field));
  }

  #textOf(field: Field): string {
    try {
      return utf8Text(field.bytes);
    } catch {
      throw this.#fault(field.offset, "not text");
    }
  }

  key(id: number): string {
    return this.optionalKey(id) ?? this.#missing(id);
  }

  optionalKey(id: number): string | undefined {
    const field = this.#single(id);
    return field && Buffer.from(field.bytes).toString("latin1");
  }

  bytes(id: number): Uint8Array {
    return (this.#single(id) ?? this.#missing(id)).bytes;
  }

  /** Of a field that repeats. */
  bytesList(id: number): readonly Uint8Array[] {
    return (this.#take(id) ?? []).map(({ bytes }) => bytes);
  }

  record<T>(id: number, read: (fields: FieldReader) => T): T | undefined {
    const field = this.#single(id);
    return field && read(FieldReader.of(field.bytes, field.offset, this.#fault));
  }

  list<T>(id: number, read: (fields: FieldReader) => T): readonly T[] {
    const fields = this.#take(id) ?? [];
    return fields.map(({ bytes, offset }) => read(FieldReader.of(bytes, offset, this.#fault)));
  }

  /** As `list`, for a list that is too long to be read in one turn: pauses between its records. */
  *listSlowly<T>(
    id: number,
    read: (fields: FieldReader) => Generator<void, T>,
  ): Generator<void, readonly T[]> {
    const found: T[] = [];
    for (const { bytes, offset } of this.#take(id) ?? []) {
      found.push(yield* read(yield* FieldReader.slowly(bytes, offset, this.#fault)));
      yield;
    }
    return found;
  }

  /** What no call above has taken. Call it last. */
  unknown(): UnknownFields {
    return [...this.#fields].flatMap(([id, fields]) =>
      fields.map(({ bytes }) => ({ id, bytes: new Uint8Array(bytes) })),
    );
  }

  #take(id: number): readonly Field[] | undefined {
    const fields = this.#fields.get(id);
    this.#fields.delete(id);
    return fields;
  }

  #single(id: number): Field | undefined {
    const [field, second] = this.#take(id) ?? [];
    if (second !== undefined) throw this.#fault(second.offset, `field ${id} stands twice`);
    return field;
  }

  #missing(id: number): never {
    throw this.#fault(this.#offset, `field ${id} is missing`);
  }
}
