import type { Clock } from "../../src/base/clock.ts";
import { FirnError } from "../../src/base/error.ts";
import { IdSource, type TableId } from "../../src/base/ids.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import type { PatternShape, PatternTable } from "../../src/patterns/pattern-table.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import type { Kind } from "../lsm/support/worlds.ts";
import { newTableId, type OpenRows, openRows } from "../rows/support/open-rows.ts";

/** A clock that tests set; it waits as the system's does. */
export class SetClock implements Clock {
  readonly #system = new SystemClock();
  ms = 1_700_000_000_000;

  nowMs(): number {
    return this.ms;
  }

  monotonicMs(): number {
    return this.#system.monotonicMs();
  }

  sleep(ms: number, ended?: AbortSignal): Promise<void> {
    return this.#system.sleep(ms, ended);
  }
}

/** Tables of patterns in a shard, which dies and is opened again. */
export interface PatternWorld {
  readonly clock: SetClock;
  readonly at: OpenRows;
  table(shape: PatternShape, name?: string): Promise<TableId>;
  /** Of the process that owns the shard now. */
  of(id: TableId): PatternTable;
  end(): Promise<void>;
}

export async function patternWorld(seed = 1, kind?: Kind): Promise<PatternWorld> {
  const at = await openRows(kind);
  const clock = new SetClock();
  const ids = new IdSource(new SystemClock(), new SeededPrng(seed));
  return {
    clock,
    at,
    table: async (shape, name = "pattern") => {
      const id = newTableId();
      await at.rows.run((tx) => tx.createTable({ ...shape, id, namespace: [], name }));
      return id;
    },
    of: (id) => ({ store: at.rows, id, clock, ids }),
    end: () => at.end(),
  };
}

export async function codeOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return "done";
  } catch (error) {
    if (error instanceof FirnError) return error.code;
    throw error;
  }
}

/** Numbers of a seed. */
export class Dice {
  readonly #prng: SeededPrng;

  constructor(seed: number) {
    this.#prng = new SeededPrng(seed);
  }

  below(count: number): number {
    return this.#prng.uint32() % count;
  }

  /** Lets others run, for a random while. */
  async pause(): Promise<void> {
    for (let i = this.below(10); i > 0; i--) await undefined;
  }
}
