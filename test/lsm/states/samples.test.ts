import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SequenceSample } from "../../../src/lsm/format/manifest-records.ts";
import { Sampler, sampleAt, withSample } from "../../../src/lsm/states/samples.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { TimedShard } from "../support/timed-shard.ts";

const NONE: readonly SequenceSample[] = [];
const sample = (sequence: number, timeMs: number) => ({ sequence, timeMs, unknown: [] });
const ascends = (samples: readonly SequenceSample[]): boolean =>
  samples.every((one, i) => {
    const before = samples[i - 1];
    return before === undefined || (before.sequence < one.sequence && before.timeMs <= one.timeMs);
  });

describe("samples of sequence and time", () => {
  it("hold what was durable 20 s before any time, whatever the pauses between writes", async () => {
    const pauses = fc.array(fc.constantFrom(0, 1, 900, 9_999, 10_000, 10_001, 70_000, 3_600_000), {
      minLength: 1,
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(pauses, async (list) => {
        const clock = new VirtualClock();
        const sampler = new Sampler(clock, 0);
        const writes = [sample(0, clock.nowMs())];
        for (const [index, pauseMs] of list.entries()) {
          await clock.advance(pauseMs);
          sampler.note(index + 1);
          writes.push(sample(index + 1, clock.nowMs()));
        }
        const samples = sampler.into(NONE);
        expect(ascends(samples)).toBe(true);
        // Each says what was the last one then; none is older than it may be by its age.
        for (const { sequence, timeMs } of samples) {
          expect(sampleAt(writes, timeMs)?.sequence).toBeGreaterThanOrEqual(sequence);
          expect(writes[sequence]?.timeMs).toBeLessThanOrEqual(timeMs);
        }
        const nowMs = clock.nowMs();
        for (const { timeMs } of writes) {
          const asked = timeMs + 20_000 + (nowMs - timeMs) / 8;
          const due = sampleAt(writes, timeMs)?.sequence ?? 0;
          expect(sampleAt(samples, asked)?.sequence ?? 0).toBeGreaterThanOrEqual(due);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("become fewer with age, and never too many", () => {
    let samples = NONE;
    let nowMs = 0;
    for (let i = 1; i <= 20_000; i++) {
      nowMs = i * 10_000;
      samples = withSample(samples, sample(i, nowMs), nowMs);
    }
    expect(ascends(samples)).toBe(true);
    expect(samples.length).toBeLessThan(220);
    expect(samples.length).toBeGreaterThan(80);
    // What was asked about is off by a share of its age at most.
    for (const ageMs of [60_000, 3_600_000, 86_400_000, 150_000_000]) {
      const found = sampleAt(samples, nowMs - ageMs);
      expect(nowMs - ageMs - (found?.timeMs ?? 0)).toBeLessThanOrEqual(10_000 + ageMs / 8);
    }
  });

  it("stand still in time where the clock is set back, and take no sequence twice", () => {
    let samples = withSample(NONE, sample(5, 1_000), 1_000);
    samples = withSample(samples, sample(9, 400), 400);
    samples = withSample(samples, sample(9, 9_000), 9_000);
    expect(samples).toEqual([sample(9, 1_000)]);
  });

  it("are written with the next flush, and go on over a restart", async () => {
    const shard = new TimedShard();
    const engine = await shard.open();
    const times: number[] = [];
    for (const value of ["1", "2", "3"]) {
      await shard.flush(engine, value);
      times.push(shard.clock.nowMs());
      await shard.clock.advance(60_000);
    }
    await shard.run(engine.close());
    const heir = await shard.open();
    await shard.flush(heir, "4");
    const { samples } = await shard.newest();
    expect(times.map((timeMs) => sampleAt(samples, timeMs + 59_000)?.sequence)).toEqual([
      50, 100, 150,
    ]);
    expect(samples.at(-1)?.sequence).toBe(200);
  });
});
