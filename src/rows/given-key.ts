import { storedDatum } from "./check-datum.ts";
import type { CompiledTable } from "./compiled-table.ts";
import type { Datum } from "./datum.ts";
import { rowError } from "./errors.ts";

/**
 * The key of a row by the values that a caller gives for its primary key.
 *
 * @throws FirnError `Invalid`, codes `ROW_KEY_INVALID` (22023), `ROW_NULL` (23502).
 */
export function givenKey(compiled: CompiledTable, key: readonly Datum[]): Uint8Array {
  const { keyPlaces, live, table } = compiled;
  if (key.length !== keyPlaces.length) {
    const message = `the primary key has ${keyPlaces.length} columns`;
    throw rowError("Invalid", "ROW_KEY_INVALID", "22023", message, { table: table.name });
  }
  const values = key.map((value, i) => {
    const column = live[keyPlaces[i] as number];
    const place = { table: table.name, column: column?.name ?? "" };
    if (value === null) {
      throw rowError("Invalid", "ROW_NULL", "23502", "NULL in a primary key", place);
    }
    return column === undefined ? value : storedDatum(column.type, value, place);
  });
  return compiled.key.encode(values);
}
