import { unreachable } from "../../base/assert.ts";
import type { Sequence } from "./entry.ts";
import { type FieldReader, FieldWriter, type UnknownFields } from "./fields.ts";
import { isHome } from "./home.ts";
import { decodeSstMeta, encodeSstMeta, type SstMeta } from "./sst-meta.ts";
import { bytesOfUlid, ULID_BYTES, type Ulid, ulidOfBytes } from "./ulid.ts";

/*
 * Records inside a manifest, each of them fields (`fields.ts`).
 *
 *   sorted run   1 id   2 table, ascending in keys (repeats)
 *   checkpoint   1 name   2 id of the manifest it keeps   3 sequence   4 wall time of making, ms
 *                5 wall time of its end, ms; absent if it has none
 *                6 what keeps it: 1 a reader, 2 a clone, which 1 names; absent if people do
 *   sample       1 sequence   2 wall time at which it was the last one, ms
 *   owner        1 node   2 host   3 process id   4 id of the host's boot   5 URL
 *                6 state: 0 open, 1 draining, 2 free
 *                7 1 while it outwaits the lease of an owner before it; absent from then on
 *   parent       1 its prefix   2 name of the checkpoint there   3 manifest that this one keeps
 *   unfinished   1 why: 1 level 0, 2 runs, 3 space, 4 garbage, 5 all   2 id of the run that takes
 *                what it has made, if it has made anything   3 ids of the tables that it has to
 *                take yet, 16 bytes each
 *
 * Example: the sample of sequence 300 at 1,000 ms, 8 bytes:
 *
 *   0102ac02 0202e807
 */

/** Tables that together are one sorted sequence: `id` only grows from run to run. */
export interface SortedRun {
  readonly id: number;
  readonly tables: readonly SstMeta[];
  readonly unknown: UnknownFields;
}

/** What keeps a state: people, by its name; a reader that has it open; a clone that names it. */
export type CheckpointKind = "named" | "reader" | "clone";

export interface Checkpoint {
  readonly name: string;
  readonly manifestId: number;
  readonly sequence: Sequence;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | undefined;
  readonly kind: CheckpointKind;
  readonly unknown: UnknownFields;
}

/** `sequence` was the last one at `timeMs`. */
export interface SequenceSample {
  readonly sequence: Sequence;
  readonly timeMs: number;
  readonly unknown: UnknownFields;
}

export type OwnerState = "OPEN" | "DRAINING" | "FREE";

/** Who writes the shard, so that a second process can judge whether it still lives. */
export interface Owner {
  readonly node: string;
  readonly host: string;
  readonly pid: number;
  readonly bootId: string;
  readonly url: string;
  readonly state: OwnerState;
  /** An owner before it may still answer reads, whatever becomes of this one. */
  readonly outwaits: boolean;
  readonly unknown: UnknownFields;
}

/** Why tables are joined. */
export type CompactionReason = "level0" | "runs" | "space" | "garbage" | "all" | "ingest";

/**
 * A compaction that has published what it made of the first keys, and goes on with the rest, also
 * after a crash. Of tables that reach from the one into the other the rest is left (`whole`).
 */
export interface Unfinished {
  readonly reason: CompactionReason;
  /** The run that takes what is made. */
  readonly into: number | undefined;
  /** What it has to take yet. */
  readonly tables: readonly Ulid[];
  readonly unknown: UnknownFields;
}

/** The shard that a clone was made of, and what is kept there for it. */
export interface Parent {
  readonly prefix: string;
  /** Name of the checkpoint in the parent's manifest: no other clone's, ever. */
  readonly pin: string;
  readonly manifestId: number;
  readonly unknown: UnknownFields;
}

/** Runs as they are stored: most states name the runs of the one before. */
const STORED = new WeakMap<SortedRun, Uint8Array>();

/** Never write to what it answers: it is answered again. */
export function encodeRun(run: SortedRun): Uint8Array {
  const known = STORED.get(run);
  if (known !== undefined) return known;
  const bytes = encode(run);
  STORED.set(run, bytes);
  return bytes;
}

function encode(run: SortedRun): Uint8Array {
  const fields = new FieldWriter().number(1, run.id).unknown(run.unknown);
  for (const table of run.tables) fields.bytes(2, encodeSstMeta(table));
  return fields.finish();
}

/** Tables whose order is judged between two pauses. */
const JUDGED_A_PAUSE = 8;

/** A run without tables, or one whose tables overlap, is refused. Pauses between its tables. */
export function* decodingRun(fields: FieldReader): Generator<void, SortedRun> {
  const run = {
    id: fields.number(1),
    tables: yield* fields.listSlowly(2, decodingTable),
    unknown: fields.unknown(),
  };
  let before: SstMeta | undefined;
  for (const [i, table] of run.tables.entries()) {
    const isBehind = before === undefined || follows(before, table);
    if (!isBehind) throw fields.fault("tables of a run overlap");
    before = table;
    if (i % JUDGED_A_PAUSE === 0) yield;
  }
  if (before === undefined) throw fields.fault("tables of a run overlap");
  return run;
}

