import type { ArrayDatum, Datum } from "../../rows/index.ts";
import { SqlError } from "../error.ts";

/** Most elements of an array, as of PostgreSQL. */
const MOST_ELEMENTS = 134_217_727;

/** The element of an array at its subscripts; NULL where there is none. */
export function elementAt(array: ArrayDatum | null, subscripts: readonly number[]): Datum {
  if (array === null || array.dimensions.length !== subscripts.length) return null;
  const at = offsetOf(array, subscripts);
  return at === undefined ? null : (array.elements[at] ?? null);
}

/**
 * An array with another value at its subscripts: NULL fills what lies between it and the elements
 * of an array of one dimension.
 *
 * @throws SqlError 2202E: an array of several dimensions has no such element; 54000.
 */
export function withElement(
  array: ArrayDatum | null,
  subscripts: readonly number[],
  value: Datum,
): ArrayDatum {
  if (array === null || array.dimensions.length === 0) {
    const dimensions = subscripts.map(() => 1);
    return { dimensions, lowerBounds: subscripts, elements: [value] };
  }
  if (array.dimensions.length !== subscripts.length) {
    throw new SqlError("2202E", "wrong number of array subscripts");
  }
  const at = offsetOf(array, subscripts);
  if (at !== undefined) return { ...array, elements: array.elements.with(at, value) };
  const [lower = 1] = array.lowerBounds;
  const [subscript = 1] = subscripts;
  if (subscripts.length > 1) throw new SqlError("2202E", "array subscript out of range");
  const first = Math.min(lower, subscript);
  const last = Math.max(lower + array.elements.length - 1, subscript);
  if (last - first >= MOST_ELEMENTS) {
    const message = `array size exceeds the maximum allowed (${MOST_ELEMENTS})`;
    throw new SqlError("54000", message);
  }
  const elements = new Array<Datum>(last - first + 1).fill(null);
  for (const [i, element] of array.elements.entries()) elements[lower - first + i] = element;
  elements[subscript - first] = value;
  return { dimensions: [elements.length], lowerBounds: [first], elements };
}

/** The place of an element; undefined where the array has no such one. */
function offsetOf(
  { dimensions, lowerBounds }: ArrayDatum,
  subscripts: readonly number[],
): number | undefined {
  let at = 0;
  for (const [i, subscript] of subscripts.entries()) {
    const [size = 0, lower = 1] = [dimensions[i], lowerBounds[i]];
    if (subscript < lower || subscript >= lower + size) return undefined;
    at = at * size + (subscript - lower);
  }
  return at;
}
