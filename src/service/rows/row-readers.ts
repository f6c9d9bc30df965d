import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import type { Prng } from "../../base/prng.ts";
import type { Table } from "../../catalog/model.ts";
import type { Reader } from "../../lsm/index.ts";
import { StoredTables } from "../../rows/index.ts";
import { LazyExpressions } from "../../sql/lazy-expressions.ts";
import { shardOf } from "./row-places.ts";
import { checkStored, type RowTableReport } from "./table-check.ts";

export interface RowReadersParts {
  readonly clock: Clock;
  readonly prng: Prng;
  /** The newest state of a shard, which any process may own; undefined where there is none. */
  readonly read: (shard: string) => Promise<Reader | undefined>;
}

/** A shard that is read, as it was when it was opened. */
interface Opened {
  readonly shard: string;
  readonly reader: Reader | undefined;
  readonly tables: StoredTables | undefined;
}

/** What a shard that is gone says; the tables are lost then, or went with it. */
const GONE: ReadonlySet<string> = new Set(["LSM_NO_SHARD", "LSM_SHARD_DELETED"]);

/**
 * Checks row tables whose shards other processes own, which it neither asks nor hinders. One table
 * after the other, and one shard at a time: what is read of a shard lies in memory.
 */
export class RowReaders {
  readonly #parts: RowReadersParts;
  readonly #expressions: LazyExpressions;
  #opened: Opened | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: RowReadersParts) {
    this.#parts = parts;
    this.#expressions = new LazyExpressions(parts);
  }

  /**
   * As `checkRowTable`. Undefined too where the shard is missing.
   *
   * @throws FirnError as `openReader`, and what reading a state throws.
   */
  check(table: Table): Promise<RowTableReport | undefined> {
    const checked = this.#last.then(() => this.#check(table));
    this.#last = checked.catch(() => undefined);
    return checked;
  }

  /** Waits for the checks that were begun. */
  async close(): Promise<void> {
    await this.#last;
    await this.#leave();
    await this.#expressions.close();
  }

  async #check(table: Table): Promise<RowTableReport | undefined> {
    const shard = shardOf(table);
    if (this.#opened?.shard === shard) {
      const report = await this.#report(this.#opened, table);
      if (isFine(report)) return report;
      // The table may be younger than what was read.
    }
    await this.#leave();
    this.#opened = await this.#open(shard);
    return await this.#report(this.#opened, table);
  }

  async #report({ tables }: Opened, table: Table): Promise<RowTableReport | undefined> {
    return tables && (await checkStored(tables, table));
  }

  async #open(shard: string): Promise<Opened> {
    const { clock, read } = this.#parts;
    const reader = await read(shard).catch(unlessGone);
    const tables = reader && new StoredTables(reader, clock, this.#expressions);
    return { shard, reader, tables };
  }

  async #leave(): Promise<void> {
    const { reader } = this.#opened ?? {};
    this.#opened = undefined;
    await reader?.close();
  }
}

function isFine(report: RowTableReport | undefined): boolean {
  if (report === undefined) return false;
  return report.indexes.length + report.values.length === 0 && report.isShown;
}

function unlessGone(error: unknown): undefined {
  if (!(error instanceof FirnError) || !GONE.has(error.code)) throw error;
}
