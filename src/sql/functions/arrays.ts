import type { ArrayDatum, Datum } from "../../rows/datum.ts";
import { notSupported, SqlError } from "../error.ts";
import { compareArrays, EMPTY_ARRAY, MAX_DIMENSIONS, vector } from "../types/arrays.ts";
import type { SqlContext } from "../types/context.ts";
import {
  type CallTypes,
  type Compare,
  type Family,
  type Implementation,
  typed,
} from "./implementation.ts";

/** The order of the elements of an argument that is an array. */
function elementOrder(call: CallTypes, argument: number): Compare {
  const element = call.types.elementOf(call.arguments[argument] ?? 0);
  const type = call.types.get(element);
  const { codec } = type;
  if (codec.compare === undefined) {
    throw new SqlError("42883", `could not identify a comparison function for type ${type.name}`);
  }
  return (left, right) => codec.compare?.(left, right) ?? 0;
}

function comparison(holds: (order: number) => boolean): Family[string] {
  return typed((call) => {
    const compare = elementOrder(call, 0);
    return (a: ArrayDatum, b: ArrayDatum) => holds(compareArrays(a, b, compare));
  });
}

/** `@>`: every element of the other one is among them; NULL is equal to nothing. */
function contains(a: ArrayDatum, b: ArrayDatum, compare: Compare): boolean {
  return b.elements.every((wanted) => wanted !== null && has(a, wanted, compare));
}

function has(a: ArrayDatum, wanted: Datum, compare: Compare): boolean {
  return a.elements.some((element) => element !== null && compare(element, wanted) === 0);
}

function membership(
  test: (a: ArrayDatum, b: ArrayDatum, compare: Compare) => boolean,
): Family[string] {
  return typed((call) => {
    const compare = elementOrder(call, 0);
    return (a: ArrayDatum, b: ArrayDatum) => test(a, b, compare);
  });
}

function append(array: ArrayDatum | null, element: Datum): ArrayDatum {
  const { dimensions, lowerBounds, elements } = array ?? EMPTY_ARRAY;
  if (dimensions.length === 0) return vector([element]);
  if (dimensions.length > 1) throw oneDimensional();
  return { dimensions: [elements.length + 1], lowerBounds, elements: [...elements, element] };
}

function prepend(element: Datum, array: ArrayDatum | null): ArrayDatum {
  const { dimensions, lowerBounds, elements } = array ?? EMPTY_ARRAY;
  if (dimensions.length === 0) return vector([element]);
  if (dimensions.length > 1) throw oneDimensional();
  // The index of the first element stays.
  return { dimensions: [elements.length + 1], lowerBounds, elements: [element, ...elements] };
}

function oneDimensional(): SqlError {
  return new SqlError("22000", "argument must be empty or one-dimensional array");
}

function concatenate(a: ArrayDatum | null, b: ArrayDatum | null): ArrayDatum | null {
  if (a === null || b === null) return a ?? b;
  if (a.dimensions.length === 0) return b;
  if (b.dimensions.length === 0) return a;
  const difference = a.dimensions.length - b.dimensions.length;
  if (Math.abs(difference) > 1) throw incompatible();
  const longer = difference >= 0 ? a : b;
  const inner = (array: ArrayDatum, cut: number): readonly number[] => array.dimensions.slice(cut);
  const left = difference >= 0 ? inner(a, 1) : a.dimensions;
  const right = difference <= 0 ? inner(b, 1) : b.dimensions;
  const bounds = (array: ArrayDatum): readonly number[] =>
    array.lowerBounds.slice(array.dimensions.length - left.length);
  if (left.join() !== right.join() || bounds(a).join() !== bounds(b).join()) throw incompatible();
  const sizeOf = (array: ArrayDatum): number =>
    array.dimensions.length === longer.dimensions.length ? (array.dimensions[0] ?? 0) : 1;
  const dimensions = [sizeOf(a) + sizeOf(b), ...longer.dimensions.slice(1)];
  const { lowerBounds } = difference >= 0 ? a : b;
  return { dimensions, lowerBounds, elements: [...a.elements, ...b.elements] };
}

function incompatible(): SqlError {
  return new SqlError("2202E", "cannot concatenate incompatible arrays");
}

function dimensionOf(array: ArrayDatum, dimension: number): number | undefined {
  if (array.dimensions.length > MAX_DIMENSIONS || dimension < 1) return undefined;
  return array.dimensions[dimension - 1];
}

