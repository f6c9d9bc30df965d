import { EMPTY_ARRAY, vector } from "../../types/arrays.ts";
import type { ListedRole } from "../roles.ts";
import { aclOf } from "./acl.ts";
import type { Named, Provider, ProviderContext } from "./provider.ts";
import { type CatalogSnapshot, DATABASE_OWNER_OID, OWNER_OID } from "./snapshot.ts";

const UTF8 = 6;

/** What PostgreSQL's own schema of that name begins with; pg_dump says what differs from it. */
const ACL_OF_PUBLIC = vector(["pg_database_owner=UC/pg_database_owner", "=U/pg_database_owner"]);

function* namespaceRows({ snapshot }: ProviderContext): Generator<Named> {
  for (const { oid, name, owner: fixed, held } of snapshot.schemas) {
    const owner = held?.path === undefined || name === "public" ? fixed : snapshot.ownerOf(held);
    const shown = snapshot.ownerName(held);
    const granted = aclOf(snapshot.roles, "schema", held, shown);
    yield {
      oid,
      nspname: name,
      nspowner: owner,
      nspacl: granted ?? (name === "public" ? ACL_OF_PUBLIC : null),
    };
  }
}

function* databaseRows({ snapshot }: ProviderContext): Generator<Named> {
  for (const { oid, name } of snapshot.databases) {
    yield {
      oid,
      datname: name,
      datdba: OWNER_OID,
      encoding: UTF8,
      datlocprovider: "c",
      datistemplate: false,
      datallowconn: true,
      datconnlimit: -1,
      datfrozenxid: 0,
      datminmxid: 1,
      dattablespace: 1663,
      datcollate: "C.UTF-8",
      datctype: "C.UTF-8",
      datacl:
        name === snapshot.database
          ? aclOf(snapshot.roles, "database", snapshot.held, snapshot.user)
          : null,
    };
  }
}

/** What `pg_roles` shows: all but the role that everybody is a member of. */
export function shownRoles({ roles, user }: CatalogSnapshot): readonly ListedRole[] {
  const shown = roles.filter(({ isPublic }) => !isPublic);
  return shown.length > 0 ? shown : [sessionRole(user)];
}

/** Where no roles are known, the session's own principal is one that may do everything. */
function sessionRole(name: string): ListedRole {
  return {
    id: "",
    name,
    oid: OWNER_OID,
    isSuper: true,
    canLogin: true,
    isPublic: false,
    memberOf: [],
    description: "",
    missing: () => [],
    granted: () => [],
  };
}

/** The owner of the schema `public`, as PostgreSQL names it. */
const DATABASE_OWNER = {
  oid: DATABASE_OWNER_OID,
  name: "pg_database_owner",
  isSuper: false,
  canLogin: false,
};

function* roleRows({ snapshot }: ProviderContext): Generator<Named> {
  for (const { oid, name, isSuper, canLogin } of [...shownRoles(snapshot), DATABASE_OWNER]) {
    yield {
      oid,
      rolname: name,
      rolsuper: isSuper,
      rolinherit: true,
      rolcreaterole: isSuper,
      rolcreatedb: isSuper,
      rolcanlogin: canLogin,
      rolreplication: false,
      rolconnlimit: -1,
      rolpassword: "********",
      rolbypassrls: isSuper,
    };
  }
}

function* userRows({ snapshot }: ProviderContext): Generator<Named> {
  for (const { oid, name, isSuper, canLogin } of shownRoles(snapshot)) {
    if (!canLogin) continue;
    yield {
      usename: name,
      usesysid: oid,
      usecreatedb: isSuper,
      usesuper: isSuper,
      userepl: false,
      usebypassrls: isSuper,
      passwd: "********",
    };
  }
}

function* memberRows({ snapshot }: ProviderContext): Generator<Named> {
  const byId = new Map(snapshot.roles.map((role) => [role.id, role]));
  for (const { oid, memberOf } of snapshot.roles) {
    for (const id of memberOf) {
      const role = byId.get(id);
      if (role === undefined) continue;
      yield { roleid: role.oid, member: oid, grantor: OWNER_OID, admin_option: false };
    }
  }
}

function* settingRows({ settings }: ProviderContext): Generator<Named> {
  for (const [name, value] of [...settings].sort(([one], [other]) => (one < other ? -1 : 1))) {
    yield {
      name,
      setting: value,
      category: "Client Connection Defaults",
      short_desc: "",
      context: "user",
      vartype: "string",
      source: "default",
      boot_val: value,
      reset_val: value,
      pending_restart: false,
    };
  }
}

function* preparedRows({ prepared }: ProviderContext): Generator<Named> {
  for (const { name, text, micros, parameterTypes, isSql } of prepared) {
    yield {
      name,
      statement: text,
      prepare_time: micros,
      parameter_types: parameterTypes.length === 0 ? EMPTY_ARRAY : vector(parameterTypes),
      from_sql: isSql,
      generic_plans: 0n,
      custom_plans: 0n,
    };
  }
}

export const CLUSTER_PROVIDERS: Readonly<Record<string, Provider>> = {
  pg_namespace: namespaceRows,
  pg_database: databaseRows,
  pg_roles: roleRows,
  pg_authid: roleRows,
  pg_user: userRows,
  pg_auth_members: memberRows,
  pg_settings: settingRows,
  pg_prepared_statements: preparedRows,
};
