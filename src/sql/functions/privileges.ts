import type { Datum } from "../../rows/datum.ts";
import type { Held } from "../catalog/held.ts";
import type { ListedRole } from "../catalog/roles.ts";
import { type AclKind, askedPrivileges } from "../catalog/system/acl.ts";
import type { CatalogSnapshot, SnapshotRelation } from "../catalog/system/snapshot.ts";
import { SqlError } from "../error.ts";
import type { SqlContext } from "../types/context.ts";
import { splitIdentifiers } from "../types/names.ts";
import { relationNamed } from "../types/reg-objects.ts";
import type { Family } from "./implementation.ts";

/** A role by its name or OID; undefined: the session's own. */
type Asked = string | number | undefined;

function catalogOf({ catalog }: SqlContext): CatalogSnapshot {
  if (catalog === undefined) throw new SqlError("XX000", "the catalog was not read");
  return catalog;
}

/** @throws SqlError 42704. */
function roleAsked(asked: Asked, at: SqlContext): ListedRole | undefined {
  if (asked === undefined || asked === at.session.user) return undefined;
  const { roles } = catalogOf(at);
  const found = roles.find((role) =>
    typeof asked === "number"
      ? role.oid === asked
      : asked === "public"
        ? role.isPublic
        : role.name === asked,
  );
  if (found !== undefined) return found;
  if (typeof asked === "number" && roles.every(({ oid }) => oid !== asked)) {
    throw new SqlError("42704", `role with OID ${asked} does not exist`);
  }
  throw new SqlError("42704", `role "${asked}" does not exist`);
}

/** @param isRead whether everybody reads it: without `held`, as PostgreSQL's own. */
function holds(
  kind: AclKind,
  { held, isRead = held === undefined }: { held?: Held | undefined; isRead?: boolean },
  asked: Asked,
  text: string,
  at: SqlContext,
): boolean {
  const role = roleAsked(asked, at);
  return askedPrivileges(kind, text).some((needs) => {
    if (isRead && needs.every((need) => need === "read-data" || need === "see")) return true;
    if (held === undefined) return false;
    return (role?.missing(held, needs) ?? held.missing(needs)).length === 0;
  });
}

/** Nothing is granted on a view: to write through it, privileges on its schema count. */
function heldOn({ held, isSystem, schema }: SnapshotRelation) {
  return held !== undefined || isSystem ? { held } : { held: schema.held, isRead: true };
}

function relationAsked(asked: string | number, at: SqlContext): SnapshotRelation | undefined {
  if (typeof asked === "number") return catalogOf(at).relationByOid.get(asked);
  const found = relationNamed(asked, at);
  if (found !== undefined) return found;
  throw new SqlError("42P01", `relation "${asked}" does not exist`);
}

function onRelation(kind: "table" | "sequence") {
  return (role: Asked, relation: string | number, text: string, at: SqlContext): Datum => {
    const found = relationAsked(relation, at);
    if (found === undefined) return null;
    if (kind === "sequence" && found.sequence === undefined) {
      throw new SqlError("42809", `"${found.name}" is not a sequence`);
    }
    return holds(found.sequence === undefined ? kind : "sequence", heldOn(found), role, text, at);
  };
}

/** Privileges on columns are those on their table. @throws SqlError 42703. */
function onColumn(
  role: Asked,
  table: string | number,
  column: string,
  text: string,
  at: SqlContext,
) {
  const found = relationAsked(table, at);
  if (found === undefined) return null;
  const columns = found.table?.columns ?? found.columns;
  if (columns?.every(({ name }) => name !== column) === true) {
    const message = `column "${column}" of relation "${found.name}" does not exist`;
    throw new SqlError("42703", message);
  }
  return holds("table", heldOn(found), role, text, at);
}

function onSchema(role: Asked, schema: string | number, text: string, at: SqlContext): Datum {
  const catalog = catalogOf(at);
  const found =
    typeof schema === "number"
      ? catalog.schemaByOid.get(schema)
      : catalog.schema(splitIdentifiers(`"${schema.replaceAll('"', '""')}"`)[0] ?? "");
  if (found !== undefined) return holds("schema", found, role, text, at);
  if (typeof schema === "number") return null;
  throw new SqlError("3F000", `schema "${schema}" does not exist`);
}

/** Of another database than the session's own it is known that it may be connected to. */
function onDatabase(role: Asked, database: string | number, text: string, at: SqlContext): Datum {
  const catalog = catalogOf(at);
  const found = catalog.databases.find(({ oid, name }) =>
    typeof database === "number" ? oid === database : name === database,
  );
  if (found !== undefined) {
    const held = found.name === catalog.database ? catalog.held : undefined;
    return holds("database", { held }, role, text, at);
  }
  if (typeof database === "number") return null;
  throw new SqlError("3D000", `database "${database}" does not exist`);
}

/** Whether a role is another one, is a member of it, or may do everything. */
function hasRole(asked: Asked, other: string | number, text: string, at: SqlContext): boolean {
  if (!/^\s*(usage|member|set)(\s+with\s+(grant|admin)\s+option)?\s*$/i.test(text)) {
    throw new SqlError("22023", `unrecognized privilege type: "${text}"`);
  }
  const { roles } = catalogOf(at);
  const own = roles.find(({ name }) => name === at.session.user);
  const member = roleAsked(asked, at) ?? own;
  const role = roleAsked(other, at) ?? own;
  if (member === undefined || role === undefined) return false;
  return member.isSuper || member.id === role.id || member.memberOf.includes(role.id);
}

/** PostgreSQL's names of a function: with and without the role, by names and by OIDs. */
function variants<Rest extends readonly unknown[]>(
  name: string,
  implementation: (role: Asked, ...rest: Rest) => Datum,
): Family {
  const own = (...rest: readonly unknown[]) =>
    implementation(undefined, ...(rest as never as Rest));
  const other = (role: string | number, ...rest: readonly unknown[]) =>
    implementation(role, ...(rest as never as Rest));
  return {
    [`${name}_name`]: own,
    [`${name}_id`]: own,
    [`${name}_name_name`]: other,
    [`${name}_name_id`]: other,
    [`${name}_id_name`]: other,
    [`${name}_id_id`]: other,
  } as Family;
}

/** Functions and types are everybody's. */
const isOpen = (): boolean => true;

/** What `has_table_privilege` and its kin answer. */
export const privilegeFamily: Family = {
  ...variants("has_table_privilege", onRelation("table")),
  ...variants("has_any_column_privilege", onRelation("table")),
  ...variants("has_sequence_privilege", onRelation("sequence")),
  ...variants("has_schema_privilege", onSchema),
  ...variants("has_database_privilege", onDatabase),
  ...variants("has_function_privilege", isOpen),
  ...variants("has_type_privilege", isOpen),
  ...variants("has_language_privilege", isOpen),
  ...variants("pg_has_role", hasRole),
  has_column_privilege_name_name: (table: string, column: string, text: string, at: SqlContext) =>
    onColumn(undefined, table, column, text, at),
  has_column_privilege_id_name: (table: number, column: string, text: string, at: SqlContext) =>
    onColumn(undefined, table, column, text, at),
  has_column_privilege_name_name_name: onColumn,
  has_column_privilege_name_id_name: onColumn,
};
