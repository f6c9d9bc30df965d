import type { JsonValue } from "../base/json.ts";
import type { Steps } from "../base/steps.ts";
import { isCreate, requirementSteps, type TableRequirement } from "./requirements.ts";
import { type TableUpdate, updateSteps } from "./updates.ts";
import {
  type ViewRequirement,
  type ViewUpdate,
  viewRequirementSteps,
  viewUpdateSteps,
} from "./view-updates.ts";

/** A commit as it stands in a request: two arrays. */
export interface GivenCommit {
  readonly requirements: JsonValue;
  readonly updates: JsonValue;
}

/** A commit to a table: what has to hold of it, and what changes. */
export interface TableCommit {
  readonly requirements: readonly TableRequirement[];
  readonly updates: readonly TableUpdate[];
  /** It makes a table that does not exist yet. */
  readonly creates: boolean;
}

/** As `TableCommit`, to a view. */
export interface ViewCommit {
  readonly requirements: readonly ViewRequirement[];
  readonly updates: readonly ViewUpdate[];
}

/** @throws FirnError as `requirementSteps` and `updateSteps`. */
export function* tableCommitSteps(given: GivenCommit): Steps<TableCommit> {
  const requirements = yield* requirementSteps(given.requirements);
  const updates = yield* updateSteps(given.updates);
  return { requirements, updates, creates: isCreate(requirements) };
}

/** @throws FirnError as `viewRequirementSteps` and `viewUpdateSteps`. */
export function* viewCommitSteps(given: GivenCommit): Steps<ViewCommit> {
  const requirements = yield* viewRequirementSteps(given.requirements);
  return { requirements, updates: yield* viewUpdateSteps(given.updates) };
}
