import { assert } from "../base/assert.ts";
import { sha256Hex } from "../base/hash.ts";
import type { AccountId, TableId } from "../base/ids.ts";
import { digits19, directoryOf, FAMILIES, keyOf } from "./keys.ts";
import type { StatsTarget, TargetKind } from "./model.ts";
import { blobPathOf } from "./paths.ts";
import { idSegment } from "./snapshot-puts.ts";

/*
 * Statistics and constraints of a snapshot lie under its table and its id. They are sources, kept
 * by no metadata file. Those of a file have a second pointer under the file's path, an alias of the
 * same blob; so has the one bundle of constraints. One listed pointer a snapshot says that it has
 * statistics, since a store lists one directory alone.
 */

/** A snapshot of a table: it need not be there yet. */
export interface SnapshotRef {
  readonly table: TableId;
  readonly snapshotId: bigint;
}

const SEGMENT = /^[0-9]{19,20}$/;

/** The inverse of `idSegment`; undefined for what it never gives. */
export function snapshotOfSegment(segment: string): bigint | undefined {
  return SEGMENT.test(segment) ? BigInt.asIntN(64, BigInt(segment)) : undefined;
}

/** How the ids of targets of a kind begin. */
export const TARGET_PREFIXES: Readonly<Record<TargetKind, string>> = {
  TABLE: "table",
  COLUMN: "column-",
  EXPRESSION: "expression-",
  FILE: "file-",
};

/** The id of a target: a table's own, by field id, by the hash of an expression or a path. */
export function targetIdOf(target: StatsTarget): string {
  const prefix = TARGET_PREFIXES[target.kind];
  assert(target.kind !== "COLUMN" || target.fieldId >= 0, "a field id counts from 0");
  switch (target.kind) {
    case "TABLE":
      return prefix;
    case "COLUMN":
      return `${prefix}${digits19(target.fieldId)}`;
    case "EXPRESSION":
      return `${prefix}${target.engine}-${sha256Hex(target.expression)}`;
    case "FILE":
      return `${prefix}${sha256Hex(target.path)}`;
  }
}

function isOfFile(targetId: string): boolean {
  return targetId.startsWith(TARGET_PREFIXES.FILE);
}

export function targetKey(account: AccountId, at: SnapshotRef, targetId: string): string {
  return keyOf(FAMILIES.targetStats, account, at.table, idSegment(at.snapshotId), targetId);
}

/** The alias of a file's target. */
export function fileKey(account: AccountId, at: SnapshotRef, path: string): string {
  return keyOf(FAMILIES.fileStats, account, at.table, idSegment(at.snapshotId), path);
}

/** The pointers to the statistics of a target, the target's own first. */
export function statsKeys(
  account: AccountId,
  at: SnapshotRef,
  target: StatsTarget,
): readonly [target: string, ...aliases: string[]] {
  const id = targetIdOf(target);
  assert(isOfFile(id) === (target.kind === "FILE"), "the id of a target says whether it is a file");
  const own = targetKey(account, at, id);
  return target.kind === "FILE" ? [own, fileKey(account, at, target.path)] : [own];
}

/** Says that a snapshot has statistics. */
export function statsSnapshotKey(account: AccountId, at: SnapshotRef): string {
  return keyOf(FAMILIES.statsSnapshot, account, at.table, idSegment(at.snapshotId));
}

/** Where the statistics of the targets of a snapshot are listed, and those of its files by path. */
export function statsDirectories(
  account: AccountId,
  table: string,
  snapshot: string,
): readonly [targets: string, files: string] {
  return [
    directoryOf(FAMILIES.targetStats, account, table, snapshot),
    directoryOf(FAMILIES.fileStats, account, table, snapshot),
  ];
}

/** The pointers to a snapshot's constraints: its own, and the alias beside the statistics. */
export function constraintsKeys(
  account: AccountId,
  { table, snapshotId }: SnapshotRef,
): readonly [own: string, alias: string] {
  const snapshot = idSegment(snapshotId);
  return [
    keyOf(FAMILIES.constraints, account, table, snapshot),
    keyOf(FAMILIES.snapshotConstraints, account, table, snapshot),
  ];
}

/** Where statistics of a target lie: those of files are packed with files alone. */
export function statsPath(
  account: string,
  table: string,
  snapshot: string,
  targetId: string,
  sha: string,
): string {
  assert(sha.length === 64, "a payload lies under its SHA-256");
  const kind = isOfFile(targetId) ? "fileStats" : "targetStats";
  return blobPathOf(kind, account, table, snapshot, sha);
}

/** Where the constraints of a snapshot lie. */
export function constraintsPath(
  account: string,
  table: string,
  snapshot: string,
  sha: string,
): string {
  return blobPathOf("constraints", account, table, snapshot, sha);
}
