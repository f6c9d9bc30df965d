import type { Clock, Stopwatch } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import type { Prng } from "../../base/prng.ts";
import type { BlobStore } from "../../blob/port.ts";
import type { Merger } from "../compaction/merger.ts";
import type { Sequence } from "../format/entry.ts";
import type { Manifest } from "../format/manifest.ts";
import type { Owner } from "../format/manifest-records.ts";
import { assertLsmLimits } from "../limits.ts";
import { ManifestObjects } from "../manifest/objects.ts";
import { assertAlive } from "../manifest/shard-files.ts";
import type { ManifestStore } from "../manifest/store.ts";
import { LogReplay } from "../memtable/log-replay.ts";
import type { Memtable } from "../memtable/memtable.ts";
import { type ChosenOptions, type LsmTuning, lsmOptions, retentionOf } from "../options.ts";
import type { NodeIdentity, TakeOver } from "../ownership/owner.ts";
import { takeOver } from "../ownership/take-over.ts";
import { holdParent, type ManifestsOf, objectsOf } from "../states/parent.ts";
import { begunIn, EPOCH_AT, type Wal, type WalStore } from "../wal/port.ts";
import { MemoryBudget } from "../write/budget.ts";
import type { LsmMetrics } from "./metrics.ts";

/** What an engine is made of. Components come in here; settings are `options`. */
export interface OpenOptions extends ChosenOptions {
  readonly store: BlobStore;
  /** Where the shard lies in the store: with a slash at its end, or empty. */
  readonly prefix?: string;
  readonly wal: WalStore;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly node: NodeIdentity;
  /** Numbered objects under the prefix, unless another store of manifests is given. */
  readonly manifests?: ManifestStore;
  /** The manifests of the shard that this one is a clone of, by its prefix. */
  readonly manifestsOf?: ManifestsOf;
  /** Shared by the shards of a process; if none is given, the shard makes one of 256 MiB. */
  readonly budget?: MemoryBudget;
  readonly takeOver?: TakeOver;
  /** Told of the owner before each wait for it. */
  readonly onWaiting?: (owner: Owner) => void;
  /** Where the figures of the shard are printed, and under which name. */
  readonly metrics?: { readonly of: LsmMetrics; readonly shard: string };
  /** Where compactions are computed, shared by shards too; its own threads if none is given. */
  readonly merger?: Merger;
}

/** A shard that was taken over, with all that its log held. */
export interface Opened {
  readonly parts: OpenOptions;
  readonly options: LsmTuning;
  readonly prefix: string;
  readonly budget: MemoryBudget;
  readonly store: ManifestStore;
  readonly manifestsOf: ManifestsOf;
  readonly manifest: Manifest;
  /** Begun before the shard was known to be ours. */
  readonly known: Stopwatch;
  readonly wal: Wal;
  /** What the log held beyond the manifest, newest first; the first of them takes writes. */
  readonly memtables: readonly Memtable[];
  readonly lastSequence: Sequence;
}

/**
 * Takes a shard over: the manifest first, under a higher epoch, then the log, which fences its last
 * writer, then the replay. Resolves when no process can answer a read of an older state any more:
 * at once where the owner before released the shard or is known to be dead, else after its lease.
 *
 * @throws FirnError `Unavailable`, codes `LSM_OWNED`, `WAL_FENCED`; `Corrupt`, naming file and
 *   offset, with `LSM_MANIFEST_LOST` where states that were published are gone; `NotFound`, code
 *   `LSM_CLONE_UNFINISHED`: the shard is what is left of a clone that was never made; or
 *   `LSM_SHARD_DELETED`.
 */
