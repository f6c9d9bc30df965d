import type { JsonObject } from "../base/json.ts";
import {
  arrayOf,
  asArray,
  asInt,
  asObject,
  asStringMap,
  elementSteps,
  memberPath,
  optionalMember,
  requireLong,
  requireMember,
  requireString,
} from "../base/json-read.ts";
import { atOnce, type Steps } from "../base/steps.ts";
import { Fragment } from "./fragment.ts";

/** A statistics file, of a snapshot or of its partitions. The fragment holds all of it. */
export interface StatisticsFile {
  readonly snapshotId: bigint;
  readonly path: string;
  readonly fragment: Fragment;
}

/** A Puffin file. @throws FirnError `Invalid`, a `FIELD_…` code. */
export function* statisticsFileSteps(object: JsonObject, at: string): Steps<StatisticsFile> {
  requireLong(object, "file-footer-size-in-bytes", at);
  const blobs = requireMember(object, "blob-metadata", asArray, at);
  yield* elementSteps(blobs, memberPath(at, "blob-metadata"), checkBlobMetadata, () => undefined);
  return parsePartitionStatisticsFile(object, at);
}

/** As `statisticsFileSteps`, at once. */
export function parseStatisticsFile(object: JsonObject, at: string): StatisticsFile {
  return atOnce(statisticsFileSteps(object, at));
}

/** A partition statistics file. @throws FirnError `Invalid`, a `FIELD_…` code. */
export function parsePartitionStatisticsFile(object: JsonObject, at: string): StatisticsFile {
  requireLong(object, "file-size-in-bytes", at);
  return {
    snapshotId: requireLong(object, "snapshot-id", at),
    path: requireString(object, "statistics-path", at),
    fragment: new Fragment(object),
  };
}

function checkBlobMetadata(value: Parameters<typeof asObject>[0], at: string): void {
  const blob = asObject(value, at);
  requireString(blob, "type", at);
  requireLong(blob, "snapshot-id", at);
  requireLong(blob, "sequence-number", at);
  requireMember(blob, "fields", arrayOf(asInt), at);
  optionalMember(blob, "properties", asStringMap, at);
}
