import { afterAll, describe, expect, test } from "vitest";
import { Stopwatch } from "../../src/base/clock.ts";
import { type Attempt, commitCertain, type Verdict } from "../../src/pointer/certain.ts";
import type { Batch, CommitOutcome, PointerStore } from "../../src/pointer/port.ts";
import { type Fault, FaultyPointerStore } from "../support/faulty-pointer-store.ts";
import {
  type CommitFunction,
  contradiction,
  RECEIPT,
  runAttempt,
  timesApplied,
  World,
} from "./certain-world.ts";
import { type Choices, explore } from "./explore.ts";

/** Lets the waiting requests through one by one, in every order. */
class Gate {
  readonly #waiting: (() => void)[] = [];

  pass(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Opens until `work` settles. All waiting requests have come when the event loop turns. */
  async run(choices: Choices, work: Promise<unknown>): Promise<void> {
    let settled = false;
    void work.finally(() => {
      settled = true;
    });
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (settled) return;
      this.#waiting.splice(choices.pick(this.#waiting.length), 1)[0]?.();
    }
  }
}

function gated(store: PointerStore, gate: Gate): PointerStore {
  return {
    get: (key) => store.get(key),
    getMany: (keys) => store.getMany(keys),
    list: (directory, options) => store.list(directory, options),
    sweep: (...of) => store.sweep(...of),
    forget: (key, version) => store.forget(key, version),
    commit: async (batch: Batch): Promise<CommitOutcome> => {
      await gate.pass();
      return store.commit(batch);
    },
  };
}

/** At most `budget` faults among the first `calls` commits, whoever makes them. */
function scriptOf(
  choices: Choices,
  budget: number,
  calls: number,
): (index: number) => Fault | undefined {
  let left = budget;
  return (index) => {
    if (left === 0 || index >= calls) return undefined;
    const fault = choices.of<Fault | undefined>([
      undefined,
      { fault: "notSent" },
      { fault: "answerLost" },
      { fault: "late", lands: { beforeCall: index + 1 } },
      { fault: "late", lands: { beforeCall: index + 2 } },
      { fault: "late", lands: "release" },
      { fault: "duplicated", lands: "release" },
    ]);
    if (fault !== undefined) left--;
    return fault;
  };
}

/** Two attempts under one client key: a client that lost patience and sent its request again. */
async function runRace(
  choices: Choices,
  commit: CommitFunction,
  budget: number,
): Promise<string | undefined> {
  const world = new World();
  await world.begin();
  const gate = new Gate();
  const faulty = new FaultyPointerStore(world.memory, scriptOf(choices, budget, 6));
  const store = gated(faulty, gate);
  const racers = await Promise.all(
    [0, 1].map(async () => {
      const attempt: Attempt = { ...world.attempt(), stopwatch: new Stopwatch(world.clock) };
      return { attempt, done: runAttempt(world, store, commit, attempt, 2) };
    }),
  );
  const work = Promise.all(racers.map(({ done }) => done));
  await gate.run(choices, work);
  const verdicts = await work;
  await faulty.releaseAll();
  const applied = racers.map(({ attempt }) => timesApplied(faulty.history, attempt.writerId));
  if (applied.reduce((sum, times) => sum + times, 0) > 1) return "both racers were applied";
  const receipt = await world.memory.get(RECEIPT);
  for (const [i, { attempt }] of racers.entries()) {
    const verdict = verdicts[i] as Verdict;
    const wrong = contradiction(verdict, attempt, attempt.stopwatch.elapsedMs(), faulty.history);
    if (wrong !== undefined) return wrong;
    if (verdict.verdict === "replayed" && verdict.receipt.writerId !== receipt.writerId) {
      return "replayed a receipt that is not there";
    }
  }
  return undefined;
}

describe("two attempts under one receipt key", () => {
  let races = 0;
  afterAll(() => console.log(`${races} races of two attempts explored`));

  test("at most one commits and both learn it, in any order, with any three faults", async () => {
    const { runs, failure } = await explore((choices) => runRace(choices, commitCertain, 3));
    races += runs;
    expect(failure).toBeUndefined();
    expect(runs).toBeGreaterThan(500);
  });
});