const shape: Family = {
  array_ndims: (a: ArrayDatum) => a.dimensions.length || null,
  array_dims(a: ArrayDatum) {
    if (a.dimensions.length === 0) return null;
    return a.dimensions
      .map((size, i) => `[${a.lowerBounds[i] ?? 1}:${(a.lowerBounds[i] ?? 1) + size - 1}]`)
      .join("");
  },
  array_length: (a: ArrayDatum, dimension: number) => dimensionOf(a, dimension) ?? null,
  array_lower: (a: ArrayDatum, dimension: number) =>
    dimensionOf(a, dimension) === undefined ? null : (a.lowerBounds[dimension - 1] ?? 1),
  array_upper(a: ArrayDatum, dimension: number) {
    const size = dimensionOf(a, dimension);
    return size === undefined ? null : (a.lowerBounds[dimension - 1] ?? 1) + size - 1;
  },
  array_cardinality: (a: ArrayDatum) => a.elements.length,
};

/** NULL equals NULL in the functions that look for elements. */
function isSame(a: Datum, b: Datum, compare: Compare): boolean {
  return a === null || b === null ? a === b : compare(a, b) === 0;
}

function vectorOnly(array: ArrayDatum, message: string): void {
  if (array.dimensions.length > 1) throw new SqlError("0A000", message);
}

const SEARCH = "searching for elements in multidimensional arrays is not supported";

const search: Family = {
  array_position: withOrder((compare) => (a: ArrayDatum | null, wanted: Datum) => {
    if (a === null) return null;
    vectorOnly(a, SEARCH);
    const at = a.elements.findIndex((element) => isSame(element, wanted, compare));
    return at < 0 ? null : at + (a.lowerBounds[0] ?? 1);
  }),
  array_position_start: withOrder(
    (compare) => (a: ArrayDatum | null, wanted: Datum, start: number | null) => {
      if (a === null) return null;
      vectorOnly(a, SEARCH);
      if (start === null) throw new SqlError("22004", "initial position must not be null");
      const lower = a.lowerBounds[0] ?? 1;
      const at = a.elements.findIndex(
        (element, i) => i + lower >= start && isSame(element, wanted, compare),
      );
      return at < 0 ? null : at + lower;
    },
  ),
  array_positions: withOrder((compare) => (a: ArrayDatum | null, wanted: Datum) => {
    if (a === null) return null;
    vectorOnly(a, SEARCH);
    const places = a.elements.flatMap((element, i) =>
      isSame(element, wanted, compare) ? [i + (a.lowerBounds[0] ?? 1)] : [],
    );
    return vector(places);
  }),
  array_remove: withOrder((compare) => (a: ArrayDatum | null, unwanted: Datum) => {
    if (a === null) return null;
    vectorOnly(a, "removing elements from multidimensional arrays is not supported");
    const elements = a.elements.filter((element) => !isSame(element, unwanted, compare));
    if (elements.length === a.elements.length) return a;
    if (elements.length === 0) return EMPTY_ARRAY;
    return { dimensions: [elements.length], lowerBounds: a.lowerBounds, elements };
  }),
  array_replace: withOrder((compare) => (a: ArrayDatum | null, from: Datum, to: Datum) => {
    if (a === null) return null;
    const elements = a.elements.map((element) => (isSame(element, from, compare) ? to : element));
    return { ...a, elements };
  }),
};

function withOrder(make: (compare: Compare) => Implementation): Family[string] {
  return typed((call) => make(elementOrder(call, 0)));
}

/** Texts of the elements; NULL is left out, or written as a text of its place. */
function toText(call: CallTypes) {
  const { codec } = call.types.get(call.types.elementOf(call.arguments[0] ?? 0));
  return (a: ArrayDatum, by: string, nothing: string | null, at: SqlContext): string =>
    a.elements
      .map((element) => (element === null ? nothing : codec.output(element, at)))
      .filter((text) => text !== null)
      .join(by);
}

function toArray(text: string, by: string | null, nothing: string | null): ArrayDatum {
  if (text === "") return EMPTY_ARRAY;
  const parts = by === null ? [...text] : by === "" ? [text] : text.split(by);
  return vector(parts.map((part) => (nothing !== null && part === nothing ? null : part)));
}

const texts: Family = {
  array_to_text: typed((call) => {
    const text = toText(call);
    return (a: ArrayDatum, by: string, at: SqlContext) => text(a, by, null, at);
  }),
  array_to_text_null: typed((call) => {
    const text = toText(call);
    return (a: ArrayDatum | null, by: string | null, nothing: string | null, at: SqlContext) =>
      a === null || by === null ? null : text(a, by, nothing, at);
  }),
  text_to_array: (text: string | null, by: string | null) =>
    text === null ? null : toArray(text, by, null),
  text_to_array_null: (text: string | null, by: string | null, nothing: string | null) =>
    text === null ? null : toArray(text, by, nothing),
};