export async function openShard(parts: OpenOptions): Promise<Opened> {
  assertLsmLimits();
  const { clock, node, wal: logs, prefix = "" } = parts;
  const options = lsmOptions(parts);
  const { gcMinAgeMs } = options;
  const store =
    parts.manifests ?? new ManifestObjects({ store: parts.store, clock, prefix, gcMinAgeMs });
  const manifestsOf = parts.manifestsOf ?? objectsOf(parts.store, clock, gcMinAgeMs);
  const mode = parts.takeOver ?? "refuse";
  const found = await takeOver(store, clock, node, mode, parts.onWaiting, async (before) => {
    assertAlive(before, prefix);
    await holdParent(manifestsOf, before);
  });
  const { manifest: taken, outwait, known } = found;
  const leaseOver = outwait ? clock.sleep(options.takeoverWaitMs) : undefined;
  const replay = new LogReplay(options.memtableBytes, taken.lastSequence);
  const opening = logs.open({
    epoch: taken.writerEpoch,
    from: { file: taken.walFrom, sequence: taken.lastSequence, begun: taken.walBegun },
    onGroup: (group) => replay.add(group),
  });
  const wal = await opening.catch(async (error: unknown) => {
    // Any caller that waits for the lease of an owner before must not let others in without that
    // wait.
    if (!outwait) await letGo(store, taken);
    throw (await isStateLost(store, taken, error)) ? stateLost(taken, error) : error;
  });
  await leaseOver;
  const manifest = await markOpen(store, taken, wal);
  // Every open begins a file of the log, and one that wrote nothing, or that came to nothing, has
  // no flush to release it. What is not released now is released with the next one.
  await wal.release(manifest.walFrom, retentionOf(options)).catch(() => undefined);
  const { memtables, lastSequence } = replay;
  const budget = parts.budget ?? new MemoryBudget();
  const states = { store, manifestsOf, manifest, known };
  return { parts, options, prefix, budget, ...states, wal, memtables, lastSequence };
}

/**
 * Names in the manifest the file of the log that replay begins with, now that it is there, and the
 * newest one that was begun: a log that is deleted or cut later is missed, not taken for an empty
 * one. It also says that the next owner need not wait for any earlier one. A put; where it fails,
 * or another state was published meanwhile, the next flush says the first, and the next owner waits
 * once more.
 */
async function markOpen(store: ManifestStore, manifest: Manifest, wal: Wal): Promise<Manifest> {
  const { owner } = manifest;
  const walFrom = Math.max(manifest.walFrom, wal.lowWater(manifest.lastSequence));
  const isSame = walFrom === manifest.walFrom && begunIn(manifest, wal) === manifest.walBegun;
  if (isSame && owner?.outwaits !== true) return manifest;
  const state = {
    ...manifest,
    walFrom,
    walBegun: begunIn(manifest, wal),
    owner: owner && { ...owner, outwaits: false },
  };
  try {
    return (await store.publish(state, manifest.id)) ?? manifest;
  } catch (error) {
    if (error instanceof FirnError) return manifest;
    throw error;
  }
}

/** Nothing was acknowledged: the next one that tries need not ask who this was. */
async function letGo(store: ManifestStore, manifest: Manifest): Promise<void> {
  const { owner, id } = manifest;
  const free = { ...manifest, owner: owner && { ...owner, state: "FREE" as const } };
  await store.publish(free, id).catch(() => undefined);
}

/**
 * Whether the log is of an owner that no state knows. Any process that fences a log has published
 * its epoch before: where that is gone, states are missing, and another try would be fenced again.
 */
async function isStateLost(
  store: ManifestStore,
  { id, writerEpoch }: Manifest,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof FirnError) || error.code !== "WAL_FENCED") return false;
  // Of two that take over at once, one of a lower epoch may be in the way of the other's files.
  if (error.context["epoch"] === undefined) return false;
  try {
    const newer = await store.newerThan(id, Number.POSITIVE_INFINITY);
    return newer === undefined || newer.writerEpoch <= writerEpoch;
  } catch {
    return false;
  }
}

function stateLost({ id, writerEpoch }: Manifest, error: unknown): FirnError {
  const { context } = error as FirnError;
  const facts = { ...context, offset: EPOCH_AT, manifest: id, taken: writerEpoch };
  const message = "the log has a later owner than the newest manifest";
  return new FirnError("Corrupt", "LSM_MANIFEST_LOST", message, facts, error);
}
