import { IdSet } from "../base/id-map.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import {
  asArray,
  asInt,
  asLong,
  asNameOf,
  asObject,
  assertFewValues,
  elementSteps,
  type JsonReader,
  member,
  memberPath,
  requireInt,
  requireLong,
  requireMember,
  requireObject,
  requireString,
} from "../base/json-read.ts";
import { LIMITS } from "../base/limits.ts";
import { atOnce, type Steps } from "../base/steps.ts";
import {
  addEncryptionKey,
  addSnapshot,
  removeEncryptionKey,
  removeSnapshotRef,
  removeSnapshots,
  removeStatistics,
  setSnapshotRef,
  setStatistics,
} from "./apply-snapshot.ts";
import {
  addSchema,
  addSortOrder,
  addSpec,
  removeSchemas,
  removeSpecs,
  setCurrentSchema,
  setDefaultSortOrder,
  setDefaultSpec,
  supportedVersion,
  upgradeFormatVersion,
} from "./apply-structure.ts";
import {
  assignUuid,
  type CommonUpdate,
  commonUpdateSteps,
  removeProperties,
  setLocation,
  setProperties,
  unknownUpdate,
} from "./common-updates.ts";
import { type Draft, makeDraft } from "./draft.ts";
import { type EncryptionKey, parseEncryptionKey } from "./encryption-key.ts";
import { finishDraft } from "./finish.ts";
import { ICEBERG_LIMITS } from "./limits.ts";
import { DEFAULT_FORMAT_VERSION, type TableMetadata } from "./model.ts";
import { type PartitionSpec, parsePartitionSpec } from "./partition-spec.ts";
import { parseSnapshot, type Snapshot } from "./snapshot.ts";
import { parseRefTarget, type RefTarget } from "./snapshot-ref.ts";
import { parseSortOrder, type SortOrder } from "./sort-order.ts";
import {
  parsePartitionStatisticsFile,
  type StatisticsFile,
  statisticsFileSteps,
} from "./statistics.ts";

/** One change of a commit. An id of -1 means what was added last in the same request. */
export type TableUpdate =
  | CommonUpdate
  | { readonly action: "set-current-schema"; readonly schemaId: number }
  | { readonly action: "remove-schemas"; readonly schemaIds: IdSet<number> }
  | { readonly action: "add-spec"; readonly spec: PartitionSpec }
  | { readonly action: "set-default-spec"; readonly specId: number }
  | { readonly action: "remove-partition-specs"; readonly specIds: IdSet<number> }
  | { readonly action: "add-sort-order"; readonly sortOrder: SortOrder }
  | { readonly action: "set-default-sort-order"; readonly sortOrderId: number }
  | { readonly action: "add-snapshot"; readonly snapshot: Snapshot }
  | {
      readonly action: "set-snapshot-ref";
      readonly refName: string;
      readonly target: RefTarget;
    }
  | { readonly action: "remove-snapshots"; readonly snapshotIds: IdSet<bigint> }
  | { readonly action: "remove-snapshot-ref"; readonly refName: string }
  | { readonly action: "set-statistics"; readonly file: StatisticsFile }
  | { readonly action: "remove-statistics"; readonly snapshotId: bigint }
  | { readonly action: "set-partition-statistics"; readonly file: StatisticsFile }
  | { readonly action: "remove-partition-statistics"; readonly snapshotId: bigint }
  | { readonly action: "add-encryption-key"; readonly key: EncryptionKey }
  | { readonly action: "remove-encryption-key"; readonly keyId: string };

const asRefName = asNameOf(ICEBERG_LIMITS.refNameBytes);

/**
 * The `updates` of a commit request, parsed and each checked by itself.
 *
 * @throws FirnError `Invalid`: `UPDATE_UNKNOWN`, a `FIELD_…` code, or that of the part that
 * an update holds.
 */
export function* updateSteps(value: JsonValue): Steps<readonly TableUpdate[]> {
  const updates: TableUpdate[] = [];
  for (const [i, element] of asArray(value, "updates").entries()) {
    updates.push(yield* oneUpdate(element, memberPath("updates", i)));
    yield;
  }
  return updates;
}

