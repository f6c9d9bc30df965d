import {
  type ColumnDescriptor,
  type ConstraintDescriptor,
  columnOf,
  type IndexPart,
  type TableDescriptor,
} from "../../../rows/index.ts";
import type { SqlContext } from "../../types/context.ts";
import { quoteIdentifier } from "../../types/identifier.ts";
import { OID } from "../../types/oids.ts";
import type { TypeRegistry } from "../../types/registry.ts";
import { formatType } from "./format-type.ts";
import type { CatalogSnapshot, SnapshotConstraint, SnapshotIndex } from "./snapshot.ts";

/** SQL of a column's default, as PostgreSQL writes it; undefined where it has none. */
export function defaultText(
  types: TypeRegistry,
  column: ColumnDescriptor,
  context: SqlContext,
): string | undefined {
  if (column.generated !== undefined) return column.generated;
  const given = column.default;
  if (given === undefined || column.identity !== undefined) return undefined;
  if (given.kind === "expression") return arrayText(types, column, given.text) ?? given.text;
  if (given.kind === "constant" && given.text !== undefined) return given.text;
  if (given.kind === "sequence") return nextvalText(given.sequence, context);
  const { oid, typmod } = types.fromColumnType(column.type);
  if (given.value === null) return `NULL::${formatType(types, oid, -1)}`;
  const text = types.get(oid).codec.output(given.value, context);
  if (oid === OID.bool) return given.value === true ? "true" : "false";
  const isPlain = PLAIN.has(oid) && /^\d+(?:\.\d+)?$/.test(text);
  if (isPlain) return text;
  const name = formatType(types, oid, PLAIN.has(oid) ? -1 : TYPED.has(oid) ? -1 : typmod);
  return `'${text.replaceAll("'", "''")}'::${name}`;
}

