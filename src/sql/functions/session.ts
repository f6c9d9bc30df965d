import { vector } from "../types/arrays.ts";
import type { SqlContext } from "../types/context.ts";
import { OID } from "../types/oids.ts";
import { type Family, typed } from "./implementation.ts";

/** Schemas of `search_path` that there are. */
function schemasOf({ catalog, session }: SqlContext): readonly string[] {
  return session.schemas.filter(
    (name) => catalog === undefined || catalog.schema(name) !== undefined,
  );
}

/** What drivers and tools ask when they connect. */
export const sessionFamily: Family = {
  pgsql_version(at: SqlContext) {
    const version = at.session.setting("server_version", true) ?? "15.0";
    return `PostgreSQL ${version} (Firn)`;
  },
  current_database: (at: SqlContext) => at.session.database,
  current_user: (at: SqlContext) => at.session.user,
  session_user: (at: SqlContext) => at.session.sessionUser,
  current_schema: (at: SqlContext) => schemasOf(at)[0] ?? null,
  current_schemas(withImplicit: boolean, at: SqlContext) {
    const schemas = schemasOf(at);
    if (!withImplicit) return vector(schemas);
    const named = schemas.includes("pg_catalog") ? schemas : ["pg_catalog", ...schemas];
    const temporary = at.catalog?.temporary;
    const isFirst = temporary !== undefined && !named.includes(temporary);
    return vector(isFirst ? [temporary, ...named] : named);
  },
  pg_backend_pid: (at: SqlContext) => at.session.backendPid,
  show_config_by_name: (name: string, at: SqlContext) => at.session.setting(name, false),
  show_config_by_name_missing_ok: (name: string, isMissingOk: boolean, at: SqlContext) =>
    at.session.setting(name, isMissingOk),
  set_config_by_name: (
    name: string | null,
    value: string | null,
    isLocal: boolean | null,
    at: SqlContext,
  ) => (name === null ? null : at.session.setSetting(name, value ?? "", isLocal === true)),
  pg_typeof: typed((call) => {
    const oid = call.arguments[0] ?? OID.unknown;
    return () => oid;
  }),
  pg_client_encoding: () => "UTF8",
  getdatabaseencoding: () => "UTF8",
  drandom: (at: SqlContext) => at.random.float(),
  setseed(seed: number, at: SqlContext) {
    at.seedRandom(seed);
    return "";
  },
  pg_is_in_recovery: () => false,
};
