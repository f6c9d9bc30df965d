import { assert } from "../../base/assert.ts";
import { giveBack } from "../../base/bytes.ts";
import type { SstMeta } from "../format/sst-meta.ts";

/** The file of one table on its way to the store, piece by piece. */
export class TableSink {
  readonly #chunks: Uint8Array[] = [];
  #queuedBytes = 0;
  #state: "open" | "ended" | "failed" = "open";
  #error: unknown;
  #more: () => void = () => undefined;
  #taken: () => void = () => undefined;
  readonly #stored: Promise<void>;
  meta: SstMeta | undefined;

  /** @param store begins to read the source at once. */
  constructor(store: (source: AsyncIterable<Uint8Array>) => Promise<unknown>) {
    this.#stored = store(this.#source()).then(() => undefined);
    // Any caller that waits for `stored` or `room` learns of it; no process may before it happens.
    this.#stored.catch(() => this.#taken());
  }

  /** Settles when the store has all of it, or has failed. */
  get stored(): Promise<void> {
    return this.#stored;
  }

  /** @param bytes the sink's own from now on, with all that lies in the same memory. */
  push(bytes: Uint8Array): void {
    assert(this.#state !== "ended", "a table that has ended takes no bytes");
    this.#chunks.push(bytes);
    this.#queuedBytes += bytes.length;
    this.#more();
  }

  end(meta: SstMeta): void {
    assert(this.meta === undefined, "a table ends once");
    this.meta = meta;
    this.#state = "ended";
    this.#more();
  }

  /** Nothing of it becomes visible, unless all of it is. */
  fail(error: unknown): void {
    if (this.#state !== "open") return;
    this.#state = "failed";
    this.#error = error;
    this.#more();
  }

  /** Resolves when at most so many bytes wait for the store. @throws what the store throws. */
  async room(bytes: number): Promise<void> {
    while (this.#queuedBytes > bytes) {
      const taken = new Promise<void>((resolve) => {
        this.#taken = resolve;
      });
      await Promise.race([taken, this.#stored]);
    }
  }

  async *#source(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        const { length } = chunk;
        yield* pieces(chunk);
        giveBack(chunk);
        this.#queuedBytes -= length;
        assert(this.#queuedBytes >= 0, "what leaves the queue was counted when it came");
        this.#taken();
      } else if (this.#state === "failed") throw this.#error;
      else if (this.#state === "ended") return;
      else {
        await new Promise<void>((resolve) => {
          this.#more = resolve;
        });
      }
    }
  }
}

/** A store may hash what it is given on the calling thread: so half a millisecond's worth. */
const PIECE_BYTES = 1_048_576;

function* pieces(chunk: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
    yield chunk.subarray(at, at + PIECE_BYTES);
  }
}
