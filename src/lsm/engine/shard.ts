import { type Clock, Stopwatch } from "../../base/clock.ts";
import type { Maybe } from "../maybe.ts";
import type { NodeIdentity, TakeOver } from "../ownership/owner.ts";
import type { Engine } from "./engine.ts";

/**
 * Between two tries to open it again: any caller that asks meanwhile hears what came of the last.
 */
const RETRY_MS = 1_000;

export interface ShardOptions {
  readonly clock: Clock;
  /** This process, as the shard's owner. */
  readonly node: NodeIdentity;
  readonly takeOver: TakeOver;
  /** Opens the engine over the files of the shard, wherever they lie. */
  readonly open: (node: NodeIdentity, takeOver: TakeOver) => Promise<Engine>;
  /** Throws where an engine that is opened again would fail at once, as on a disk that is full. */
  readonly assertOpenable?: () => Promise<void>;
}

/**
 * The engine of a shard, opened again when it ended with a failure: a full disk that has room
 * again, or a bucket that answers again, needs no restart. Any caller that asks for it opens it;
 * one that another process took over is left to that process.
 */
export class Shard {
  readonly #options: ShardOptions;
  /** Where others may ask for this process, once it is known. */
  #url: string;
  #engine: Engine;
  #opening: Promise<Engine> | undefined;
  #last: { readonly began: Stopwatch; readonly error?: unknown } | undefined;
  #closed = false;

  private constructor(options: ShardOptions, engine: Engine) {
    this.#options = options;
    this.#url = options.node.url;
    this.#engine = engine;
  }

  /**
   * @throws FirnError `Unavailable`, code `LSM_OWNED`, naming the owner; `Corrupt`, naming file
   *   and offset; what the stores throw.
   */
  static async open(options: ShardOptions): Promise<Shard> {
    const { node: self, takeOver, open } = options;
    // An engine of our own that is to be opened again has been closed before.
    const sight: NodeIdentity["sight"] = (owner) =>
      owner.node === self.node ? "dead" : self.sight(owner);
    const node: NodeIdentity = { ...self, sight };
    return new Shard({ ...options, node }, await open(node, takeOver));
  }

  /**
   * The engine that serves reads: one that takes no more writes goes on with what it has, until
   * another one can be opened.
   *
   * @throws FirnError as `engine`.
   */
  readonly reader = (): Maybe<Engine> => {
    if (this.#engine.failure === undefined) return this.#engine;
    const old = this.#engine;
    return this.#again().catch((error: unknown) => {
      if (old.readsOn && !this.#closed) return old;
      throw error;
    });
  };

  /** The engine that serves. @throws FirnError as `open`; what ended it where that is final. */
  readonly engine = (): Maybe<Engine> =>
    this.#engine.failure === undefined ? this.#engine : this.#again();

  /**
   * Says in the shard where others may ask whether this process lives.
   *
   * @throws FirnError as `Engine.advertise`.
   */
  async advertise(url: string): Promise<void> {
    if (url === this.#url) return;
    this.#url = url;
    await this.#engine.advertise(url);
  }

  /** Says in the shard that it is about to be free. @throws FirnError as `Engine.drain`. */
  async drain(): Promise<void> {
    await this.#engine.drain();
  }

  /** Flushes and releases the shard, so that the next start need not look for its owner. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#opening?.catch(() => undefined);
    await this.#engine.close();
  }

  async #again(): Promise<Engine> {
    const { failure } = this.#engine;
    if (failure !== undefined && (this.#closed || failure.code === "LSM_FENCED")) throw failure;
    if (this.#opening === undefined && (this.#last?.began.elapsedMs() ?? RETRY_MS) < RETRY_MS) {
      throw this.#last?.error ?? failure;
    }
    this.#opening ??= this.#reopen().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #reopen(): Promise<Engine> {
    const { clock, node, open, assertOpenable } = this.#options;
    const began = new Stopwatch(clock);
    this.#last = { began };
    try {
      await assertOpenable?.();
      const old = this.#engine;
      this.#engine = await open({ ...node, url: this.#url }, "refuse");
      // It was read from until now. That it was overtaken, by ourselves, is what it should hear.
      await old.close().catch(() => undefined);
      return this.#engine;
    } catch (error) {
      this.#last = { began, error };
      throw error;
    }
  }
}
