import { assert } from "../base/assert.ts";
import type { Stopwatch } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import { LIMITS } from "../base/limits.ts";
import { settleAll } from "../base/settle-all.ts";
import { putCertain } from "../pointer/certain.ts";
import type { Item, Live, PointerOp } from "../pointer/port.ts";
import { never } from "./batch.ts";
import { encodeSummary } from "./codec/summary.ts";
import type { CatalogContext } from "./context.ts";
import { summaryOfItem } from "./entities.ts";
import { storeOverloaded } from "./errors.ts";
import type { Relation } from "./model.ts";
import { nameSummary } from "./summaries.ts";

/*
 * Of two relations that come at once, one location inside the other, only one may win. The batch of
 * the inner one proves that no directory above it is claimed. No batch can prove that nothing is
 * claimed *below* a location, so a relation whose location a client chose holds it first and looks
 * afterwards: it writes its claim's key, then lists what is below, and its batch makes the hold a
 * claim, at the version that it wrote.
 *
 * SAFETY. An inner batch before the hold leaves a claim that the list shows. One after the hold
 * finds the key alive and fails.
 *
 * PROGRESS. Any process that finds another's hold below its location, or at it, lets go of all that
 * it holds and comes back when the other is done: it looks before it holds again. Any process that
 * finds one above keeps its own and tries again. So of all racers the innermost waits only for
 * holds that are let go of, each at most once, and its own is what makes the others wait: it wins,
 * or another writer has.
 *
 * CRASH. A hold ends by itself. Then any writer may delete it, at its version: should its holder
 * still be at work after all, its batch fails.
 *
 * Within a transaction all locations are held before anything is looked for: of two transactions
 * that are in each other's way, the one that looks last sees the other's holds.
 */

/** What is known of a hold or claim once it was looked at. */
type Standing = "claimed" | "pending" | "ended";

/** The locations that one attempt holds. */
export class Holds {
  readonly #context: CatalogContext;
  readonly #attempt: { readonly stopwatch: Stopwatch };
  readonly #isDry: boolean;
  readonly #held = new Map<string, Live>();

  /** `isDry`: nothing is written, so nothing is held. */
  constructor(context: CatalogContext, stopwatch: Stopwatch, isDry: boolean) {
    this.#context = context;
    this.#attempt = { stopwatch };
    this.#isDry = isDry;
  }

  has(key: string): boolean {
    return this.#held.has(key);
  }

  /**
   * Holds the location of a relation. One write, where `known` says what stands there; a dry run
   * reads instead.
   *
   * @returns what its claim is to be put over: the hold, or what another has there.
   * @throws FirnError `Overloaded`, `Unavailable`: what may be held all the same ends by itself.
   */
  async take(key: string, relation: Relation, known?: Item): Promise<Item> {
    const { pointers, clock } = this.#context;
    const own = this.#held.get(key);
    if (own !== undefined) return own;
    let found = known ?? (this.#isDry ? await pointers.get(key) : never(key));
    const heldUntilMs = clock.nowMs() + LIMITS.attemptMs;
    const summary = encodeSummary({ ...nameSummary(relation), heldUntilMs });
    while (!this.#isDry && !(found.state === "live" && this.#standing(found) !== "ended")) {
      const op = { op: "put", key, expected: found.version, summary } as const;
      const verdict = await putCertain(pointers, this.#context, this.#attempt, op);
      if (verdict.verdict === "overloaded") throw storeOverloaded(verdict.retryAfterMs);
      if (verdict.verdict === "unknown") {
        const why = "location could not be held";
        throw new FirnError("Unavailable", "STORE_UNAVAILABLE", why);
      }
      if (verdict.verdict === "committed") {
        const held = {
          state: "live",
          key,
          version: verdict.version,
          writerId: "",
          summary,
        } as const;
        assert(!this.#isDry, "a dry run holds nothing");
        this.#held.set(key, held);
        return held;
      }
      found = verdict.found;
    }
    return found;
  }

  /** Forgets holds that ended and that another writer deleted. One read, where there are any. */
  async recheck(): Promise<void> {
    const held = [...this.#held.values()];
    if (held.length === 0) return;
    const found = await this.#context.pointers.getMany(held.map(({ key }) => key));
    assert(found.length === held.length, "a read answers every key");
    for (const [i, { key, version }] of held.entries()) {
      if (found[i]?.version !== version) this.#held.delete(key);
    }
  }

  /** A batch was committed: what it wrote is no longer a hold. */
  spent(ops: readonly PointerOp[]): void {
    for (const { key } of ops) this.#held.delete(key);
  }

  /** Lets go of everything. What cannot be deleted now ends by itself. */
  async release(): Promise<void> {
    const held = [...this.#held.values()];
    this.#held.clear();
    await settleAll(held.map((item) => this.#end(item)));
  }

  /** What another's claim or hold is; a hold that has ended is deleted. */
  async judge(found: Live): Promise<Standing> {
    const standing = this.#standing(found);
    if (standing === "ended") await this.#end(found);
    return standing;
  }

  #standing(found: Live): Standing {
    const { heldUntilMs } = summaryOfItem(found);
    if (heldUntilMs === undefined) return "claimed";
    return heldUntilMs > this.#context.clock.nowMs() ? "pending" : "ended";
  }

  async #end({ key, version }: Live): Promise<void> {
    assert(!this.#held.has(key), "a hold is ended once its owner counts on it no more");
    const op = { op: "delete", key, expected: version } as const;
    try {
      await putCertain(this.#context.pointers, this.#context, this.#attempt, op);
    } catch (error) {
      if (!(error instanceof FirnError)) throw error;
    }
  }
}
