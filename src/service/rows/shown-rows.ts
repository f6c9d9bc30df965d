import type { JsonRow, RowWrite } from "../../api/row-operations.ts";
import { FirnError } from "../../base/error.ts";
import { sha256Hex } from "../../base/hash.ts";
import {
  columnOf,
  type Datum,
  type RowTransaction,
  type TableDescriptor,
  visibleColumns,
} from "../../rows/index.ts";
import type { JsonRows } from "./json-rows.ts";

/** Of the hash: no two states of a row are taken for one. */
const VERSION_CHARS = 32;

/** A row as it is answered. */
export interface ShownRow {
  /** JSON of the columns that are asked for. */
  readonly text: string;
  /**
   * A hash of all of its values. It needs no place in the row, and a row that is read in a browser,
   * where numbers lose digits, is compared exactly all the same.
   */
  readonly version: string | undefined;
}

/** Where there is no row of a key. */
export const NO_ROW: ShownRow = { text: "null", version: undefined };

/** What reads and writes rows as they are answered. */
export interface RowShower {
  /** Columns to read, in the order of the values that `write` takes. */
  readonly ids: readonly number[];
  readonly write: (row: readonly Datum[]) => ShownRow;
}

/** The columns that are asked for; with versions all are read. */
export function shownRows(
  json: JsonRows,
  table: TableDescriptor,
  names: readonly string[] | undefined,
  withVersions: boolean,
): RowShower {
  const all = visibleColumns(table);
  const asked = names?.map((name) => json.column(table, name)) ?? all;
  const text = json.writer(asked);
  if (!withVersions) {
    const write = (row: readonly Datum[]) => ({ text: text(row), version: undefined });
    return { ids: asked.map(({ id }) => id), write };
  }
  const whole = json.writer(all);
  const places = asked.map((column) => all.indexOf(column));
  const write = (row: readonly Datum[]): ShownRow => {
    const of = whole(row);
    const shown = asked === all ? of : text(places.map((place) => row[place] ?? null));
    return { text: shown, version: sha256Hex(of).slice(0, VERSION_CHARS) };
  };
  return { ids: all.map(({ id }) => id), write };
}

/** Members of an answer: the rows, and their versions. */
export function listed(rows: readonly ShownRow[], withVersions: boolean): string {
  const texts = `"rows":[${rows.map(({ text }) => text).join(",")}]`;
  if (!withVersions) return texts;
  const versions = rows.map(({ version }) => (version === undefined ? "null" : `"${version}"`));
  return `${texts},"versions":[${versions.join(",")}]`;
}

interface Compared {
  readonly json: JsonRows;
  readonly tx: RowTransaction;
  readonly table: TableDescriptor;
}

/**
 * The row of a conditional write is locked and has the version that is expected.
 *
 * @param at which write of the request it is.
 * @throws FirnError `Conflict`, code `ROW_CHANGED`.
 */
export async function requireVersion(
  { json, tx, table }: Compared,
  asked: RowWrite,
  at: number,
): Promise<void> {
  if (asked.op === "insert" || asked.ifVersion === undefined) return;
  const key = asked.op === "put" ? keyIn(table, asked.row) : asked.key;
  const expected = { key: json.key(table, key), ifVersion: asked.ifVersion };
  await requireRowVersion({ json, tx, table }, expected, { write: at });
}

/**
 * As `requireVersion`, of a row by the values of its key.
 *
 * @param place what its error tells of the write.
 */
export async function requireRowVersion(
  { json, tx, table }: Compared,
  { key, ifVersion }: { readonly key: readonly Datum[]; readonly ifVersion: string },
  place: { readonly write?: number } = {},
): Promise<void> {
  const row = await tx.get(table, key, { lock: { mode: "update" } });
  const { write } = shownRows(json, table, undefined, true);
  if (row !== undefined && write(row).version === ifVersion) return;
  const message = "the row is not of the version that ifVersion names: read it again";
  const context = { table: table.name, ...place, exists: row !== undefined };
  throw new FirnError("Conflict", "ROW_CHANGED", message, context);
}

/** The part of a row that is its primary key. */
function keyIn(table: TableDescriptor, row: JsonRow): JsonRow {
  const names = table.primaryKey.map(({ columnId }) => columnOf(table, columnId)?.name ?? "");
  return Object.fromEntries(names.filter((name) => name in row).map((name) => [name, row[name]]));
}
