import type { Manifest } from "../format/manifest.ts";
import type { Checkpoint, CheckpointKind } from "../format/manifest-records.ts";
import { hasEnded } from "./checkpoints.ts";

/** What keeps states of the past, and since when. Counts and milliseconds, 0 where none does. */
export interface RetentionFigures {
  readonly checkpoints: number;
  readonly readers: number;
  /** Shards that are made of a state of this one, and still name its tables. */
  readonly clones: number;
  readonly oldestCheckpointMs: number;
  readonly oldestReaderMs: number;
}

/** Of a state, at a wall time: without checkpoints that have ended. */
export function retentionFigures({ checkpoints }: Manifest, nowMs: number): RetentionFigures {
  const live = checkpoints.filter((one) => !hasEnded(one, nowMs));
  const named = live.filter(isOf("named"));
  const readers = live.filter(isOf("reader"));
  return {
    checkpoints: named.length,
    readers: readers.length,
    clones: live.filter(isOf("clone")).length,
    oldestCheckpointMs: oldest(named, nowMs),
    oldestReaderMs: oldest(readers, nowMs),
  };
}

function isOf(kind: CheckpointKind): (one: Checkpoint) => boolean {
  return (one) => one.kind === kind;
}

/** Clocks of others may be ahead. */
function oldest(checkpoints: readonly Checkpoint[], nowMs: number): number {
  return Math.max(0, ...checkpoints.map(({ createdAtMs }) => nowMs - createdAtMs));
}
