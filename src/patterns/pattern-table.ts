import type { Clock } from "../base/clock.ts";
import { invalid } from "../base/error.ts";
import type { IdSource, TableId } from "../base/ids.ts";
import {
  type RowStore,
  type RowTransaction,
  type TableDescriptor,
  type TableSpec,
  visibleColumns,
} from "../rows/index.ts";

/** How callers give and get the JSON of events, tasks and replies. */
export interface JsonForm {
  /** The text of a value; undefined where it has none. */
  readonly print: (value: unknown) => string | undefined;
  readonly parse: (text: string) => unknown;
}

/** Values of JavaScript. */
const PLAIN: JsonForm = {
  print: (value) => JSON.stringify(value),
  parse: (text) => JSON.parse(text),
};

/** The row table that a pattern keeps its state in. */
export interface PatternTable {
  readonly store: RowStore;
  readonly id: TableId;
  /** The clock of the process that owns the shard: clients' clocks decide nothing. */
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Absent: values of JavaScript. */
  readonly json?: JsonForm;
}

/** Columns, key and indexes of such a table. Columns that are added behind them are left alone. */
export type PatternShape = Pick<TableSpec, "columns" | "primaryKey" | "indexes">;

/** The longest name or key of a pattern, in characters. */
const MOST_NAME = 1_024;
/** The longest time to live: about a year. */
export const MOST_MS = 31_622_400_000;

/**
 * The table of a pattern, in a transaction.
 *
 * @throws FirnError `Invalid`, code `PATTERN_TABLE_MISMATCH`: it is a table of another kind.
 */
export async function patternTable(
  tx: RowTransaction,
  { id }: Pick<PatternTable, "id">,
  shape: PatternShape,
): Promise<TableDescriptor> {
  const table = await tx.tables.get(id);
  const columns = visibleColumns(table);
  const isOne =
    shape.columns.every(
      ({ name, type }, i) => columns[i]?.name === name && columns[i]?.type.kind === type.kind,
    ) && (shape.indexes ?? []).every(({ name }, i) => table.indexes[i]?.name === name);
  if (isOne) return table;
  const wanted = shape.columns.map(({ name }) => name).join(", ");
  const message = `the table has not the columns of this pattern: ${wanted}`;
  throw invalid("PATTERN_TABLE_MISMATCH", message, { table: table.name });
}

/** @throws FirnError `Invalid`, code `PATTERN_VALUE_INVALID`. */
export function checkedNumber(what: string, value: number, least: number, most: number): number {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  const message = `${what} is not a whole number from ${least} to ${most}`;
  throw invalid("PATTERN_VALUE_INVALID", message, { [what]: String(value) });
}

/** @throws FirnError `Invalid`, code `PATTERN_VALUE_INVALID`. */
export function checkedName(what: string, value: string): string {
  const isName =
    typeof value === "string" &&
    value.length > 0 &&
    value.length <= MOST_NAME &&
    value.isWellFormed() &&
    !value.includes("\0");
  if (isName) return value;
  const message = `${what} is not a text of 1 to ${MOST_NAME} characters without NUL`;
  throw invalid("PATTERN_VALUE_INVALID", message);
}

/** The longest page of a list. */
export const MOST_PAGE = 1_000;

/** The longest JSON text of an event, a task or a reply. */
const MOST_JSON = 1_048_576;
/** An answer takes no further events or tasks behind the one that takes its JSON text here. */
export const ANSWER_CHARS = 4_194_304;

/** @throws FirnError `Invalid`, code `PATTERN_VALUE_INVALID`. */
export function jsonText({ json = PLAIN }: PatternTable, what: string, value: unknown): string {
  let text: string | undefined;
  try {
    text = json.print(value);
  } catch {
    // A cycle, or a bigint.
  }
  if (text !== undefined && text.length <= MOST_JSON) return text;
  const message = `${what} is not a JSON value of at most ${MOST_JSON} characters`;
  throw invalid("PATTERN_VALUE_INVALID", message);
}

export function jsonValue({ json = PLAIN }: PatternTable, text: string): unknown {
  return json.parse(text);
}

/** @throws FirnError `Invalid`, code `PATTERN_FENCE_INVALID`: none that was ever given. */
export function checkedFence(fence: bigint, newest: bigint): void {
  if (fence >= 1n && fence <= newest) return;
  const message = "the fencing token was never given: use the one that the claim answered";
  throw invalid("PATTERN_FENCE_INVALID", message, { fence });
}
