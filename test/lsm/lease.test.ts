import { describe, expect, it } from "vitest";
import { Stopwatch } from "../../src/base/clock.ts";
import { FirnError } from "../../src/base/error.ts";
import { Lease } from "../../src/lsm/ownership/lease.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const FENCED = new FirnError("Unavailable", "LSM_FENCED", "overtaken");

/** A lease whose looks take so long, and when each of them began. */
function leaseOf(leaseMs: number, lookMs: number) {
  const clock = new VirtualClock();
  const looks: number[] = [];
  let fenced = false;
  const lease = new Lease(clock, new Stopwatch(clock), leaseMs, async () => {
    looks.push(clock.monotonicMs());
    const found = fenced;
    await clock.sleep(lookMs);
    if (found) throw FENCED;
  });
  const confirm = async (): Promise<void> => lease.confirm();
  const fence = (): void => {
    fenced = true;
  };
  return { clock, lease, looks, confirm, fence };
}

describe("a lease of no time", () => {
  it("is a look for each answer, and one for all that wait for the next", async () => {
    const { clock, looks, confirm } = leaseOf(0, 5);
    await clock.run(confirm());
    await clock.run(confirm());
    expect(looks).toEqual([0, 5]);
    await clock.run(Promise.all([confirm(), confirm(), confirm()]));
    // The first one's look began before the others had read.
    expect(looks).toEqual([0, 5, 10, 15]);
  });

  it("ends with the first look that finds another owner", async () => {
    const { clock, confirm, fence } = leaseOf(0, 5);
    const before = confirm();
    fence();
    const after = confirm();
    after.catch(() => undefined);
    await clock.run(before);
    await expect(clock.run(after)).rejects.toBe(FENCED);
  });
});

describe("a lease that is shorter than a look", () => {
  it("is confirmed by a look that began after the answer was read", async () => {
    const { clock, lease, looks, confirm } = leaseOf(100, 250);
    expect(lease.confirm()).toBeUndefined();
    clock.skip(100);
    const first = confirm();
    await clock.advance(50);
    await clock.run(Promise.all([first, confirm()]));
    expect(looks).toEqual([100, 350]);
  });
});
