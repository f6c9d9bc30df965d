import { invalid } from "../../base/error.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { jsonKeys, parseJsonBytes } from "../../base/json.ts";
import {
  arrayOf,
  asArray,
  asKey,
  asObject,
  asString,
  assertFewValues,
  member,
  memberPath,
  optionalBoolean,
  optionalMember,
  optionalObject,
  optionalString,
  requireMember,
  requireObject,
  requireString,
} from "../../base/json-read.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Steps } from "../../base/steps.ts";
import type { AskedSignature } from "../../service/access/sign-request.ts";
import type {
  CommitOfTable,
  CommitTable,
  CommitView,
  CreateTable,
  CreateView,
  NamespaceInfo,
  Properties,
  PropertiesUpdate,
  RegisterTable,
  RegisterView,
  RenameTable,
  RenameView,
} from "../../service/requests.ts";
import { checkLevels } from "./path.ts";

/**
 * Decoders of the request bodies: the shape is checked here and every wrong member is named;
 * what a name, schema or location may be is the business of the layers below. Unknown members
 * are ignored, null counts as absent. All throw `Invalid`.
 */

/** The body as a JSON object. */
export function decodeBody(bytes: Uint8Array | undefined): JsonObject {
  if (bytes === undefined || bytes.length === 0)
    throw invalid("BODY_MISSING", "the request needs a body");
  return asObject(parseJsonBytes(bytes), "");
}

export function decodeCreateNamespace(body: JsonObject): NamespaceInfo {
  return {
    namespace: requireMember(body, "namespace", asNamespace),
    properties: optionalMember(body, "properties", asProperties) ?? {},
  };
}

export function decodeUpdateProperties(body: JsonObject): PropertiesUpdate {
  return {
    removals: optionalMember(body, "removals", asSmallList) ?? [],
    updates: optionalMember(body, "updates", asProperties) ?? {},
  };
}

export function decodeCreateTable(body: JsonObject): CreateTable {
  return {
    name: requireString(body, "name"),
    location: optionalString(body, "location"),
    schema: requireObject(body, "schema"),
    partitionSpec: optionalObject(body, "partition-spec"),
    writeOrder: optionalObject(body, "write-order"),
    properties: optionalMember(body, "properties", asProperties) ?? {},
    stageCreate: optionalBoolean(body, "stage-create") ?? false,
  };
}

/** A request to a store that a client wants signed. `properties` are its own, and ignored. */
export function decodeSignRequest(body: JsonObject): AskedSignature {
  const given = requireObject(body, "headers");
  const headers = new Map<string, readonly string[]>();
  for (const key of jsonKeys(given)) {
    const name = key.toLowerCase();
    const values = arrayOf(asString)(member(given, key), memberPath("headers", key));
    headers.set(name, [...(headers.get(name) ?? []), ...values]);
  }
  return {
    method: requireString(body, "method").toUpperCase(),
    uri: requireString(body, "uri"),
    region: requireString(body, "region"),
    headers,
    body: optionalString(body, "body"),
  };
}

export function decodeRegisterTable(body: JsonObject): RegisterTable {
  return {
    name: requireString(body, "name"),
    metadataLocation: requireString(body, "metadata-location"),
    overwrite: optionalBoolean(body, "overwrite") ?? false,
  };
}

export function decodeRenameTable(body: JsonObject): Omit<RenameTable, "catalog"> {
  const { from, to } = decodeRename(body);
  return {
    from: { namespace: from.namespace, table: from.name },
    to: { namespace: to.namespace, table: to.name },
  };
}

function decodeRename(body: JsonObject): { readonly from: Identifier; readonly to: Identifier } {
  const from = requireMember(body, "source", asIdentifier);
  return { from, to: requireMember(body, "destination", asIdentifier) };
}

/** The path names the table; an `identifier` is for commits of several and only has to be one. */
export function decodeCommitTable(body: JsonObject): CommitTable {
  optionalMember(body, "identifier", asIdentifier);
  return {
    requirements: requireMember(body, "requirements", asArray),
    updates: requireMember(body, "updates", asArray),
  };
}

/** One or more tables, each named by its `identifier`. */
export function* decodeCommitTransaction(body: JsonObject): Steps<readonly CommitOfTable[]> {
  const changes = requireMember(body, "table-changes", arrayOf(asObject));
  const commits: CommitOfTable[] = [];
  for (const change of changes) {
    const { namespace, name } = requireMember(change, "identifier", asIdentifier);
    commits.push({ namespace, table: name, ...decodeCommitTable(change) });
    yield;
  }
  return commits;
}

export function decodeCreateView(body: JsonObject): CreateView {
  return {
    name: requireString(body, "name"),
    location: optionalString(body, "location"),
    schema: requireObject(body, "schema"),
    version: requireObject(body, "view-version"),
    properties: optionalMember(body, "properties", asProperties) ?? {},
  };
}

export function decodeRegisterView(body: JsonObject): RegisterView {
  return {
    name: requireString(body, "name"),
    metadataLocation: requireString(body, "metadata-location"),
  };
}

export function decodeRenameView(body: JsonObject): Omit<RenameView, "catalog"> {
  const { from, to } = decodeRename(body);
  return {
    from: { namespace: from.namespace, view: from.name },
    to: { namespace: to.namespace, view: to.name },
  };
}

/** The path names the view; the contract lets a commit come without requirements. */
export function decodeCommitView(body: JsonObject): CommitView {
  optionalMember(body, "identifier", asIdentifier);
  return {
    requirements: optionalMember(body, "requirements", asArray) ?? [],
    updates: requireMember(body, "updates", asArray),
  };
}

interface Identifier {
  readonly namespace: readonly string[];
  readonly name: string;
}

function asIdentifier(value: JsonValue | undefined, at: string): Identifier {
  const object = asObject(value, at);
  return {
    namespace: requireMember(object, "namespace", asNamespace, at),
    name: requireString(object, "name", at),
  };
}

function asNamespace(value: JsonValue | undefined, at: string): readonly string[] {
  return checkLevels(arrayOf(asString)(value, at));
}

function asSmallList(value: JsonValue | undefined, at: string): readonly string[] {
  assertFewValues(value, at, LIMITS.mapEntries + 1);
  return arrayOf(asKey)(value, at);
}

function asProperties(value: JsonValue | undefined, at: string): Properties {
  const object = asObject(value, at);
  assertFewValues(object, at, LIMITS.mapEntries + 1);
  const properties: Record<string, string> = {};
  for (const key of jsonKeys(object)) {
    properties[key] = asString(member(object, key), memberPath(at, key));
  }
  return properties;
}