/** As `updateSteps`, at once. */
export function parseUpdates(value: JsonValue): readonly TableUpdate[] {
  return atOnce(updateSteps(value));
}

function* oneUpdate(element: JsonValue | undefined, at: string): Steps<TableUpdate> {
  const o = asObject(element, at);
  const action = requireString(o, "action", at).toLowerCase();
  const common = yield* commonUpdateSteps(action, o, at);
  if (common !== undefined) return common;
  const part = <T>(name: string, parse: (object: JsonObject, path: string) => T): T =>
    smallPart(o, name, at, parse);
  switch (action) {
    case "set-current-schema":
      return { action, schemaId: requireInt(o, "schema-id", at) };
    case "remove-schemas":
      return { action, schemaIds: yield* idSteps(o, "schema-ids", asInt, at) };
    case "add-spec":
      return { action, spec: part("spec", parsePartitionSpec) };
    case "set-default-spec":
      return { action, specId: requireInt(o, "spec-id", at) };
    case "remove-partition-specs":
      return { action, specIds: yield* idSteps(o, "spec-ids", asInt, at) };
    case "add-sort-order":
      return { action, sortOrder: part("sort-order", parseSortOrder) };
    case "set-default-sort-order":
      return { action, sortOrderId: requireInt(o, "sort-order-id", at) };
    case "add-encryption-key":
      return { action, key: part("encryption-key", parseEncryptionKey) };
    case "remove-encryption-key":
      return { action, keyId: requireString(o, "key-id", at) };
    case "set-statistics": {
      const file = requireObject(o, "statistics", at);
      return { action, file: yield* statisticsFileSteps(file, memberPath(at, "statistics")) };
    }
    case "remove-snapshots":
      return { action, snapshotIds: yield* idSteps(o, "snapshot-ids", asLong, at) };
    default:
      return parseSnapshotUpdate(action, o, at);
  }
}

/** A part that is parsed, checked and applied within a turn. */
function smallPart<T>(
  o: JsonObject,
  name: string,
  at: string,
  parse: (object: JsonObject, path: string) => T,
): T {
  const [part, path] = [requireObject(o, name, at), memberPath(at, name)];
  assertFewValues(part, path);
  return parse(part, path);
}

/** An expiry may name a hundred thousand snapshots at once. */
function* idSteps<K extends number | bigint>(
  o: JsonObject,
  name: string,
  read: JsonReader<K>,
  at: string,
): Steps<IdSet<K>> {
  const ids = new IdSet<K>();
  const list = requireMember(o, name, asArray, at);
  yield* elementSteps(list, memberPath(at, name), read, (id) => ids.add(id));
  return ids;
}

function parseSnapshotUpdate(action: string, o: JsonObject, at: string): TableUpdate {
  switch (action) {
    case "add-snapshot": {
      const summary = member(requireObject(o, "snapshot", at), "summary");
      assertFewValues(summary, `${at}.snapshot.summary`, LIMITS.mapEntries + 1);
      return { action, snapshot: smallPart(o, "snapshot", at, parseSnapshot) };
    }
    case "set-snapshot-ref":
      return {
        action,
        refName: requireMember(o, "ref-name", asRefName, at),
        target: parseRefTarget(o, at),
      };
    case "remove-snapshot-ref":
      return { action, refName: requireString(o, "ref-name", at) };
    case "set-partition-statistics": {
      const name = "partition-statistics";
      return { action, file: smallPart(o, name, at, parsePartitionStatisticsFile) };
    }
    case "remove-statistics":
    case "remove-partition-statistics":
      return { action, snapshotId: requireLong(o, "snapshot-id", at) };
    default:
      throw unknownUpdate(action, at);
  }
}

export interface ApplyOptions {
  /** Wall time of the commit. */
  readonly nowMs: number;
  /** Location of the base's metadata file, which goes into the metadata log. */
  readonly baseLocation?: string | undefined;
  /** UUID of a table to be created whose updates assign none. */
  readonly uuid?: string | undefined;
}

