import type { Clock } from "../../base/clock.ts";
import { FirnError, invalid } from "../../base/error.ts";
import type { Prng } from "../../base/prng.ts";
import { settleAll } from "../../base/settle-all.ts";
import { WaitGraph } from "../../base/wait-graph.ts";
import type { Engine, Shard } from "../../lsm/index.ts";
import { RowStore, shardNotFound } from "../../rows/index.ts";
import { LazyExpressions } from "../../sql/lazy-expressions.ts";

/** The engine of a shard, for as long as this process may use it. */
export interface RowShard extends Pick<Shard, "engine" | "close"> {
  /** Asks again who owns it, with the next use. */
  readonly forget?: () => void;
}

export interface RowShardsParts {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly account: string;
  /** Opens a shard, and makes it where it is absent; undefined: the profile has none. */
  readonly open: ((shard: string) => Promise<RowShard>) | undefined;
  /** As `RowStoreOptions.publish`. */
  readonly publish?: (store: RowStore) => Promise<void>;
  /** Ends what moves of tables have left in a shard that was opened. */
  readonly heal?: (store: RowStore, shard: string) => Promise<void>;
  /** Deletes the files of a shard that is not open here. Again where that was ended half-way. */
  readonly remove?: ((shard: string) => Promise<void>) | undefined;
  /** Whether a shard is there. */
  readonly has?: ((shard: string) => Promise<boolean>) | undefined;
  /** Other nodes may own shards: `of` then throws `ShardElsewhere`. */
  readonly areShared?: boolean | undefined;
}

/** The shards of row tables that this process has opened: the first one of a catalog has its id. */
export class RowShards {
  /** Of all that wait for locks in this process, whichever shard they are on. */
  readonly waits: WaitGraph = new WaitGraph();
  readonly #parts: RowShardsParts;
  readonly #shards = new Map<string, Promise<RowShard>>();
  /** An engine that was opened again is another one, with another lock table. */
  readonly #stores = new WeakMap<Engine, RowStore>();
  readonly #expressions: LazyExpressions;
  readonly #removed = new Set<string>();
  #isClosed = false;

  constructor(parts: RowShardsParts) {
    this.#parts = parts;
    this.#expressions = new LazyExpressions(parts);
  }

  /**
   * Resolves where this process owns a shard, or may: before a request that is to
   * run where the rows are does anything.
   *
   * @throws ShardElsewhere; as `of`.
   */
  async assertHere(shard: string): Promise<void> {
    if (this.#parts.areShared === true) await this.of(shard);
  }

  /**
   * The rows of a shard.
   *
   * @throws FirnError `Invalid`, code `ROW_TABLES_UNSUPPORTED`: the process has none;
   *   `ShardElsewhere`, before anything was done; `NotFound`, code `ROW_SHARD_NOT_FOUND`: it was
   *   deleted; as `Shard.open`.
   */
  async of(shard: string): Promise<RowStore> {
    const engine = await this.#engine(shard);
    let store = this.#stores.get(engine);
    if (store === undefined) {
      const { clock, prng, account, publish } = this.#parts;
      store = new RowStore({
        engine,
        clock,
        prng,
        account,
        expressions: this.#expressions,
        waits: this.waits,
        ...(publish && { publish }),
      });
      this.#stores.set(engine, store);
      // What cannot be ended now waits until the shard is opened again.
      await this.#parts.heal?.(store, shard).catch(() => undefined);
    }
    return store;
  }

  /** As `of`, of who owns it now: another node may have been known to. */
  async newestOf(shard: string): Promise<RowStore> {
    (await this.#opened(shard)).forget?.();
    return await this.of(shard);
  }

  /** The engine of a shard; undefined where it was never made. @throws as `Shard.open`. */
  async engineOf(shard: string): Promise<Engine | undefined> {
    const { has } = this.#parts;
    if (has === undefined) return undefined;
    if (!this.#shards.has(shard) && !(await has(shard))) return undefined;
    return await this.#engine(shard);
  }

  /**
   * Deletes a shard that the catalog has no more, with its files. It may be called again.
   *
   * @throws ShardElsewhere; as `deleteShard`.
   */
  async remove(shard: string): Promise<void> {
    this.#removed.add(shard);
    const opening = this.#shards.get(shard);
    this.#shards.delete(shard);
    const opened = await opening?.catch(() => undefined);
    await opened?.close();
    await this.#parts.remove?.(shard);
  }

  /** The engine of a shard that this process has opened. */
  async opened(shard: string): Promise<Engine | undefined> {
    return await (await this.#shards.get(shard))?.engine();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const shards = [...this.#shards.values()];
    this.#shards.clear();
    await settleAll(shards.map(async (opening) => await (await opening).close()));
    await this.#expressions.close();
  }

  async #engine(shard: string): Promise<Engine> {
    try {
      return await (await this.#opened(shard)).engine();
    } catch (error) {
      const isDeleted = error instanceof FirnError && error.code === "LSM_SHARD_DELETED";
      throw isDeleted ? shardNotFound(shard) : error;
    }
  }

  #opened(name: string): Promise<RowShard> {
    if (this.#removed.has(name)) throw shardNotFound(name);
    const { open } = this.#parts;
    if (open === undefined || this.#isClosed) {
      const message = "this process serves no row tables";
      throw invalid("ROW_TABLES_UNSUPPORTED", message, { sqlState: "0A000" });
    }
    let shard = this.#shards.get(name);
    if (shard === undefined) {
      shard = open(name);
      this.#shards.set(name, shard);
      // One that could not be opened is tried again by the next caller.
      shard.catch(() => this.#shards.delete(name));
    }
    return shard;
  }
}
