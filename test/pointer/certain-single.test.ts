import { describe, expect, test } from "vitest";
import { Stopwatch } from "../../src/base/clock.ts";
import { LIMITS } from "../../src/base/limits.ts";
import { putCertain, type SingleVerdict } from "../../src/pointer/certain.ts";
import type { Batch } from "../../src/pointer/port.ts";
import { type Fault, FaultyPointerStore } from "../support/faulty-pointer-store.ts";
import { ENTITY, World } from "./certain-world.ts";
import { explore } from "./explore.ts";

type Move = (world: World) => Promise<void>;

const moveEntity: Move = async (world) =>
  world.rival({ op: "put", key: ENTITY, expected: await world.version(ENTITY) });
const bumpEntity: Move = async (world) => world.rival({ op: "bump", key: ENTITY });

function faults(index: number): readonly (Fault | undefined)[] {
  return [
    undefined,
    { fault: "notSent" },
    { fault: "answerLost" },
    { fault: "late", lands: { beforeCall: index + 1 } },
    { fault: "late", lands: "release" },
    { fault: "duplicated", lands: { beforeCall: index + 1 } },
    { fault: "duplicated", lands: "release" },
    { fault: "refused" },
  ];
}

function contradictionOf(
  verdict: SingleVerdict,
  history: FaultyPointerStore["history"],
): string | undefined {
  const landings = history.flatMap((call) => call.landings);
  const applied = landings.filter(({ outcome }) => outcome === "committed").length;
  const writers = new Set(history.map((call) => (call.args[0] as Batch).writerId));
  if (writers.size !== 1) return "more than one writer id";
  if (applied > 1) return `applied ${applied} times`;
  if (verdict.verdict === "unknown") return undefined;
  const says = verdict.verdict === "committed" ? 1 : 0;
  return applied === says ? undefined : `${verdict.verdict}, applied ${applied} times`;
}

describe("putCertain", () => {
  test.each([
    ["nobody", []],
    ["a writer of the same key", [moveEntity]],
    ["two writers of the same key", [moveEntity, moveEntity]],
    ["a bump of the same key", [bumpEntity, moveEntity]],
  ])("tells the truth on every schedule of faults, against %s", async (_name, rival) => {
    const verdicts = new Set<string>();
    const { failure } = await explore(async (choices) => {
      const world = new World();
      await world.begin();
      const moves = [...rival];
      const faulty = new FaultyPointerStore(world.memory, (index) => {
        while (moves.length > 0 && index < 4 && choices.pick(2) === 1) {
          void moves.shift()?.(world);
        }
        return index < 3 ? choices.of(faults(index)) : undefined;
      });
      const op = { op: "put", key: ENTITY, expected: 1n } as const;
      const attempt = { stopwatch: new Stopwatch(world.clock) };
      const verdict = await putCertain(faulty, world.deps, attempt, op);
      await faulty.releaseAll();
      verdicts.add(verdict.verdict);
      return contradictionOf(verdict, faulty.history);
    });
    expect(failure).toBeUndefined();
    expect(verdicts).toContain("committed");
    if (rival.length > 0) expect(verdicts).toContain("conflict");
  });

  test("sends nothing past the deadline, and answers unknown", async () => {
    const world = new World();
    await world.begin();
    const attempt = { stopwatch: new Stopwatch(world.clock) };
    const silent = new FaultyPointerStore(world.memory, () => ({ fault: "notSent" }));
    const op = { op: "delete", key: ENTITY, expected: 1n } as const;
    expect(await putCertain(silent, world.deps, attempt, op)).toEqual({ verdict: "unknown" });
    expect(attempt.stopwatch.elapsedMs()).toBeGreaterThanOrEqual(LIMITS.attemptMs);
    const sends = silent.history.length;
    expect(await putCertain(silent, world.deps, attempt, op)).toEqual({ verdict: "unknown" });
    expect(silent.history).toHaveLength(sends);
  });

  test("a store that refuses everything is overloaded, well before the deadline", async () => {
    const world = new World();
    const attempt = { stopwatch: new Stopwatch(world.clock) };
    const busy = new FaultyPointerStore(world.memory, () => ({
      fault: "refused",
      retryAfterMs: 70,
    }));
    const op = { op: "put", key: ENTITY, expected: 0n } as const;
    const verdict = await putCertain(busy, world.deps, attempt, op);
    expect(verdict).toEqual({ verdict: "overloaded", retryAfterMs: 70 });
    expect(attempt.stopwatch.elapsedMs()).toBeLessThan(5_000);
    expect(attempt.stopwatch.elapsedMs()).toBeGreaterThanOrEqual(70);
  });
});
