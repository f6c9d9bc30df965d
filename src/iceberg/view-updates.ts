import { FirnError, invalid } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import {
  asArray,
  asObject,
  assertFewValues,
  elementSteps,
  memberPath,
  requireInt,
  requireMember,
  requireString,
} from "../base/json-read.ts";
import { atOnce, type Steps, VALUES_AT_ONCE } from "../base/steps.ts";
import {
  assignUuid,
  type CommonUpdate,
  commonUpdateSteps,
  removeProperties,
  setLocation,
  setProperties,
  unknownUpdate,
} from "./common-updates.ts";
import { checkNameLengths, schemaSteps } from "./schema.ts";
import {
  addViewSchema,
  addViewVersion,
  finishViewDraft,
  makeViewDraft,
  setCurrentViewVersion,
  type ViewDraft,
} from "./view-draft.ts";
import { checkViewFormat, type ViewMetadata } from "./view-metadata.ts";
import { parseViewVersion, type ViewVersion } from "./view-version.ts";

/** One change of a view. An id of -1 means what was added last in the same request. */
export type ViewUpdate =
  | CommonUpdate
  | { readonly action: "add-view-version"; readonly version: ViewVersion }
  | { readonly action: "set-current-view-version"; readonly versionId: number };

/** What has to hold of a view for a commit to be made. */
export interface ViewRequirement {
  readonly type: "assert-view-uuid";
  readonly uuid: string;
}

/**
 * The `updates` of a commit to a view, parsed and each checked by itself.
 *
 * @throws FirnError `Invalid`: `UPDATE_UNKNOWN` (those of tables alone included), a `FIELD_…`
 * code, or that of the part that an update holds.
 */
export function* viewUpdateSteps(value: JsonValue): Steps<readonly ViewUpdate[]> {
  const updates: ViewUpdate[] = [];
  for (const [i, element] of asArray(value, "updates").entries()) {
    updates.push(yield* oneUpdate(element, memberPath("updates", i)));
    yield;
  }
  return updates;
}

/** As `viewUpdateSteps`, at once. */
export function parseViewUpdates(value: JsonValue): readonly ViewUpdate[] {
  return atOnce(viewUpdateSteps(value));
}

function* oneUpdate(element: JsonValue | undefined, at: string): Steps<ViewUpdate> {
  const o = asObject(element, at);
  const action = requireString(o, "action", at).toLowerCase();
  switch (action) {
    case "add-view-version":
      return { action, version: requireMember(o, "view-version", asNewVersion, at) };
    case "set-current-view-version":
      return { action, versionId: requireInt(o, "view-version-id", at) };
    default: {
      const common = yield* commonUpdateSteps(action, o, at);
      if (common === undefined) throw unknownUpdate(action, at);
      return common;
    }
  }
}

/** A version of a request, which is read within a turn. */
function asNewVersion(value: JsonValue | undefined, at: string): ViewVersion {
  assertFewValues(value, at);
  return parseViewVersion(value, at);
}

/**
 * The `requirements` of a commit to a view.
 *
 * @throws FirnError `Invalid`: `REQUIREMENT_UNKNOWN`, or a `FIELD_…` code.
 */
export function* viewRequirementSteps(value: JsonValue): Steps<readonly ViewRequirement[]> {
  const requirements: ViewRequirement[] = [];
  yield* elementSteps(value, "requirements", parseViewRequirement, (one) => requirements.push(one));
  return requirements;
}

/** As `viewRequirementSteps`, at once. */
export function parseViewRequirements(value: JsonValue): readonly ViewRequirement[] {
  return atOnce(viewRequirementSteps(value));
}

function parseViewRequirement(element: JsonValue | undefined, at: string): ViewRequirement {
  const object = asObject(element, at);
  const type = requireString(object, "type", at).toLowerCase();
  if (type === "assert-view-uuid") return { type, uuid: requireString(object, "uuid", at) };
  throw invalid("REQUIREMENT_UNKNOWN", "unknown requirement", {
    path: at,
    type: type.slice(0, 128),
  });
}

/**
 * Checks all requirements against the current metadata.
 *
 * @throws FirnError `Conflict` `REQUIREMENT_FAILED`; context as for a table's.
 */
export function checkViewRequirements(
  requirements: readonly ViewRequirement[],
  base: ViewMetadata,
): void {
  atOnce(viewRequirementChecks(requirements, base));
}

