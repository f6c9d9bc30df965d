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
  const all = [...casesOf(written.files, prng)].filter(({ name }) => wanted(name));
  const judge = new Judge(written);
  const outcomes = new Map<Outcome, number>();
  const wrong: string[] = [];
  const chosen = sampleOf(all, most, prng);
  try {
    for (const damage of chosen) {
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
  return { judged: chosen.length, all: all.length, outcomes, wrong };
}

/** So many, each as likely as the others, in their order. */
function sampleOf(all: readonly Case[], most: number, prng: SeededPrng): readonly Case[] {
  let left = Math.min(most, all.length);
  return all.filter((_, index) => {
    if (randomBelow(prng, all.length - index) >= left) return false;
    left--;
    return true;
  });
}
