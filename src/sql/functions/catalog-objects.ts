import type { ArrayDatum, Datum } from "../../rows/datum.ts";
import { defaultAcl } from "../catalog/system/acl.ts";
import {
  constraintDefinition,
  indexColumn,
  indexDefinition,
} from "../catalog/system/definitions.ts";
import { domainCheckText } from "../catalog/system/expression-columns.ts";
import { formatType } from "../catalog/system/format-type.ts";
import { ancestorsOf, partitionKeyText, treeRows } from "../catalog/system/partitions.ts";
import { ruleOid } from "../catalog/system/pg-depend.ts";
import {
  CONSTRAINT_CLASS_OID,
  NAMESPACE_CLASS_OID,
  objectComment,
  TYPE_CLASS_OID,
  viewText,
} from "../catalog/system/pg-relations.ts";
import { DATABASE_OWNER_OID, OWNER_OID } from "../catalog/system/snapshot.ts";
import { SqlError } from "../error.ts";
import { type ProcedureRow, signatures } from "../signatures/tables.ts";
import type { SqlContext } from "../types/context.ts";
import { quoteIdentifier } from "../types/identifier.ts";
import { OID } from "../types/oids.ts";
import { relationNamed } from "../types/reg-objects.ts";
import { sqlTypeName } from "../types/regtype.ts";
import { type CallTypes, type Family, typed } from "./implementation.ts";

const withTypes = (
  use: (types: CallTypes["types"], ...values: never[]) => Datum,
): ReturnType<typeof typed> =>
  typed(
    ({ types }) =>
      (...values: readonly unknown[]) =>
        use(types, ...(values as never[])),
  );

function indexDef(oid: number, column: number, at: SqlContext): string | null {
  const index = at.catalog?.relationByOid.get(oid)?.index;
  if (index === undefined) return null;
  if (column === 0) return indexDefinition(index, true);
  return indexColumn(index, column) ?? "";
}

/** Without the schema of what is found by its name alone. */
function shownIndexDef(
  oid: number,
  column: number,
  isPretty: boolean,
  at: SqlContext,
): string | null {
  const index = at.catalog?.relationByOid.get(oid)?.index;
  if (index === undefined || column !== 0 || !isPretty) return indexDef(oid, column, at);
  const isSeen = at.catalog?.isVisible(index.of, at.session.schemas) === true;
  return indexDefinition(index, !isSeen, true);
}

function constraintDef(oid: number, isPretty: boolean, at: SqlContext): string | null {
  const check = at.catalog?.domainChecks.find((each) => each.oid === oid);
  if (check !== undefined) {
    const expression = domainCheckText(check.expression);
    return `CHECK (${isPretty ? expression : `(${expression})`})`;
  }
  const constraint = at.catalog?.constraintByOid.get(oid);
  if (at.catalog === undefined || constraint === undefined) return null;
  return constraintDefinition(at.catalog, constraint, isPretty, at.session.schemas);
}

function argumentsOf(
  { allArguments, arguments: given, modes, names }: ProcedureRow,
  wants: (mode: string) => boolean,
): string {
  return (allArguments ?? given)
    .flatMap((oid, i) => {
      const mode = modes?.[i] ?? "i";
      if (!wants(mode)) return [];
      const name = names?.[i] ?? "";
      const word = { o: "OUT ", b: "INOUT ", v: "VARIADIC " }[mode] ?? "";
      return [`${word}${name === "" ? "" : `${name} `}${nameOfType(oid)}`];
    })
    .join(", ");
}

function nameOfType(oid: number): string {
  const row = signatures().typeByOid.get(oid);
  return row === undefined ? String(oid) : sqlTypeName(row);
}

function functionResult(oid: number): string | null {
  const found = signatures().procedureByOid.get(oid);
  if (found === undefined) return null;
  const table = argumentsOf(found, (mode) => mode === "t");
  if (table !== "") return `TABLE(${table})`;
  return `${found.returnsSet ? "SETOF " : ""}${nameOfType(found.result)}`;
}

function functionArguments(oid: number): string | null {
  const found = signatures().procedureByOid.get(oid);
  return found === undefined ? null : argumentsOf(found, (mode) => mode !== "t");
}

/** @throws SqlError for every function there is: all are built in, and none has a SQL text. */
function functionDefinition(oid: number): null {
  const found = signatures().procedureByOid.get(oid);
  if (found === undefined) return null;
  if (found.kind === "a") {
    throw new SqlError("42809", `"${found.name}" is an aggregate function`);
  }
  throw new SqlError("0A000", "the definition of a built-in function is not supported");
}

