import { type ColumnType, columnTypeText } from "./column-type.ts";
import type { Datum } from "./datum.ts";
import type { IndexDescriptor, OperatorClass } from "./descriptor.ts";
import { rowError } from "./errors.ts";
import { termsOf } from "./inverted/terms.ts";
import type { CodecPart } from "./key-codec.ts";
import { type KeyForm, keyFormOf } from "./key-columns.ts";
import { coordinateOf, curveOf, isSpatialType } from "./spatial/grid.ts";

/** How the keys of an index begin, and with what the entries of a row do. */
export interface IndexForm {
  readonly lead: readonly CodecPart[];
  /** @param values of the parts of the index. One list of values of `lead` for each entry. */
  readonly leads: (values: readonly Datum[]) => readonly (readonly Datum[])[];
}

/** A part of an index, and the type of its values. */
export interface TypedPart {
  readonly name: string;
  readonly type: ColumnType;
  readonly direction: "asc" | "desc";
  readonly nulls: "first" | "last";
  readonly operatorClass?: OperatorClass;
}

/** @throws FirnError `Invalid`, code `ROW_KEY_TYPE_INVALID`. */
export function indexFormOf(
  { method }: Pick<IndexDescriptor, "method">,
  parts: readonly TypedPart[],
): IndexForm {
  switch (method) {
    case "gin":
      return invertedForm(parts);
    case "hilbert":
      return spatialForm(parts);
    default:
      return orderedForm(parts);
  }
}

function orderedForm(parts: readonly TypedPart[]): IndexForm {
  const lead = parts.map(({ name, type, direction, nulls }): CodecPart => {
    return { form: keyFormOf(type, name), direction, nulls };
  });
  return { lead, leads: (values) => [values] };
}

const NEVER_NULL = { direction: "asc", nulls: undefined } as const;

const PLACE: KeyForm = {
  type: "uint8",
  toKey: (value) => value,
  fromKey: (value) => value as Datum,
  isLossy: false,
};

/** The place of the row's point on the curve. */
function spatialForm(parts: readonly TypedPart[]): IndexForm {
  const curve = curveOf(parts.length);
  for (const { name, type } of parts) if (!isSpatialType(type)) throw noPoint(type, name);
  if (parts.length !== curve.dimensions) throw wrongDimensions(parts.length);
  const leads = (values: readonly Datum[]): readonly (readonly Datum[])[] => {
    if (values.includes(null)) return [];
    return [[curve.encode(values.map((value) => coordinateOf(curve.dimensions, value)))]];
  };
  return { lead: [{ form: PLACE, ...NEVER_NULL }], leads };
}

function noPoint(type: ColumnType, column: string): Error {
  const message = `a hilbert index has numbers, dates and timestamps, not ${columnTypeText(type)}`;
  return rowError("Invalid", "ROW_KEY_TYPE_INVALID", "42704", message, { column });
}

function wrongDimensions(parts: number): Error {
  const message = "a hilbert index has two or three columns";
  return rowError("Invalid", "ROW_TABLE_INVALID", "42P17", message, { parts });
}

/** The number of the part, and a term: an entry for each term of each part. */
function invertedForm(parts: readonly TypedPart[]): IndexForm {
  const terms = parts.map(({ name, type, operatorClass }) => {
    const usual = defaultClassOf(type, name);
    if (operatorClass !== undefined && usual !== "jsonb_ops") throw wrongClass(type, name);
    return termsOf(type, operatorClass ?? usual);
  });
  const lead: readonly CodecPart[] = [
    { form: keyFormOf({ kind: "int2" }, ""), ...NEVER_NULL },
    { form: keyFormOf({ kind: "bytea" }, ""), ...NEVER_NULL },
  ];
  const leads = (values: readonly Datum[]): readonly (readonly Datum[])[] =>
    values.flatMap((value, part) => {
      if (value === null) return [];
      return (terms[part]?.(value) ?? []).map((term) => [part, term]);
    });
  return { lead, leads };
}

/**
 * The operator class that an inverted index has where none is named.
 *
 * @throws FirnError `Invalid`, code `ROW_KEY_TYPE_INVALID` (42704): none takes the type.
 */
export function defaultClassOf(type: ColumnType, column: string): OperatorClass {
  if (type.kind === "jsonb") return "jsonb_ops";
  if (type.kind === "array") return "array_ops";
  const message = `a gin index has jsonb and arrays, not ${columnTypeText(type)}`;
  throw rowError("Invalid", "ROW_KEY_TYPE_INVALID", "42704", message, { column });
}

/** A part that has the operator class of another type. */
function wrongClass(type: ColumnType, column: string): Error {
  const message = `the operator class does not accept data type ${columnTypeText(type)}`;
  return rowError("Invalid", "ROW_KEY_TYPE_INVALID", "42804", message, { column });
}
