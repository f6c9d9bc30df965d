import type { Sim } from "../harness/sim.ts";
import type { Action, Fate, Recorded } from "../rows/cycles.ts";
import type { Ask } from "./session.ts";

/** What each transaction was told, and what it left to be found of it. */
export class Ledger {
  /** Transactions on the lists, for the search for cycles. */
  readonly transactions: Recorded[] = [];
  readonly #sim: Sim;
  readonly #marks = new Map<string, Fate>();
  readonly #numbers = new Set<string>();
  #count = 0;
  #at = 0;

  constructor(sim: Sim) {
    this.#sim = sim;
  }

  /** A text that no other part of the run has. */
  token(): string {
    return `t${++this.#count}`;
  }

  /** Marks a transaction twice: both marks stay, or none. */
  async mark(ask: Ask, part: 1 | 2, token: string): Promise<void> {
    await ask(`INSERT INTO marks VALUES ('${token}', ${part})`);
  }

  marked(token: string, fate: Fate): void {
    this.#marks.set(token, fate);
  }

  /** A number that a sequence gave: no other caller may get it. */
  gaveNumber(sequence: string, value: string): void {
    const name = `${sequence} ${value}`;
    this.#sim.must(!this.#numbers.has(name), () => `${name} is given twice`);
    this.#numbers.add(name);
  }

  /** A transaction on the lists begins. */
  begin(actions: readonly Action[]): Recorded {
    const recorded: Recorded = {
      name: this.token(),
      actions,
      fate: "aborted",
      begunAt: this.#at++,
    };
    this.transactions.push(recorded);
    return recorded;
  }

  ended(recorded: Recorded, fate: Fate): void {
    recorded.fate = fate;
    if (fate === "committed") recorded.endedAt = this.#at++;
  }

  /** What was acknowledged is there once, what was refused is not, the rest once or not at all. */
  verifyMarks(rows: readonly (readonly (string | null)[])[]): void {
    const found = new Map<string, string[]>();
    for (const [token, part] of rows) {
      const parts = found.get(String(token)) ?? [];
      found.set(String(token), [...parts, String(part)]);
    }
    for (const [token, fate] of this.#marks) {
      const parts = (found.get(token) ?? []).sort().join();
      const due = fate === "committed" ? ["1,2"] : fate === "aborted" ? [""] : ["1,2", ""];
      this.#sim.must(due.includes(parts), () => `${token}, ${fate}, has the marks [${parts}]`);
      found.delete(token);
    }
    this.#sim.must(found.size === 0, () => `marks of nobody: ${[...found.keys()]}`);
  }
}