const UNITS = ["bytes", "kB", "MB", "GB", "TB", "PB"];

function sizePretty(size: bigint): string {
  let [value, unit] = [size < 0n ? -size : size, 0];
  // As PostgreSQL rounds: half away from zero, and a unit is used up to 10,240 of it.
  while (value >= 10_240n && unit < UNITS.length - 1) {
    value = unit + 1 < UNITS.length ? value >> 9n : value;
    value = (value + 1n) >> 1n;
    unit++;
  }
  return `${size < 0n ? "-" : ""}${value} ${UNITS[unit]}`;
}

function viewDef(oid: number, at: SqlContext, isPretty = false, wrap = 0): string | null {
  const view = at.catalog?.relationByOid.get(oid)?.view;
  return view === undefined ? null : viewText(view, at, { isPretty, wrap });
}

/** @throws SqlError 42P01. */
function viewDefNamed(name: string, at: SqlContext, isPretty = false): string | null {
  const relation = relationNamed(name, at);
  if (relation !== undefined) return viewDef(relation.oid, at, isPretty);
  throw new SqlError("42P01", `relation "${name}" does not exist`);
}

/** Of a view: what stands behind it. No other rules are there. */
function ruleDef(oid: number, at: SqlContext, isPretty: boolean): string | null {
  const { catalog, session } = at;
  const of = catalog?.relations.find(({ oid: own, view }) => view && ruleOid(own) === oid);
  if (catalog === undefined || of?.view === undefined) return null;
  const isSeen = isPretty && catalog.isVisible(of, session.schemas);
  const own = quoteIdentifier(of.name);
  const name = isSeen ? own : `${quoteIdentifier(of.schema.name)}.${own}`;
  const query = viewText(of.view, at, { isPretty, wrap: 0 });
  return `CREATE RULE "_RETURN" AS\n    ON SELECT TO ${name} DO INSTEAD ${query}`;
}

function description(oid: number, at: SqlContext): string | null {
  const relation = at.catalog?.relationByOid.get(oid);
  if (at.catalog === undefined || relation === undefined) return null;
  return at.catalog.commentOf(relation) || null;
}

const CLASSES: Readonly<Record<string, number>> = {
  pg_type: TYPE_CLASS_OID,
  pg_constraint: CONSTRAINT_CLASS_OID,
  pg_namespace: NAMESPACE_CLASS_OID,
};

function roleName(oid: number, at: SqlContext): string | undefined {
  if (oid === OWNER_OID) return at.session.sessionUser;
  if (oid === DATABASE_OWNER_OID) return "pg_database_owner";
  return at.catalog?.roles.find((each) => each.oid === oid)?.name;
}

function describe(oid: number, catalog: string, at: SqlContext): string | null {
  if (catalog === "pg_class") return description(oid, at);
  const of = CLASSES[catalog];
  if (at.catalog === undefined || of === undefined) return null;
  return objectComment(at.catalog, of, oid) || null;
}

