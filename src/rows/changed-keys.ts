import { binaryText } from "../base/bytes.ts";
import type { Engine, WriteOp } from "../lsm/index.ts";

/** More would cost more than a look at all. */
const MOST_KEYS = 100_000;

/** Keys in [from, to). */
export interface Stretch {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
}

/**
 * Which keys of a stretch are written from some sequence on, as the engine's change feed tells.
 * What it does not tell one by one (a range that is deleted, rows that are loaded as tables, a log
 * that has gone) makes an end of it: then nothing is known.
 */
export class ChangedKeys {
  readonly #stretch: Stretch;
  readonly #subscription: ReturnType<Engine["subscribe"]>;
  #keys = new Map<string, Uint8Array>();
  #isKnown = true;
  /** All up to here was looked at. */
  #through: number;
  #waiting: (() => void)[] = [];

  /** @param since a sequence that is durable: what comes after it is noted. */
  constructor(engine: Pick<Engine, "subscribe">, stretch: Stretch, since: number) {
    this.#stretch = stretch;
    this.#through = since;
    this.#subscription = engine.subscribe(since + 1);
    void this.#follow();
  }

  /** The keys that were written up to a durable sequence; undefined where they are not known. */
  async until(sequence: number): Promise<readonly Uint8Array[] | undefined> {
    while (this.#isKnown && this.#through < sequence) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return this.#isKnown ? [...this.#keys.values()] : undefined;
  }

  close(): void {
    this.#subscription.close();
    this.#end();
  }

  async #follow(): Promise<void> {
    try {
      for await (const batches of this.#subscription) {
        for (const { ops, lastSequence } of batches) {
          for (const op of ops) this.#take(op);
          this.#through = lastSequence;
        }
        if (!this.#isKnown || this.#keys.size > MOST_KEYS) break;
        this.#wake();
      }
    } catch {
      // Who asks looks at all rows instead.
    }
    this.#end();
  }

  #take(op: WriteOp): void {
    const { from, to } = this.#stretch;
    if (op.op === "deleteRange") {
      const isBelow = op.to.length > 0 && Buffer.compare(op.to, from) <= 0;
      if (!isBelow && Buffer.compare(op.from, to) < 0) this.#isKnown = false;
      return;
    }
    const { key } = op;
    if (Buffer.compare(key, from) < 0 || Buffer.compare(key, to) >= 0) return;
    // A copy: it may be a part of a whole group of the log.
    this.#keys.set(binaryText(key), new Uint8Array(key));
  }

  #end(): void {
    this.#isKnown = false;
    this.#keys = new Map();
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
