import type { SqlAdvisoryLocks } from "../types/context.ts";
import type { AdvisoryLocks, AdvisoryMode, AdvisoryOwner } from "./advisory-locks.ts";

export interface SessionLocksParts {
  readonly locks: AdvisoryLocks;
  /** What keeps the numbers of one catalog apart from those of others. */
  readonly space: string;
  /** Ends the statement that is running. */
  readonly signal: () => AbortSignal | undefined;
  /** Tells the client of what was not held. */
  readonly warn: (message: string) => void;
}

interface Taken {
  readonly key: string;
  readonly mode: AdvisoryMode;
}

/**
 * The advisory locks of one session. Those of the session last until it lets go of them or ends,
 * whatever becomes of its transactions; those of a transaction end with it, or with a savepoint.
 */
export class SessionLocks implements SqlAdvisoryLocks {
  /** The session, as those who wait for its locks see it. */
  readonly owner: AdvisoryOwner = { held: 0 };
  readonly #parts: SessionLocksParts;
  readonly #session: Taken[] = [];
  readonly #transaction: Taken[] = [];

  constructor(parts: SessionLocksParts) {
    this.#parts = parts;
  }

  async acquire(key: string, mode: AdvisoryMode, isOfSession: boolean): Promise<void> {
    const { locks, signal } = this.#parts;
    await locks.acquire(this.owner, this.#named(key), mode, signal());
    this.#note(key, mode, isOfSession);
  }

  tryAcquire(key: string, mode: AdvisoryMode, isOfSession: boolean): boolean {
    const { locks } = this.#parts;
    if (!locks.tryAcquire(this.owner, this.#named(key), mode)) return false;
    this.#note(key, mode, isOfSession);
    return true;
  }

  release(key: string, mode: AdvisoryMode): boolean {
    const named = this.#named(key);
    const at = this.#session.findLastIndex((each) => each.key === named && each.mode === mode);
    if (at >= 0) {
      this.#free(this.#session.splice(at, 1));
      return true;
    }
    const type = mode === "exclusive" ? "ExclusiveLock" : "ShareLock";
    this.#parts.warn(`you don't own a lock of type ${type}`);
    return false;
  }

  releaseAll(): void {
    this.#free(this.#session.splice(0));
  }

  /** Locks that the transaction has taken so far. */
  get mark(): number {
    return this.#transaction.length;
  }

  /** Those that the transaction has taken behind a savepoint; 0: all of them. */
  releaseFrom(mark: number): void {
    this.#free(this.#transaction.splice(mark));
  }

  #named(key: string): string {
    return `${this.#parts.space}\0${key}`;
  }

  #note(key: string, mode: AdvisoryMode, isOfSession: boolean): void {
    const taken = isOfSession ? this.#session : this.#transaction;
    taken.push({ key: this.#named(key), mode });
  }

  #free(taken: readonly Taken[]): void {
    for (const { key, mode } of taken) this.#parts.locks.release(this.owner, key, mode);
  }
}
