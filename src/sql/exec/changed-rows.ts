/**
 * Rows that the parts of one statement have changed or made, by the names of their keys. Each part
 * reads the state before the statement: what it finds there may have been changed since.
 */
export class ChangedRows {
  readonly #names = new Set<string>();
  readonly #keep: (bytes: number) => void;

  constructor(keep: (bytes: number) => void) {
    this.#keep = keep;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** @returns whether it is new here. */
  add(name: string): boolean {
    if (this.#names.has(name)) return false;
    this.#names.add(name);
    this.#keep(name.length * 2 + 64);
    return true;
  }
}
