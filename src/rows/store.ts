import type { Clock } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import { type AnyId, IdSource } from "../base/ids.ts";
import type { Prng } from "../base/prng.ts";
import type { WaitGraph } from "../base/wait-graph.ts";
import { FIRST_RELATION } from "../keys/index.ts";
import type { Engine } from "../lsm/index.ts";
import { CompiledTables } from "./compiled-table.ts";
import { Counter } from "./counter.ts";
import { pastError } from "./errors.ts";
import { type Expressions, NO_EXPRESSIONS } from "./expressions.ts";
import { RowLocks } from "./locks.ts";
import type { BeginOptions } from "./row-requests.ts";
import type { SequenceDescriptor } from "./sequence.ts";
import { type SequenceState, SequenceValues } from "./sequence-values.ts";
import { DescriptorCache } from "./tables.ts";
import { RowTransaction } from "./transaction.ts";
import type { TransactionHost } from "./transaction-host.ts";

export interface RowStoreOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly prng: Prng;
  /** Whose tables these are: rows name it in short. */
  readonly account: string;
  /** Compiles the SQL of descriptors; without it only tables that have none can be written. */
  readonly expressions?: Expressions;
  /** Called behind a commit that changed what the catalog shows of a table. It never throws. */
  readonly publish?: (store: RowStore) => Promise<void>;
  /** The longest value that stands in its row, in bytes: 32 KiB unless told otherwise. */
  readonly apartBytes?: number;
  /** Shared with locks of other kinds. */
  readonly waits?: WaitGraph;
}

/** How often `run` begins a transaction again. */
const MOST_TRIES = 100;

/** The row tables of one shard. One for each engine: its lock table is shared by all who write. */
export class RowStore {
  readonly #options: RowStoreOptions;
  readonly #host: TransactionHost;
  readonly #relations: Counter;
  readonly #values = new Map<AnyId, SequenceValues>();

  constructor(options: RowStoreOptions) {
    this.#options = options;
    const { engine, clock, prng, account, expressions = NO_EXPRESSIONS } = options;
    this.#relations = new Counter(engine, "relations", BigInt(FIRST_RELATION));
    this.#host = {
      engine,
      clock,
      ids: new IdSource(clock, prng),
      account,
      compiled: new CompiledTables(expressions, options.apartBytes),
      expressions,
      cache: new DescriptorCache(),
      locks: new RowLocks(options.waits),
      onUnpublished: async () => await options.publish?.(this),
      newRelation: async () => Number(await this.#relations.next()),
      valuesOf: (sequence) => this.#valuesOf(sequence),
    };
  }

  /**
   * Numbers the relations of its tables from `first` on, where no higher one was given: no two
   * shards of a catalog number them alike. Durable when it resolves.
   */
  async numberFrom(first: number): Promise<void> {
    await this.#relations.startAt(BigInt(first));
  }

  get engine(): Engine {
    return this.#options.engine;
  }

  /** A relation that no table had before. */
  async newRelation(): Promise<number> {
    return await this.#host.newRelation();
  }

  /** The last number of a sequence that goes to another shard: it gives none from now on. */
  async retireSequence(sequence: SequenceDescriptor): Promise<SequenceState> {
    return await this.#valuesOf(sequence.id).retire(sequence);
  }

  /** A sequence that was to go stays, or has come: where it stands is read again. */
  reviveSequence(id: AnyId): void {
    this.#values.delete(id);
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  /** Rows that are locked or waited for. */
  get locked(): number {
    return this.#host.locks.size;
  }

  /**
   * @throws FirnError as `Engine.stateAt`, with SQLSTATE 72000 or 22023, where `atMs` says a time.
   */
  async begin(options: BeginOptions = {}): Promise<RowTransaction> {
    const { atMs, state } = options;
    const { engine } = this.#options;
    if (atMs === undefined && state === undefined) return new RowTransaction(this.#host, options);
    const opened = state?.open(engine) ?? engine.stateAt(atMs as number);
    const past = await Promise.resolve(opened).catch((error: unknown) => {
      throw pastError(error);
    });
    // Descriptors of then: those of now stay known.
    const host = { ...this.#host, past, cache: new DescriptorCache() };
    return new RowTransaction(host, {
      ...options,
      isolation: "repeatable read",
      readOnly: true,
      temporary: undefined,
    });
  }

  /**
   * Runs `work` in a transaction and commits it; again from its beginning where others were in its
   * way, so `work` must have no effect outside of it.
   */
  async run<T>(
    work: (transaction: RowTransaction) => Promise<T>,
    options: BeginOptions & { readonly durable?: boolean } = {},
  ): Promise<T> {
    for (let tries = 1; ; tries++) {
      const transaction = await this.begin(options);
      try {
        const result = await work(transaction);
        await transaction.commit(options);
        return result;
      } catch (error) {
        transaction.rollback();
        if (!isRetryable(error) || tries === MOST_TRIES) throw error;
      }
    }
  }

  #valuesOf(sequence: AnyId): SequenceValues {
    let values = this.#values.get(sequence);
    if (values === undefined) {
      values = new SequenceValues(this.#options.engine, sequence);
      this.#values.set(sequence, values);
    }
    return values;
  }
}

/** Whether the same work may succeed now: a conflict, or a deadlock. */
function isRetryable(error: unknown): boolean {
  const isKnown = error instanceof FirnError && error.kind === "Conflict";
  return isKnown && (error.code === "ROW_CONFLICT" || error.code === "ROW_DEADLOCK");
}
