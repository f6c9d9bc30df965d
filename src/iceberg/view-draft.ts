import { IdSet } from "../base/id-map.ts";
import type { Steps } from "../base/steps.ts";
import { checkPropertiesSize } from "./common-updates.ts";
import { SCHEMAS } from "./draft.ts";
import { DraftList, type DraftListRules } from "./draft-list.ts";
import { modelInvalid } from "./errors.ts";
import { stripTrailingSlash } from "./model.ts";
import { renumbered, type Schema } from "./schema.ts";
import { currentVersion, type ViewMetadata, viewLayout } from "./view-metadata.ts";
import {
  checkNewVersion,
  dialectsOf,
  makeHistoryEntry,
  makeViewVersion,
  type ViewHistoryEntry,
  type ViewVersion,
  versionDigest,
} from "./view-version.ts";

/**
 * In a request, stands for the id of what was added last in the same request, also where adding it
 * found an equal one: a retry of a request means the same thing as the request did.
 */
const LAST_ADDED = -1;
const FIRST_SCHEMA_ID = 0;
const FIRST_VERSION_ID = 1;

const DROP_DIALECT_ALLOWED = "replace.drop-dialect.allowed";
const HISTORY_SIZE = "version.history.num-entries";
const HISTORY_SIZE_DEFAULT = 10;
const COUNT = /^\+?\d{1,9}$/;

/**
 * View metadata while the updates of one request are applied to it, in place. The base is not
 * touched.
 */
export interface ViewDraft {
  readonly base: ViewMetadata | undefined;
  readonly nowMs: number;
  /** Whether anything differs from the base. */
  changed: boolean;
  uuid: string | undefined;
  location: string | undefined;
  /** The base's own until the first change. */
  properties: ReadonlyMap<string, string>;
  readonly schemas: DraftList<Schema>;
  readonly versions: DraftList<ViewVersion>;
  currentVersionId: number | undefined;
  lastAddedSchemaId: number | undefined;
  lastAddedVersionId: number | undefined;
  readonly addedVersionIds: Set<number>;
}

const VERSIONS: DraftListRules<ViewVersion> = {
  idOf: ({ versionId }) => versionId,
  keyOf: ({ versionId }) => String(versionId),
  likenessOf: ({ schemaId, representations: [first] }) => `${schemaId} ${first?.sql.length}`,
  digestOf: versionDigest,
};

/** A draft of existing metadata; without a base, of a new view. */
export function makeViewDraft(base: ViewMetadata | undefined, nowMs: number): ViewDraft {
  return {
    base,
    nowMs,
    changed: base === undefined,
    uuid: base?.uuid,
    location: base?.location,
    properties: base?.properties ?? new Map(),
    schemas: new DraftList(base?.schemas ?? [], SCHEMAS),
    versions: new DraftList(base?.versions ?? [], VERSIONS),
    currentVersionId: base?.currentVersionId,
    lastAddedSchemaId: undefined,
    lastAddedVersionId: undefined,
    addedVersionIds: new Set(),
  };
}

/** Adds a schema under the next id, or finds the one that is equal to it. Field ids stay. */
export function* addViewSchema(draft: ViewDraft, schema: Schema): Steps<void> {
  const existing = yield* draft.schemas.equalTo(schema);
  if (existing !== undefined) {
    draft.lastAddedSchemaId = existing.schemaId;
    return;
  }
  const schemaId = draft.schemas.highestId(FIRST_SCHEMA_ID - 1) + 1;
  draft.schemas.append(yield* renumbered(schema, schemaId));
  draft.lastAddedSchemaId = schemaId;
  draft.changed = true;
}

/**
 * Adds a version under the next id, or finds the one that behaves the same.
 *
 * @throws FirnError `Invalid`: `VIEW_VERSION_INVALID`, `VIEW_DIALECT_REPEATED`.
 */
export function* addViewVersion(draft: ViewDraft, version: ViewVersion): Steps<void> {
  checkNewVersion(version);
  const schemaId = version.schemaId === LAST_ADDED ? draft.lastAddedSchemaId : version.schemaId;
  if (schemaId === undefined) {
    throw modelInvalid("VIEW_VERSION_INVALID", "no schema was added in this request");
  }
  if (draft.schemas.get(String(schemaId)) === undefined) {
    throw modelInvalid("VIEW_VERSION_INVALID", "schema does not exist", { schemaId });
  }
  const wanted = { ...version, schemaId };
  const existing = yield* draft.versions.equalTo(wanted);
  if (existing !== undefined) {
    draft.lastAddedVersionId = existing.versionId;
    return;
  }
  const versionId = draft.versions.highestId(FIRST_VERSION_ID - 1) + 1;
  draft.versions.append(makeViewVersion(version, versionId, schemaId));
  draft.lastAddedVersionId = versionId;
  draft.addedVersionIds.add(versionId);
  draft.changed = true;
}

