import type { Clock } from "../../base/clock.ts";
import type { StoredShardOwner } from "../../catalog/codec/shard-owner.ts";
import type { ShardOwners, ShardPointer } from "../../catalog/shard-owners.ts";
import type { Engine, Maybe } from "../../lsm/index.ts";
import { type OwnedPointer, ShardElsewhere, shardClosing } from "./shard-elsewhere.ts";

/** This node, as the pointers of shards name it. */
export interface ShardNode {
  readonly node: string;
  readonly host: string;
  /** Where other nodes reach it; empty where none can. */
  readonly url: string;
  /** With `bootId`, for other processes of the same host. */
  readonly pid: number;
  readonly bootId: string;
}

/** Of a shard that is kept for none. */
export const NO_NODE: ShardNode = { node: "", host: "", url: "", pid: 0, bootId: "" };

/** What happened to a shard, for the log. */
export type ShardEvent = "claimed" | "taken over" | "released" | "lost" | "not released";

export interface SharedShardParts {
  readonly clock: Clock;
  readonly owners: Pick<ShardOwners, "get" | "getMany" | "replace" | "forget">;
  readonly self: ShardNode;
  /** Opens the engine, and fences the one that had the shard open before. */
  readonly open: (shard: string) => Promise<Engine>;
  /** Whether a node answers under its own id. */
  readonly answers: (owner: StoredShardOwner) => Promise<boolean>;
  readonly onEvent?: ((shard: string, event: ShardEvent, epoch: number) => void) | undefined;
}

/** Probes that an owner has to miss, one after the other, before its shard is taken over. */
export const PROBES = 3;
/** Between two probes. With the time that a probe waits, three of them end within 10 s. */
export const PROBE_PAUSE_MS = 500;

/** What came of a doubt about an owner. */
export type Doubted =
  /** It answers. */
  | "alive"
  /** The pointer names another state or node by now. */
  | "changed"
  /** It did not answer, and this node owns the shard now. */
  | "taken";

interface Held {
  readonly engine: Engine;
  readonly pointer: OwnedPointer;
}

/**
 * A shard that one of several nodes owns.
 *
 * The pointer says which: it is the address book, and only a node that it names opens the engine.
 * Safety does not rest on it. A node that opens the engine fences log and manifest, so that a node
 * which does not know that it lost the shard acknowledges nothing.
 */
export class SharedShard {
  readonly #shard: string;
  readonly #parts: SharedShardParts;
  #held: Held | undefined;
  /** The owner, if it was another node when this one looked last. */
  #known: OwnedPointer | undefined;
  #acquiring: Promise<Engine> | undefined;
  #doubting: Promise<Doubted> | undefined;
  #draining: Promise<void> | undefined;
  /** The end of the last claim, opening or release: one at a time, or this node fences itself. */
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(shard: string, parts: SharedShardParts) {
    this.#shard = shard;
    this.#parts = parts;
  }

  /** The pointer of the shard where this node owns it. */
  get held(): OwnedPointer | undefined {
    return this.#held?.pointer;
  }

  /** The engine, where this node owns the shard and has it open. */
  get engineHeld(): Engine | undefined {
    const engine = this.#held?.engine;
    return engine?.failure === undefined ? engine : undefined;
  }

