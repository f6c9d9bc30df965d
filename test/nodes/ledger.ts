/** What clients were told of each insertion, against what is stored in the end. */
export class Ledger {
  readonly #told = new Map<string, "acknowledged" | "refused" | "doubtful">();
  acknowledged = 0;
  refused = 0;
  doubtful = 0;

  tell(op: string, outcome: "acknowledged" | "refused" | "doubtful"): void {
    this.#told.set(op, outcome);
    this[outcome]++;
  }

  /** Everything that is wrong with what is stored; each in a line. */
  judge(stored: readonly string[]): readonly string[] {
    const counts = new Map<string, number>();
    for (const op of stored) counts.set(op, (counts.get(op) ?? 0) + 1);
    const problems: string[] = [];
    for (const [op, outcome] of this.#told) {
      const count = counts.get(op) ?? 0;
      if (count > 1) problems.push(`${op}: stored ${count} times (${outcome})`);
      if (count === 0 && outcome === "acknowledged") problems.push(`${op}: lost`);
      if (count > 0 && outcome === "refused") problems.push(`${op}: refused, and stored`);
    }
    for (const op of counts.keys()) {
      if (!this.#told.has(op)) problems.push(`${op}: stored, and never sent`);
    }
    return problems;
  }
}
