import type {
  MergeFeed,
  Merger,
  MergeSession,
  MergeSpec,
  MergeStep,
} from "../../../src/lsm/compaction/merger.ts";
import type { SortedTable, SortSpec } from "../../../src/lsm/compaction/sort-rows.ts";
import { InlineMerger } from "../../support/inline-merger.ts";
import type { Host } from "../harness/host.ts";
import { never, type Sim } from "../harness/sim.ts";

/** What a compaction of which subranges are under way may meet with. */
export const SUBRANGE_FAULTS = ["crash", "stands still"] as const;

const OPERATION = "housekeeping";
export const SUBRANGES = "subranges";

/** How often a step of a subrange, in foul weather, is the last one of its process, or waits. */
const FOUL = 0.004;

/**
 * The merging threads of a process: each step takes its time, so that steps of subranges come in
 * any order, and the process may end, or stand still, between any two of them.
 */
export class SimMerger implements Merger {
  readonly width: number;
  readonly #sim: Sim;
  readonly #host: Host;
  readonly #inner: InlineMerger;
  readonly #foul: boolean;
  #open = 0;

  /** @param foul whether anything may go wrong. */
  constructor(sim: Sim, host: Host, foul: boolean) {
    this.#sim = sim;
    this.#host = host;
    this.#foul = foul;
    this.#inner = new InlineMerger(host.clock);
    this.width = sim.pick([1, 2, 4]);
  }

  start(spec: MergeSpec): MergeSession {
    const session = this.#inner.start(spec);
    this.#open++;
    return {
      step: (feed) => this.#step(session, feed),
      end: () => {
        this.#open--;
        session.end();
      },
    };
  }

  async sort(spec: SortSpec): Promise<SortedTable> {
    const sim = this.#sim;
    await sim.sleep(sim.spanMs(0.05, 20));
    await this.#host.thawed();
    return this.#host.alive ? await this.#inner.sort(spec) : await never();
  }

  async close(): Promise<void> {}

  async #step(session: MergeSession, feed: MergeFeed): Promise<MergeStep> {
    const sim = this.#sim;
    await sim.sleep(sim.spanMs(0.05, 20));
    if (this.#open > 1) this.#disturb();
    await this.#host.thawed();
    return this.#host.alive ? await session.step(feed) : await never();
  }

  /** What is also done to the whole machine, at a moment that would seldom be met. */
  #disturb(): void {
    const sim = this.#sim;
    sim.coverage.call(OPERATION, SUBRANGES);
    if (!this.#foul || !this.#host.alive || !sim.chance(FOUL)) return;
    const fault = sim.pick(SUBRANGE_FAULTS);
    sim.coverage.inject(OPERATION, SUBRANGES, fault);
    if (fault === "crash") this.#host.crash();
    else this.#host.freeze(sim.spanMs(10, 10_000), false);
  }
}
