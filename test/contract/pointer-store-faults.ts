import { expect } from "vitest";
import { Stopwatch } from "../../src/base/clock.ts";
import { IdSource, type WriterId } from "../../src/base/ids.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { type Attempt, commitCertain, type Verdict } from "../../src/pointer/certain.ts";
import type { PointerStore } from "../../src/pointer/port.ts";
import { type Fault, FaultyPointerStore, seededFaults } from "../support/faulty-pointer-store.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";
import { type Checks, put, type Space } from "./pointer-store-space.ts";

/** This adapter, with something happening to its first request. */
function firstCall(s: Space, fault: Fault): PointerStore {
  return s.faulty((index) => (index === 0 ? fault : undefined));
}

export const outcomeChecks: Checks = {
  "a request that was never sent is unknown, and not applied": async (store, s) => {
    const key = s.entity(1);
    const answer = await firstCall(s, { fault: "notSent" }).commit({
      writerId: "w",
      ops: [put(key)],
    });
    expect(answer.outcome).toBe("unknown");
    expect(await store.get(key)).toMatchObject({ version: 0n });
  },

  "a lost answer is unknown, never a conflict, and applied once": async (store, s) => {
    const key = s.entity(1);
    const batch = { writerId: "w", ops: [put(key)] };
    const answer = await firstCall(s, { fault: "answerLost" }).commit(batch);
    expect(answer.outcome).toBe("unknown");
    expect(await store.get(key)).toMatchObject({ state: "live", version: 1n, writerId: "w" });
  },

  "a refused request is overloaded, and certainly not applied": async (store, s) => {
    const key = s.entity(1);
    for (const fault of ["refused", "conflicting"] as const) {
      const answer = await firstCall(s, { fault }).commit({ writerId: "w", ops: [put(key)] });
      expect(answer.outcome).toBe("overloaded");
      expect(await store.get(key)).toMatchObject({ version: 0n });
    }
  },

  "a second copy of an applied request does nothing": async (store, s) => {
    const key = s.entity(1);
    const faulty = firstCall(s, { fault: "duplicated", lands: { beforeCall: 1 } });
    const answer = await faulty.commit({ writerId: "w", ops: [put(key)] });
    expect(answer).toMatchObject({ outcome: "committed" });
    expect(await faulty.get(key)).toMatchObject({ version: 1n });
    expect(await store.get(key)).toMatchObject({ version: 1n });
  },

  "verdicts are true among faults by seed": async (store, s) => {
    const clock = new SleepIsTime();
    const prng = new SeededPrng(24);
    const deps = { clock, prng, ids: new IdSource(clock, prng) };
    const faulty = new FaultyPointerStore(store, seededFaults(prng, { rate: 0.4 }));
    const verdicts: { readonly verdict: Verdict; readonly attempt: Attempt }[] = [];
    for (let n = 0; n < 60; n++) {
      const attempt = { writerId: deps.ids.mint<WriterId>(), stopwatch: new Stopwatch(clock) };
      const expected = (await store.get(s.entity("counter"))).version;
      const verdict = await commitCertain(faulty, deps, attempt, {
        ops: [put(s.entity("counter"), expected)],
        receipt: { key: s.receipt(n), expected: 0n },
      });
      verdicts.push({ verdict, attempt });
    }
    await faulty.releaseAll();
    for (const [n, { verdict, attempt }] of verdicts.entries()) {
      const receipt = await store.get(s.receipt(n));
      const applied = receipt.state === "live" && receipt.writerId === attempt.writerId;
      expect(verdict.verdict === "committed", `attempt ${n}: ${verdict.verdict}`).toBe(applied);
    }
    const committed = verdicts.filter(({ verdict }) => verdict.verdict === "committed");
    const { version } = await store.get(s.entity("counter"));
    expect(version).toBe(BigInt(committed.length));
    expect(committed.length).toBeGreaterThan(20);
  },
};
