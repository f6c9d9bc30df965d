import { assert } from "../../base/assert.ts";
import { type Opened, type OpenOptions, openShard } from "../engine/open.ts";
import type { Sequence } from "../format/entry.ts";
import type { Manifest } from "../format/manifest.ts";
import type { Checkpoint } from "../format/manifest-records.ts";
import type { SstMeta } from "../format/sst-meta.ts";
import { ManifestLog } from "../manifest/log.ts";
import type { ManifestState } from "../manifest/store.ts";
import type { Memtable } from "../memtable/memtable.ts";
import { Operators } from "../read/operators.ts";
import { openReader, type Reader } from "../read/reader.ts";
import {
  assertCheckpoint,
  certainly,
  type NamedState,
  shown,
  withNamed,
} from "../states/checkpoints.ts";
import type { Moment } from "../states/resolve.ts";
import { withSample } from "../states/samples.ts";
import type { WalReader } from "../wal/port.ts";
import { writeTables } from "../write/memtable-table.ts";

/** What a restore is made of: what opens the shard, and reads its log. */
export interface RestoreParts extends OpenOptions {
  readonly log: WalReader;
}

/** How a restore keeps what it replaces: under a name of that state's sequence. */
export interface KeepReplaced {
  readonly nameOf: (replaced: Sequence) => string;
  /** Until it is deleted if undefined. */
  readonly ttlMs: number | undefined;
}

export interface Restored {
  /** The restored state holds everything up to it, and nothing beyond. */
  readonly sequence: Sequence;
  /** The last one before the restore: what was written after `sequence` is not in the state. */
  readonly replaced: Sequence;
  readonly manifestId: number;
  /** What was replaced, where it was to be kept. */
  readonly kept: NamedState | undefined;
}

/**
 * Makes a past state the newest one, and leaves the shard free for the next owner. Sequences go on:
 * the restore takes one, and what it replaces can be read, or restored, as long as any past state.
 *
 * The shard is taken over first, so that any process that writes it is fenced. Then one put
 * decides: before it the shard is what it was, all that was acknowledged included, after it the
 * state of the past, whenever the process ends. No data is copied but what lay in the log alone.
 * The same put keeps what is replaced, where that is asked for; a put before it brings all of that
 * into tables.
 *
 * @throws FirnError as `openReader` of such a moment: then nothing has happened; as `openShard`;
 *   as `Checkpoints.create` for what is to be kept; `Unavailable`, code `LSM_FENCED`: another
 *   process took the shard over meanwhile; `Unknown`: it may have been restored.
 */
export async function restoreShard(
  parts: RestoreParts,
  moment: Moment,
  keep?: KeepReplaced,
): Promise<Restored> {
  const { log: wal, manifests, store, clock, prng, prefix = "", options = {} } = parts;
  const target = "checkpoint" in moment ? moment : { at: moment };
  const source = { store, prefix, wal, clock, prng, options, ...(manifests && { manifests }) };
  const reader = await openReader(source, target);
  try {
    return await replaceWith(reader, await openShard(parts), keep);
  } finally {
    // What fails here ends with its life.
    await reader.close().catch(() => undefined);
  }
}

async function replaceWith(
  reader: Reader,
  opened: Opened,
  keep: KeepReplaced | undefined,
): Promise<Restored> {
  const { store, manifest, wal, lastSequence, parts } = opened;
  assert(reader.sequence <= lastSequence, "a restore goes back, never beyond what was written");
  try {
    const log = new ManifestLog(store, manifest, () => undefined);
    const kept = keep && namedOf(keep, opened);
    // Before anything is written: its name may stand.
    if (kept !== undefined) withNamed(manifest, kept, kept.createdAtMs);
    const level0 = [
      ...(await tablesOf(reader.source.memtables, opened)),
      ...reader.source.manifest.level0,
    ];
    if (kept !== undefined) await flush(log, opened);
    const { runs, unfinished } = reader.source.manifest;
    const sequence = lastSequence + 1;
    const published = await certainly(
      (change) => log.update(change),
      (current): ManifestState | undefined => {
        // The answer to an attempt was lost: no other process of this epoch makes sequences.
        if (current.lastSequence >= sequence) return undefined;
        const walFrom = Math.max(current.walFrom, wal.lowWater(sequence));
        const timeMs = parts.clock.nowMs();
        const sample = { sequence, timeMs, unknown: [] };
        const samples = withSample(current.samples, sample, timeMs);
        const state = { level0, runs, unfinished, lastSequence: sequence, walFrom, samples };
        const checkpoints =
          kept === undefined
            ? current.checkpoints
            : withNamed(current, { ...kept, manifestId: current.id }, kept.createdAtMs);
        return { ...current, ...state, checkpoints, owner: released(current) };
      },
    );
    const { id: manifestId } = published;
    const told = kept && shown(kept);
    return { sequence: reader.sequence, replaced: lastSequence, manifestId, kept: told };
  } catch (error) {
    await letGo(opened).catch(() => undefined);
    throw error;
  } finally {
    await wal.close();
  }
}

/** A checkpoint of all that was written so far; of which manifest is not known yet. */
function namedOf({ nameOf, ttlMs }: KeepReplaced, { parts, lastSequence }: Opened): Checkpoint {
  const name = nameOf(lastSequence);
  assertCheckpoint(name, ttlMs);
  const createdAtMs = parts.clock.nowMs();
  const expiresAtMs = ttlMs === undefined ? undefined : createdAtMs + ttlMs;
  const life = { createdAtMs, expiresAtMs };
  return { name, manifestId: 0, sequence: lastSequence, ...life, kind: "named", unknown: [] };
}

/** Brings what the log alone held of the newest state into tables. */
async function flush(log: ManifestLog, opened: Opened): Promise<void> {
  const { memtables, lastSequence } = opened;
  const tables = await tablesOf(
    memtables.filter(({ isEmpty }) => !isEmpty),
    opened,
  );
  await certainly(
    (change) => log.update(change),
    (current): ManifestState | undefined => {
      if (current.lastSequence >= lastSequence) return undefined;
      return { ...current, level0: [...tables, ...current.level0], lastSequence };
    },
  );
}

/** Tables of memtables, in their order. */
async function tablesOf(
  memtables: readonly Memtable[],
  { parts, options, prefix, manifest }: Opened,
): Promise<readonly SstMeta[]> {
  const { clock, prng, store } = parts;
  const semantics = { operators: new Operators(manifest.operators), nowMs: () => 0 };
  return await writeTables({ clock, prng, options, store, prefix, semantics }, memtables);
}

/** Whether it was restored or not: the next one that opens the shard need not ask who this was. */
async function letGo({ store, manifest }: Opened): Promise<void> {
  const log = new ManifestLog(store, manifest, () => undefined);
  await log.update((current) => ({ ...current, owner: released(current) }));
}

function released({ owner }: Manifest): Manifest["owner"] {
  return owner && { ...owner, state: "FREE" };
}
