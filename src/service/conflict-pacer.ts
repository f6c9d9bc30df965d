import type { Clock } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";

/**
 * Losers that are let go with each commit that wins: enough that the next one is at work.
 */
const SHARE = 2;
/** Where no commit wins meanwhile, more are let go after so long, twice as many each time. */
const STEP_MS = 25;

/** The losers of one thing, and how many more are let go before one has to wait. */
interface Pacing {
  left: number;
  share: number;
  /** How often a commit has won, to see whether one did. */
  wins: number;
  readonly waiting: (() => void)[];
}

/**
 * Paces what a lost race sets off. A writer that is refused loads the table and tries again at
 * once, and of all that loaded the same head one wins: were they all told at the same time, each
 * commit would cost a load and a refusal for every writer. So a few are told at a time, first come
 * first served, as the commits go on; the others lose nothing by it, as they could not have won.
 *
 * No wait is long: without a winner, n losers are let go within `log2(n)` steps of 25 ms.
 */
export class ConflictPacer {
  readonly #clock: Clock;
  /** Of the things that lately had a loser. */
  readonly #pacings: Map<string, Pacing> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does `work` on a thing. Where it loses a race, that is told in its turn. */
  async paced<T>(key: string, work: () => Promise<T>): Promise<T> {
    try {
      const done = await work();
      // Else who has just won would be the first to know, and win again and again.
      if (this.#won(key)) await this.#clock.sleep(0);
      return done;
    } catch (error) {
      if (error instanceof FirnError && error.code === "REQUIREMENT_FAILED") {
        await this.#lost(key);
      }
      throw error;
    }
  }

  /** @returns whether others were let go. */
  #won(key: string): boolean {
    const pacing = this.#pacings.get(key);
    if (pacing === undefined) return false;
    pacing.wins++;
    pacing.share = SHARE;
    return release(pacing);
  }

  #lost(key: string): Promise<void> | undefined {
    let pacing = this.#pacings.get(key);
    if (pacing === undefined) {
      pacing = { left: SHARE, share: SHARE, wins: 0, waiting: [] };
      this.#pacings.set(key, pacing);
      void this.#step(key, pacing);
    }
    if (pacing.left > 0) {
      pacing.left--;
      return undefined;
    }
    const { waiting } = pacing;
    return new Promise((resolve) => waiting.push(resolve));
  }

  /** Lets losers go that no winner does, and forgets a thing that has had none for a step. */
  async #step(key: string, pacing: Pacing): Promise<void> {
    for (;;) {
      const { wins } = pacing;
      await this.#clock.sleep(STEP_MS);
      if (pacing.left === pacing.share && pacing.waiting.length === 0) break;
      if (pacing.wins !== wins) continue;
      pacing.share *= 2;
      release(pacing);
    }
    this.#pacings.delete(key);
  }
}

/** Lets go of a share of those that wait; what is left of it is for those who come. */
function release(pacing: Pacing): boolean {
  const gone = pacing.waiting.splice(0, pacing.share);
  pacing.left = pacing.share - gone.length;
  for (const go of gone) go();
  return gone.length > 0;
}
