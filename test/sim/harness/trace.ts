import { createHash } from "node:crypto";

/** Lines kept to show how a seed came to its end. */
const KEPT_LINES = 4_000;

/** What happened, in order: its hash tells whether two runs were one. */
export class Trace {
  readonly #hash = createHash("sha256");
  readonly #kept: string[] = [];
  #count = 0;

  add(timeMs: number, text: string): void {
    const line = `${timeMs.toFixed(3)} ${text}`;
    this.#hash.update(line).update("\n");
    this.#kept.push(line);
    if (this.#kept.length >= 2 * KEPT_LINES) this.#kept.splice(0, KEPT_LINES);
    this.#count++;
  }

  get count(): number {
    return this.#count;
  }

  /** The last lines, up to so many of those that were kept. */
  tail(lines: number): readonly string[] {
    return lines <= 0 ? [] : this.#kept.slice(-lines);
  }

  /** Of every line so far. */
  digest(): string {
    return this.#hash.copy().digest("hex");
  }
}
