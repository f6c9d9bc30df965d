import type { ManifestFigures, PartitionFigures } from "./manifest-figures.ts";
import { DELETE_AFTER_COMMIT } from "./metadata-log.ts";
import { defaultSpec, type TableMetadata } from "./model.ts";

/** What is wrong with how a table lies in its files, and what to do about it. */
export interface HealthFinding {
  readonly code:
    | "SMALL_FILES"
    | "MANY_DELETES"
    | "OLD_SNAPSHOTS"
    | "METADATA_GROWTH"
    | "MANY_MANIFESTS"
    | "UNREADABLE_FILES";
  readonly severity: "advice" | "warning";
  readonly message: string;
  readonly advice: string;
  readonly facts: Readonly<Record<string, string>>;
}

/** What a look at a table's files found. */
export interface HealthInput {
  readonly metadata: TableMetadata;
  /** Of the current snapshot; absent: the table has none. */
  readonly figures?: ManifestFigures | undefined;
  readonly manifests: number;
  readonly manifestBytes: bigint;
  /** Of the metadata file. */
  readonly metadataBytes: number;
  readonly nowMs: number;
}

const MIB = 1_048_576n;
/** Iceberg's own defaults of the properties with these names. */
const TARGET_FILE_BYTES = ["write.target-file-size-bytes", 512n * MIB] as const;
const TARGET_MANIFEST_BYTES = ["commit.manifest.target-size-bytes", 8n * MIB] as const;
const MAX_SNAPSHOT_AGE_MS = ["history.expire.max-snapshot-age-ms", 432_000_000n] as const;
const MIN_SNAPSHOTS = ["history.expire.min-snapshots-to-keep", 1n] as const;

/** Fewer files, snapshots or manifests than this are not worth a rewrite. */
const WORTH_FILES = 10;
const WORTH_SNAPSHOTS = 10;
const WORTH_MANIFESTS = 10;
/** Metadata of this size slows each commit and each load. */
const LARGE_METADATA_BYTES = 8 * 1_048_576;
const LONG_LOG = 1_000;

/** Findings, the gravest kinds first. Pure: the caller says what time it is. */
export function healthOf(input: HealthInput): readonly HealthFinding[] {
  return [manyDeletes, smallFiles, oldSnapshots, manyManifests, metadataGrowth].flatMap(
    (judge) => judge(input) ?? [],
  );
}

/** What the summary of a snapshot says of the whole of it. */
export interface SnapshotTotals {
  readonly files: number;
  readonly bytes: bigint;
  readonly rows: bigint;
  readonly deleteFiles: number;
  /** Rows that positions or values delete. */
  readonly deleted: bigint;
}

/** Partitions may need many files: without a look at manifests only far smaller ones count. */
const FAR_SMALLER = 16n;

/**
 * Codes of what totals alone tell, without a look at manifests: a table whose files lie badly in a
 * few of its partitions is not found.
 */
export function healthOfTotals(
  totals: SnapshotTotals,
  metadata: TableMetadata,
): readonly HealthFinding["code"][] {
  const { files, bytes, rows, deleteFiles, deleted } = totals;
  const target = amount(metadata, TARGET_FILE_BYTES) || 1n;
  const isPartitioned = (defaultSpec(metadata)?.fields.length ?? 0) > 0;
  const saves = saved({ files, bytes }, target);
  const isSmall = !isPartitioned || bytes * FAR_SMALLER < BigInt(files) * target;
  return [
    ...(areManyDeletes({ rows, deleted, deleteFiles, files }) ? ["MANY_DELETES" as const] : []),
    ...(saves >= WORTH_FILES && saves * 2 >= files && isSmall ? ["SMALL_FILES" as const] : []),
  ];
}

/** A property that is a whole number; what is not counts as the default. */
function amount(
  { properties }: TableMetadata,
  [name, byDefault]: readonly [name: string, byDefault: bigint],
): bigint {
  const value = properties.get(name) ?? "";
  return /^\d{1,18}$/.test(value) ? BigInt(value) : byDefault;
}

/** Data files of a partition that a rewrite would save. */
function saved(
  { files, bytes }: Pick<PartitionFigures, "files" | "bytes">,
  target: bigint,
): number {
  return Math.max(0, files - Math.max(1, Number((bytes + target - 1n) / target)));
}

function smallFiles({ metadata, figures }: HealthInput): HealthFinding | undefined {
  if (figures === undefined) return undefined;
  const target = amount(metadata, TARGET_FILE_BYTES) || 1n;
  let saves = 0;
  for (const partition of figures.partitions.values()) saves += saved(partition, target);
  const { files, bytes } = figures.data;
  if (saves < WORTH_FILES || saves * 2 < files) return undefined;
  return {
    code: "SMALL_FILES",
    severity: saves >= 1_000 ? "warning" : "advice",
    message: "most data files are far smaller than the table's target size",
    advice: "rewrite data files: in Spark CALL system.rewrite_data_files(table)",
    facts: {
      files: String(files),
      averageBytes: String(bytes / BigInt(Math.max(1, files))),
      targetBytes: String(target),
      filesAfterRewrite: String(files - saves),
    },
  };
}