/** What psql, drivers and ORMs ask of the catalog. */
export const catalogObjectFamily: Family = {
  format_type: withTypes((types, oid: number | null, typmod: number | null) =>
    oid === null ? null : formatType(types, oid, typmod),
  ),
  oidvectortypes: withTypes((types, { elements }: ArrayDatum) =>
    elements.map((oid) => formatType(types, oid as number, -1)).join(", "),
  ),
  pg_get_userbyid: (oid: number, at: SqlContext) => roleName(oid, at) ?? `unknown (OID=${oid})`,
  acldefault_sql: (kind: string, owner: number, at: SqlContext) =>
    defaultAcl(kind, roleName(owner, at) ?? String(owner)),
  pg_options_to_table: ({ elements }: ArrayDatum) =>
    elements.map((each) => {
      const [name, ...value] = String(each).split("=");
      return [name, value.length === 0 ? null : value.join("=")];
    }),
  pg_table_is_visible(oid: number, at: SqlContext) {
    const relation = at.catalog?.relationByOid.get(oid);
    if (relation === undefined) return null;
    return at.catalog?.isVisible(relation, at.session.schemas) ?? false;
  },
  pg_type_is_visible: withTypes((types, oid: number, at: SqlContext) => {
    const type = types.find(oid);
    if (type === undefined) return null;
    return type.schema === undefined || at.session.schemas.includes(type.schema);
  }),
  pg_function_is_visible: () => true,
  pg_operator_is_visible: () => true,
  pg_opclass_is_visible: () => true,
  pg_collation_is_visible: () => true,
  pg_get_expr: (text: string) => text,
  pg_get_expr_ext: (text: string) => text,
  pg_get_indexdef: (oid: number, at: SqlContext) => indexDef(oid, 0, at),
  pg_get_indexdef_ext: shownIndexDef,
  pg_get_constraintdef: (oid: number, at: SqlContext) => constraintDef(oid, false, at),
  pg_get_constraintdef_ext: constraintDef,
  pg_get_viewdef: (oid: number, at: SqlContext) => viewDef(oid, at),
  pg_get_viewdef_ext: (oid: number, isPretty: boolean, at: SqlContext) =>
    viewDef(oid, at, isPretty),
  pg_get_viewdef_name: (name: string, at: SqlContext) => viewDefNamed(name, at),
  pg_get_viewdef_name_ext: (name: string, isPretty: boolean, at: SqlContext) =>
    viewDefNamed(name, at, isPretty),
  pg_get_viewdef_wrap: (oid: number, wrap: number, at: SqlContext) => viewDef(oid, at, true, wrap),
  pg_get_partkeydef(oid: number, at: SqlContext) {
    const table = at.catalog?.relationByOid.get(oid)?.table;
    return table === undefined ? null : partitionKeyText(table);
  },
  pg_get_partition_constraintdef: (oid: number, at: SqlContext) =>
    at.catalog?.relationByOid.get(oid)?.table?.partitionOf?.constraint ?? null,
  pg_get_ruledef: (oid: number, at: SqlContext) => ruleDef(oid, at, false),
  pg_get_ruledef_ext: (oid: number, isPretty: boolean, at: SqlContext) =>
    ruleDef(oid, at, isPretty),
  pg_get_statisticsobjdef_columns: () => null,
  pg_get_functiondef: functionDefinition,
  pg_get_function_result: functionResult,
  pg_get_function_arguments: functionArguments,
  pg_get_function_identity_arguments: functionArguments,
  "obj_description(oid,name)": (oid: number, catalog: string, at: SqlContext) =>
    describe(oid, catalog, at),
  "obj_description(oid)": description,
  "shobj_description(oid,name)": () => null,
  "col_description(oid,int4)"(oid: number, column: number, at: SqlContext) {
    const relation = at.catalog?.relationByOid.get(oid);
    if (at.catalog === undefined || relation === undefined) return null;
    return at.catalog.columnComment(relation, column) || null;
  },
  PG_encoding_to_char: (encoding: number) => (encoding === 6 ? "UTF8" : ""),
  PG_char_to_encoding: (name: string) => (/^utf-?8$/i.test(name) ? 6 : -1),
  pg_relation_is_publishable: () => false,
  pg_my_temp_schema: ({ catalog }: SqlContext) =>
    catalog?.temporary === undefined ? 0 : (catalog.schema(catalog.temporary)?.oid ?? 0),
  pg_partition_ancestors: (oid: number, { catalog }: SqlContext) =>
    catalog === undefined ? [] : ancestorsOf(catalog, oid).map((one) => one.oid),
  pg_partition_root: (oid: number, { catalog }: SqlContext) =>
    (catalog && ancestorsOf(catalog, oid).at(-1)?.oid) ?? null,
  pg_partition_tree: (oid: number, { catalog }: SqlContext) =>
    catalog === undefined ? [] : treeRows(catalog, oid),
  // None has triggers that pg_trigger would list.
  pg_get_triggerdef: () => null,
  pg_get_triggerdef_ext: () => null,
  pg_is_other_temp_schema: () => false,
  pg_tablespace_location: () => "",
  text_regclass(text: string, at: SqlContext) {
    const found = relationNamed(text, at);
    if (found !== undefined) return found.oid;
    throw new SqlError("42P01", `relation "${text}" does not exist`);
  },
  to_regclass(text: string, at: SqlContext) {
    return relationNamed(text, at)?.oid ?? null;
  },
  to_regtype: withTypes((types, text: string, at: SqlContext) => {
    try {
      return types.get(OID.regtype).codec.input(text, -1, at);
    } catch (error) {
      if (error instanceof SqlError) return null;
      throw error;
    }
  }),
  pg_size_pretty: sizePretty,
};
