import type { Held } from "../held.ts";
import { ALL_HELD } from "../held.ts";
import { type AclKind, SQL_PRIVILEGES } from "./acl.ts";
import { shownRoles } from "./pg-cluster.ts";
import { attributesOf } from "./pg-relations.ts";
import type { Named, Provider, ProviderContext } from "./provider.ts";
import { type CatalogSnapshot, NO_TABLES, type SnapshotRelation } from "./snapshot.ts";

/** The grants of `information_schema`: the rights of owners, and what roles were granted. */

const PUBLIC = "PUBLIC";

interface Grant {
  readonly grantor: string;
  readonly grantee: string;
  readonly privilege_type: string;
  readonly is_grantable: "YES" | "NO";
}

/** Grants on one object, to its owner and to others that the session may know. */
function* grantsOn(snapshot: CatalogSnapshot, kind: AclKind, held: Held): Generator<Grant> {
  const grantor = snapshot.ownerName(held);
  const owner = snapshot.ownerOf(held);
  const words = Object.entries(SQL_PRIVILEGES[kind]);
  const everybody = snapshot.roles.filter(({ isPublic }) => isPublic);
  for (const role of [...shownRoles(snapshot), ...everybody]) {
    const isOwner = role.oid === owner;
    const granted = new Set(role.granted(held));
    // Administrators are superusers: no list has them.
    if (!isOwner && granted.has("admin")) continue;
    for (const [privilege_type, needs] of words) {
      const isHeld = isOwner
        ? role.missing(held, needs).length === 0
        : needs.every((need) => granted.has(need));
      if (!isHeld) continue;
      const is_grantable = isOwner || granted.has("manage-grants") ? "YES" : "NO";
      const grantee = role.isPublic ? PUBLIC : role.name;
      yield { grantor, grantee, privilege_type, is_grantable };
    }
  }
}

/** A view has no rights but those of its schema. */
function heldOf({ held, schema }: SnapshotRelation): Held {
  return held ?? schema.held ?? ALL_HELD;
}

type TableGrant = Grant & { readonly relation: SnapshotRelation };

function* tableGrants({ snapshot }: ProviderContext): Generator<TableGrant> {
  for (const relation of snapshot.relations) {
    if (NO_TABLES.has(relation.kind)) continue;
    if (relation.isSystem) {
      const grantor = snapshot.ownerName(undefined);
      const read = { privilege_type: "SELECT", is_grantable: "NO" } as const;
      yield { relation, grantor, grantee: PUBLIC, ...read };
      continue;
    }
    for (const grant of grantsOn(snapshot, "table", heldOf(relation))) yield { ...grant, relation };
  }
}

function names({ snapshot }: ProviderContext, { schema, name }: SnapshotRelation): Named {
  return { table_catalog: snapshot.database, table_schema: schema.name, table_name: name };
}

function* tablePrivileges(context: ProviderContext): Generator<Named> {
  for (const { relation, ...grant } of tableGrants(context)) {
    const with_hierarchy = grant.privilege_type === "SELECT" ? "YES" : "NO";
    yield { ...grant, ...names(context, relation), with_hierarchy };
  }
}

const OF_COLUMNS: ReadonlySet<string> = new Set(["SELECT", "INSERT", "UPDATE", "REFERENCES"]);

/** Privileges are on tables: each holds for every column. */
function* columnPrivileges(context: ProviderContext): Generator<Named> {
  for (const { relation, ...grant } of tableGrants(context)) {
    if (!OF_COLUMNS.has(grant.privilege_type)) continue;
    for (const { name } of attributesOf(context, relation)) {
      yield { ...grant, ...names(context, relation), column_name: name };
    }
  }
}

function* usagePrivileges({ snapshot, types }: ProviderContext): Generator<Named> {
  const { database } = snapshot;
  for (const relation of snapshot.relations) {
    if (relation.kind !== "S") continue;
    for (const grant of grantsOn(snapshot, "sequence", heldOf(relation))) {
      if (grant.privilege_type !== "USAGE") continue;
      yield { ...grant, ...object(database, relation.schema.name, relation.name, "SEQUENCE") };
    }
  }
  for (const typeId of snapshot.typeIds.keys()) {
    const type = types.find(typeId);
    if (type?.base === undefined) continue;
    const of = object(database, type.schema ?? "public", type.name, "DOMAIN");
    const grantor = snapshot.ownerName(snapshot.schema(type.schema ?? "public")?.held);
    const usage = { grantor, privilege_type: "USAGE" };
    yield { ...usage, grantee: grantor, is_grantable: "YES", ...of };
    yield { ...usage, grantee: PUBLIC, is_grantable: "NO", ...of };
  }
}

function object(database: string, schema: string, name: string, object_type: string): Named {
  return { object_catalog: database, object_schema: schema, object_name: name, object_type };
}

/** Names of the session's own role and of those that it is a member of. */
function* enabledRoles({ snapshot }: ProviderContext): Generator<Named> {
  const own = shownRoles(snapshot).find(({ name }) => name === snapshot.user);
  for (const { id, name, isPublic } of shownRoles(snapshot)) {
    const isEnabled = own?.isSuper === true || own?.id === id || own?.memberOf.includes(id);
    if (isEnabled === true && !isPublic) yield { role_name: name };
  }
}

function* applicableRoles({ snapshot }: ProviderContext): Generator<Named> {
  const byId = new Map(snapshot.roles.map((role) => [role.id, role]));
  const own = snapshot.roles.find(({ name }) => name === snapshot.user);
  for (const id of own?.memberOf ?? []) {
    const role = byId.get(id);
    if (role === undefined || role.isPublic) continue;
    yield { grantee: snapshot.user, role_name: role.name, is_grantable: "NO" };
  }
}

/** What is granted to roles by their names. */
function ofRoles(rows: Provider): Provider {
  return function* named(context: ProviderContext): Generator<Named> {
    for (const row of rows(context)) if (row["grantee"] !== PUBLIC) yield row;
  };
}

export const GRANT_PROVIDERS: Readonly<Record<string, Provider>> = {
  table_privileges: tablePrivileges,
  role_table_grants: ofRoles(tablePrivileges),
  column_privileges: columnPrivileges,
  role_column_grants: ofRoles(columnPrivileges),
  usage_privileges: usagePrivileges,
  role_usage_grants: ofRoles(usagePrivileges),
  enabled_roles: enabledRoles,
  applicable_roles: applicableRoles,
};
