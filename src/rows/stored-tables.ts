import type { Clock } from "../base/clock.ts";
import type { TableId } from "../base/ids.ts";
import { checkApart, type ValuesReport } from "./check-apart.ts";
import { checkWholeIndex, IndexCheck, type IndexReport } from "./check-index.ts";
import { CompiledTables } from "./compiled-table.ts";
import type { TableDescriptor } from "./descriptor.ts";
import type { EngineView } from "./engine-view.ts";
import type { ExpressionContext, Expressions } from "./expressions.ts";
import { DescriptorCache } from "./tables.ts";

/** One state of a shard. */
export type ShardReads = Pick<EngineView, "get" | "getMany" | "scan">;

const MICROS_A_MS = 1_000n;

/** The row tables in one state of a shard, for who reads it beside the process that owns it. */
export class StoredTables {
  readonly #reads: ShardReads;
  readonly #clock: Clock;
  readonly #cache = new DescriptorCache();
  readonly #compiled: CompiledTables;
  readonly #context: ExpressionContext;

  constructor(reads: ShardReads, clock: Clock, expressions: Expressions) {
    this.#reads = reads;
    this.#clock = clock;
    this.#compiled = new CompiledTables(expressions);
    this.#context = { transactionTime: BigInt(clock.nowMs()) * MICROS_A_MS };
  }

  /** @throws FirnError `Corrupt`, code `ROW_DESCRIPTOR_CORRUPT`; what reading throws. */
  async find(id: TableId): Promise<TableDescriptor | undefined> {
    const bytes = await this.#reads.get(this.#cache.keyOf(id));
    return bytes === undefined ? undefined : this.#cache.of(id, bytes);
  }

  /** As `RowTransaction.checkIndex`. */
  async checkIndex(table: TableDescriptor, index: number): Promise<IndexReport> {
    const compiled = await this.#compiled.of(table);
    const on = { view: this.#reads, context: () => this.#context };
    const { name } = compiled.index(index).index;
    return await checkWholeIndex(new IndexCheck(on, compiled, index), name, this.#clock);
  }

  /** As `RowTransaction.checkValues`. */
  async checkValues(table: TableDescriptor): Promise<readonly ValuesReport[]> {
    return await checkApart(this.#reads, await this.#compiled.of(table), this.#clock);
  }
}
