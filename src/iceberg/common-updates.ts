import { utf8Length } from "../base/bytes.ts";
import { type FirnError, invalid } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import {
  asArray,
  asKey,
  asObject,
  elementSteps,
  member,
  memberPath,
  requireInt,
  requireMember,
  requireObject,
  requireString,
  stringMapSteps,
} from "../base/json-read.ts";
import { LIMITS } from "../base/limits.ts";
import { type Steps, VALUES_AT_ONCE } from "../base/steps.ts";
import { modelInvalid } from "./errors.ts";
import { checkNameLengths, type Schema, schemaSteps } from "./schema.ts";
import { asUuid } from "./uuid.ts";

/** A change that tables and views have in common. */
export type CommonUpdate =
  | { readonly action: "assign-uuid"; readonly uuid: string }
  | { readonly action: "upgrade-format-version"; readonly formatVersion: number }
  | { readonly action: "add-schema"; readonly schema: Schema }
  | { readonly action: "set-location"; readonly location: string }
  | { readonly action: "set-properties"; readonly updates: ReadonlyMap<string, string> }
  | { readonly action: "remove-properties"; readonly removals: ReadonlySet<string> };

/**
 * An update that both know, undefined for any other action.
 *
 * @throws FirnError `Invalid`: a `FIELD_…` code, `UPDATE_INVALID` or `SCHEMA_INVALID`.
 */
export function* commonUpdateSteps(
  action: string,
  o: JsonObject,
  at: string,
): Steps<CommonUpdate | undefined> {
  switch (action) {
    case "assign-uuid":
      return { action, uuid: requireMember(o, "uuid", asUuid, at) };
    case "upgrade-format-version":
      return { action, formatVersion: requireInt(o, "format-version", at) };
    case "add-schema": {
      const schema = requireObject(o, "schema", at);
      const parsed = yield* schemaSteps(schema, memberPath(at, "schema"));
      yield* checkNameLengths(parsed);
      return { action, schema: parsed };
    }
    case "set-location":
      return { action, location: requireString(o, "location", at) };
    case "set-properties": {
      const name = either(o, "updates", "updated");
      const updates = requireMember(o, name, asObject, at);
      return { action, updates: yield* stringMapSteps(updates, memberPath(at, name)) };
    }
    case "remove-properties": {
      const name = either(o, "removals", "removed");
      const removals = new Set<string>();
      const names = requireMember(o, name, asArray, at);
      yield* elementSteps(names, memberPath(at, name), asKey, (key) => removals.add(key));
      return { action, removals };
    }
    default:
      return undefined;
  }
}

/** The error of an action that is none, or none of the thing that is committed to. */
export function unknownUpdate(action: string, at: string): FirnError {
  return invalid("UPDATE_UNKNOWN", "unknown update", { path: at, action: action.slice(0, 128) });
}

/** The protocol's name of a member, or the one that older clients send in its stead. */
function either(object: JsonObject, name: string, older: string): string {
  return member(object, name) === undefined && member(object, older) !== undefined ? older : name;
}

/** What drafts of tables and views have in common. */
interface CommonDraft {
  readonly base: { readonly properties: ReadonlyMap<string, string> } | undefined;
  uuid: string | undefined;
  location: string | undefined;
  properties: ReadonlyMap<string, string>;
  /** Whether anything differs from the base. */
  changed: boolean;
}

/** @throws FirnError `Invalid` `UPDATE_INVALID`: it has another one. */
export function assignUuid(draft: CommonDraft, uuid: string): void {
  if (draft.uuid?.toLowerCase() === uuid.toLowerCase()) return;
  // The identity outlives all else; everything that was ever cached hangs on it.
  if (draft.uuid !== undefined) {
    throw modelInvalid("UPDATE_INVALID", "the UUID is already set", { uuid: draft.uuid });
  }
  draft.uuid = uuid;
  draft.changed = true;
}

/** @throws FirnError `Invalid` `UPDATE_INVALID`: it is empty. */
export function setLocation(draft: CommonDraft, location: string): void {
  if (location === "") throw modelInvalid("UPDATE_INVALID", "the location is empty");
  if (location === draft.location) return;
  draft.location = location;
  draft.changed = true;
}

export function* setProperties(
  draft: CommonDraft,
  updates: ReadonlyMap<string, string>,
): Steps<void> {
  let looked = 0;
  for (const [name, value] of updates) {
    if (++looked % VALUES_AT_ONCE === 0) yield;
    if (draft.properties.get(name) === value) continue;
    ownProperties(draft).set(name, value);
    draft.changed = true;
  }
}

export function* removeProperties(draft: CommonDraft, removals: ReadonlySet<string>): Steps<void> {
  let looked = 0;
  for (const name of removals) {
    if (++looked % VALUES_AT_ONCE === 0) yield;
    if (!draft.properties.has(name)) continue;
    ownProperties(draft).delete(name);
    draft.changed = true;
  }
}

/** The draft's own map, which no one else has: a copy of the base's before the first change. */
function ownProperties(draft: CommonDraft): Map<string, string> {
  if (draft.properties !== draft.base?.properties) return draft.properties as Map<string, string>;
  const own = new Map(draft.properties);
  draft.properties = own;
  return own;
}

/**
 * Bounds what a request makes of the properties; those that were larger before may still shrink.
 *
 * @throws FirnError `Invalid`, the code given, which says the limit.
 */
export function* checkPropertiesSize(
  { base, properties }: Pick<CommonDraft, "base" | "properties">,
  code: "TABLE_PROPERTY_INVALID" | "VIEW_PROPERTY_INVALID",
): Steps<void> {
  if (properties === base?.properties) return;
  const bytes = yield* bytesOf(properties);
  const maxBytes = LIMITS.propertiesBytes;
  if (bytes <= maxBytes || bytes <= (yield* bytesOf(base?.properties ?? new Map()))) return;
  throw modelInvalid(code, "properties are too large together: remove some", { bytes, maxBytes });
}

function* bytesOf(properties: ReadonlyMap<string, string>): Steps<number> {
  let bytes = 0;
  let looked = 0;
  for (const [name, value] of properties) {
    bytes += utf8Length(name) + utf8Length(value);
    if (++looked % VALUES_AT_ONCE === 0) yield;
  }
  return bytes;
}
