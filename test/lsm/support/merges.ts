import { type Prng, randomBelow, SeededPrng } from "../../../src/base/prng.ts";
import { ALL_KEYS, boundsBetween } from "../../../src/lsm/compaction/bounds.ts";
import { assertAllSeen, type TableCount } from "../../../src/lsm/compaction/entry-counts.ts";
import type { Merger, MergeSpec, Part } from "../../../src/lsm/compaction/merger.ts";
import { DELETE, type Key, type Sequence } from "../../../src/lsm/format/entry.ts";
import type { SstMeta } from "../../../src/lsm/format/sst-meta.ts";
import { SstWriter } from "../../../src/lsm/format/sst-writer.ts";
import { mintUlid, type Ulid } from "../../../src/lsm/format/ulid.ts";
import { SleepIsTime } from "../../support/virtual-clock.ts";
import { bytesOf, type Entry, inOrder, NOW_MS, OPERATORS } from "./model.ts";

export interface File {
  readonly meta: SstMeta;
  readonly bytes: Uint8Array;
}

const clock = new SleepIsTime();

/** Entries as a run of tables with so many entries each. */
export function filesOf(
  entries: readonly Entry[],
  perTable: number,
  prng: Prng,
  options: { readonly blockBytes?: number; readonly indexPartBytes?: number } = {},
): readonly File[] {
  const sorted = inOrder(entries);
  const files: File[] = [];
  for (let at = 0; at < sorted.length; at += perTable) {
    const id = mintUlid(clock, prng);
    const writer = new SstWriter(id, { blockBytes: 256, ...options });
    for (const entry of sorted.slice(at, at + perTable)) writer.append(bytesOf(entry));
    const meta = writer.finish();
    files.push({ meta, bytes: Buffer.concat(writer.takeChunks()) });
  }
  return files;
}

/** A merge of runs of files, of all keys and into small tables, unless it is told otherwise. */
export function specOf(
  inputs: readonly (readonly File[])[],
  parts: Partial<MergeSpec> & Pick<MergeSpec, "blockBytes" | "tableBytes">,
): MergeSpec {
  return {
    inputs: inputs.map((run) => run.map(({ meta }) => meta)),
    bounds: ALL_KEYS,
    snapshots: [],
    dropTombstones: false,
    operators: OPERATORS.names,
    nowMs: NOW_MS,
    prefixes: { bytes: 2 },
    compression: "none",
    windowBytes: 700,
    stepBytes: 1_000,
    ...parts,
  };
}

export function bytesById(inputs: readonly (readonly File[])[]): Map<Ulid, Uint8Array> {
  return new Map(inputs.flat().map(({ meta, bytes }) => [meta.id, bytes]));
}

export interface Merged {
  readonly files: readonly File[];
  readonly counts: readonly TableCount[];
  readonly steps: number;
  /** The most bytes that were fed and not yet asked for again, as a bound on what a merge holds. */
  readonly fedBytes: number;
}

/** Drives a merge of all keys to its end. @throws what it does, and where entries are missing. */
export async function drive(
  merger: Merger,
  spec: MergeSpec,
  files: ReadonlyMap<Ulid, Uint8Array>,
  prng: Prng = new SeededPrng(1),
): Promise<Merged> {
  const merged = await driveWithin(merger, spec, files, prng);
  assertAllSeen(spec.inputs, merged.counts);
  return merged;
}

/** As `drive`, cut at some keys into merges of their own, which share the inputs. */
export async function driveCut(
  merger: Merger,
  spec: MergeSpec,
  cuts: readonly Key[],
  files: ReadonlyMap<Ulid, Uint8Array>,
  prng: Prng = new SeededPrng(1),
): Promise<Merged> {
  const merged: Merged[] = [];
  for (const bounds of boundsBetween(cuts)) {
    merged.push(await driveWithin(merger, { ...spec, bounds }, files, prng));
  }
  const counts = merged.flatMap((one) => one.counts);
  assertAllSeen(spec.inputs, counts);
  const sum = (of: (one: Merged) => number): number =>
    merged.reduce((all, one) => all + of(one), 0);
  return {
    files: merged.flatMap((one) => one.files),
    counts,
    steps: sum(({ steps }) => steps),
    fedBytes: sum(({ fedBytes }) => fedBytes),
  };
}

/** Drives a merge: parts come in any order, some of them later than the next step. */
export async function driveWithin(
  merger: Merger,
  spec: MergeSpec,
  files: ReadonlyMap<Ulid, Uint8Array>,
  prng: Prng = new SeededPrng(1),
): Promise<Merged> {
  const session = merger.start(spec);
  const waiting: Part[] = [];
  const written = new Map<Ulid, Uint8Array[]>();
  const done: File[] = [];
  let spareIds = 0;
  let fedBytes = 0;
  try {
    for (let steps = 1; ; steps++) {
      if (steps > 100_000) throw new Error("a merge comes to an end");
      const parts: Part[] = [];
      while (waiting.length > 0 && (parts.length === 0 || prng.float() < 0.7)) {
        parts.push(...waiting.splice(randomBelow(prng, waiting.length), 1));
      }
      const ids = spareIds === 0 ? [mintUlid(clock, prng), mintUlid(clock, prng)] : [];
      const step = await session.step({ parts, ids });
      spareIds = step.spareIds;
      for (const { table, offset, bytes } of step.wants) {
        const file = files.get(table) ?? new Uint8Array(0);
        const part = new Uint8Array(file.subarray(offset, offset + bytes));
        fedBytes += part.length;
        waiting.push({ table, offset, bytes: part });
      }
      for (const { table, bytes, meta } of step.outputs) {
        const chunks = written.get(table) ?? [];
        written.set(table, [...chunks, bytes]);
        if (meta !== undefined) done.push({ meta, bytes: Buffer.concat([...chunks, bytes]) });
      }
      if (step.done) return { files: done, counts: step.counts, steps, fedBytes };
      if (step.blocked && waiting.length === 0) throw new Error("blocked, and nothing asked for");
    }
  } finally {
    session.end();
  }
}

/** What has to be left: the obvious way, key by key and snapshot by snapshot. */
export function survivors(
  entries: readonly Entry[],
  snapshots: readonly Sequence[],
  dropTombstones: boolean,
): readonly Entry[] {
  const needed = new Set<Entry>();
  for (const versions of Map.groupBy(inOrder(entries), ({ key }) => key).values()) {
    for (const state of [...snapshots, Number.POSITIVE_INFINITY]) {
      const seen = versions.find(({ sequence }) => sequence <= state);
      if (seen !== undefined) needed.add(seen);
    }
    const oldest = versions.findLast((version) => needed.has(version));
    const hides = (one: Entry): boolean => snapshots.some((state) => state < one.sequence);
    // Nothing below it, and no state in which what it hides is still seen.
    if (dropTombstones && oldest?.kind === DELETE && !hides(oldest)) needed.delete(oldest);
  }
  return inOrder([...needed]);
}
