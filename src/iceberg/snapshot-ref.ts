import type { JsonObject, JsonValue } from "../base/json.ts";
import { optionalInt, optionalLong, requireLong, requireString } from "../base/json-read.ts";
import { modelInvalid } from "./errors.ts";
import { Fragment } from "./fragment.ts";

/** The branch whose head is the table's current snapshot. */
export const MAIN_BRANCH = "main";

/** What a branch or tag names, and how long it is retained. */
export interface RefTarget {
  readonly snapshotId: bigint;
  readonly type: "branch" | "tag";
  readonly minSnapshotsToKeep: number | undefined;
  readonly maxSnapshotAgeMs: bigint | undefined;
  readonly maxRefAgeMs: bigint | undefined;
}

export interface SnapshotRef extends RefTarget {
  readonly fragment: Fragment;
}

/**
 * A reference as metadata or a request holds it.
 *
 * @throws FirnError `Invalid`: `SNAPSHOT_REF_INVALID`, or a `FIELD_…` code.
 */
export function parseSnapshotRef(object: JsonObject, at: string): SnapshotRef {
  return { ...parseRefTarget(object, at), fragment: new Fragment(object) };
}

/** As `parseSnapshotRef`, of an update that holds the members among others. */
export function parseRefTarget(object: JsonObject, at: string): RefTarget {
  const type = requireString(object, "type", at).toLowerCase();
  if (type !== "branch" && type !== "tag") {
    throw modelInvalid("SNAPSHOT_REF_INVALID", "the type must be branch or tag", { path: at });
  }
  const target: RefTarget = {
    snapshotId: requireLong(object, "snapshot-id", at),
    type,
    minSnapshotsToKeep: optionalInt(object, "min-snapshots-to-keep", at),
    maxSnapshotAgeMs: optionalLong(object, "max-snapshot-age-ms", at),
    maxRefAgeMs: optionalLong(object, "max-ref-age-ms", at),
  };
  const { minSnapshotsToKeep, maxSnapshotAgeMs, maxRefAgeMs } = target;
  if (type === "tag" && (minSnapshotsToKeep ?? maxSnapshotAgeMs) !== undefined) {
    throw modelInvalid("SNAPSHOT_REF_INVALID", "a tag takes no branch retention", { path: at });
  }
  if ((minSnapshotsToKeep ?? 1) < 1 || (maxSnapshotAgeMs ?? 1n) < 1n || (maxRefAgeMs ?? 1n) < 1n) {
    throw modelInvalid("SNAPSHOT_REF_INVALID", "retention must be positive", { path: at });
  }
  return target;
}

export function makeSnapshotRef(target: RefTarget): SnapshotRef {
  const out: Record<string, JsonValue> = {
    "snapshot-id": target.snapshotId,
    type: target.type,
  };
  const { minSnapshotsToKeep, maxSnapshotAgeMs, maxRefAgeMs } = target;
  if (minSnapshotsToKeep !== undefined) out["min-snapshots-to-keep"] = minSnapshotsToKeep;
  if (maxSnapshotAgeMs !== undefined) out["max-snapshot-age-ms"] = maxSnapshotAgeMs;
  if (maxRefAgeMs !== undefined) out["max-ref-age-ms"] = maxRefAgeMs;
  return { ...target, fragment: new Fragment(out) };
}

export function sameRef(a: RefTarget, b: RefTarget): boolean {
  return (
    a.snapshotId === b.snapshotId &&
    a.type === b.type &&
    a.minSnapshotsToKeep === b.minSnapshotsToKeep &&
    a.maxSnapshotAgeMs === b.maxSnapshotAgeMs &&
    a.maxRefAgeMs === b.maxRefAgeMs
  );
}
