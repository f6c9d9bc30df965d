import type { JsonRow } from "../api/row-operations.ts";

/** A row, and the version that a change of it names. */
export interface ReadRow {
  readonly row: JsonRow;
  readonly version: string;
}

/** Types whose values are JSON themselves; all others are PostgreSQL's text. */
const JSON_TYPE =
  /^(?:bool|boolean|int2|smallint|int4|integer|float4|real|float8|double precision|jsonb?)$/;
/** A number that a double may not hold. */
const LONG_NUMBER = /(?<![\w."])-?\d(?:\.?\d){15,}/;

function isJson(type: string): boolean {
  return JSON_TYPE.test(type) || type.endsWith("[]");
}

/** What a field shows of a value; NULL is told apart from it. */
export function fieldTextOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * What a text in a field means in a column of this type.
 *
 * @throws RangeError that says what is wrong.
 */
export function valueIn(text: string, type: string): unknown {
  if (!isJson(type)) return text;
  if (LONG_NUMBER.test(text)) {
    throw new RangeError(
      "write a number of more than 15 digits in JSON by SQL: it would be rounded",
    );
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new RangeError(`not a value of ${type}: write it as JSON`);
  }
}

export interface Field {
  readonly name: string;
  readonly text: string;
  readonly isNull: boolean;
  readonly type: string;
}

/** The columns that fields change in a row; of no row, all that are given. @throws RangeError */
export function changedIn(fields: readonly Field[], row: JsonRow | undefined): JsonRow {
  const changed: Record<string, unknown> = {};
  for (const { name, text, isNull, type } of fields) {
    const before = row?.[name] ?? null;
    if (isNull) {
      if (before !== null && row !== undefined) changed[name] = null;
      continue;
    }
    if (before !== null && text === shownOf(before, type)) continue;
    changed[name] = valueIn(text, type);
  }
  return changed;
}

/** A text of JSON has its quotes, or it could not be told from a number. */
export function shownOf(value: unknown, type: string): string {
  return /^jsonb?$/.test(type) && value !== null ? JSON.stringify(value) : fieldTextOf(value);
}