/** Texts of SQL, and numbers, in an array that is cast as a whole. */
const ARRAY_CAST =
  /^CAST\(ARRAY\[((?:'(?:[^']|'')*'|\d+)(?:, (?:'(?:[^']|'')*'|\d+))*|)\] AS ([^[\]']+)\[\]\)$/;

/** PostgreSQL casts each element instead. */
function arrayText(
  types: TypeRegistry,
  { type }: ColumnDescriptor,
  text: string,
): string | undefined {
  const [, elements, cast = ""] = ARRAY_CAST.exec(text) ?? [];
  const { oid, typmod } = types.fromColumnType(type);
  const element = types.find(types.elementOf(oid));
  if (elements === undefined || element === undefined || !types.isArray(oid)) return undefined;
  const name = formatType(types, element.oid, typmod);
  const own = quoteIdentifier(element.name);
  const bare = cast.replace(/\(.*\)$/, "").replace(/^(?:\w+|"[^"]*")\./, "");
  const isSame = bare === own || bare === formatType(types, element.oid, null);
  if (!isSame && !(bare === "int" && element.oid === OID.int4)) return undefined;
  if (elements === "") return `ARRAY[]::${name}[]`;
  const all = elements.match(/'(?:[^']|'')*'|\d+/g) ?? [];
  const isPlain = element.oid === OID.int4;
  return `ARRAY[${all
    .map((one) => (isPlain && !one.startsWith("'") ? one : `${one}::${name}`))
    .join(", ")}]`;
}

/** A sequence is named without its schema where it is found by its name alone. */
function nextvalText(id: string, { catalog, session }: SqlContext): string | undefined {
  const found = catalog?.relations.find(({ sequence }) => sequence?.id === id);
  if (found === undefined || catalog === undefined) return undefined;
  const own = quoteIdentifier(found.name);
  const name = catalog.isVisible(found, session.schemas)
    ? own
    : `${quoteIdentifier(found.schema.name)}.${own}`;
  return `nextval('${name.replaceAll("'", "''")}'::regclass)`;
}

const PLAIN: ReadonlySet<number> = new Set([OID.int2, OID.int4, OID.int8, OID.numeric]);
/** PostgreSQL applies their modifier in another cast, which it does not show. */
const TYPED: ReadonlySet<number> = new Set([OID.varchar, OID.bpchar]);

/** `CREATE INDEX …`, as `pg_get_indexdef` tells it. */
export function indexDefinition(
  index: SnapshotIndex,
  isSchemaShown: boolean,
  isPretty = false,
): string {
  const { of, descriptor } = index;
  const table = of.table as TableDescriptor;
  const unique = index.isPrimary || descriptor?.unique === true ? "UNIQUE " : "";
  const schema = isSchemaShown ? `${quoteIdentifier(of.schema.name)}.` : "";
  const place = `${schema}${quoteIdentifier(of.name)}`;
  const only = of.kind === "p" ? "ONLY " : "";
  const include = (descriptor?.include ?? []).map((id) => columnName(table, id));
  const where = descriptor?.predicate;
  return [
    `CREATE ${unique}INDEX ${quoteIdentifier(index.name)} ON ${only}${place}`,
    `USING ${descriptor?.method ?? "btree"} (${indexParts(index).join(", ")})`,
    ...(include.length === 0 ? [] : [`INCLUDE (${include.join(", ")})`]),
    ...(descriptor?.nullsNotDistinct === true ? ["NULLS NOT DISTINCT"] : []),
    ...(where === undefined
      ? []
      : [`WHERE ${isPretty || /^\w+$/.test(where) ? where : inParentheses(where)}`]),
  ].join(" ");
}

/** One column of an index, from 1 on: those that are stored in it too come last. */
export function indexColumn({ of, descriptor }: SnapshotIndex, number: number): string | undefined {
  const table = of.table as TableDescriptor;
  const parts: readonly IndexPart[] = descriptor?.parts ?? table.primaryKey;
  const part = parts[number - 1];
  if (part !== undefined) return partText(table, part);
  const included = descriptor?.include[number - 1 - parts.length];
  return included === undefined ? undefined : columnName(table, included);
}

/** The parts of an index with their directions. */
function indexParts(index: SnapshotIndex): readonly string[] {
  const table = index.of.table as TableDescriptor;
  const parts: readonly IndexPart[] = index.descriptor?.parts ?? table.primaryKey;
  return parts.map((part) => {
    const operators = part.operatorClass === undefined ? "" : ` ${part.operatorClass}`;
    return `${partText(table, part)}${operators}${directionText(part)}`;
  });
}

export function partText(table: TableDescriptor, part: IndexPart): string {
  if ("columnId" in part) return columnName(table, part.columnId);
  const isCall = /^[a-z_][\w.]*\(.*\)$/is.test(part.expression);
  return isCall ? part.expression : inParentheses(part.expression);
}

function directionText({ direction, nulls }: IndexPart): string {
  const usual = direction === "asc" ? "last" : "first";
  const order = direction === "desc" ? " DESC" : "";
  return nulls === usual ? order : `${order} NULLS ${nulls.toUpperCase()}`;
}

function inParentheses(text: string): string {
  return `(${text})`;
}

function columnName(table: TableDescriptor, id: number): string {
  return quoteIdentifier(columnOf(table, id)?.name ?? "?");
}

/** As `pg_get_constraintdef`. */
export function constraintDefinition(
  snapshot: CatalogSnapshot,
  { of, descriptor, index }: SnapshotConstraint,
  isPretty: boolean,
  path: readonly string[],
): string {
  const table = of.table as TableDescriptor;
  if (descriptor.kind === "check") {
    return `CHECK (${isPretty ? descriptor.expression : inParentheses(descriptor.expression)})`;
  }
  if (descriptor.kind === "foreign key") {
    return foreignKeyText(snapshot, table, descriptor, path);
  }
  const parts: readonly IndexPart[] = index?.descriptor?.parts ?? table.primaryKey;
  const names = parts.map((part) => partText(table, part)).join(", ");
  const distinct = index?.descriptor?.nullsNotDistinct === true ? " NULLS NOT DISTINCT" : "";
  return descriptor.kind === "primary key"
    ? `PRIMARY KEY (${names})`
    : `UNIQUE${distinct} (${names})`;
}

function foreignKeyText(
  snapshot: CatalogSnapshot,
  table: TableDescriptor,
  descriptor: Extract<ConstraintDescriptor, { readonly kind: "foreign key" }>,
  path: readonly string[],
): string {
  const { references, columns, match, onUpdate, onDelete, onDeleteColumns: set } = descriptor;
  const target = snapshot.relations.find((each) => each.table?.id === references.table);
  const names = (of: TableDescriptor | undefined, ids: readonly number[]): string =>
    ids.map((id) => (of === undefined ? "?" : columnName(of, id))).join(", ");
  const isSeen = target !== undefined && snapshot.isVisible(target, path);
  const schema = isSeen || target === undefined ? "" : `${quoteIdentifier(target.schema.name)}.`;
  const to = `${schema}${quoteIdentifier(target?.name ?? "?")}`;
  return [
    `FOREIGN KEY (${names(table, columns)}) REFERENCES ${to}`,
    `(${names(target?.table, references.columns)})`,
    ...(match === "full" ? [" MATCH FULL"] : []),
    ...(onUpdate === "no action" ? [] : [` ON UPDATE ${onUpdate.toUpperCase()}`]),
    ...(onDelete === "no action" ? [] : [` ON DELETE ${onDelete.toUpperCase()}`]),
    ...(set === undefined ? [] : [` (${names(table, set)})`]),
    ...(descriptor.deferrable ? [" DEFERRABLE"] : []),
    ...(descriptor.initiallyDeferred ? [" INITIALLY DEFERRED"] : []),
  ].join("");
}
