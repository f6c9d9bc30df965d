import type { Sequence } from "../format/entry.ts";
import type { Manifest } from "../format/manifest.ts";
import type { SstMeta } from "../format/sst-meta.ts";
import { mintUlid } from "../format/ulid.ts";
import { ManifestLog } from "../manifest/log.ts";
import type { ManifestState } from "../manifest/store.ts";
import { writeTable } from "../memtable-table.ts";
import { type Opened, type OpenOptions, openShard } from "../open.ts";
import { Operators } from "../operators.ts";
import type { WalReader } from "../wal/port.ts";
import { certainly } from "./checkpoints.ts";
import { openReader, type Reader } from "./reader.ts";
import type { Moment } from "./resolve.ts";
import { withSample } from "./samples.ts";

/** What a restore is made of: what opens the shard, and reads its log. */
export interface RestoreParts extends OpenOptions {
  readonly log: WalReader;
}

export interface Restored {
  /** The restored state holds everything up to it, and nothing beyond. */
  readonly sequence: Sequence;
  /** The last one before the restore: what was written after `sequence` is not in the state. */
  readonly replaced: Sequence;
  readonly manifestId: number;
}

/**
 * Makes a state of the past the newest one, and leaves the shard to whoever opens it next.
 * Sequences go on: the restore takes one of its own, and what it replaces can be read, or restored,
 * as long as any state of the past.
 *
 * The shard is taken over first, so that whoever writes it is fenced. Then one put decides: before
 * it the shard is what it was, all that was acknowledged included, after it the state of the past,
 * whenever the process ends. No data is copied but what lay in the log alone.
 *
 * @throws CatalogError as `openReader` of such a moment: then nothing has happened; as `openShard`;
 *   `Unavailable`, code `LSM_FENCED`: another process took the shard over meanwhile; `Unknown`: it
 *   may have been restored.
 */
export async function restoreShard(parts: RestoreParts, moment: Moment): Promise<Restored> {
  const { log: wal, manifests, store, clock, prng, prefix = "", options = {} } = parts;
  const target = "checkpoint" in moment ? moment : { at: moment };
  const source = { store, prefix, wal, clock, prng, options, ...(manifests && { manifests }) };
  const reader = await openReader(source, target);
  try {
    return await replaceWith(reader, await openShard(parts));
  } finally {
    // What fails here ends with its life.
    await reader.close().catch(() => undefined);
  }
}

async function replaceWith(reader: Reader, opened: Opened): Promise<Restored> {
  const { store, manifest, wal, lastSequence, parts } = opened;
  try {
    const level0 = await tablesOf(reader, opened);
    const { runs } = reader.source.manifest;
    const log = new ManifestLog(store, manifest, () => undefined);
    const sequence = lastSequence + 1;
    const published = await certainly(
      (change) => log.update(change),
      (current): ManifestState | undefined => {
        // The answer to an attempt was lost: nobody else of this epoch makes sequences.
        if (current.lastSequence >= sequence) return undefined;
        const walFrom = Math.max(current.walFrom, wal.lowWater(sequence));
        const timeMs = parts.clock.nowMs();
        const sample = { sequence, timeMs, unknown: [] };
        const samples = withSample(current.samples, sample, timeMs);
        const state = { level0, runs, lastSequence: sequence, walFrom, samples };
        return { ...current, ...state, owner: released(current) };
      },
    );
    return { sequence: reader.sequence, replaced: lastSequence, manifestId: published.id };
  } catch (error) {
    await letGo(opened).catch(() => undefined);
    throw error;
  } finally {
    await wal.close();
  }
}

/** Those of the state's manifest, behind tables of what the log alone held of it, newest first. */
async function tablesOf(reader: Reader, opened: Opened): Promise<readonly SstMeta[]> {
  const { parts, options, prefix, manifest } = opened;
  const { clock, prng, store } = parts;
  const { manifest: past, memtables } = reader.source;
  const meaning = { operators: new Operators(manifest.operators), nowMs: () => 0 };
  const tables: SstMeta[] = [];
  for (const memtable of memtables) {
    memtable.freeze();
    const target = { clock, options, store, prefix, meaning };
    tables.push(await writeTable(target, memtable, mintUlid(clock, prng), []));
  }
  return [...tables, ...past.level0];
}

/** Whether it was restored or not: the next one that opens the shard need not ask who this was. */
async function letGo({ store, manifest }: Opened): Promise<void> {
  const log = new ManifestLog(store, manifest, () => undefined);
  await log.update((current) => ({ ...current, owner: released(current) }));
}

function released({ owner }: Manifest): Manifest["owner"] {
  return owner && { ...owner, state: "FREE" };
}
