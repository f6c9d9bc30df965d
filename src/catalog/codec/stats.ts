import type Long from "long";
import protobuf from "protobufjs/minimal.js";
import { assert } from "../../base/assert.ts";
import { FirnError } from "../../base/error.ts";
import type { firn } from "../../gen/firn.js";
import type {
  DistinctValues,
  Envelope,
  PartSummary,
  StatsTarget,
  TargetKind,
  TargetStats,
} from "../model.ts";
import { sorted } from "../sorted.ts";
import { encodeEnvelope, envelopeOf } from "./envelope.ts";
import { big, bytesBy, bytesOf, corruptOnThrow, idOf, long, nameOf, safe, v1 } from "./wire.ts";

const TARGET_KIND: Readonly<Record<TargetKind, firn.v1.TargetKind>> = {
  TABLE: v1.TargetKind.TARGET_KIND_TABLE,
  COLUMN: v1.TargetKind.TARGET_KIND_COLUMN,
  EXPRESSION: v1.TargetKind.TARGET_KIND_EXPRESSION,
  FILE: v1.TargetKind.TARGET_KIND_FILE,
};

/** Field and wire type of one target's statistics in a pack. */
const STATS_TAG = (3 << 3) | 2;
/** The head of a pack, but for the envelope. */
const HEAD_BYTES = 1_024;

function targetMessage(target: StatsTarget): firn.v1.StatsTarget.$Properties {
  const { kind, ...rest } = target;
  return { kind: TARGET_KIND[kind], ...rest };
}

function targetOf(message: firn.v1.StatsTarget.$Properties): StatsTarget {
  const { kind, fieldId, engine, expression, path } = v1.StatsTarget.create(message);
  const name = nameOf(TARGET_KIND, kind);
  switch (name) {
    case "TABLE":
      return { kind: name };
    case "COLUMN":
      return { kind: name, fieldId };
    case "EXPRESSION":
      return { kind: name, engine, expression };
    case "FILE":
      return { kind: name, path };
  }
}

function distinctMessage(distinct: DistinctValues): firn.v1.DistinctValues.$Properties {
  const { count, exact, error, theta } = distinct;
  return {
    count: long(count),
    exact,
    ...(error !== undefined && { error }),
    ...(theta !== undefined && { theta }),
  };
}

function distinctOf(message: firn.v1.DistinctValues.$Properties): DistinctValues {
  const has = Object.hasOwn(message, "error") && message.error != null;
  const { count, exact, error, theta } = v1.DistinctValues.create(message);
  return {
    count: big(count as Long),
    exact,
    ...(has && { error: error as number }),
    ...(theta.length > 0 && { theta }),
  };
}