// biome-ignore lint/correctness/useYield: the list that it is a record of pauses behind it.
export function* decodingTable(fields: FieldReader): Generator<void, SstMeta> {
  return decodeSstMeta(fields);
}

/** Versions of one key may be cut between two tables, the newer ones first. */
function follows(before: SstMeta, table: SstMeta): boolean {
  return before.stats.lastKey <= table.stats.firstKey;
}

export function encodeCheckpoint(checkpoint: Checkpoint): Uint8Array {
  return new FieldWriter()
    .text(1, checkpoint.name)
    .number(2, checkpoint.manifestId)
    .number(3, checkpoint.sequence)
    .number(4, checkpoint.createdAtMs)
    .optionalNumber(5, checkpoint.expiresAtMs)
    .optionalNumber(6, checkpoint.kind === "named" ? undefined : KINDS.indexOf(checkpoint.kind))
    .unknown(checkpoint.unknown)
    .finish();
}

export function decodeCheckpoint(fields: FieldReader): Checkpoint {
  return {
    name: fields.text(1),
    manifestId: fields.number(2),
    sequence: fields.number(3),
    createdAtMs: fields.number(4),
    expiresAtMs: fields.optionalNumber(5),
    kind: kindOf(fields),
    unknown: fields.unknown(),
  };
}

const KINDS: readonly CheckpointKind[] = ["named", "reader", "clone"];

function kindOf(fields: FieldReader): CheckpointKind {
  const kind = KINDS[fields.optionalNumber(6) ?? 0];
  if (kind === undefined) throw fields.fault("unknown kind of a checkpoint");
  return kind;
}

export function encodeSample(sample: SequenceSample): Uint8Array {
  return new FieldWriter()
    .number(1, sample.sequence)
    .number(2, sample.timeMs)
    .unknown(sample.unknown)
    .finish();
}

export function decodeSample(fields: FieldReader): SequenceSample {
  return { sequence: fields.number(1), timeMs: fields.number(2), unknown: fields.unknown() };
}

export function encodeOwner(owner: Owner): Uint8Array {
  return new FieldWriter()
    .text(1, owner.node)
    .text(2, owner.host)
    .number(3, owner.pid)
    .text(4, owner.bootId)
    .text(5, owner.url)
    .number(6, stateCode(owner.state))
    .optionalNumber(7, owner.outwaits ? 1 : undefined)
    .unknown(owner.unknown)
    .finish();
}

export function decodeOwner(fields: FieldReader): Owner {
  return {
    node: fields.text(1),
    host: fields.text(2),
    pid: fields.number(3),
    bootId: fields.text(4),
    url: fields.text(5),
    state: stateOf(fields),
    outwaits: fields.optionalNumber(7) === 1,
    unknown: fields.unknown(),
  };
}

function stateCode(state: OwnerState): number {
  switch (state) {
    case "OPEN":
      return 0;
    case "DRAINING":
      return 1;
    case "FREE":
      return 2;
  }
  return unreachable(state);
}

function stateOf(fields: FieldReader): OwnerState {
  const code = fields.number(6);
  const state = (["OPEN", "DRAINING", "FREE"] as const)[code];
  if (state === undefined) throw fields.fault("unknown state of the owner");
  return state;
}

export function encodeParent(parent: Parent): Uint8Array {
  return new FieldWriter()
    .text(1, parent.prefix)
    .text(2, parent.pin)
    .number(3, parent.manifestId)
    .unknown(parent.unknown)
    .finish();
}

export function decodeParent(fields: FieldReader): Parent {
  const prefix = fields.text(1);
  if (!isHome(prefix)) throw fields.fault("no shard can lie there");
  const [pin, manifestId] = [fields.text(2), fields.number(3)];
  return { prefix, pin, manifestId, unknown: fields.unknown() };
}

/** Never stored: an ingest is whole or not at all. */
const REASONS: readonly CompactionReason[] = [
  "ingest",
  "level0",
  "runs",
  "space",
  "garbage",
  "all",
];

export function encodeUnfinished({ reason, into, tables, unknown }: Unfinished): Uint8Array {
  const ids = new Uint8Array(tables.length * ULID_BYTES);
  for (const [i, id] of tables.entries()) ids.set(bytesOfUlid(id), i * ULID_BYTES);
  return new FieldWriter()
    .number(1, REASONS.indexOf(reason))
    .optionalNumber(2, into)
    .bytes(3, ids)
    .unknown(unknown)
    .finish();
}

export function decodeUnfinished(fields: FieldReader): Unfinished {
  const [code, into, ids] = [fields.number(1), fields.optionalNumber(2), fields.bytes(3)];
  const reason = code === 0 ? undefined : REASONS[code];
  if (reason === undefined) throw fields.fault("unknown reason of a compaction");
  if (ids.length === 0 || ids.length % ULID_BYTES !== 0) throw fields.fault("cut off in an id");
  const tables = Array.from({ length: ids.length / ULID_BYTES }, (_, i) =>
    ulidOfBytes(ids.subarray(i * ULID_BYTES, (i + 1) * ULID_BYTES)),
  );
  return { reason, into, tables, unknown: fields.unknown() };
}
