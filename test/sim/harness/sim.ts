import { AsyncLocalStorage } from "node:async_hooks";
import { randomBelow, SeededPrng } from "../../../src/base/prng.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { Coverage, type Sites } from "./coverage.ts";
import { Trace } from "./trace.ts";

/** More steps than any seed takes: one that does runs in a circle. */
const MAX_STEPS = 2_000_000;

/** What is said of work that no operation is behind. */
const NO_OPERATION = "housekeeping";

/** A statement that a run has shown to be false. */
export class Violation extends Error {
  override readonly name = "Violation";
}

/**
 * One run: its seed decides the order of everything, the time that passes, every random choice and
 * every fault. Nothing in it may touch a real clock, a timer, a file or a socket.
 */
export class Sim {
  readonly seed: number;
  readonly prng: SeededPrng;
  readonly clock: VirtualClock = new VirtualClock();
  readonly trace: Trace = new Trace();
  readonly coverage: Coverage = new Coverage();
  readonly #operation = new AsyncLocalStorage<string>();
  #violation: unknown;
  #over = false;
  #steps = 0;

  constructor(seed: number) {
    this.seed = seed;
    this.prng = new SeededPrng(seed);
  }

  /** Randomness of its own for a part, so that what one part draws does not move another. */
  fork(): SeededPrng {
    return new SeededPrng(this.prng.uint32() + this.prng.uint32() * 2 ** 21);
  }

  chance(probability: number): boolean {
    return this.prng.float() < probability;
  }

  below(bound: number): number {
    return randomBelow(this.prng, bound);
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.below(choices.length)];
    if (choice === undefined) throw new Error("nothing to pick from");
    return choice;
  }

  /** Milliseconds between two bounds, every order of magnitude between them as likely. */
  spanMs(fromMs: number, toMs: number): number {
    return fromMs * (toMs / fromMs) ** this.prng.float();
  }

  /** Lets virtual time pass. In a run that has failed it never does. */
  async sleep(ms: number): Promise<void> {
    if (++this.#steps > MAX_STEPS) this.fail(new Violation("the run does not come to an end"));
    await this.clock.sleep(ms);
    if (this.#over) await never();
  }

  log(text: string): void {
    if (!this.#over) this.trace.add(this.clock.monotonicMs(), text);
  }

  /** Ends the run: the first violation counts. */
  fail(violation: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#violation = violation;
    const text = violation instanceof Error ? violation.message : String(violation);
    this.trace.add(this.clock.monotonicMs(), `VIOLATION ${text}`);
  }

  /** Ends the run where a statement does not hold. */
  must(holds: boolean, statement: () => string): void {
    if (!holds) this.fail(new Violation(statement()));
  }

  get violation(): unknown {
    return this.#violation;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Runs work beside everything else. What it throws ends the run. */
  spawn(work: () => Promise<unknown>): Promise<void> {
    return work().then(
      () => undefined,
      (error: unknown) => this.fail(error),
    );
  }

  /** Runs work in the name of an operation: the faults that it meets count as that operation's. */
  during<T>(operation: string, work: () => Promise<T>): Promise<T> {
    return this.#operation.run(operation, work);
  }

  get operation(): string {
    return this.#operation.getStore() ?? NO_OPERATION;
  }
}

/** Never settles: what waits for a process that has ended. */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** Something to simulate. */
export interface Suite {
  readonly name: string;
  /** The sites of faults and the kinds of each. */
  readonly sites: Sites;
  /** Every operation with the sites that it must be struck at. */
  readonly operations: Readonly<Record<string, readonly string[]>>;
  /** From so many seeds on a cell of operation, site and fault that is empty fails the run. */
  readonly fullSeeds: number;
  /** The work of one seed. What it answers checks the end, when nothing is under way any more. */
  readonly run: (sim: Sim) => Promise<() => Promise<void>>;
}

export interface SeedResult {
  readonly seed: number;
  readonly sim: Sim;
  readonly digest: string;
  readonly violation: unknown;
}

/** Runs one seed to its end: every sleeper woken, every request landed. */
export async function runSeed(suite: Suite, seed: number): Promise<SeedResult> {
  const sim = new Sim(seed);
  const ended: { verify?: () => Promise<void> } = {};
  void sim.spawn(async () => {
    ended.verify = await suite.run(sim);
  });
  await sim.clock.runUntilIdle();
  // Checks sleep too: a long scan of the engine does, so that others have their turn.
  if (!sim.over) await sim.clock.run(sim.spawn(ended.verify ?? stuck));
  return { seed, sim, digest: sim.trace.digest(), violation: sim.violation };
}

async function stuck(): Promise<void> {
  throw new Violation("the run stands still: nobody sleeps, and it is not done");
}
