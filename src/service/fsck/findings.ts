import type { ErrorContext } from "../../base/error.ts";
import type { PointerOp } from "../../pointer/port.ts";

/**
 * `damage`: a source says something wrong, or is gone; only a backup brings it back. `derived`: it
 * is rebuilt from its source, by `--repair`. `leftover`: nothing refers to it; garbage collection
 * removes it.
 */
export type FindingLevel = "damage" | "derived" | "leftover";

/** Every kind of finding. `docs/fsck.md` explains each; a test keeps it so. */
export const FINDING_LEVELS = {
  KEY_UNKNOWN: "damage",
  POINTER_UNREADABLE: "damage",
  PAYLOAD_MISSING: "damage",
  PAYLOAD_HASH_MISMATCH: "damage",
  PAYLOAD_UNREADABLE: "damage",
  PAYLOAD_FOREIGN: "damage",
  SUMMARY_MISMATCH: "damage",
  STATE_INVALID: "damage",
  NAME_MISSING: "damage",
  NAME_MISMATCH: "damage",
  NAME_ORPHANED: "damage",
  LISTING_MISSING: "derived",
  LISTING_MISMATCH: "derived",
  LISTING_ORPHANED: "derived",
  CLAIM_MISSING: "damage",
  CLAIM_MISMATCH: "damage",
  CLAIM_ORPHANED: "damage",
  GUARD_MISSING: "damage",
  GUARD_ORPHANED: "damage",
  PARENT_MISSING: "damage",
  PARENT_MISMATCH: "damage",
  DROPPED_INDEX_MISSING: "damage",
  DROPPED_INDEX_MISMATCH: "damage",
  DROPPED_INDEX_ORPHANED: "damage",
  TABLE_INDEX_MISSING: "derived",
  TABLE_INDEX_ORPHANED: "derived",
  JOB_MISSING: "derived",
  JOB_MISMATCH: "derived",
  JOB_ORPHANED: "derived",
  JOB_DUE_MISSING: "derived",
  JOB_DUE_ORPHANED: "derived",
  JOB_LEASE_INVALID: "derived",
  SNAPSHOT_MISSING: "derived",
  SNAPSHOT_MISMATCH: "derived",
  SNAPSHOT_PAYLOAD_DAMAGED: "derived",
  SNAPSHOT_ORPHANED: "leftover",
  METADATA_MISSING: "damage",
  METADATA_UNREADABLE: "damage",
  METADATA_MISMATCH: "damage",
  ROW_TABLE_LOST: "damage",
  ROW_TABLE_UNREADABLE: "damage",
  ROW_INDEX_MISMATCH: "damage",
  ROW_VALUES_MISMATCH: "damage",
  ROW_COLUMNS_MISMATCH: "damage",
  CHANGE_MISPLACED: "damage",
  CHANGE_MISSING: "damage",
  CHANGE_GAP: "damage",
  CHANGE_AHEAD: "damage",
  CHANGE_MISMATCH: "damage",
  HISTORY_PAYLOAD_MISSING: "damage",
  RECEIPT_UNMATCHED: "damage",
  TOMBSTONE_LIFE_INVALID: "damage",
  ALIAS_MISSING: "derived",
  ALIAS_MISMATCH: "derived",
  ALIAS_ORPHANED: "derived",
  STATS_ORPHANED: "leftover",
  REPORT_ORPHANED: "leftover",
  PAYLOAD_ORPHANED: "leftover",
  PAYLOAD_UNKNOWN: "leftover",
} as const;

export type FindingCode = keyof typeof FINDING_LEVELS;

/** What a repair writes: derived keys alone, at the versions that were read. */
export interface Fix {
  readonly payload?: { readonly path: string; readonly bytes: Uint8Array };
  readonly ops: readonly PointerOp[];
}

/** Something that is stored, or should be, and is not as its neighbours say. */
export interface Finding {
  readonly code: FindingCode;
  /** A pointer's key, or a payload's path. */
  readonly subject: string;
  readonly facts: ErrorContext;
  readonly fix?: Fix;
}

export function finding(
  code: FindingCode,
  subject: string,
  facts: ErrorContext = {},
  fix?: Fix,
): Finding {
  return { code, subject, facts, ...(fix === undefined ? {} : { fix }) };
}
