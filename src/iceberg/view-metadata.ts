import { IdSet } from "../base/id-map.ts";
import { type JsonObject, type JsonValue, printJson } from "../base/json.ts";
import {
  arrayOf,
  asObject,
  asStringMap,
  type JsonReader,
  optionalMember,
  requireInt,
  requireMember,
  requireString,
} from "../base/json-read.ts";
import { atOnce, type Steps } from "../base/steps.ts";
import { modelInvalid } from "./errors.ts";
import {
  changedLayout,
  type LayoutEntry,
  layoutOf,
  layoutSteps,
  type Member,
  printedMap,
} from "./layout.ts";
import { parseMetadataFile } from "./metadata-file.ts";
import { stripTrailingSlash } from "./model.ts";
import { parseSchema, type Schema } from "./schema.ts";
import { asUuid } from "./uuid.ts";
import {
  parseHistoryEntry,
  parseViewVersion,
  type ViewHistoryEntry,
  type ViewVersion,
} from "./view-version.ts";

/** The only version of the format there is. */
export const VIEW_FORMAT_VERSION = 1;

/** View metadata. Immutable: a commit makes a new one that shares every part it did not change. */
export interface ViewMetadata {
  readonly uuid: string;
  /** Without a trailing slash. */
  readonly location: string;
  readonly properties: ReadonlyMap<string, string>;
  readonly schemas: readonly Schema[];
  readonly currentVersionId: number;
  readonly versions: readonly ViewVersion[];
  readonly history: readonly ViewHistoryEntry[];
  /** How it is printed: as it was read, else in the order of Iceberg's own writers. */
  readonly layout: readonly LayoutEntry[];
}

const MEMBERS = [
  "view-uuid",
  "format-version",
  "location",
  "properties",
  "schemas",
  "current-version-id",
  "versions",
  "version-log",
];
const LAYOUT: readonly LayoutEntry[] = MEMBERS.map((name) => ({ name }));
const KNOWN: ReadonlySet<string> = new Set(MEMBERS);
/** Lists and maps, which print from their parts; every other member prints as it was read. */
const MODELLED: ReadonlySet<string> = new Set(["properties", "schemas", "versions", "version-log"]);

/**
 * Parses and checks the text of a view's metadata file. Printing it again gives the same members in
 * the same order, unknown ones included, white space aside.
 *
 * @throws FirnError `Invalid` `METADATA_INVALID`, as for a table's.
 */
export function parseViewMetadata(text: string): ViewMetadata {
  return parseMetadataFile(text, (object) => {
    const metadata = readViewMetadata(object);
    checkViewMetadata(metadata);
    return metadata;
  });
}

function readViewMetadata(object: JsonObject): ViewMetadata {
  checkViewFormat(requireInt(object, "format-version"));
  const readSchema: JsonReader<Schema> = (value, at) => parseSchema(asObject(value, at), at);
  return {
    uuid: requireMember(object, "view-uuid", asUuid),
    location: stripTrailingSlash(requireString(object, "location")),
    properties: optionalMember(object, "properties", asStringMap) ?? new Map(),
    schemas: requireMember(object, "schemas", arrayOf(readSchema)),
    currentVersionId: requireInt(object, "current-version-id"),
    versions: requireMember(object, "versions", arrayOf(parseViewVersion)),
    history: requireMember(object, "version-log", arrayOf(parseHistoryEntry)),
    layout: layoutOf(object, MODELLED),
  };
}

/** @throws FirnError `Invalid` `FORMAT_VERSION_INVALID`. */
export function checkViewFormat(version: number): void {
  if (version === VIEW_FORMAT_VERSION) return;
  throw modelInvalid("FORMAT_VERSION_INVALID", "unsupported format version", { version });
}

/** What has to hold between the parts. @throws FirnError `Invalid` `METADATA_INVALID`. */
function checkViewMetadata({ schemas, versions, currentVersionId }: ViewMetadata): void {
  const schemaIds = new IdSet(schemas.map(({ schemaId }) => schemaId));
  const versionIds = new IdSet(versions.map(({ versionId }) => versionId));
  if (schemaIds.size !== schemas.length || versionIds.size !== versions.length) {
    const path = schemaIds.size === schemas.length ? "versions" : "schemas";
    throw modelInvalid("METADATA_INVALID", "duplicate id", { path });
  }
  if (!versionIds.has(currentVersionId)) {
    throw modelInvalid("METADATA_INVALID", "current version does not exist", { currentVersionId });
  }
  for (const { versionId, schemaId } of versions) {
    if (schemaIds.has(schemaId)) continue;
    throw modelInvalid("METADATA_INVALID", "schema of a version does not exist", {
      versionId,
      schemaId,
    });
  }
}

/** The layout of changed metadata. */
export function viewLayout(base: ViewMetadata | undefined): readonly LayoutEntry[] {
  return changedLayout(LAYOUT, KNOWN, base?.layout ?? []);
}

/** As `printTableMetadata`. */
export function* printViewSteps(metadata: ViewMetadata): Steps<readonly Uint8Array[]> {
  return yield* layoutSteps(metadata.layout, (name) => viewMember(metadata, name));
}

/** As `printViewSteps`, at once. */
export function printViewMetadata(metadata: ViewMetadata): readonly Uint8Array[] {
  return atOnce(printViewSteps(metadata));
}

/** A member as the model has it, undefined where it is left out. */
export function viewMember(m: ViewMetadata, name: string): Member {
  switch (name) {
    case "properties":
      return printedMap(m.properties, printJson);
    case "schemas":
      return m.schemas;
    case "versions":
      return m.versions;
    case "version-log":
      return m.history;
    default: {
      const scalar = scalarMember(m, name);
      return scalar === undefined ? undefined : printJson(scalar);
    }
  }
}

function scalarMember(m: ViewMetadata, name: string): JsonValue | undefined {
  switch (name) {
    case "view-uuid":
      return m.uuid;
    case "format-version":
      return VIEW_FORMAT_VERSION;
    case "location":
      return m.location;
    case "current-version-id":
      return m.currentVersionId;
    default:
      return undefined;
  }
}

/** The version that engines read. The metadata was checked, so it is there. */
export function currentVersion(metadata: ViewMetadata): ViewVersion | undefined {
  return metadata.versions.find(({ versionId }) => versionId === metadata.currentVersionId);
}
