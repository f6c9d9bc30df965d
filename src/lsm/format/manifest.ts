import { crc32 } from "node:zlib";
import { corrupt } from "./corrupt.ts";
import {
  assertReadable,
  CLONES,
  DELETED,
  FORMAT_VERSION,
  INGESTED,
  UNFINISHED,
} from "./features.ts";
import { FieldReader, FieldWriter, type UnknownFields } from "./fields.ts";
import {
  type Checkpoint,
  decodeCheckpoint,
  decodeOwner,
  decodeParent,
  decodeSample,
  decodeUnfinished,
  decodingRun,
  decodingTable,
  encodeCheckpoint,
  encodeOwner,
  encodeParent,
  encodeRun,
  encodeSample,
  encodeUnfinished,
  type Owner,
  type Parent,
  type SequenceSample,
  type SortedRun,
  type Unfinished,
} from "./manifest-records.ts";
import { encodeSstMeta, featuresOf, type SstMeta } from "./sst-meta.ts";
import { readU32, writeU32 } from "./varint.ts";

/*
 * The whole state of a shard, one file a state, and the frame that a boundary (`gc-boundary.ts`)
 * has as well.
 *
 *   offset  bytes  what
 *   0       8      magic: "FIRNMAN\n" or "FIRNGCB\n"
 *   8       2      format version: 1
 *   10      2      0
 *   12      4      required features (`features.ts`)
 *   16      4      optional features
 *   20      4      n, bytes of the body
 *   24      n      body: fields (`fields.ts`)
 *   24 + n  4      CRC-32 of all before it
 *
 * Integers have their lowest byte first. Fields of a manifest's body:
 *
 *   1 id of the manifest, which its name says too   2 epoch of the writer
 *   3 epoch of the compactor                        4 first WAL object that replay still needs
 *   5 last sequence that tables and WAL below 4 hold
 *   6 table of level 0, newest first (repeats)      7 sorted run, newest first (repeats)
 *   8 checkpoint (repeats)                          9 sample of sequence and time (repeats)
 *   10 owner                                        11 wall time of writing, ms
 *   12 name of a merge operator (repeats): the first one has number 0
 *   13 parent, of a clone that may still name tables of it
 *   14 wall time at which the shard was deleted, ms
 *   15 a file of the log that was begun, if the log tells of such: the newest, or one before it
 *   16 compaction that is not finished
 *
 * Their records are in `manifest-records.ts` and `sst-meta.ts`.
 *
 * Example: manifest 7 of an empty shard: epochs 2 and 1, WAL from 3, sequence 0, at 1,000 ms. 47
 * bytes:
 *
 *   4649524e4d414e0a 0100 0000 00000000 00000000 13000000
 *   010107 020102 030101 040103 050100  0b02e807
 *   87ea6882
 */

const HEADER_BYTES = 24;
const CRC_BYTES = 4;
const MAGIC = { manifest: "FIRNMAN\n", boundary: "FIRNGCB\n" } as const;

export interface Manifest {
  readonly id: number;
  readonly writerEpoch: number;
  readonly compactorEpoch: number;
  /** The first WAL object or segment that a replay still needs. */
  readonly walFrom: number;
  /** Every write up to it lies in the tables below, or in a WAL object that they made needless. */
  readonly lastSequence: number;
  /** Newest first; their keys overlap. */
  readonly level0: readonly SstMeta[];
  /** Newest first; tables of one run ascend and do not overlap. */
  readonly runs: readonly SortedRun[];
  readonly checkpoints: readonly Checkpoint[];
  /** Ascending in sequence and time. */
  readonly samples: readonly SequenceSample[];
  readonly owner: Owner | undefined;
  /**
   * A file of the log that has its header on the disk: a log that ends before it lost something.
   * Says nothing where `walFrom` is beyond it.
   */
  readonly walBegun?: number | undefined;
  /** Names of the merge operators, by number. */
  readonly operators: readonly string[];
  /** A compaction whose first keys are done. */
  readonly unfinished?: Unfinished | undefined;
  /** Of a clone, while its parent keeps tables for it. */
  readonly parent?: Parent | undefined;
  /** The last state of a shard that is no more: it names nothing. */
  readonly deletedAtMs?: number | undefined;
  readonly writtenAtMs: number;
  readonly optionalFeatures: number;
  readonly unknown: UnknownFields;
}