function areManyDeletes(of: Omit<SnapshotTotals, "bytes">): boolean {
  const { files, rows, deleteFiles, deleted } = of;
  const isMuch = deleted * 10n >= rows && deleted > 0n;
  return isMuch || (deleteFiles >= WORTH_FILES && deleteFiles * 2 >= files);
}

function manyDeletes({ figures }: HealthInput): HealthFinding | undefined {
  if (figures === undefined) return undefined;
  const { data, positionDeletes, equalityDeletes, deletionVectors } = figures;
  const deleted = positionDeletes.rows + equalityDeletes.rows + deletionVectors.rows;
  const deleteFiles = positionDeletes.files + equalityDeletes.files;
  const { files, rows } = data;
  if (!areManyDeletes({ rows, deleted, deleteFiles, files })) return undefined;
  return {
    code: "MANY_DELETES",
    severity: deleted * 2n >= data.rows ? "warning" : "advice",
    message: "every scan of the table applies many deletes",
    advice: "rewrite data files: in Spark rewrite_data_files with delete-file-threshold => 1",
    facts: {
      rows: String(data.rows),
      deletedRows: String(deleted),
      positionDeleteFiles: String(positionDeletes.files),
      equalityDeleteFiles: String(equalityDeletes.files),
      deletionVectors: String(deletionVectors.files),
    },
  };
}

/** Snapshots that the table's own policy lets expire: of no ref, and too old. */
function oldSnapshots({ metadata, nowMs }: HealthInput): HealthFinding | undefined {
  const maxAgeMs = amount(metadata, MAX_SNAPSHOT_AGE_MS);
  const keep = Number(amount(metadata, MIN_SNAPSHOTS));
  const named = new Set([...metadata.refs.values()].map(({ snapshotId }) => String(snapshotId)));
  const total = metadata.snapshots.items.length;
  let old = 0;
  let oldestMs = nowMs;
  for (const { snapshotId, timestampMs } of metadata.snapshots.items) {
    oldestMs = Math.min(oldestMs, timestampMs);
    if (nowMs - timestampMs > Number(maxAgeMs) && !named.has(String(snapshotId))) old++;
  }
  const expirable = Math.min(old, total - keep);
  if (expirable < WORTH_SNAPSHOTS) return undefined;
  return {
    code: "OLD_SNAPSHOTS",
    severity: expirable >= 1_000 ? "warning" : "advice",
    message: "snapshots past the table's retention keep their files alive",
    advice: "expire snapshots: in Spark CALL system.expire_snapshots(table)",
    facts: {
      snapshots: String(total),
      expirable: String(expirable),
      maxAgeMs: String(maxAgeMs),
      oldest: new Date(oldestMs).toISOString(),
    },
  };
}

function manyManifests(input: HealthInput): HealthFinding | undefined {
  const { metadata, manifests, manifestBytes } = input;
  const target = amount(metadata, TARGET_MANIFEST_BYTES) || 1n;
  const needed = Math.max(1, Number((manifestBytes + target - 1n) / target));
  // Data and deletes never share a manifest, nor do partition specs.
  const least = needed + 1 + metadata.specs.length;
  if (manifests < WORTH_MANIFESTS * least) return undefined;
  return {
    code: "MANY_MANIFESTS",
    severity: "advice",
    message: "every plan of a scan reads many small manifests",
    advice: "rewrite manifests: in Spark CALL system.rewrite_manifests(table)",
    facts: {
      manifests: String(manifests),
      manifestBytes: String(manifestBytes),
      targetBytes: String(target),
    },
  };
}

function metadataGrowth({ metadata, metadataBytes }: HealthInput): HealthFinding | undefined {
  const log = metadata.metadataLog.length;
  if (metadataBytes < LARGE_METADATA_BYTES && log < LONG_LOG) return undefined;
  const deletes = metadata.properties.get(DELETE_AFTER_COMMIT)?.toLowerCase() === "true";
  return {
    code: "METADATA_GROWTH",
    severity: metadataBytes >= 8 * LARGE_METADATA_BYTES ? "warning" : "advice",
    message: "every commit writes the metadata file anew, and it has grown large",
    advice:
      log >= LONG_LOG && !deletes
        ? `set ${DELETE_AFTER_COMMIT}=true and lower write.metadata.previous-versions-max`
        : "expire snapshots and remove schemas that no snapshot uses",
    facts: {
      metadataBytes: String(metadataBytes),
      snapshots: String(metadata.snapshots.items.length),
      schemas: String(metadata.schemas.length),
      metadataLog: String(log),
    },
  };
}
