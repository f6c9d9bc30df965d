import { assert } from "../../base/assert.ts";
import type { Sequence } from "../format/entry.ts";
import type { WalBatch } from "../wal/port.ts";

/** What is held for those who follow; who lags further reads the log. */
const TAIL_BYTES = 4_194_304;

/** Subscribers, and how many operations the slowest of them has still to be handed. */
export interface FeedFigures {
  readonly subscribers: number;
  readonly behind: number;
}

/**
 * The latest durable batches, in memory, for subscribers who follow: none of them asks the store.
 * Without subscribers nothing is held. Writers never wait for a subscriber: what it has not
 * taken in time it finds in the log, or not at all.
 */
export class Feed {
  #tail: WalBatch[] = [];
  #tailBytes = 0;
  /** Of those who follow: what each is to be handed next. */
  readonly #due = new Set<() => Sequence>();
  readonly #waiting = new Set<() => void>();

  /** A follower reads from here on, until what is answered is called. */
  join(due: () => Sequence): () => void {
    const own = (): Sequence => due();
    this.#due.add(own);
    return () => {
      if (this.#due.delete(own) && this.#due.size === 0) this.#drop(this.#tail.length);
    };
  }

  /** @param durable the last sequence that they could have been handed. */
  figures(durable: Sequence): FeedFigures {
    const behind = [...this.#due].map((due) => durable + 1 - due());
    return { subscribers: behind.length, behind: Math.max(0, ...behind) };
  }

  /** These are durable. */
  push(batches: readonly WalBatch[]): void {
    if (this.#due.size === 0) return;
    for (const batch of batches) {
      const last = this.#tail.at(-1);
      const due = last === undefined ? batch.firstSequence : last.firstSequence + last.count;
      assert(batch.firstSequence === due, "what subscribers are handed has no gap");
      // What it lies in now is given back when it is flushed.
      this.#tail.push({ ...batch, payload: new Uint8Array(batch.payload) });
      this.#tailBytes += batch.payload.length;
    }
    let over = 0;
    let bytes = this.#tailBytes;
    for (; bytes > TAIL_BYTES; over++) bytes -= this.#tail[over]?.payload.length ?? 0;
    if (over > 0) this.#drop(over);
    this.wake();
  }

  /** The batches from that on which holds a sequence; undefined where that is not held any more. */
  from(sequence: Sequence): readonly WalBatch[] | undefined {
    const [first] = this.#tail;
    if (first === undefined || first.firstSequence > sequence) return undefined;
    const at = this.#tail.findIndex((batch) => batch.firstSequence + batch.count > sequence);
    return at < 0 ? undefined : this.#tail.slice(at);
  }

  /** Resolves when something may have changed. */
  changed(): Promise<void> {
    return new Promise((resolve) => void this.#waiting.add(resolve));
  }

  /** Any caller that waits has to look again. */
  wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }

  #drop(count: number): void {
    for (const { payload } of this.#tail.splice(0, count)) this.#tailBytes -= payload.length;
    assert(this.#tailBytes >= 0, "a batch that goes was counted when it came");
  }
}
