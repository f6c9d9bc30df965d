import { FirnError } from "../../base/error.ts";
import type { Sequence } from "../format/entry.ts";
import type { Manifest } from "../format/manifest.ts";
import type { CheckpointKind } from "../format/manifest-records.ts";
import { ManifestHistory } from "../manifest/history.ts";
import { assertAlive, noShard } from "../manifest/shard-files.ts";
import type { ReaderParts } from "../read/reader.ts";
import { hasEnded, type NamedState, shown } from "../states/checkpoints.ts";
import { endOfLog, manifestsOf } from "./external-checkpoints.ts";

/** Which states of a shard can be read, and what keeps them. */
export interface ReadableStates {
  /** The last sequence that survives a crash, and that one who does not own the shard can see. */
  readonly newest: Sequence;
  /** Of the oldest state: others lie between the two. */
  readonly oldest: Sequence;
  /** The earliest time that can be asked for, ms; undefined where none is known. */
  readonly fromMs: number | undefined;
  /** States under names; and those of readers and of clones, under names of their own. */
  readonly checkpoints: readonly NamedState[];
  readonly readers: readonly NamedState[];
  readonly clones: readonly NamedState[];
}

/** Files may vanish, each time behind a newer manifest. */
const TRIES = 10;

/**
 * What could be asked for now. Keeps nothing. A list of the manifests, and a read of the oldest, of
 * the newest and of the log behind it.
 *
 * @throws FirnError `NotFound`, codes `LSM_NO_SHARD`, `LSM_SHARD_DELETED`; `Corrupt`; what the
 *   store throws.
 */
export async function readableStates(parts: ReaderParts): Promise<ReadableStates> {
  const manifests = manifestsOf(parts);
  for (let attempt = 1; ; attempt++) {
    const manifest = await manifests.latest();
    if (manifest === undefined) throw noShard(parts.prefix ?? "");
    assertAlive(manifest, parts.prefix);
    try {
      return await readableStatesFrom(parts, manifest);
    } catch (error) {
      const isMissing = error instanceof FirnError && error.kind === "Corrupt";
      const newer = isMissing ? await manifests.newerThan(manifest.id, 0) : undefined;
      if (newer === undefined || attempt === TRIES) throw error;
    }
  }
}

async function readableStatesFrom(parts: ReaderParts, manifest: Manifest): Promise<ReadableStates> {
  const { clock, store, prefix = "", wal } = parts;
  const nowMs = clock.nowMs();
  const live = (kind: CheckpointKind): readonly NamedState[] =>
    manifest.checkpoints
      .filter((one) => one.kind === kind && !hasEnded(one, nowMs))
      .map((one) => shown(one));
  const oldest = await oldestOf(new ManifestHistory(store, prefix, clock), manifest, nowMs);
  const sample = manifest.samples.find(({ sequence }) => sequence >= oldest);
  return {
    newest: (await endOfLog(wal, manifest)).sequence,
    oldest,
    fromMs: sample?.timeMs,
    checkpoints: live("named"),
    readers: live("reader"),
    clones: live("clone"),
  };
}

/** Of manifests that may have been deleted only those can be counted on that something keeps. */
async function oldestOf(
  history: ManifestHistory,
  newest: Manifest,
  nowMs: number,
): Promise<Sequence> {
  const kept = new Set(
    newest.checkpoints.filter((one) => !hasEnded(one, nowMs)).map(({ manifestId }) => manifestId),
  );
  const through = (await history.boundary())?.manifestThrough ?? 0;
  for (const { id } of await history.list()) {
    if (id >= newest.id) break;
    if (id <= through && !kept.has(id)) continue;
    const manifest = await history.read(id);
    if (manifest !== undefined) return manifest.lastSequence;
  }
  return newest.lastSequence;
}
