import { assert } from "../../base/assert.ts";
import type { Clock } from "../../base/clock.ts";
import { type ErrorContext, FirnError, invalid } from "../../base/error.ts";
import type { Sequence } from "../format/entry.ts";
import type { Manifest } from "../format/manifest.ts";
import type { Checkpoint } from "../format/manifest-records.ts";
import type { ManifestHistory } from "../manifest/history.ts";
import type { ManifestStore } from "../manifest/store.ts";
import { hasEnded, named, notFound } from "./checkpoints.ts";
import { isAbandoned } from "./parent.ts";
import type { Choice, Pin } from "./pin.ts";
import { sampleAt } from "./samples.ts";

/** A state that is not the newest one. */
export type Moment =
  | { readonly checkpoint: string }
  /** Everything up to a sequence, which is the last one of a batch. */
  | { readonly sequence: Sequence }
  /** The last state that is known to have been there at a wall time, ms, and can be read still. */
  | { readonly timeMs: number };

/** Where a state is to be found: in the tables of a manifest, and in the log behind it. */
export interface Resolved {
  readonly manifest: Manifest;
  /** Wanted; beyond the manifest's own it has to be read from the log. */
  readonly sequence: Sequence;
  /** Whether the manifest's own state will do where the log is gone. */
  readonly orBefore: boolean;
}

export interface Past {
  readonly store: ManifestStore;
  readonly history: ManifestHistory;
  readonly clock: Clock;
}

/**
 * Finds a state and keeps it. Of manifests that are stored, a binary search reads some; then three
 * requests for the pin, and two more.
 *
 * @throws FirnError `NotFound`, codes `LSM_CHECKPOINT_NOT_FOUND`, `LSM_HISTORY_GONE` (it is out
 *   of retention, or never was), `LSM_NO_SHARD`; `Unavailable`, code `LSM_SEQUENCE_AHEAD`;
 *   `Invalid`, code `LSM_TIME_AHEAD`; what the store throws.
 */
export async function resolveMoment(past: Past, moment: Moment, pin: Pin): Promise<Resolved> {
  if ("checkpoint" in moment) return await atCheckpoint(past, moment.checkpoint, pin);
  const newest = await past.store.latest();
  if (newest === undefined) throw gone({});
  if ("sequence" in moment) {
    const { sequence } = moment;
    const manifest = await keptAt(past, sequence, newest, pin);
    return { manifest, sequence, orBefore: false };
  }
  const { timeMs } = moment;
  if (timeMs > past.clock.nowMs()) {
    throw invalid("LSM_TIME_AHEAD", "the time is in the future", { timeMs });
  }
  const sequence = sampleAt(newest.samples, timeMs)?.sequence;
  if (sequence === undefined) throw gone({ timeMs });
  const manifest = await keptAt(past, sequence, newest, pin);
  return { manifest, sequence, orBefore: true };
}

async function atCheckpoint(past: Past, name: string, pin: Pin): Promise<Resolved> {
  const { history, clock } = past;
  // What a checkpoint keeps in the state that the pin follows is kept by the pin from then on.
  const kept = await pin.keep((newest) => {
    const standing = named(newest, name);
    return standing === undefined || hasEnded(standing, clock.nowMs()) ? undefined : standing;
  });
  if (kept === undefined) throw notFound(name);
  const manifest = await history.read(kept.manifestId);
  if (manifest === undefined) throw notFound(name);
  return { manifest, sequence: manifest.lastSequence, orBefore: false };
}

/** The newest manifest that holds nothing beyond a sequence, kept. */
async function keptAt(
  past: Past,
  sequence: Sequence,
  newest: Manifest,
  pin: Pin,
): Promise<Manifest> {
  const { history, clock } = past;
  const found = await newestUpTo(history, sequence, newest);
  if (found === undefined) throw gone({ sequence });
  assert(found.lastSequence <= sequence, "a state of the past holds nothing of later");
  const { id: manifestId, lastSequence } = found;
  let isKept = false;
  const choose: Choice = ({ id, checkpoints }) => {
    const nowMs = clock.nowMs();
    // Another reader's says nothing: it may have come too late itself, and not know that yet.
    const keeps = (one: Checkpoint): boolean =>
      one.manifestId === manifestId && one.kind !== "reader" && !hasEnded(one, nowMs);
    isKept = id === manifestId || checkpoints.some(keeps);
    return { manifestId, sequence: lastSequence };
  };
  await pin.keep(choose);
  // A collector that had looked before has raised the boundary by now, or looks again.
  const boundary = isKept ? undefined : await history.boundary();
  if (boundary === undefined || boundary.manifestThrough < manifestId) return found;
  await pin.release();
  throw gone({ sequence });
}

async function newestUpTo(
  history: ManifestHistory,
  sequence: Sequence,
  newest: Manifest,
): Promise<Manifest | undefined> {
  if (newest.lastSequence <= sequence) return newest;
  const ids = (await history.list()).map(({ id }) => id).filter((id) => id < newest.id);
  const isSorted = ids.every((id, i) => i === 0 || id > (ids[i - 1] as number));
  assert(isSorted, "manifests are listed in their order, which the search rests on");
  let found: Manifest | undefined;
  for (let low = 0, high = ids.length; low < high; ) {
    const middle = (low + high) >>> 1;
    const stored = await history.read(ids[middle] as number);
    // Collected since it was listed: so are those before it, or they are kept for themselves.
    const manifest = stored && isAbandoned(stored, newest) ? undefined : stored;
    if (manifest === undefined || manifest.lastSequence <= sequence) {
      found = manifest ?? found;
      low = middle + 1;
    } else high = middle;
  }
  return found;
}

/** `NotFound`, code `LSM_HISTORY_GONE`. */
export function gone(facts: ErrorContext): FirnError {
  const message = "the state is no longer retained, or never existed";
  return new FirnError("NotFound", "LSM_HISTORY_GONE", message, facts);
}
