import type { Maybe } from "../lsm/index.ts";
import { type ColumnType, domainsOf, typesWithin } from "./column-type.ts";
import type { Datum } from "./datum.ts";
import { type TableDescriptor, visibleColumns } from "./descriptor.ts";
import { rowError } from "./errors.ts";

/** What an expression may depend on that is not the row. */
export interface ExpressionContext {
  /** Microseconds since 1970-01-01 at which the transaction began: `now()`. */
  readonly transactionTime: bigint;
  /** What the caller of the transaction gave for its expressions: SQL's settings and user. */
  readonly session?: unknown;
}

/** @param row values of `liveColumns`, in their order. */
export type CompiledExpression = (row: readonly Datum[], context: ExpressionContext) => Datum;

/** What a text is of: each may name other things. */
export type ExpressionUse =
  | "default"
  | "check"
  | "partition"
  | "generated"
  | "predicate"
  | "index part"
  | "domain";

/** A text of a descriptor. */
export interface ExpressionText {
  readonly text: string;
  /** What the value is to be, as a caller would assign it; undefined: a boolean. */
  readonly type: ColumnType | undefined;
  readonly use: ExpressionUse;
}

/**
 * Compiles the SQL that stands in descriptors: defaults, CHECK, GENERATED, predicates and parts of
 * indexes. SQL implements it; without it a table that has such a text cannot be written.
 */
export interface Expressions {
  /**
   * @param type what the value is to be, as a caller would assign it; undefined: a boolean. Of a
   *   domain's check: the type of `value`, which is the whole row.
   * @throws FirnError `Invalid`: the text is not an expression of the table's columns.
   */
  compile(
    text: string,
    table: TableDescriptor,
    type: ColumnType | undefined,
    use: ExpressionUse,
  ): Maybe<CompiledExpression>;
  /** Names of the columns that a text reads. Where it is absent, a text may read any. */
  columnsOf?(text: string): Maybe<readonly string[]>;
  /** Whether each row gets another value, as with `random()`. Where absent, each does. */
  isVolatile?(
    text: string,
    table: TableDescriptor,
    type: ColumnType | undefined,
    use: ExpressionUse,
  ): Maybe<boolean>;
  /** The type of a text by itself. Where absent, no index of expressions can change its type. */
  typeOf?(text: string, table: TableDescriptor, use: ExpressionUse): Maybe<ColumnType>;
  /** The text behind a change of a column's name. */
  renamed?(text: string, from: string, to: string): Maybe<string>;
}

/** The port of a store that was given none. */
export const NO_EXPRESSIONS: Expressions = {
  compile(text, table) {
    throw rowError(
      "Invalid",
      "ROW_EXPRESSIONS_MISSING",
      "0A000",
      "this program has no SQL: open the store with `expressions`",
      { table: table.name, expression: text },
    );
  },
};

/** All texts of a descriptor that writes evaluate. */
export function expressionsOf(table: TableDescriptor): readonly ExpressionText[] {
  const texts: ExpressionText[] = [];
  for (const constraint of table.constraints) {
    if (constraint.kind !== "check") continue;
    texts.push({ text: constraint.expression, type: undefined, use: "check" });
  }
  const bounds = table.partitionOf?.constraint;
  if (bounds !== undefined) texts.push({ text: bounds, type: undefined, use: "partition" });
  for (const { default: given, generated, type } of visibleColumns(table)) {
    if (given?.kind === "expression") texts.push({ text: given.text, type, use: "default" });
    if (generated !== undefined) texts.push({ text: generated, type, use: "generated" });
    for (const { type: inner } of typesWithin(type)) {
      for (const { expression } of domainsOf(inner).flatMap(({ checks = [] }) => checks)) {
        texts.push({ text: expression, type: inner, use: "domain" });
      }
    }
  }
  for (const { parts, predicate, state } of table.indexes) {
    if (state === "dropping") continue;
    if (predicate !== undefined) {
      texts.push({ text: predicate, type: undefined, use: "predicate" });
    }
    for (const part of parts) {
      if (!("expression" in part)) continue;
      texts.push({ text: part.expression, type: part.type, use: "index part" });
    }
  }
  return texts;
}

/** A descriptor with every text of it changed. */
export async function withTexts(
  table: TableDescriptor,
  change: (text: string) => Maybe<string>,
): Promise<TableDescriptor> {
  const columns = table.columns.map(async (column) => ({
    ...column,
    ...(column.generated !== undefined && { generated: await change(column.generated) }),
  }));
  const constraints = table.constraints.map(async (one) =>
    one.kind === "check" ? { ...one, expression: await change(one.expression) } : one,
  );
  const indexes = table.indexes.map(async ({ predicate, parts, ...index }) => ({
    ...index,
    ...(predicate !== undefined && { predicate: await change(predicate) }),
    parts: await Promise.all(
      parts.map(async (part) =>
        "expression" in part ? { ...part, expression: await change(part.expression) } : part,
      ),
    ),
  }));
  const { partitionOf: part, partitioned } = table;
  const bounds = part?.constraint;
  const parts = partitioned?.parts.map(async (one) =>
    "expression" in one ? { ...one, expression: await change(one.expression) } : one,
  );
  return {
    ...table,
    ...(part &&
      bounds !== undefined && { partitionOf: { ...part, constraint: await change(bounds) } }),
    ...(partitioned &&
      parts && { partitioned: { ...partitioned, parts: await Promise.all(parts) } }),
    columns: await Promise.all(columns),
    constraints: await Promise.all(constraints),
    indexes: await Promise.all(indexes),
  };
}

/** Compiles all texts of a descriptor; not a promise where nothing has to be waited for. */
export function compiledExpressions(
  table: TableDescriptor,
  expressions: Expressions,
): Maybe<ReadonlyMap<ExpressionText, CompiledExpression>> {
  const texts = expressionsOf(table);
  const compiled = texts.map(({ text, type, use }) => expressions.compile(text, table, type, use));
  const asMap = (all: readonly CompiledExpression[]) =>
    new Map(texts.map((text, i) => [text, all[i] as CompiledExpression]));
  if (compiled.some((one) => one instanceof Promise)) return Promise.all(compiled).then(asMap);
  return asMap(compiled as readonly CompiledExpression[]);
}
