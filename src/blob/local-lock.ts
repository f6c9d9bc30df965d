import { closeSync, openSync, readdirSync, unlinkSync } from "node:fs";
import { type Clock, Stopwatch } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import { type Prng, randomBelow } from "../base/prng.ts";
import { PRIVATE_FILE } from "./directories.ts";
import { errnoOf } from "./local-fault.ts";
import { identityOf, isAlive } from "./local-process.ts";
import { RESERVED_PREFIX } from "./local-temporaries.ts";

const INTENT_PREFIX = `${RESERVED_PREFIX}lock-`;
/** A holder keeps the lock for one compare and rename: a longer wait means that something hangs. */
const MAX_WAIT_MS = 10_000;
const MAX_BACKOFF_MS = 32;

/**
 * Mutual exclusion over the names of one directory, between the calls of this process and between
 * processes of one machine (of one container: they must see each other's process ids).
 *
 * Between processes: a contender makes an *intent*, an empty file whose name alone says whose it is
 * (boot, pid, start time, number), then reads the directory. It holds the lock if it sees no other
 * intent of a living process, else it takes its own back and tries again later. Of two contenders
 * the one that made its intent later sees the earlier one, so never do both hold. An intent's name
 * is used once, hence a dead one may be removed by any process at any time: there is no moment at
 * which breaking a stale lock could break a new one, which a single lock file cannot offer.
 */
export class DirectoryLocks {
  readonly #clock: Clock;
  readonly #prng: Prng;
  readonly #tails = new Map<string, Promise<unknown>>();
  readonly #self = identityOf(process.pid);
  /** Intents of ours that could not be removed, as from a disk that turned read-only meanwhile. */
  readonly #left = new Set<string>();
  #intents = 0;

  constructor(clock: Clock, prng: Prng) {
    this.#clock = clock;
    this.#prng = prng;
  }

  /**
   * Runs `body` while holding the lock of an existing directory.
   *
   * @throws FirnError `Unavailable`, code `BLOB_LOCK_TIMEOUT`, after 10 s: `body` did not run.
   */
  async run<T>(directory: string, body: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(directory);
    const turn = (async () => {
      await before?.catch(() => undefined);
      const intent = await this.#acquire(directory);
      try {
        return await body();
      } finally {
        this.#release(intent);
      }
    })();
    this.#tails.set(directory, turn);
    try {
      return await turn;
    } finally {
      if (this.#tails.get(directory) === turn) this.#tails.delete(directory);
    }
  }

  async #acquire(directory: string): Promise<string> {
    const waited = new Stopwatch(this.#clock);
    // They would keep everybody out for as long as this process lives.
    for (const intent of [...this.#left]) this.#release(intent);
    for (let attempt = 0; ; attempt++) {
      const intent = this.#makeIntent(directory);
      try {
        if (!rivalStands(directory, intent.name)) return intent.file;
      } catch (error) {
        this.#release(intent.file);
        throw error;
      }
      this.#release(intent.file);
      if (waited.elapsedMs() >= MAX_WAIT_MS) {
        throw new FirnError(
          "Unavailable",
          "BLOB_LOCK_TIMEOUT",
          "timed out waiting for a lock: try again",
        );
      }
      const ceiling = Math.min(MAX_BACKOFF_MS, 2 ** attempt);
      await this.#clock.sleep(1 + randomBelow(this.#prng, ceiling));
    }
  }

  #release(intent: string): void {
    if (removeIntent(intent)) this.#left.delete(intent);
    else this.#left.add(intent);
  }

  #makeIntent(directory: string): { name: string; file: string } {
    for (;;) {
      const name = `${INTENT_PREFIX}${this.#self}-${this.#intents++}`;
      const file = `${directory}/${name}`;
      try {
        closeSync(openSync(file, "wx", PRIVATE_FILE));
        return { name, file };
      } catch (error) {
        // Another store of this process counts for itself.
        if (errnoOf(error) !== "EEXIST") throw error;
      }
    }
  }
}

function rivalStands(directory: string, own: string): boolean {
  let rival = false;
  for (const name of readdirSync(directory)) {
    if (!name.startsWith(INTENT_PREFIX) || name === own) continue;
    if (isAlive(name.slice(INTENT_PREFIX.length))) rival = true;
    else removeIntent(`${directory}/${name}`);
  }
  return rival;
}

/** @returns whether it is gone: its owner, or another who found it dead, may have been faster. */
function removeIntent(file: string): boolean {
  try {
    unlinkSync(file);
    return true;
  } catch (error) {
    return errnoOf(error) === "ENOENT";
  }
}
