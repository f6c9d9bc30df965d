import { FirnError } from "../../../src/base/error.ts";
import type { RowTransaction } from "../../../src/rows/index.ts";
import type { Sim } from "../harness/sim.ts";
import { Branch, History } from "../lsm/history.ts";
import type { Action, Recorded } from "./cycles.ts";

/** Owners of a shard whose writes are not noted: their transactions are judged instead. */
export class Owners extends History {
  readonly #sim: Sim;
  readonly #epochs = new Set<number>();

  constructor(sim: Sim) {
    super(sim);
    this.#sim = sim;
  }

  override get epochs(): number {
    return this.#epochs.size;
  }

  override opened(epoch: number, _lastSequence: number): Branch {
    this.#sim.must(!this.#epochs.has(epoch), () => `epoch ${epoch} has two owners`);
    this.#epochs.add(epoch);
    return new Branch(this.#sim, epoch, []);
  }
}

/** Commits that answer so have written nothing. */
const REFUSED_CODES: ReadonlySet<string> = new Set(["ROW_CONFLICT", "ROW_DEADLOCK"]);
const REFUSED_KINDS: ReadonlySet<string> = new Set(["Unavailable", "Overloaded"]);

/** What transactions did to lists and registers, in the order in which they began and ended. */
export class RowHistory {
  readonly transactions: Recorded[] = [];
  readonly #sim: Sim;
  /** The highest version of each register that anybody was told. */
  readonly #told = new Map<number, number>();
  /** Who wrote each version of a register, acknowledged. */
  readonly #writers = new Map<string, string>();
  #at = 0;

  constructor(sim: Sim) {
    this.#sim = sim;
  }

  /** A transaction begins. Until it commits, nothing of it is there. */
  begin(name: string, actions: readonly Action[]): Recorded {
    const recorded: Recorded = { name, actions, fate: "aborted", begunAt: this.#at++ };
    this.transactions.push(recorded);
    return recorded;
  }

  /** Commits, and notes what its caller may believe. @throws as `RowTransaction.commit`. */
  async commit(recorded: Recorded, tx: RowTransaction, durable = true): Promise<void> {
    recorded.fate = "maybe";
    try {
      await tx.commit({ durable });
      if (!durable) return;
      recorded.fate = "committed";
      recorded.endedAt = this.#at++;
    } catch (error) {
      const isRefused =
        error instanceof FirnError &&
        (REFUSED_CODES.has(error.code) || REFUSED_KINDS.has(error.kind));
      if (isRefused) recorded.fate = "aborted";
      throw error;
    }
  }

  told(register: number): number {
    return this.#told.get(register) ?? 0;
  }

  /** A register was read, and its reader told; `since`: what was known when it began. */
  readRegister(register: number, version: number, since: number): void {
    this.#sim.must(version >= since, () => `register ${register}: ${version} after ${since}`);
    this.#told.set(register, Math.max(this.told(register), version));
  }

  wroteRegister(register: number, version: number, writer: string, since: number): void {
    const name = `${register} version ${version}`;
    const other = this.#writers.get(name);
    this.#sim.must(other === undefined, () => `register ${name}: of ${writer} and ${other}`);
    this.#sim.must(version > since, () => `register ${name} of ${writer}, after ${since}`);
    this.#writers.set(name, writer);
    this.#told.set(register, Math.max(this.told(register), version));
  }
}
