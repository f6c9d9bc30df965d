import { type ErrorContext, FirnError, invalid } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import {
  asObject,
  elementSteps,
  optionalLong,
  requireInt,
  requireString,
} from "../base/json-read.ts";
import { atOnce, type Steps, VALUES_AT_ONCE } from "../base/steps.ts";
import { modelInvalid } from "./errors.ts";
import type { TableMetadata } from "./model.ts";

/** What has to hold of a table for a commit to be made. */
export type TableRequirement =
  | { readonly type: "assert-create" }
  | { readonly type: "assert-table-uuid"; readonly uuid: string }
  /** A snapshot id of undefined: the reference must not exist. */
  | {
      readonly type: "assert-ref-snapshot-id";
      readonly ref: string;
      readonly snapshotId: bigint | undefined;
    }
  | { readonly type: "assert-last-assigned-field-id"; readonly id: number }
  | { readonly type: "assert-current-schema-id"; readonly id: number }
  | { readonly type: "assert-last-assigned-partition-id"; readonly id: number }
  | { readonly type: "assert-default-spec-id"; readonly id: number }
  | { readonly type: "assert-default-sort-order-id"; readonly id: number };

/**
 * The `requirements` of a commit request.
 *
 * @throws FirnError `Invalid`: `REQUIREMENT_UNKNOWN`, `REQUIREMENT_INVALID` (`assert-create`
 * stands alone), or a `FIELD_…` code.
 */
export function* requirementSteps(value: JsonValue): Steps<readonly TableRequirement[]> {
  const requirements: TableRequirement[] = [];
  let creates = 0;
  yield* elementSteps(value, "requirements", parseRequirement, (requirement) => {
    requirements.push(requirement);
    if (requirement.type === "assert-create") creates++;
  });
  if (creates > 0 && creates < requirements.length) {
    throw modelInvalid("REQUIREMENT_INVALID", "assert-create allows no other requirement");
  }
  return requirements;
}

/** As `requirementSteps`, at once. */
export function parseRequirements(value: JsonValue): readonly TableRequirement[] {
  return atOnce(requirementSteps(value));
}

function parseRequirement(element: JsonValue | undefined, at: string): TableRequirement {
  const object = asObject(element, at);
  const type = requireString(object, "type", at).toLowerCase();
  switch (type) {
    case "assert-create":
      return { type };
    case "assert-table-uuid":
      return { type, uuid: requireString(object, "uuid", at) };
    case "assert-ref-snapshot-id":
      return {
        type,
        ref: requireString(object, "ref", at),
        snapshotId: optionalLong(object, "snapshot-id", at),
      };
    case "assert-last-assigned-field-id":
      return { type, id: requireInt(object, "last-assigned-field-id", at) };
    case "assert-current-schema-id":
      return { type, id: requireInt(object, "current-schema-id", at) };
    case "assert-last-assigned-partition-id":
      return { type, id: requireInt(object, "last-assigned-partition-id", at) };
    case "assert-default-spec-id":
      return { type, id: requireInt(object, "default-spec-id", at) };
    case "assert-default-sort-order-id":
      return { type, id: requireInt(object, "default-sort-order-id", at) };
    default:
      throw invalid("REQUIREMENT_UNKNOWN", "unknown requirement", {
        path: at,
        type: type.slice(0, 128),
      });
  }
}

/** Whether the requirements are those of a table that does not exist yet. */
export function isCreate(requirements: readonly TableRequirement[]): boolean {
  return requirements.some(({ type }) => type === "assert-create");
}

/**
 * Checks all requirements against the current metadata, undefined for a table that does not exist.
 *
 * @throws FirnError `Conflict` `REQUIREMENT_FAILED`; its context's `requirement` says what
 * changed in the words that clients of the protocol know. `Invalid` `REQUIREMENT_INVALID`: there is
 * no table to hold anything else than `assert-create`.
 */
export function checkRequirements(
  requirements: readonly TableRequirement[],
  base: TableMetadata | undefined,
): void {
  atOnce(requirementChecks(requirements, base));
}

/** As `checkRequirements`, of requirements that may be very many. */
export function* requirementChecks(
  requirements: readonly TableRequirement[],
  base: TableMetadata | undefined,
): Steps<void> {
  let checked = 0;
  for (const requirement of requirements) {
    if (++checked % VALUES_AT_ONCE === 0) yield;
    if (base === undefined) {
      if (requirement.type === "assert-create") continue;
      throw modelInvalid("REQUIREMENT_INVALID", "the table of this requirement does not exist", {
        type: requirement.type,
      });
    }
    const failed = failure(requirement, base);
    if (failed !== undefined) {
      const context: ErrorContext = { requirement: failed, type: requirement.type };
      throw new FirnError("Conflict", "REQUIREMENT_FAILED", "requirement failed", context);
    }
  }
}

/** These texts go over the wire behind "Requirement failed: ", where test kits compare them. */
function failure(requirement: TableRequirement, base: TableMetadata): string | undefined {
  switch (requirement.type) {
    case "assert-create":
      return "table already exists";
    case "assert-table-uuid":
      return requirement.uuid.toLowerCase() === base.uuid?.toLowerCase()
        ? undefined
        : `UUID does not match: expected ${base.uuid ?? null} != ${requirement.uuid}`;
    case "assert-ref-snapshot-id":
      return refFailure(requirement.ref, requirement.snapshotId, base);
    case "assert-last-assigned-field-id":
      return changed("last assigned field id", requirement.id, base.lastColumnId);
    case "assert-current-schema-id":
      return changed("current schema", requirement.id, base.currentSchemaId);
    case "assert-last-assigned-partition-id":
      return changed("last assigned partition id", requirement.id, base.lastPartitionId);
    case "assert-default-spec-id":
      return changed("default partition spec", requirement.id, base.defaultSpecId);
    case "assert-default-sort-order-id":
      return changed("default sort order", requirement.id, base.defaultSortOrderId);
  }
}

function changed(what: string, expected: number, actual: number): string | undefined {
  if (expected === actual) return undefined;
  return `${what} changed: expected id ${expected} != ${actual}`;
}

function refFailure(
  name: string,
  expected: bigint | undefined,
  base: TableMetadata,
): string | undefined {
  const ref = base.refs.get(name);
  if (ref?.snapshotId === expected) return undefined;
  if (ref === undefined) return `branch or tag ${name} is missing, expected ${expected}`;
  if (expected === undefined) return `${ref.type} ${name} was created concurrently`;
  return `${ref.type} ${name} has changed: expected id ${expected} != ${ref.snapshotId}`;
}
