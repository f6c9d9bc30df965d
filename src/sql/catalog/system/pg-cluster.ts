import type { Named, Provider, ProviderContext } from "./provider.ts";
import { OWNER_OID } from "./snapshot.ts";

const UTF8 = 6;

function* namespaceRows({ snapshot }: ProviderContext): Generator<Named> {
  for (const { oid, name, owner } of snapshot.schemas) {
    yield { oid, nspname: name, nspowner: owner };
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
    };
  }
}

/** The principal of the session: others are the business of the access API. */
function* roleRows({ snapshot }: ProviderContext): Generator<Named> {
  yield {
    oid: OWNER_OID,
    rolname: snapshot.user,
    rolsuper: true,
    rolinherit: true,
    rolcreaterole: true,
    rolcreatedb: true,
    rolcanlogin: true,
    rolreplication: false,
    rolconnlimit: -1,
    rolpassword: "********",
    rolbypassrls: true,
  };
}

function* userRows({ snapshot }: ProviderContext): Generator<Named> {
  yield {
    usename: snapshot.user,
    usesysid: OWNER_OID,
    usecreatedb: true,
    usesuper: true,
    userepl: false,
    usebypassrls: true,
    passwd: "********",
  };
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

export const CLUSTER_PROVIDERS: Readonly<Record<string, Provider>> = {
  pg_namespace: namespaceRows,
  pg_database: databaseRows,
  pg_roles: roleRows,
  pg_authid: roleRows,
  pg_user: userRows,
  pg_settings: settingRows,
};
