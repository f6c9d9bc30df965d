import { ChunkedList } from "./chunked-list.ts";
import type { TableMetadata } from "./model.ts";
import { type MetadataLogEntry, makeMetadataLogEntry } from "./snapshot.ts";

const PREVIOUS_VERSIONS_MAX = "write.metadata.previous-versions-max";
const PREVIOUS_VERSIONS_MAX_DEFAULT = 100;
/** The property by which a table asks for what `removedMetadataFiles` names. */
export const DELETE_AFTER_COMMIT = "write.metadata.delete-after-commit.enabled";
const INTEGER = /^[+-]?\d{1,9}$/;

/** The log of older metadata files with the base's own at its end, and no longer than it may be. */
export function nextMetadataLog(
  base: TableMetadata | undefined,
  baseLocation: string | undefined,
  properties: ReadonlyMap<string, string>,
): ChunkedList<MetadataLogEntry> {
  if (base === undefined) return ChunkedList.of([]);
  if (baseLocation === undefined) return base.metadataLog;
  const dropped = Math.max(0, base.metadataLog.length - previousVersionsMax(properties) + 1);
  const entry = makeMetadataLogEntry(base.lastUpdatedMs, baseLocation);
  return base.metadataLog.drop(dropped).append(entry);
}

/**
 * A value that is not an integer counts as the default: a property must not end a table's commits.
 */
function previousVersionsMax(properties: ReadonlyMap<string, string>): number {
  const value = properties.get(PREVIOUS_VERSIONS_MAX) ?? "";
  return INTEGER.test(value) ? Math.max(1, Number(value)) : PREVIOUS_VERSIONS_MAX_DEFAULT;
}

/**
 * Metadata files that fell out of the log with a commit and may be deleted after it: none unless
 * the table's properties ask for that.
 */
export function removedMetadataFiles(base: TableMetadata, next: TableMetadata): readonly string[] {
  if (next.properties.get(DELETE_AFTER_COMMIT)?.toLowerCase() !== "true") return [];
  const kept = new Set(Array.from(next.metadataLog, (entry) => entry.metadataFile));
  const files = Array.from(base.metadataLog, (entry) => entry.metadataFile);
  return files.filter((file) => !kept.has(file));
}
