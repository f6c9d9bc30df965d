import type { Merger, MergeSession, MergeSpec } from "../../../src/lsm/compaction/merger.ts";
import type { SortedTable, SortSpec } from "../../../src/lsm/compaction/sort-rows.ts";
import type { Fate } from "./fate.ts";

/** Where merges are computed: the thread ends with its process, whatever it is at. */
export class FatalMerger implements Merger {
  readonly width: number;
  readonly #merger: Merger;
  readonly #fate: Fate;

  constructor(merger: Merger, fate: Fate) {
    this.width = merger.width;
    this.#merger = merger;
    this.#fate = fate;
  }

  start(spec: MergeSpec): MergeSession {
    const session = this.#fate.meetNow(
      () => `${this.#fate.phase}: start a merge`,
      () => this.#merger.start(spec),
    );
    return {
      // By half: the thread has its work, and nobody will hear of it.
      step: (feed) =>
        this.#fate.meet(
          `${this.#fate.phase}: merge`,
          () => session.step(feed),
          async () => void session.step(feed),
        ),
      end: () => session.end(),
    };
  }

  sort(spec: SortSpec): Promise<SortedTable> {
    return this.#fate.meet(
      "ingest: sort",
      () => this.#merger.sort(spec),
      async () => void this.#merger.sort(spec),
    );
  }

  close(): Promise<void> {
    return this.#merger.close();
  }
}
