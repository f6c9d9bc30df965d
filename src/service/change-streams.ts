import type { OnDefect } from "../base/background.ts";
import type { Clock } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import { LIMITS } from "../base/limits.ts";
import { ObservedPointerStore } from "../pointer/observed.ts";
import type { PointerStore } from "../pointer/port.ts";
import type { Actor } from "./actor.ts";
import type { ChangeInfo, ChangePage, EntityHistory } from "./entity-history.ts";
import { SERVICE_LIMITS } from "./limits.ts";

/** Where a stream begins: as `EntityHistory.changes`. */
export interface StreamStart {
  readonly token?: string;
  readonly sinceMs?: number;
}

/** What a stream delivers next. Without changes it says only that the stream lives. */
export interface StreamedChanges {
  readonly changes: readonly ChangeInfo[];
  /** Where a stream that has delivered these goes on. */
  readonly token: string;
}

export interface ChangeStream {
  /** Where the stream begins: resuming here misses nothing. */
  readonly token: string;
  /** At least one page every `changeBeatMs`; ends when the stream is ended. */
  readonly pages: AsyncIterable<StreamedChanges>;
}

interface Parts {
  readonly clock: Clock;
  readonly onDefect?: OnDefect | undefined;
}

type Feed = Pick<EntityHistory, "changes" | "startOf">;

/** Share of its time that the tail may spend reading: a busy feed is read less often. */
const READ_SHARE = 0.1;

/**
 * Change streams of one account. A stream first reads the feed by itself, then follows the tail:
 * one reader for all streams of the node, which reads on when this node has committed something,
 * and every `changePollMs` for what other nodes have.
 *
 * A stream that leaves its own reads takes the tail's place as it was before its last read began.
 * That read was later, so it has delivered whatever the tail had by then: nothing is missed, and
 * what both deliver is told apart by its id.
 *
 * Memory: the tail keeps `changeTailKept` changes. A stream that reads more slowly falls behind
 * them, and reads the feed by itself again; it holds one page.
 */
export class ChangeStreams {
  /** What the catalog is to write through: what this node commits is told at once. */
  readonly pointers: PointerStore;
  readonly #parts: Parts;
  readonly #tails = new Set<Tail>();
  readonly #feed: () => Feed;
  #tail: Tail | undefined;

  /** `feed`: what is followed; asked for when there is something to read. */
  constructor(pointers: PointerStore, parts: Parts, feed: () => Feed) {
    this.#parts = parts;
    this.#feed = feed;
    this.pointers = new ObservedPointerStore(pointers, () => this.#tail?.wake());
  }

  /**
   * Follows the changes. The first read is done when it resolves.
   *
   * @throws FirnError as `EntityHistory.changes`, also while it is iterated.
   */
  async follow(actor: Actor, start: StreamStart, ended: AbortSignal): Promise<ChangeStream> {
    const token = this.#feed().startOf(actor, start);
    const first = await this.#read(actor, token);
    return { token, pages: this.#follow(actor, first, ended) };
  }

  #read(actor: Actor, token: string): Promise<ChangePage> {
    return this.#feed().changes(actor, { token, limit: LIMITS.pageSize });
  }

  async *#follow(
    actor: Actor,
    first: ChangePage,
    ended: AbortSignal,
  ): AsyncGenerator<StreamedChanges> {
    let page = first;
    while (!ended.aborted) {
      yield page;
      if (page.hasMore) {
        page = await this.#read(actor, page.token);
        continue;
      }
      const tail = this.#enter(actor, page.token);
      try {
        const { tip } = tail;
        const known = new Set(page.changes.map(({ id }) => id));
        if (tip !== page.token) {
          page = await this.#read(actor, page.token);
          if (page.hasMore) continue;
          for (const { id } of page.changes) known.add(id);
          yield { changes: page.changes, token: tip };
        }
        const left = yield* this.#followTail(tail, tip, known, ended);
        if (left === undefined) return;
        page = await this.#read(actor, left);
      } finally {
        this.#leave(tail);
      }
    }
  }