/** @throws FirnError `Invalid` `VIEW_VERSION_INVALID`: there is no such version. */
export function setCurrentViewVersion(draft: ViewDraft, id: number): void {
  const versionId = id === LAST_ADDED ? draft.lastAddedVersionId : id;
  if (versionId === undefined) {
    throw modelInvalid("VIEW_VERSION_INVALID", "no version was added in this request");
  }
  if (draft.versions.get(String(versionId)) === undefined) {
    throw modelInvalid("VIEW_VERSION_INVALID", "version does not exist", { versionId });
  }
  if (versionId === draft.currentVersionId) return;
  draft.currentVersionId = versionId;
  draft.changed = true;
}

/**
 * The metadata that a draft has become: the change of the current version is logged, and versions
 * that are too many are left out with what the log says of them and before.
 *
 * @throws FirnError `Invalid`: `UPDATE_INVALID`, `VIEW_PROPERTY_INVALID`,
 * `VIEW_DIALECT_DROPPED`.
 */
export function* finishViewDraft(draft: ViewDraft): Steps<ViewMetadata> {
  const { base, uuid, location, properties, currentVersionId } = draft;
  const current = draft.versions.get(String(currentVersionId));
  if (uuid === undefined || location === undefined || current === undefined) {
    throw modelInvalid("UPDATE_INVALID", "a view needs a UUID, a location and a current version");
  }
  yield* checkPropertiesSize(draft, "VIEW_PROPERTY_INVALID");
  const previous = base === undefined ? undefined : currentVersion(base);
  if (previous !== undefined && !mayDropDialects(properties)) {
    checkDialects(previous, current);
  }
  yield;
  const kept = Math.max(historySize(properties), draft.addedVersionIds.size);
  const versions = retain(draft.versions.toArray(), kept, current.versionId);
  yield;
  const history = historyOf(draft, versions, current);
  yield;
  return {
    uuid,
    location: stripTrailingSlash(location),
    properties,
    schemas: draft.schemas.toArray(),
    currentVersionId: current.versionId,
    versions,
    history,
    layout: viewLayout(base),
  };
}

function mayDropDialects(properties: ReadonlyMap<string, string>): boolean {
  return properties.get(DROP_DIALECT_ALLOWED)?.toLowerCase() === "true";
}

/**
 * A client that replaces a view by another engine's query alone would break the first one's
 * readers.
 */
function checkDialects(previous: ViewVersion, current: ViewVersion): void {
  const now = dialectsOf(current);
  const lost = [...dialectsOf(previous)].filter((dialect) => !now.has(dialect));
  if (lost.length === 0) return;
  throw modelInvalid(
    "VIEW_DIALECT_DROPPED",
    "the view version drops a SQL dialect: set replace.drop-dialect.allowed",
    {
      dialects: lost.join(", "),
      property: DROP_DIALECT_ALLOWED,
    },
  );
}

/** @throws FirnError `Invalid` `VIEW_PROPERTY_INVALID`. */
function historySize(properties: ReadonlyMap<string, string>): number {
  const value = properties.get(HISTORY_SIZE);
  if (value === undefined) return HISTORY_SIZE_DEFAULT;
  const size = COUNT.test(value) ? Number(value) : 0;
  if (size > 0) return size;
  throw modelInvalid("VIEW_PROPERTY_INVALID", "the value must be a positive count", {
    property: HISTORY_SIZE,
  });
}

/** The current version and the newest others, by their ids, which only grow. */
function retain(
  versions: readonly ViewVersion[],
  count: number,
  currentVersionId: number,
): readonly ViewVersion[] {
  if (versions.length <= count) return versions;
  const others = versions.map(({ versionId }) => versionId).filter((id) => id !== currentVersionId);
  const newest = others.sort((a, b) => b - a).slice(0, count - 1);
  const kept = new IdSet([currentVersionId, ...newest]);
  return versions.filter(({ versionId }) => kept.has(versionId));
}

/**
 * The log with the new current version at its end. Where a logged version is left out, so is all
 * before it: with a gap the log would claim that its neighbour had been current in its stead.
 */
function historyOf(
  draft: ViewDraft,
  versions: readonly ViewVersion[],
  current: ViewVersion,
): readonly ViewHistoryEntry[] {
  const logged = draft.base?.history ?? [];
  const added = draft.addedVersionIds.has(current.versionId);
  const entries =
    current.versionId === draft.base?.currentVersionId
      ? logged
      : [...logged, makeHistoryEntry(current.versionId, added ? current.timestampMs : draft.nowMs)];
  if (versions.length === draft.versions.length) return entries;
  const kept = new IdSet(versions.map(({ versionId }) => versionId));
  const gap = entries.findLastIndex(({ versionId }) => !kept.has(versionId));
  return entries.slice(gap + 1);
}
