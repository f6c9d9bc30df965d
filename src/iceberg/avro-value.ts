import type { AvroCursor } from "./avro-cursor.ts";
import { avroInvalid } from "./avro-cursor.ts";
import type { AvroType } from "./avro-schema.ts";

/** Longs are bigint; a union is what its branch holds; maps and records are objects. */
export type AvroValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly AvroValue[]
  | AvroRecord;

export type AvroRecord = { readonly [name: string]: AvroValue };

/**
 * What of a value is read: all of it, all of it unless it holds others (then it reads as null), or
 * these fields of a record. The rest is passed over.
 */
export type Wanted = true | "scalar" | { readonly [field: string]: Wanted };

/** Reads one value. @throws FirnError `Invalid` `AVRO_INVALID`. */
export function readAvro(cursor: AvroCursor, type: AvroType, wanted: Wanted): AvroValue {
  if (wanted === "scalar" && HOLDERS.has(type.kind)) {
    skipAvro(cursor, type);
    return null;
  }
  cursor.step();
  switch (type.kind) {
    case "null":
      return null;
    case "boolean":
      return cursor.byte() !== 0;
    case "int":
      return cursor.int();
    case "long":
      return cursor.long();
    case "float":
      return cursor.float();
    case "double":
      return cursor.double();
    case "bytes":
      return cursor.bytes();
    case "string":
      return cursor.string();
    case "fixed":
      return cursor.take(type.size);
    case "enum":
      return chosen(type.symbols, cursor);
    case "union":
      return readAvro(cursor, chosen(type.branches, cursor), wanted);
    case "array": {
      const items: AvroValue[] = [];
      cursor.blocks(() => items.push(readAvro(cursor, type.items, wanted)), false);
      return items;
    }
    case "map": {
      const entries: [string, AvroValue][] = [];
      cursor.blocks(() => {
        entries.push([cursor.string(), readAvro(cursor, type.items, true)]);
      }, false);
      return Object.fromEntries(entries);
    }
    case "record": {
      const entries: [string, AvroValue][] = [];
      for (const field of type.fields) {
        const want = wanted === true || wantedOf(wanted, field.name);
        if (want === undefined) skipAvro(cursor, field.type);
        else entries.push([field.name, readAvro(cursor, field.type, want)]);
      }
      return Object.fromEntries(entries);
    }
  }
}

const HOLDERS: ReadonlySet<AvroType["kind"]> = new Set(["array", "map", "record"]);

function wantedOf(wanted: Wanted, name: string): Wanted | undefined {
  return typeof wanted === "object" && Object.hasOwn(wanted, name) ? wanted[name] : undefined;
}

/** Passes over one value. @throws FirnError `Invalid` `AVRO_INVALID`. */
export function skipAvro(cursor: AvroCursor, type: AvroType): void {
  cursor.step();
  switch (type.kind) {
    case "null":
      return;
    case "boolean":
      cursor.take(1);
      return;
    case "int":
    case "long":
    case "enum":
      cursor.skipLong();
      return;
    case "float":
      cursor.take(4);
      return;
    case "double":
      cursor.take(8);
      return;
    case "bytes":
    case "string":
      cursor.bytes();
      return;
    case "fixed":
      cursor.take(type.size);
      return;
    case "union":
      skipAvro(cursor, chosen(type.branches, cursor));
      return;
    case "array":
      cursor.blocks(() => skipAvro(cursor, type.items), true);
      return;
    case "map":
      cursor.blocks(() => {
        cursor.bytes();
        skipAvro(cursor, type.items);
      }, true);
      return;
    case "record":
      for (const field of type.fields) skipAvro(cursor, field.type);
  }
}

function chosen<T>(choices: readonly T[], cursor: AvroCursor): T {
  const choice = choices[cursor.int()];
  if (choice === undefined) throw avroInvalid("a branch or symbol that is not there");
  return choice;
}
