import { assert } from "../../base/assert.ts";
import type { Clock } from "../../base/clock.ts";
import { MergeThread } from "./merge-thread.ts";
import type { Merger, MergeSession, MergeSpec } from "./merger.ts";
import type { SortedTable, SortSpec } from "./sort-rows.ts";

/** How many threads there may be, and for how long one stays that has nothing to do. */
export interface ThreadOptions {
  readonly threads?: number;
  /** Without one they stay until the merger is closed. */
  readonly clock?: Clock;
  readonly idleMs?: number;
}

/** Compactions come in bursts; a thread takes some ten megabytes, and as many milliseconds. */
const IDLE_MS = 30_000;

/**
 * Threads that compute merges. One is started when a merge finds none at rest, up to so many; then
 * the least busy takes it, and keeps it to its end. One that dies fails its own merges alone; the
 * next merge starts another in its place.
 */
export class ThreadMerger implements Merger {
  readonly width: number;
  readonly #clock: Clock | undefined;
  readonly #idleMs: number;
  readonly #threads = new Set<MergeThread>();
  /** Threads at rest; ending it calls off their end. */
  readonly #resting = new Map<MergeThread, AbortController>();

  constructor({ threads = 1, clock, idleMs = IDLE_MS }: ThreadOptions = {}) {
    assert(Number.isSafeInteger(threads) && threads > 0, "merges need a thread");
    this.width = threads;
    this.#clock = clock;
    this.#idleMs = idleMs;
  }

  /** Threads that there are now. */
  get threads(): number {
    return this.#threads.size;
  }

  start(spec: MergeSpec): MergeSession {
    const thread = this.#leastBusy();
    this.#wake(thread);
    return thread.start(spec, () => this.#rest(thread));
  }

  sort(spec: SortSpec): Promise<SortedTable> {
    const thread = this.#leastBusy();
    this.#wake(thread);
    return thread.sort(spec, () => this.#rest(thread));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => this.#end(thread, "it was closed")));
  }

  #leastBusy(): MergeThread {
    let best: MergeThread | undefined;
    for (const thread of this.#threads) {
      if (best === undefined || thread.jobs < best.jobs) best = thread;
    }
    if (best !== undefined && (best.jobs === 0 || this.#threads.size >= this.width)) return best;
    const started = new MergeThread((thread) => this.#forget(thread));
    this.#threads.add(started);
    return started;
  }

  /** One that does nothing for a while ends. */
  #rest(thread: MergeThread): void {
    if (this.#clock === undefined || thread.jobs > 0 || !this.#threads.has(thread)) return;
    const rest = new AbortController();
    this.#resting.set(thread, rest);
    void this.#clock.sleep(this.#idleMs, rest.signal).then(async () => {
      if (!rest.signal.aborted) await this.#end(thread, "it had nothing to do");
    });
  }

  #wake(thread: MergeThread): void {
    this.#resting.get(thread)?.abort();
    this.#resting.delete(thread);
  }

  #end(thread: MergeThread, why: string): Promise<void> {
    this.#forget(thread);
    return thread.end(why);
  }

  #forget(thread: MergeThread): void {
    this.#threads.delete(thread);
    this.#wake(thread);
  }
}
