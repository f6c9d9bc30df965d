import { randomBelow, SeededPrng } from "../../../src/base/prng.ts";
import { type Case, casesOf } from "./cases.ts";
import { writeDirectory } from "./directory.ts";
import { Judge, type Outcome } from "./judge.ts";

/** What a run came to. */
export interface Damages {
  readonly judged: number;
  readonly all: number;
  readonly outcomes: ReadonlyMap<Outcome, number>;
  /** Cases that were read as they must not be, and why. */
  readonly wrong: readonly string[];
}

/**
 * Damages a directory in every way once, or in so many of them, and reads it each time. Half of the
 * seeds end with an owner that writes, half with one that has only taken over.
 */
export async function runDamages(
  seed: number,
  most: number,
  wanted: (name: string) => boolean = () => true,
): Promise<Damages> {
  const prng = new SeededPrng(seed);
  const written = await writeDirectory(randomBelow(prng, 2) === 0);
  // Made twice, one after the other: together, thousands of damaged files are 200 MB.
  const cases = function* (): Generator<Case> {
    for (const one of casesOf(written.files, new SeededPrng(seed))) if (wanted(one.name)) yield one;
  };
  let all = 0;
  for (const _ of cases()) all++;
  const judge = new Judge(written);
  const outcomes = new Map<Outcome, number>();
  const wrong: string[] = [];
  const chosen = sampleOf(all, most, prng);
  let index = 0;
  try {
    for (const damage of cases()) {
      if (!chosen.has(index++)) continue;
      try {
        const outcome = await judge.judge(damage);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      } catch (error) {
        wrong.push(`${damage.name}: ${error instanceof Error ? error.stack : String(error)}`);
      }
    }
  } finally {
    judge.end();
  }
  return { judged: chosen.size, all, outcomes, wrong };
}

/** So many indices below `all`, each as likely as the others. */
function sampleOf(all: number, most: number, prng: SeededPrng): ReadonlySet<number> {
  const chosen = new Set<number>();
  for (let index = 0; index < all; index++) {
    if (randomBelow(prng, all - index) < most - chosen.size) chosen.add(index);
  }
  return chosen;
}