  /** @returns where to read on by itself; undefined: the stream is over. */
  async *#followTail(
    tail: Tail,
    from: string,
    known: ReadonlySet<string>,
    ended: AbortSignal,
  ): AsyncGenerator<StreamedChanges, string | undefined> {
    let at = from;
    while (!ended.aborted && !tail.isOver) {
      const step = tail.after(at);
      if (step !== undefined) {
        at = step.token;
        const changes = step.changes.filter(({ id }) => !known.has(id));
        if (changes.length > 0) yield { changes, token: at };
      } else if (at !== tail.tip) return at;
      else if (!(await tail.news(SERVICE_LIMITS.changeBeatMs, ended))) {
        yield { changes: [], token: at };
      }
    }
    return undefined;
  }

  #enter(actor: Actor, token: string): Tail {
    let tail = this.#tail;
    if (tail === undefined || tail.isOver) {
      tail = new Tail(this.#parts, (at) => this.#read(actor, at), token);
      this.#tail = tail;
      this.#tails.add(tail);
    }
    tail.followers++;
    return tail;
  }

  #leave(tail: Tail): void {
    tail.followers--;
    if (tail.followers > 0) return;
    tail.stop();
    if (this.#tail === tail) this.#tail = undefined;
    void tail.done.then(() => this.#tails.delete(tail));
  }

  /** Ends every stream, and resolves when nothing is read any more. */
  async close(): Promise<void> {
    for (const tail of this.#tails) tail.stop();
    await Promise.all([...this.#tails].map(({ done }) => done));
  }
}

/** The newest end of the feed, read once for all streams that have reached it. */
class Tail {
  followers = 0;
  /** Resolves when it reads no more. */
  readonly done: Promise<void>;
  readonly #parts: Parts;
  readonly #read: (token: string) => Promise<ChangePage>;
  readonly #ended = new AbortController();
  /** By the token before it. The oldest first. */
  readonly #steps = new Map<string, StreamedChanges>();
  #kept = 0;
  /** Ids that were delivered: the feed repeats a minute to which something was added. */
  readonly #seen = new Set<string>();
  readonly #waiting = new Set<AbortController>();
  #tip: string;
  #isAwake = true;
  #sleep: AbortController | undefined;

  constructor(parts: Parts, read: (token: string) => Promise<ChangePage>, tip: string) {
    this.#parts = parts;
    this.#read = read;
    this.#tip = tip;
    this.done = this.#run();
  }

  get tip(): string {
    return this.#tip;
  }

  get isOver(): boolean {
    return this.#ended.signal.aborted;
  }

  /** What came next behind a token; undefined at the tip, and where that is kept no more. */
  after(token: string): StreamedChanges | undefined {
    return this.#steps.get(token);
  }

  wake(): void {
    this.#isAwake = true;
    this.#sleep?.abort();
  }

  stop(): void {
    this.#ended.abort();
    this.#sleep?.abort();
    this.#tell();
  }

  /** Whether there was something new before so many milliseconds were over. */
  async news(ms: number, ended: AbortSignal): Promise<boolean> {
    const waiting = new AbortController();
    const wake = (): void => waiting.abort();
    ended.addEventListener("abort", wake);
    this.#waiting.add(waiting);
    try {
      await this.#parts.clock.sleep(ms, waiting.signal);
      return waiting.signal.aborted;
    } finally {
      ended.removeEventListener("abort", wake);
      this.#waiting.delete(waiting);
    }
  }

  #tell(): void {
    for (const waiting of this.#waiting) waiting.abort();
  }

  async #run(): Promise<void> {
    const { clock, onDefect } = this.#parts;
    while (!this.isOver) {
      const beganMs = clock.monotonicMs();
      this.#isAwake = false;
      try {
        if (await this.#step()) continue;
      } catch (error) {
        if (!willPass(error)) {
          this.stop();
          // A machine that slept for longer than the history is kept is not a defect.
          if (!(error instanceof FirnError && error.kind === "NotFound")) onDefect?.(error);
        }
      }
      if (this.isOver) return;
      const tookMs = clock.monotonicMs() - beganMs;
      const gapMs = Math.max(SERVICE_LIMITS.changeGapMs, tookMs / READ_SHARE);
      await clock.sleep(Math.min(gapMs, SERVICE_LIMITS.changePollMs), this.#ended.signal);
      if (!this.#isAwake) await this.#sleepFor(SERVICE_LIMITS.changePollMs);
    }
  }

  async #sleepFor(ms: number): Promise<void> {
    if (this.isOver) return;
    this.#sleep = new AbortController();
    await this.#parts.clock.sleep(ms, this.#sleep.signal);
    this.#sleep = undefined;
  }

  /** Reads on from the tip. @returns whether there is more at once. */
  async #step(): Promise<boolean> {
    const before = this.#tip;
    const { changes, token, hasMore } = await this.#read(before);
    const fresh = changes.filter(({ id }) => !this.#seen.has(id));
    if (token === before) return false;
    for (const { id } of fresh) this.#seen.add(id);
    dropOldest(this.#seen, SERVICE_LIMITS.changeIdsKept);
    this.#steps.set(before, { changes: fresh, token });
    this.#kept += 1 + fresh.length;
    for (const [from, step] of this.#steps) {
      if (this.#kept <= SERVICE_LIMITS.changeTailKept) break;
      this.#steps.delete(from);
      this.#kept -= 1 + step.changes.length;
    }
    this.#tip = token;
    this.#tell();
    return hasMore;
  }
}

function dropOldest(seen: Set<string>, most: number): void {
  for (const id of seen) {
    if (seen.size <= most) return;
    seen.delete(id);
  }
}

/** Whether the stores may answer later. */
function willPass(error: unknown): boolean {
  return (
    error instanceof FirnError &&
    (error.kind === "Unavailable" || error.kind === "Overloaded" || error.kind === "Unknown")
  );
}