  /**
   * The engine of a shard that this node owns, or takes because it is free.
   *
   * @throws ShardElsewhere; FirnError `Unavailable`, code `SHARD_CLOSING`; what opening throws.
   */
  readonly engine = (): Maybe<Engine> => {
    const held = this.#held;
    if (held !== undefined && held.engine.failure === undefined && this.#draining === undefined) {
      return held.engine;
    }
    if (this.#known !== undefined) throw new ShardElsewhere(this.#shard, this.#known);
    return this.#acquireOnce();
  };

  /** Looks at the pointer again with the next use. */
  forget(): void {
    this.#known = undefined;
  }

  /**
   * Probes an owner that did not answer, and takes the shard over where it misses `PROBES` probes
   * in a row and its pointer stays as it is.
   *
   * @throws FirnError what opening throws, `SHARD_CLOSING`.
   */
  doubt(pointer: OwnedPointer): Promise<Doubted> {
    this.#doubting ??= this.#probe(pointer).finally(() => {
      this.#doubting = undefined;
    });
    return this.#doubting;
  }

  /**
   * Flushes and gives the shard away: to the next node that wants it, or to `next` alone.
   *
   * @throws FirnError what the stores throw. The shard is closed here all the same.
   */
  async drain(next?: ShardNode): Promise<void> {
    const draining = this.#inTurn(() => this.#drain(next));
    this.#draining = draining;
    try {
      await draining;
    } finally {
      if (this.#draining === draining) this.#draining = undefined;
    }
  }

  /** Drains the shard, and takes it no more. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.drain();
    // One that waits for its turn finds that this is closed.
    await this.#doubting?.catch(() => undefined);
  }

  #acquireOnce(): Promise<Engine> {
    this.#acquiring ??= this.#acquire().finally(() => {
      this.#acquiring = undefined;
    });
    return this.#acquiring;
  }

  /** Runs once all work before it has ended. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #acquire(): Promise<Engine> {
    for (;;) {
      const engine = await this.#inTurn(() => this.#tryAcquire());
      if (engine !== undefined) return engine;
    }
  }

  /** @returns undefined where another node was faster. */
  async #tryAcquire(): Promise<Engine | undefined> {
    if (this.#isClosed) throw shardClosing(this.#shard);
    await this.#dropFailed();
    const held = this.#held;
    if (held !== undefined) return held.engine;
    const seen = await this.#parts.owners.get(this.#shard);
    const claimed = await this.#claimFree(seen);
    return claimed && (await this.#open(claimed));
  }

  /** Lets go of an engine that has ended: by a fence, or because its store failed. */
  async #dropFailed(): Promise<void> {
    const held = this.#held;
    if (held?.engine.failure === undefined) return;
    this.#held = undefined;
    await held.engine.close().catch(() => undefined);
  }

  /**
   * Claims a shard that is free, or this node's already.
   *
   * @returns undefined where another node was faster.
   * @throws ShardElsewhere
   */
  async #claimFree(seen: ShardPointer): Promise<OwnedPointer | undefined> {
    const { owner } = seen;
    const { node } = this.#parts.self;
    const isOurs = owner?.node === node;
    if (isOurs && owner.state === "OPEN") return { ...seen, owner };
    const isFree = owner === undefined || (owner.state === "FREE" && owner.node === "");
    if (owner !== undefined && !isOurs && !isFree) {
      this.#known = { ...seen, owner };
      throw new ShardElsewhere(this.#shard, this.#known);
    }
    return await this.#claim(seen, "claimed");
  }

  /** Makes this node the owner in the pointer, under the next epoch. */
  async #claim(seen: ShardPointer, event: ShardEvent): Promise<OwnedPointer | undefined> {
    const { owners, self, clock, onEvent } = this.#parts;
    const epoch = (seen.owner?.epoch ?? 0) + 1;
    const owner = { ...self, epoch, state: "OPEN", sinceMs: clock.nowMs() } as const;
    const put = await owners.replace(this.#shard, seen, owner);
    if (put === undefined) return undefined;
    onEvent?.(this.#shard, event, epoch);
    return { ...put, owner };
  }

  /**
   * Opens the engine of a shard that the pointer says is ours.
   *
   * @returns undefined where that has changed meanwhile: a node that stood still between its claim
   *   and the fence must not keep a shard that another one took over since.
   */
  async #open(claimed: OwnedPointer): Promise<Engine | undefined> {
    const engine = await this.#parts.open(this.#shard);
    let now: ShardPointer;
    try {
      now = await this.#parts.owners.get(this.#shard);
    } catch (error) {
      await engine.close().catch(() => undefined);
      throw error;
    }
    if (now.version !== claimed.version || this.#isClosed) {
      await engine.close().catch(() => undefined);
      if (now.version === claimed.version) await this.#release(claimed, undefined);
      return undefined;
    }
    this.#known = undefined;
    this.#held = { engine, pointer: claimed };
    return engine;
  }

  async #probe(pointer: OwnedPointer): Promise<Doubted> {
    const { owners, answers, clock } = this.#parts;
    for (let missed = 0; ; ) {
      if (this.#isClosed) throw shardClosing(this.#shard);
      if (await answers(pointer.owner)) return "alive";
      missed++;
      const now = await owners.get(this.#shard);
      if (now.version !== pointer.version) {
        this.#known = undefined;
        return "changed";
      }
      if (missed >= PROBES) break;
      await clock.sleep(PROBE_PAUSE_MS);
    }
    return await this.#inTurn(() => this.#takeOver(pointer));
  }

  async #takeOver(pointer: OwnedPointer): Promise<Doubted> {
    if (this.#isClosed) throw shardClosing(this.#shard);
    const claimed = await this.#claim(pointer, "taken over");
    this.#known = undefined;
    const engine = claimed && (await this.#open(claimed));
    return engine === undefined ? "changed" : "taken";
  }

  async #drain(next: ShardNode | undefined): Promise<void> {
    const held = this.#held;
    if (held === undefined) return;
    const { owners, clock, onEvent } = this.#parts;
    const { engine, pointer } = held;
    const { owner } = pointer;
    try {
      const draining = { ...owner, state: "DRAINING", sinceMs: clock.nowMs() } as const;
      const put = await owners.replace(this.#shard, pointer, draining);
      await engine.close();
      if (put === undefined) onEvent?.(this.#shard, "lost", owner.epoch);
      else await this.#release({ ...put, owner: draining }, next);
    } catch (error) {
      // The pointer says DRAINING: another node takes the shard over once this one is gone.
      onEvent?.(this.#shard, "not released", owner.epoch);
      await engine.close().catch(() => undefined);
      throw error;
    } finally {
      this.#held = undefined;
      this.#known = undefined;
    }
  }

  /** Frees a shard whose engine is closed. */
  async #release(pointer: OwnedPointer, next: ShardNode | undefined): Promise<void> {
    const { owners, clock, onEvent } = this.#parts;
    const { epoch } = pointer.owner;
    const free = { ...(next ?? NO_NODE), epoch, state: "FREE", sinceMs: clock.nowMs() } as const;
    const put = await owners.replace(this.#shard, pointer, free);
    onEvent?.(this.#shard, put === undefined ? "lost" : "released", epoch);
  }
}