function fill(value: Datum, sizes: ArrayDatum | null, bounds: ArrayDatum | null): ArrayDatum {
  if (sizes === null || bounds === null) {
    throw new SqlError("22004", "dimension array or low bound array cannot be null");
  }
  if (sizes.elements.includes(null)) throw new SqlError("22004", "dimension values cannot be null");
  if (sizes.dimensions.length > 1 || bounds.dimensions.length > 1) {
    throw new SqlError("2202E", "wrong number of array subscripts");
  }
  if (sizes.elements.includes(null) || bounds.elements.includes(null)) {
    throw new SqlError("22004", "dimension values cannot be null");
  }
  const dimensions = sizes.elements as readonly number[];
  if (dimensions.length > MAX_DIMENSIONS) {
    throw new SqlError("54000", "number of array dimensions exceeds the maximum allowed (6)");
  }
  if (bounds.elements.length !== dimensions.length) {
    throw new SqlError("2202E", "wrong number of array subscripts");
  }
  const count = dimensions.reduce(
    (product, size) => product * size,
    dimensions.length === 0 ? 0 : 1,
  );
  if (dimensions.some((size) => size < 0) || count > 134_217_727) {
    throw new SqlError("54000", "array size exceeds the maximum allowed (134217727)");
  }
  if (count > 10_000_000) throw notSupported("array_fill of more than 10,000,000 elements");
  if (count <= 0) return EMPTY_ARRAY;
  const lowerBounds = bounds.elements as readonly number[];
  return { dimensions, lowerBounds, elements: new Array<Datum>(count).fill(value) };
}

function trimArray(a: ArrayDatum, count: number): ArrayDatum {
  const size = a.dimensions[0] ?? 0;
  if (count < 0 || count > size) {
    throw new SqlError("2202E", `number of elements to trim must be between 0 and ${size}`);
  }
  const kept = size - count;
  if (kept === 0) return EMPTY_ARRAY;
  const elements = a.elements.slice(0, (a.elements.length / size) * kept);
  const dimensions = [kept, ...a.dimensions.slice(1)];
  return { dimensions, lowerBounds: dimensions.map(() => 1), elements };
}

/** Rows of a set: one each time it is asked. */
function* unnest(a: ArrayDatum): Generator<Datum> {
  yield* a.elements;
}

function* subscripts(a: ArrayDatum, dimension: number, isReverse = false): Generator<number> {
  const size = dimensionOf(a, dimension);
  if (size === undefined) return;
  const lower = a.lowerBounds[dimension - 1] ?? 1;
  for (let i = 0; i < size; i++) yield isReverse ? lower + size - 1 - i : lower + i;
}

function* series(from: bigint, to: bigint, step: bigint): Generator<bigint> {
  if (step === 0n) throw new SqlError("22023", "step size cannot equal zero");
  for (let at = from; step > 0n ? at <= to : at >= to; at += step) yield at;
}

function* numbers(from: number, to: number, step: number): Generator<number> {
  if (step === 0) throw new SqlError("22023", "step size cannot equal zero");
  for (let at = from; step > 0 ? at <= to : at >= to; at += step) yield at;
}

const sets: Family = {
  array_unnest: unnest,
  generate_subscripts: subscripts,
  generate_subscripts_nodir: (a: ArrayDatum, dimension: number) => subscripts(a, dimension),
  generate_series_int4: (from: number, to: number) => numbers(from, to, 1),
  generate_series_step_int4: numbers,
  generate_series_int8: (from: bigint, to: bigint) => series(from, to, 1n),
  generate_series_step_int8: series,
};

export const arrayFamily: Family = {
  ...shape,
  ...search,
  ...texts,
  ...sets,
  array_eq: comparison((order) => order === 0),
  array_ne: comparison((order) => order !== 0),
  array_lt: comparison((order) => order < 0),
  array_le: comparison((order) => order <= 0),
  array_gt: comparison((order) => order > 0),
  array_ge: comparison((order) => order >= 0),
  array_larger: extreme((order) => order > 0),
  array_smaller: extreme((order) => order < 0),
  arrayoverlap: membership((a, b, compare) =>
    b.elements.some((wanted) => wanted !== null && has(a, wanted, compare)),
  ),
  arraycontains: membership(contains),
  arraycontained: membership((a, b, compare) => contains(b, a, compare)),
  array_append: append,
  array_prepend: prepend,
  array_cat: concatenate,
  array_fill: (value: Datum, sizes: ArrayDatum | null) =>
    fill(value, sizes, sizes === null ? null : vector(sizes.elements.map(() => 1))),
  array_fill_with_lower_bounds: fill,
  trim_array: trimArray,
};

function extreme(isFirst: (order: number) => boolean): Family[string] {
  return typed((call) => {
    const compare = elementOrder(call, 0);
    return (a: ArrayDatum, b: ArrayDatum) => (isFirst(compareArrays(a, b, compare)) ? a : b);
  });
}
