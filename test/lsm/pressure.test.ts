import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { Pressure } from "../../src/lsm/write/pressure.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const SOFT = 1_000_000;
const HARD = 3_000_000;

function refusalOf(call: () => unknown): FirnError {
  try {
    call();
  } catch (error) {
    if (error instanceof FirnError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

/** What a byte waits, in ms, at a level that does not change. */
function waitAt(value: number, bytes: number): number {
  const pressure = new Pressure(new VirtualClock(), [
    { name: "queue", soft: SOFT, hard: HARD, read: () => value },
  ]);
  // No time passes: what is owed adds up, so the last one's delay is that of all.
  let last = 0;
  let written = 0;
  while (last < 100 && written < 100_000_000) {
    last = pressure.delayMs(bytes);
    written += bytes;
  }
  return last / written;
}

describe("pressure", () => {
  it("grows from nothing, without a step, and refuses at the limit alone", () => {
    expect(waitAt(SOFT, 1_000)).toBe(0);
    let before = 0;
    for (let percent = 1; percent <= 99; percent++) {
      const p = percent / 100;
      const wait = waitAt(SOFT + p * (HARD - SOFT), 1_000);
      expect(wait).toBeGreaterThanOrEqual(before);
      // A hundredth of the way changes the rate of what is let through by no more than that.
      const share = (ms: number): number => 1 / (1 + ms * 64_000);
      expect(share(before) - share(wait)).toBeLessThan(0.02);
      before = wait;
    }
    expect(() => waitAt(HARD, 1_000)).toThrow(FirnError);
  });

  it("says when to come back: later the more there is to work off, never in no time", () => {
    const retryOf = (value: number, bytesFor?: (amount: number) => number): number => {
      const gauge = { name: "queue", soft: SOFT, hard: HARD, read: () => value };
      const pressure = new Pressure(new VirtualClock(), [
        bytesFor === undefined ? gauge : { ...gauge, bytesFor },
      ]);
      const { kind, code, context } = refusalOf(() => pressure.delayMs(1));
      expect([kind, code, context["queue"]]).toEqual(["Overloaded", "LSM_OVERLOADED", value]);
      return context["retryAfterMs"] as number;
    };
    expect(retryOf(HARD)).toBe(100);
    expect(retryOf(HARD + 64_000_000)).toBe(1_016);
    expect(retryOf(HARD, (amount) => 64 * amount)).toBe(1_000);
    expect(retryOf(Number.MAX_SAFE_INTEGER)).toBe(10_000);
  });

  it("lets nobody wait longer than a second, and tells who waited", async () => {
    const clock = new VirtualClock();
    let value = HARD - 1;
    const pressure = new Pressure(clock, [
      { name: "first", soft: SOFT, hard: HARD, read: () => 0 },
      { name: "queue", soft: SOFT, hard: HARD, read: () => value },
    ]);
    for (let i = 0; i < 50; i++) expect(pressure.delayMs(16_777_216)).toBeLessThanOrEqual(1_000);
    await clock.run(pressure.wait(1_000));
    expect(pressure.stats()).toMatchObject({ delayed: 50, delayedMs: 1_000, refused: 0 });
    expect(pressure.stats().by).toBe("queue");
    value = HARD;
    await expect(clock.run(pressure.wait(10))).rejects.toMatchObject({ code: "LSM_OVERLOADED" });
    expect(pressure.stats().refused).toBe(1);
    value = 0;
    expect(pressure.stats()).toMatchObject({ level: 0, by: "" });
  });

  it("finds the rate that is worked off, however wrong the measure, and no more", async () => {
    const run = async (bytesPerMs: number, told: number, bytes: number): Promise<void> => {
      const clock = new VirtualClock();
      let waiting = 0;
      const queue = { bytes: 0 };
      const read = (): number => queue.bytes + waiting;
      const pressure = new Pressure(clock, [{ name: "queue", soft: SOFT, hard: HARD, read }]);
      for (let i = 0; i < 50; i++) pressure.flushed(told * 1_000, 1_000);
      let written = 0;
      const endMs = 8_000;
      const writer = async (): Promise<void> => {
        while (clock.monotonicMs() < endMs) {
          const delayMs = pressure.delayMs(bytes);
          waiting += bytes;
          // Nobody writes faster than this.
          await (delayMs > 0 ? pressure.wait(delayMs) : clock.sleep(bytes / (20 * bytesPerMs)));
          waiting -= bytes;
          queue.bytes += bytes;
          if (clock.monotonicMs() > endMs / 2) written += bytes;
        }
      };
      const worker = async (): Promise<void> => {
        while (clock.monotonicMs() < endMs) {
          await clock.sleep(5);
          queue.bytes = Math.max(0, queue.bytes - 5 * bytesPerMs);
        }
      };
      await clock.run(Promise.all([writer(), writer(), writer(), worker()]));
      expect(pressure.stats().refused).toBe(0);
      expect(written / (endMs / 2)).toBeGreaterThan(0.9 * bytesPerMs);
      expect(written / (endMs / 2)).toBeLessThan(1.1 * bytesPerMs);
    };
    const rate = fc.constantFrom(500, 2_000, 10_000);
    const wrong = fc.constantFrom(0.1, 1, 8);
    const size = fc.constantFrom(10_000, 50_000);
    const property = fc.asyncProperty(rate, wrong, size, (real, factor, bytes) =>
      run(real, real * factor, bytes),
    );
    await fc.assert(property, { numRuns: 8 });
  });
});
