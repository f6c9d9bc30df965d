/** Of all sessions of a server. */
const ALL_BYTES = 256 * 1_024 * 1_024;

/** The memory that temporary tables of all sessions take together. */
export class TemporaryMemory {
  readonly most: number;
  #held = 0;

  constructor(most: number = ALL_BYTES) {
    this.most = most;
  }

  get held(): number {
    return this.#held;
  }

  /** @returns whether there was room; there always is for less. */
  take(bytes: number): boolean {
    if (bytes > 0 && this.#held + bytes > this.most) return false;
    this.#held += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#held -= bytes;
  }
}
