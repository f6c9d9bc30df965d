import { sha256Steps } from "../base/hash.ts";
import { type JsonObject, type JsonValue, jsonSteps } from "../base/json.ts";
import {
  arrayOf,
  asKey,
  asMillis,
  asObject,
  asString,
  asStringMap,
  optionalString,
  requireInt,
  requireMember,
  requireString,
} from "../base/json-read.ts";
import type { Steps } from "../base/steps.ts";
import { modelInvalid } from "./errors.ts";
import { Fragment } from "./fragment.ts";

/** A query in one dialect. A type other than `sql` is kept, but nothing is known of it. */
export interface ViewRepresentation {
  readonly type: string;
  readonly sql: string;
  readonly dialect: string;
}

const SQL = "sql";

/** What a view was at one time. The fragment holds all of it. */
export interface ViewVersion {
  readonly versionId: number;
  readonly schemaId: number;
  readonly timestampMs: number;
  readonly summary: ReadonlyMap<string, string>;
  readonly defaultCatalog: string | undefined;
  readonly defaultNamespace: readonly string[];
  readonly representations: readonly ViewRepresentation[];
  readonly fragment: Fragment;
}

/** When a version became the current one. The fragment holds all of it. */
export interface ViewHistoryEntry {
  readonly versionId: number;
  readonly timestampMs: number;
  readonly fragment: Fragment;
}

/**
 * A version as metadata or a request holds it.
 *
 * @throws FirnError `Invalid`, a `FIELD_…` code.
 */
export function parseViewVersion(value: JsonValue | undefined, at: string): ViewVersion {
  const object = asObject(value, at);
  return {
    versionId: requireInt(object, "version-id", at),
    schemaId: requireInt(object, "schema-id", at),
    timestampMs: requireMember(object, "timestamp-ms", asMillis, at),
    summary: requireMember(object, "summary", asStringMap, at),
    defaultCatalog: optionalString(object, "default-catalog", at),
    defaultNamespace: requireMember(object, "default-namespace", arrayOf(asString), at),
    representations: requireMember(object, "representations", arrayOf(parseRepresentation), at),
    fragment: new Fragment(object),
  };
}

function parseRepresentation(value: JsonValue | undefined, at: string): ViewRepresentation {
  const object = asObject(value, at);
  const type = requireString(object, "type", at);
  if (type.toLowerCase() !== SQL) return { type, sql: "", dialect: "" };
  const sql = requireString(object, "sql", at);
  return { type: SQL, sql, dialect: requireMember(object, "dialect", asKey, at) };
}

/** The version under other ids, printed from the model alone: unknown members do not enter. */
export function makeViewVersion(
  version: Omit<ViewVersion, "fragment">,
  versionId: number,
  schemaId: number,
): ViewVersion {
  const { timestampMs, summary, defaultCatalog, defaultNamespace, representations } = version;
  const out: Record<string, JsonValue> = {
    "version-id": versionId,
    "timestamp-ms": timestampMs,
    "schema-id": schemaId,
    summary: Object.fromEntries(summary),
  };
  if (defaultCatalog !== undefined) out["default-catalog"] = defaultCatalog;
  out["default-namespace"] = defaultNamespace;
  out["representations"] = representations.map(({ type, sql, dialect }) => ({
    type,
    sql,
    dialect,
  }));
  return { ...version, versionId, schemaId, fragment: new Fragment(out) };
}

/** @throws FirnError `Invalid`, a `FIELD_…` code. */
export function parseHistoryEntry(value: JsonValue | undefined, at: string): ViewHistoryEntry {
  const object: JsonObject = asObject(value, at);
  return {
    versionId: requireInt(object, "version-id", at),
    timestampMs: requireMember(object, "timestamp-ms", asMillis, at),
    fragment: new Fragment(object),
  };
}

export function makeHistoryEntry(versionId: number, timestampMs: number): ViewHistoryEntry {
  const fragment = new Fragment({ "timestamp-ms": timestampMs, "version-id": versionId });
  return { versionId, timestampMs, fragment };
}

/**
 * What may be added: files of older writers may hold more, which is only kept.
 *
 * @throws FirnError `Invalid`: `VIEW_VERSION_INVALID` (no query, or one that is not SQL),
 * `VIEW_DIALECT_REPEATED` (context `dialect`).
 */
export function checkNewVersion({ representations }: ViewVersion): void {
  if (representations.length === 0) {
    throw modelInvalid("VIEW_VERSION_INVALID", "a view version needs a query");
  }
  const seen = new Set<string>();
  for (const { type, dialect } of representations) {
    if (type !== SQL) {
      throw modelInvalid("VIEW_VERSION_INVALID", "unknown representation type", {
        type: type.slice(0, 128),
      });
    }
    const name = dialect.toLowerCase();
    if (seen.has(name)) {
      throw modelInvalid(
        "VIEW_DIALECT_REPEATED",
        "the view version has two queries for one dialect",
        {
          dialect: name,
        },
      );
    }
    seen.add(name);
  }
}

/** The same for two versions that behave the same: but for id and time. */
export function* versionDigest(version: ViewVersion): Steps<string> {
  const { schemaId, defaultCatalog, defaultNamespace, representations } = version;
  const summary = [...version.summary].sort(([a], [b]) => (a < b ? -1 : 1));
  const queries = representations.map(({ type, sql, dialect }) => [type, sql, dialect]);
  return yield* sha256Steps(
    yield* jsonSteps([schemaId, defaultCatalog ?? null, defaultNamespace, summary, queries]),
  );
}

/** The dialects of a version's queries; they are the same whatever their case. */
export function dialectsOf({ representations }: ViewVersion): ReadonlySet<string> {
  const queries = representations.filter(({ type }) => type === SQL);
  return new Set(queries.map(({ dialect }) => dialect.toLowerCase()));
}