/** As `checkViewRequirements`, of requirements that may be very many. */
export function* viewRequirementChecks(
  requirements: readonly ViewRequirement[],
  base: ViewMetadata,
): Steps<void> {
  let checked = 0;
  for (const { type, uuid } of requirements) {
    if (++checked % VALUES_AT_ONCE === 0) yield;
    if (uuid.toLowerCase() === base.uuid.toLowerCase()) continue;
    const requirement = `view UUID does not match: expected ${base.uuid} != ${uuid}`;
    const context = { requirement, type };
    throw new FirnError("Conflict", "REQUIREMENT_FAILED", "requirement failed", context);
  }
}

/**
 * The metadata after a request's updates, in their order. Gives the base itself where nothing
 * changes.
 *
 * @throws FirnError `Invalid`: `VIEW_VERSION_INVALID`, `VIEW_DIALECT_REPEATED`,
 * `VIEW_DIALECT_DROPPED`, `VIEW_PROPERTY_INVALID`, `UPDATE_INVALID`, `FORMAT_VERSION_INVALID`.
 */
export function* applyViewSteps(
  base: ViewMetadata,
  updates: readonly ViewUpdate[],
  nowMs: number,
): Steps<ViewMetadata> {
  const draft = makeViewDraft(base, nowMs);
  for (const update of updates) {
    yield* applyUpdate(draft, update);
    yield;
  }
  return draft.changed ? yield* finishViewDraft(draft) : base;
}

/** As `applyViewSteps`, at once. */
export function applyViewUpdates(
  base: ViewMetadata,
  updates: readonly ViewUpdate[],
  nowMs: number,
): ViewMetadata {
  return atOnce(applyViewSteps(base, updates, nowMs));
}

type Apply<Action> = (
  draft: ViewDraft,
  update: Extract<ViewUpdate, { action: Action }>,
) => Steps<void> | void;

/** One entry for every action, which the compiler sees to. */
const APPLY: { readonly [Action in ViewUpdate["action"]]: Apply<Action> } = {
  "assign-uuid": (draft, { uuid }) => assignUuid(draft, uuid),
  "upgrade-format-version": (_draft, { formatVersion }) => checkViewFormat(formatVersion),
  "add-schema": (draft, { schema }) => addViewSchema(draft, schema),
  "set-location": (draft, { location }) => setLocation(draft, location),
  "set-properties": (draft, { updates }) => setProperties(draft, updates),
  "remove-properties": (draft, { removals }) => removeProperties(draft, removals),
  "add-view-version": (draft, { version }) => addViewVersion(draft, version),
  "set-current-view-version": (draft, { versionId }) => setCurrentViewVersion(draft, versionId),
};

function* applyUpdate(draft: ViewDraft, update: ViewUpdate): Steps<void> {
  // The table's type pairs each action with its update, which the compiler cannot follow here.
  const apply = APPLY[update.action] as Apply<ViewUpdate["action"]>;
  const steps = apply(draft, update);
  if (steps !== undefined) yield* steps;
}

export interface NewView {
  /** As in the request; its id is assigned, those of its fields stay. */
  readonly schema: JsonObject;
  /** As in the request; its ids are assigned. */
  readonly version: JsonObject;
  readonly location: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly uuid: string;
  readonly nowMs: number;
}

/**
 * Metadata of a new view: schema 0 and version 1, whatever ids the request gave them.
 *
 * @throws FirnError `Invalid`: the code of the part that is wrong, or a `FIELD_…` code.
 */
export function* newViewSteps(view: NewView): Steps<ViewMetadata> {
  const version = asNewVersion(view.version, "view-version");
  const draft = makeViewDraft(undefined, view.nowMs);
  draft.uuid = view.uuid;
  draft.location = view.location;
  draft.properties = new Map(Object.entries(view.properties));
  const schema = yield* schemaSteps(view.schema, "schema");
  yield* checkNameLengths(schema);
  yield* addViewSchema(draft, schema);
  yield* addViewVersion(draft, { ...version, schemaId: -1 });
  setCurrentViewVersion(draft, -1);
  return yield* finishViewDraft(draft);
}

/** As `newViewSteps`, at once. */
export function newViewMetadata(view: NewView): ViewMetadata {
  return atOnce(newViewSteps(view));
}