/** A new array. What a newer version stored beside our fields is written again. */
export function encodeManifest(manifest: Manifest): Uint8Array {
  const body = new FieldWriter()
    .number(1, manifest.id)
    .number(2, manifest.writerEpoch)
    .number(3, manifest.compactorEpoch)
    .number(4, manifest.walFrom)
    .number(5, manifest.lastSequence)
    .number(11, manifest.writtenAtMs)
    .optionalNumber(14, manifest.deletedAtMs)
    .optionalNumber(15, manifest.walBegun)
    .unknown(manifest.unknown);
  for (const table of manifest.level0) body.bytes(6, encodeSstMeta(table));
  for (const run of manifest.runs) body.bytes(7, encodeRun(run));
  for (const checkpoint of manifest.checkpoints) body.bytes(8, encodeCheckpoint(checkpoint));
  for (const sample of manifest.samples) body.bytes(9, encodeSample(sample));
  for (const name of manifest.operators) body.text(12, name);
  if (manifest.owner !== undefined) body.bytes(10, encodeOwner(manifest.owner));
  if (manifest.parent !== undefined) body.bytes(13, encodeParent(manifest.parent));
  if (manifest.unfinished !== undefined) body.bytes(16, encodeUnfinished(manifest.unfinished));
  return sealRecord("manifest", body.finish(), requiredBy(manifest), manifest.optionalFeatures);
}

/** Who cannot read a table right must not rewrite, compact or pass over it either. */
function requiredBy(manifest: Manifest): number {
  const isKept = manifest.checkpoints.some(({ kind }) => kind === "clone");
  let features = isKept || manifest.parent !== undefined ? CLONES : 0;
  if (manifest.deletedAtMs !== undefined) features |= DELETED;
  if (manifest.unfinished !== undefined) features |= UNFINISHED;
  for (const { stats, sequence, whole } of tablesIn(manifest)) {
    // What is left of a table may have none of what its file has.
    features |= featuresOf(whole ?? stats);
    if (sequence !== undefined) features |= INGESTED;
    if (whole !== undefined) features |= UNFINISHED;
  }
  return features;
}

/** Every table that a manifest names: level 0, then the runs, newest first. */
export function tablesIn({ level0, runs }: Pick<Manifest, "level0" | "runs">): readonly SstMeta[] {
  return [...level0, ...runs.flatMap((run) => run.tables)];
}

/** Whether a manifest names a table that lies with another shard. */
export function isForeign(manifest: Pick<Manifest, "level0" | "runs">): boolean {
  return tablesIn(manifest).some(({ home }) => home !== undefined);
}

/**
 * Reads a manifest. Nothing of `bytes` is kept.
 *
 * @throws FirnError `Corrupt`, code `LSM_FILE_CORRUPT`; `Unavailable`, code
 *   `LSM_FORMAT_UNSUPPORTED`.
 */
export function decodeManifest(bytes: Uint8Array): Manifest {
  const decoding = decodingManifest(bytes);
  for (;;) {
    const { done, value } = decoding.next();
    if (done === true) return value;
  }
}

/**
 * As `decodeManifest`, which takes a quarter of a second for 20,000 tables: pauses between tables.
 *
 * @throws as `decodeManifest`, also between two pauses.
 */
export function* decodingManifest(bytes: Uint8Array): Generator<void, Manifest> {
  const { body, optionalFeatures } = openFrame("manifest", bytes);
  const fields = yield* FieldReader.slowly(...body);
  const parent = fields.record(13, decodeParent);
  const deletedAtMs = fields.optionalNumber(14);
  const walBegun = fields.optionalNumber(15);
  const unfinished = fields.record(16, decodeUnfinished);
  const manifest: Manifest = {
    id: fields.number(1),
    writerEpoch: fields.number(2),
    compactorEpoch: fields.number(3),
    walFrom: fields.number(4),
    lastSequence: fields.number(5),
    level0: yield* fields.listSlowly(6, decodingTable),
    runs: yield* fields.listSlowly(7, decodingRun),
    checkpoints: fields.list(8, decodeCheckpoint),
    samples: fields.list(9, decodeSample),
    owner: fields.record(10, decodeOwner),
    writtenAtMs: fields.number(11),
    operators: fields.texts(12),
    ...(parent && { parent }),
    ...(deletedAtMs === undefined ? {} : { deletedAtMs }),
    ...(walBegun === undefined ? {} : { walBegun }),
    ...(unfinished && { unfinished }),
    optionalFeatures,
    unknown: fields.unknown(),
  };
  const fault = yield* findingFault(manifest);
  if (fault !== undefined) throw corrupt("manifest", "tables", HEADER_BYTES, fault);
  return manifest;
}