/** The statistics of one target, in bytes: equal statistics have equal bytes. */
export function encodeStats(stats: TargetStats): Uint8Array {
  const { rowCount, nullCount, nanCount, min, max, averageWidth, distinct, coverage } = stats;
  const message: firn.v1.TargetStats.$Properties = {
    target: targetMessage(stats.target),
    ...(rowCount !== undefined && { rowCount: long(rowCount) }),
    ...(nullCount !== undefined && { nullCount: long(nullCount) }),
    ...(nanCount !== undefined && { nanCount: long(nanCount) }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(averageWidth !== undefined && { averageWidth }),
    ...(distinct !== undefined && { distinct: distinctMessage(distinct) }),
    histogram: stats.histogram ?? "",
    kll: stats.kll ?? new Uint8Array(),
    producer: stats.producer,
    complete: stats.complete,
    ...(coverage !== undefined && { coverage }),
    properties: sorted(stats.properties),
  };
  return bytesBy((writer) => v1.TargetStats.encode(message, writer));
}

function statsOf(m: firn.v1.TargetStats): TargetStats {
  const has = (name: keyof firn.v1.TargetStats) => Object.hasOwn(m, name) && m[name] != null;
  return {
    target: targetOf(m.target ?? {}),
    ...(has("rowCount") && { rowCount: big(m.rowCount as Long) }),
    ...(has("nullCount") && { nullCount: big(m.nullCount as Long) }),
    ...(has("nanCount") && { nanCount: big(m.nanCount as Long) }),
    ...(has("min") && { min: m.min as string }),
    ...(has("max") && { max: m.max as string }),
    ...(has("averageWidth") && { averageWidth: m.averageWidth as number }),
    ...(m.distinct && { distinct: distinctOf(m.distinct) }),
    ...(m.histogram !== "" && { histogram: m.histogram }),
    ...(m.kll.length > 0 && { kll: m.kll }),
    producer: m.producer,
    complete: m.complete,
    ...(has("coverage") && { coverage: m.coverage as number }),
    properties: m.properties,
  };
}

/** @throws FirnError `Corrupt`, code `PAYLOAD_CORRUPT`. */
export function decodeStats(bytes: Uint8Array): TargetStats {
  return corruptOnThrow(() => statsOf(v1.TargetStats.decode(bytes)));
}

/** Where the statistics of one target lie in a pack. */
export interface PackPlace {
  readonly offset: number;
  readonly length: number;
}

/** A pack of statistics as `encodeStats` gives them, and where each of them lies in it. */
export function encodePack(
  envelope: Envelope,
  snapshotId: bigint,
  stats: readonly Uint8Array[],
): { readonly bytes: Uint8Array; readonly places: readonly PackPlace[] } {
  assert(stats.length > 0, "a pack holds something");
  const head = [
    encodeEnvelope(envelope),
    bytesBy((writer) => v1.StatsPack.encode({ snapshotId: long(snapshotId) }, writer)),
  ];
  const pieces: Uint8Array[] = [...head];
  let at = head.reduce((sum, { length }) => sum + length, 0);
  assert(at <= HEAD_BYTES, "the head of a pack is short");
  const places = stats.map((bytes): PackPlace => {
    const before = protobuf.Writer.create().uint32(STATS_TAG).uint32(bytes.length).finish();
    pieces.push(before, bytes);
    const offset = at + before.length;
    at = offset + bytes.length;
    return { offset, length: bytes.length };
  });
  return { bytes: Buffer.concat(pieces), places };
}

/**
 * Where the statistics lie in a pack, in their order.
 *
 * @throws FirnError `Corrupt`, code `PAYLOAD_CORRUPT`.
 */
export function packPlaces(bytes: Uint8Array): readonly PackPlace[] {
  return corruptOnThrow(() => {
    const reader = protobuf.Reader.create(bytes);
    const places: PackPlace[] = [];
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if (tag !== STATS_TAG) {
        reader.skipType(tag & 7);
        continue;
      }
      const length = reader.uint32();
      places.push({ offset: reader.pos, length });
      reader.skip(length);
    }
    return places;
  });
}

/**
 * Reads a pack of statistics. The envelope names its table.
 *
 * @throws FirnError `Corrupt`, code `PAYLOAD_CORRUPT`: malformed, or of another type.
 */
export function decodePack(bytes: Uint8Array): {
  readonly envelope: Envelope;
  readonly snapshotId: bigint;
  readonly stats: readonly TargetStats[];
} {
  const decoded = corruptOnThrow(() => {
    const m = v1.StatsPack.decode(bytes);
    const stats = m.stats.map((one) => statsOf(v1.TargetStats.create(one)));
    return { envelope: envelopeOf(m.envelope), snapshotId: big(m.snapshotId as Long), stats };
  });
  const { entityType } = decoded.envelope;
  if (entityType === "statistics") return decoded;
  throw new FirnError("Corrupt", "PAYLOAD_CORRUPT", "not a pack of statistics", { entityType });
}

/** The summary of a pointer to statistics or constraints, in bytes. */
export function encodePartSummary(summary: PartSummary): Uint8Array {
  const message: firn.v1.PartSummary.$Properties = {
    snapshotId: long(summary.snapshotId),
    contentHash: summary.contentHash,
    revision: bytesOf(summary.revision),
    updatedAtMs: long(summary.updatedAtMs),
    updatedBy: summary.updatedBy,
    offset: summary.offset,
    length: summary.length,
  };
  return bytesBy((writer) => v1.PartSummary.encode(message, writer));
}

/** @throws FirnError `Corrupt`, code `PAYLOAD_CORRUPT`. */
export function decodePartSummary(bytes: Uint8Array): PartSummary {
  return corruptOnThrow(() => {
    const m = v1.PartSummary.decode(bytes);
    return {
      snapshotId: big(m.snapshotId as Long),
      contentHash: m.contentHash,
      revision: idOf(m.revision),
      updatedAtMs: safe(m.updatedAtMs as Long),
      updatedBy: m.updatedBy,
      offset: m.offset,
      length: m.length,
    };
  });
}
