import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue, printJson } from "../../base/json.ts";
import type { Prng } from "../../base/prng.ts";
import {
  type ArrayDatum,
  type ColumnDescriptor,
  type ColumnType,
  columnOf,
  type Datum,
  type IndexDescriptor,
  type RowDatum,
  rowError,
  type TableDescriptor,
  visibleColumns,
} from "../../rows/index.ts";
import type { SqlContext } from "../../sql/types/context.ts";
import { contextWithoutSession } from "../../sql/types/no-session.ts";
import { TypeRegistry } from "../../sql/types/registry.ts";
import { arrayText, type JsonWriter, jsonWriter, parameterText } from "../sql/json-values.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Rows of any table as JSON, and back. */
export class JsonRows {
  readonly #types = new TypeRegistry();
  readonly #context: SqlContext;

  constructor(clock: Clock, prng: Prng) {
    this.#context = contextWithoutSession(clock, prng, BigInt(clock.nowMs()) * 1_000n);
  }

  /** Writes rows of these columns as JSON objects. */
  writer(columns: readonly ColumnDescriptor[]): (row: readonly Datum[]) => string {
    const fields = columns.map(({ name, type }) => {
      const write = this.#writerOf(type);
      const label = `${JSON.stringify(name)}:`;
      return (value: Datum): string => label + (value === null ? "null" : write(value));
    });
    return (row) => `{${fields.map((write, i) => write(row[i] ?? null)).join(",")}}`;
  }

  /** @throws FirnError `Invalid`, code `ROW_COLUMN_UNKNOWN`. */
  column(table: TableDescriptor, name: string): ColumnDescriptor {
    return columnNamed(table, name);
  }

  /** Columns and their values. @throws FirnError `ROW_COLUMN_UNKNOWN`, `ROW_VALUE_INVALID`. */
  fields(
    table: TableDescriptor,
    given: Fields,
  ): readonly (readonly [column: ColumnDescriptor, value: Datum])[] {
    return Object.entries(given).map(([name, value]) => {
      const column = columnNamed(table, name);
      return [column, this.#read(table, column.name, column.type, value)];
    });
  }

  /** A primary key, in its order. @throws FirnError `ROW_KEY_INVALID`, and as `fields`. */
  key(table: TableDescriptor, given: Fields): readonly Datum[] {
    const values = new Map(this.fields(table, given).map(([{ id }, value]) => [id, value]));
    const key = table.primaryKey.map(({ columnId }) => {
      const value = values.get(columnId);
      if (value !== undefined) return value;
      const name = columnOf(table, columnId)?.name ?? "";
      const message = `the key lacks column "${name}"`;
      throw rowError("Invalid", "ROW_KEY_INVALID", "22023", message, {
        table: table.name,
        column: name,
      });
    });
    if (values.size > key.length) {
      const message = "the key has columns that are not of the primary key";
      throw rowError("Invalid", "ROW_KEY_INVALID", "22023", message, { table: table.name });
    }
    return key;
  }

  /** A value of the nth part of the primary key, or of an index. @throws as `fields`. */
  part(
    table: TableDescriptor,
    index: IndexDescriptor | undefined,
    at: number,
    value: unknown,
  ): Datum {
    const part = (index?.parts ?? table.primaryKey)[at];
    if (part === undefined) {
      const message = "the range has more values than the index has columns";
      const place = { table: table.name, ...(index && { index: index.name }) };
      throw rowError("Invalid", "ROW_RANGE_INVALID", "22023", message, place);
    }
    if ("expression" in part) return this.#read(table, part.expression, part.type, value);
    const { name, type } = columnOf(table, part.columnId) as ColumnDescriptor;
    return this.#read(table, name, type, value);
  }

  #writerOf(type: ColumnType): JsonWriter {
    if (type.kind === "enum") return (value) => JSON.stringify(value);
    if (type.kind === "composite") return this.#fieldsWriter(type);
    if (type.kind === "array" && type.element !== undefined) {
      const ofElement = this.#writerOf(type.element);
      return (value) => arrayText(value as ArrayDatum, ofElement);
    }
    return jsonWriter(this.#types, this.#types.fromColumnType(type).oid, this.#context);
  }

  /** A value of a composite type is an object of its fields. */
  #fieldsWriter({ fields: columns = [] }: ColumnType): JsonWriter {
    const writers = columns.map(({ name, type }) => {
      const write = this.#writerOf(type);
      const label = `${JSON.stringify(name)}:`;
      return (value: Datum): string => label + (value === null ? "null" : write(value));
    });
    return (value) => {
      const { fields } = value as RowDatum;
      return `{${writers.map((write, i) => write(fields[i] ?? null)).join(",")}}`;
    };
  }

  #read(table: TableDescriptor, column: string, type: ColumnType, value: unknown): Datum {
    try {
      return this.#datum(type, value as JsonValue);
    } catch (error) {
      const sqlState = error instanceof FirnError ? error.context["sqlState"] : undefined;
      if (typeof sqlState !== "string") throw error;
      const why = (error as FirnError).message;
      const message = `column "${column}": ${why}`;
      const place = { table: table.name, column };
      throw rowError("Invalid", "ROW_VALUE_INVALID", sqlState, message, place);
    }
  }

  #datum(type: ColumnType, value: JsonValue): Datum {
    if (value === null) return null;
    if (type.kind === "json" || type.kind === "jsonb") return this.#input(type, printJson(value));
    const { element } = type;
    if (type.kind === "array" && element !== undefined && Array.isArray(value)) {
      const inner = (one: JsonValue): unknown =>
        Array.isArray(one) ? one.map(inner) : this.#datum(element, one);
      return value.map(inner) as unknown as Datum;
    }
    if (type.kind === "composite" && isJsonObject(value)) return this.#row(type, value);
    if (typeof value === "object" && !isNumber(value)) {
      const what = Array.isArray(value) ? "an array" : "an object";
      throw rowError("Invalid", "ROW_VALUE_INVALID", "42804", `${what} is not a ${type.kind}`, {});
    }
    const text = parameterText(value, false) ?? "";
    return type.kind === "enum" ? text : this.#input(type, text);
  }

  /** Fields that the object lacks are NULL. */
  #row({ fields: columns = [] }: ColumnType, value: JsonObject): RowDatum {
    const unknown = Object.keys(value).find((key) => !columns.some(({ name }) => name === key));
    if (unknown !== undefined) {
      const what = `the type has no field "${unknown}"`;
      throw rowError("Invalid", "ROW_VALUE_INVALID", "42703", what, {});
    }
    const of = (name: string): JsonValue =>
      Object.hasOwn(value, name) ? (value[name] as JsonValue) : null;
    return { fields: columns.map(({ name, type }) => this.#datum(type, of(name))) };
  }

  #input(type: ColumnType, text: string): Datum {
    const { oid, typmod } = this.#types.fromColumnType(type);
    return this.#types.get(oid).codec.input(text, typmod, this.#context) as Datum;
  }
}

/** A number that JavaScript's would not keep. */
function isNumber(value: object): boolean {
  return "token" in value;
}

function columnNamed(table: TableDescriptor, name: string): ColumnDescriptor {
  const column = visibleColumns(table).find((one) => one.name === name);
  if (column !== undefined) return column;
  const place = { table: table.name, column: name };
  throw rowError("Invalid", "ROW_COLUMN_UNKNOWN", "42703", "the table has no such column", place);
}