/** What makes a state one that no reader accepts; `publish` asserts that there is nothing. */
export function faultOf(manifest: Omit<Manifest, "id" | "writtenAtMs">): string | undefined {
  const finding = findingFault(manifest);
  for (;;) {
    const { done, value } = finding.next();
    if (done === true) return value;
  }
}

/** Tables that are judged between two pauses. */
const JUDGED_A_PAUSE = 8;

/** As `faultOf`: pauses between tables. */
function* findingFault(
  manifest: Omit<Manifest, "id" | "writtenAtMs">,
): Generator<void, string | undefined> {
  const { runs, lastSequence, parent } = manifest;
  const seen = new Set<string>();
  for (const table of tablesIn(manifest)) {
    const isKept = table.home === undefined || parent !== undefined;
    const fits = !seen.has(table.id) && table.stats.maxSequence <= lastSequence && isKept;
    if (!fits) return "table out of place";
    seen.add(table.id);
    if (seen.size % JUDGED_A_PAUSE === 0) yield;
  }
  if (manifest.deletedAtMs !== undefined && seen.size > 0) return "a deleted shard has tables";
  const { unfinished } = manifest;
  if (unfinished !== undefined) {
    const { into, tables } = unfinished;
    const isThere = tables.every((id) => seen.has(id)) && new Set(tables).size === tables.length;
    const hasRun = into === undefined || runs.some(({ id }) => id === into);
    if (!isThere || !hasRun) return "an unfinished compaction of other tables";
  }
  return new Set(runs.map((run) => run.id)).size === runs.length ? undefined : "two runs of one id";
}

/** Header, body and checksum. */
export function sealRecord(
  file: "manifest" | "boundary",
  body: Uint8Array,
  requiredFeatures: number,
  optionalFeatures: number,
): Uint8Array {
  const out = Buffer.alloc(HEADER_BYTES + body.length + CRC_BYTES);
  out.write(MAGIC[file], "latin1");
  out[8] = FORMAT_VERSION;
  writeU32(out, 12, requiredFeatures);
  writeU32(out, 16, optionalFeatures);
  writeU32(out, 20, body.length);
  out.set(body, HEADER_BYTES);
  const sumAt = HEADER_BYTES + body.length;
  writeU32(out, sumAt, crc32(out.subarray(0, sumAt)));
  return out;
}

/** @throws as `decodeManifest`. */
export function openRecord(
  file: "manifest" | "boundary",
  bytes: Uint8Array,
): { readonly fields: FieldReader; readonly optionalFeatures: number } {
  const { body, optionalFeatures } = openFrame(file, bytes);
  return { fields: FieldReader.of(...body), optionalFeatures };
}

/** The body of a file that is whole and can be read. */
function openFrame(
  file: "manifest" | "boundary",
  bytes: Uint8Array,
): { readonly body: Parameters<typeof FieldReader.of>; readonly optionalFeatures: number } {
  const fault = (offset: number, what: string) => corrupt(file, "body", offset, what);
  const bodyBytes = bytes.length - HEADER_BYTES - CRC_BYTES;
  if (bodyBytes < 0) throw corrupt(file, "header", 0, "cut short");
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.toString("latin1", 0, 8) !== MAGIC[file]) throw corrupt(file, "header", 0, "magic");
  const sumAt = HEADER_BYTES + bodyBytes;
  if (crc32(view.subarray(0, sumAt)) !== readU32(bytes, sumAt)) {
    throw corrupt(file, "checksum", sumAt, "checksum differs");
  }
  if (readU32(bytes, 20) !== bodyBytes) throw corrupt(file, "header", 20, "length differs");
  assertReadable(file, view.readUInt16LE(8), readU32(bytes, 12));
  const content = bytes.subarray(HEADER_BYTES, sumAt);
  return { body: [content, HEADER_BYTES, fault], optionalFeatures: readU32(bytes, 16) };
}
