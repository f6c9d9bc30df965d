/** What a collection deletes, by kind. `docs/operate.md` says of each why it may go. */
export const GARBAGE_KINDS = [
  "receipts",
  "changes",
  "payloads",
  "snapshots",
  "reports",
  "statistics",
  "indexes",
  "metadata",
  "holds",
  "jobs",
] as const;
export type GarbageKind = (typeof GARBAGE_KINDS)[number];

export interface GarbageCount {
  count: number;
  /** Of blobs and files; 0 of pointers alone. */
  bytes: number;
}

/** The result of one dry run or one run. */
export interface GarbageReport {
  /** What went; in a dry run, what would go with two marks that both come to the same. */
  readonly garbage: Readonly<Record<GarbageKind, GarbageCount>>;
  /** What was looked at. */
  pointers: number;
  payloads: number;
  payloadBytes: number;
  /** Paths of no known kind below the account: kept. */
  unknownPaths: number;
  /** Tables whose metadata cannot be read: nothing of theirs goes. */
  unreadableTables: number;
  /** Tables that the indexes of tables did not have, and have now. */
  indexedTables: number;
  /** Tables whose payload cannot be read, so that their entries cannot be told. */
  unindexable: number;
  /** When the oldest thing expires that has a time, by wall time; infinite where there is none. */
  nextExpiryMs: number;
}

export function emptyReport(): GarbageReport {
  const counts = GARBAGE_KINDS.map((kind) => [kind, { count: 0, bytes: 0 }] as const);
  return {
    garbage: Object.fromEntries(counts) as Record<GarbageKind, GarbageCount>,
    pointers: 0,
    payloads: 0,
    payloadBytes: 0,
    unknownPaths: 0,
    unreadableTables: 0,
    indexedTables: 0,
    unindexable: 0,
    nextExpiryMs: Number.POSITIVE_INFINITY,
  };
}

/** Adds garbage of one kind to a report. */
export function countGarbage(
  { garbage }: GarbageReport,
  kind: GarbageKind,
  count: number,
  bytes = 0,
): void {
  garbage[kind].count += count;
  garbage[kind].bytes += bytes;
}
