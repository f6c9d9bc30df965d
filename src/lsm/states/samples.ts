import { assert } from "../../base/assert.ts";
import type { Clock } from "../../base/clock.ts";
import type { Sequence } from "../format/entry.ts";
import type { SequenceSample } from "../format/manifest-records.ts";

/** Between two samples while there are writes; a time is known within twice as much. */
const INTERVAL_MS = 10_000;
/** Neighbours lie at most this share of their age apart: the older, the fewer. */
const AGE_SHARE = 16;
/** Whatever the clocks do. Ten years of samples are 250. */
const MAX_SAMPLES = 512;

/**
 * Notes which sequence was the last durable one at which time, for the next manifest: the end of
 * each burst of writes, and an instant every so often within one. No request, no timer.
 *
 * Of what was durable at a time, all but what came in the last 20 s before it is in the newest
 * sample of that time or before, as long as samples are not thinned out.
 */
export class Sampler {
  readonly #clock: Clock;
  #noted: readonly SequenceSample[] = [];
  #notedMs = 0;
  /** What was durable last, and since when. */
  #last: SequenceSample;

  /** @param sequence what is durable, and was so before. */
  constructor(clock: Clock, sequence: Sequence) {
    this.#clock = clock;
    this.#last = { sequence, timeMs: clock.nowMs(), unknown: [] };
  }

  /** Everything up to a sequence is durable. */
  note(sequence: Sequence): void {
    const timeMs = this.#clock.nowMs();
    const { timeMs: lastMs } = this.#last;
    // A burst is over, or has gone on for so long; or the clock was set back.
    assert(sequence >= this.#last.sequence, "sequences are noted as they ascend");
    if (timeMs - lastMs >= INTERVAL_MS || Math.abs(lastMs - this.#notedMs) >= INTERVAL_MS) {
      this.#noted = withSample(this.#noted, this.#last, timeMs);
      this.#notedMs = lastMs;
    }
    this.#last = { sequence, timeMs, unknown: [] };
  }

  /** What a manifest is to say, with what it says already. */
  into(stored: readonly SequenceSample[]): readonly SequenceSample[] {
    const nowMs = this.#clock.nowMs();
    return [...this.#noted, this.#last].reduce(
      (samples, sample) => withSample(samples, sample, nowMs),
      stored,
    );
  }
}

/**
 * Samples with one more, ascending both in sequence and in time, thinned out by age.
 *
 * One that is not above all of them in sequence says nothing new; one that lies before them in
 * time, after the clock was set back, is taken to be of the latest time that was seen.
 */
export function withSample(
  samples: readonly SequenceSample[],
  sample: SequenceSample,
  nowMs: number,
): readonly SequenceSample[] {
  const last = samples.at(-1);
  if (last !== undefined && sample.sequence <= last.sequence) return samples;
  const timeMs = Math.max(sample.timeMs, last?.timeMs ?? 0);
  const kept: SequenceSample[] = [{ ...sample, timeMs }];
  for (let i = samples.length - 1; i >= 0 && kept.length < MAX_SAMPLES; i--) {
    const newer = kept.at(-1) as SequenceSample;
    const one = samples[i] as SequenceSample;
    // It goes where those beside it are close enough: so no gap grows beyond what its age allows.
    const gapMs = newer.timeMs - (samples[i - 1]?.timeMs ?? Number.NEGATIVE_INFINITY);
    const isNeeded = gapMs > (nowMs - newer.timeMs) / AGE_SHARE && one.timeMs < newer.timeMs;
    if (isNeeded) kept.push(one);
  }
  kept.reverse();
  const isSorted = kept.every(
    ({ sequence, timeMs: at }, i) =>
      i === 0 || isAbove(kept[i - 1] as SequenceSample, sequence, at),
  );
  assert(isSorted, "samples ascend in both, so that a time has one sequence");
  return kept;
}

function isAbove(before: SequenceSample, sequence: Sequence, timeMs: number): boolean {
  return sequence > before.sequence && timeMs >= before.timeMs;
}

/** The newest sample of a time or before it; undefined where all are later. */
export function sampleAt(
  samples: readonly SequenceSample[],
  timeMs: number,
): SequenceSample | undefined {
  return samples.findLast((sample) => sample.timeMs <= timeMs);
}