/**
 * The metadata after a request's updates, in their order; without a base, of a table that they
 * create. Gives the base itself where nothing changes. Costs the change: history is shared.
 *
 * @throws FirnError `Invalid`: the code of the part that an update breaks. `Conflict`:
 * `COMMIT_STALE_SEQUENCE`, `COMMIT_STALE_ROW_ID`.
 */
export function* applySteps(
  base: TableMetadata | undefined,
  updates: readonly TableUpdate[],
  options: ApplyOptions,
): Steps<TableMetadata> {
  const draft = makeDraft(base, options.nowMs, supportedVersion(initialVersion(base, updates)));
  for (const update of updates) {
    yield* applyUpdate(draft, update);
    yield;
  }
  if (base !== undefined && !draft.changed) return base;
  draft.uuid ??= options.uuid;
  return yield* finishDraft(draft, options.baseLocation);
}

/** As `applySteps`, at once. */
export function applyUpdates(
  base: TableMetadata | undefined,
  updates: readonly TableUpdate[],
  options: ApplyOptions,
): TableMetadata {
  return atOnce(applySteps(base, updates, options));
}

/** A new table has the version that its updates name first from the start. */
function initialVersion(base: TableMetadata | undefined, updates: readonly TableUpdate[]): number {
  if (base !== undefined) return base.formatVersion;
  const first = updates.find((update) => update.action === "upgrade-format-version");
  return first?.formatVersion ?? DEFAULT_FORMAT_VERSION;
}

type Apply<Action> = (
  draft: Draft,
  update: Extract<TableUpdate, { action: Action }>,
) => Steps<void> | void;

/** One entry for every action, which the compiler sees to. */
const APPLY: { readonly [Action in TableUpdate["action"]]: Apply<Action> } = {
  "assign-uuid": (draft, { uuid }) => assignUuid(draft, uuid),
  "upgrade-format-version": (draft, { formatVersion }) =>
    upgradeFormatVersion(draft, formatVersion),
  "add-schema": (draft, { schema }) => addSchema(draft, schema),
  "set-current-schema": (draft, { schemaId }) => setCurrentSchema(draft, schemaId),
  "remove-schemas": (draft, { schemaIds }) => removeSchemas(draft, schemaIds),
  "add-spec": (draft, { spec }) => addSpec(draft, spec),
  "set-default-spec": (draft, { specId }) => setDefaultSpec(draft, specId),
  "remove-partition-specs": (draft, { specIds }) => removeSpecs(draft, specIds),
  "add-sort-order": (draft, { sortOrder }) => addSortOrder(draft, sortOrder),
  "set-default-sort-order": (draft, { sortOrderId }) => setDefaultSortOrder(draft, sortOrderId),
  "add-snapshot": (draft, { snapshot }) => addSnapshot(draft, snapshot),
  "set-snapshot-ref": (draft, { refName, target }) => setSnapshotRef(draft, refName, target),
  "remove-snapshots": (draft, { snapshotIds }) => removeSnapshots(draft, snapshotIds),
  "remove-snapshot-ref": (draft, { refName }) => removeSnapshotRef(draft, refName),
  "set-location": (draft, { location }) => setLocation(draft, location),
  "set-properties": (draft, { updates }) => setProperties(draft, updates),
  "remove-properties": (draft, { removals }) => removeProperties(draft, removals),
  "set-statistics": (draft, { file }) => setStatistics(draft, "statistics", file),
  "remove-statistics": (draft, { snapshotId }) => removeStatistics(draft, "statistics", snapshotId),
  "set-partition-statistics": (draft, { file }) =>
    setStatistics(draft, "partitionStatistics", file),
  "remove-partition-statistics": (draft, { snapshotId }) =>
    removeStatistics(draft, "partitionStatistics", snapshotId),
  "add-encryption-key": (draft, { key }) => addEncryptionKey(draft, key),
  "remove-encryption-key": (draft, { keyId }) => removeEncryptionKey(draft, keyId),
};

function* applyUpdate(draft: Draft, update: TableUpdate): Steps<void> {
  // The table's type pairs each action with its update, which the compiler cannot follow here.
  const apply = APPLY[update.action] as Apply<TableUpdate["action"]>;
  const steps = apply(draft, update);
  if (steps !== undefined) yield* steps;
}
