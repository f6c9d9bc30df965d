import { WaitGraph } from "../../base/wait-graph.ts";
import { SqlError } from "../error.ts";

export type AdvisoryMode = "exclusive" | "shared";

/** How often one session holds a lock, by mode. */
type Holding = Record<AdvisoryMode, number>;

/** A session, as a holder of locks. */
export interface AdvisoryOwner {
  /** How many locks it holds. */
  held: number;
}

interface Waiter {
  readonly owner: AdvisoryOwner;
  readonly mode: AdvisoryMode;
  readonly grant: () => void;
}

interface Lock {
  readonly holders: Map<AdvisoryOwner, Holding>;
  readonly queue: Waiter[];
}

/** A session may hold so many: PostgreSQL's are bounded by its shared memory. */
const MOST_HELD = 10_000;

/**
 * Advisory locks of all sessions of the server, in memory: numbers that programs give a meaning.
 * A lock is held as often as it was taken. Waiters are served in the order in which they came.
 */
export class AdvisoryLocks {
  readonly #locks = new Map<string, Lock>();
  readonly #waits: WaitGraph;

  /** `waits`: of all locks that sessions may also wait for. */
  constructor(waits: WaitGraph = new WaitGraph()) {
    this.#waits = waits;
  }

  /** Locks that are held or waited for. */
  get size(): number {
    return this.#locks.size;
  }

  /** @returns whether it was free. @throws SqlError 53200. */
  tryAcquire(owner: AdvisoryOwner, key: string, mode: AdvisoryMode): boolean {
    if (owner.held >= MOST_HELD) {
      throw new SqlError("53200", "out of shared memory", {
        hint: `A session holds at most ${MOST_HELD} advisory locks.`,
      });
    }
    const lock = this.#locks.get(key) ?? { holders: new Map(), queue: [] };
    if (isRefused(lock, owner, mode, lock.queue)) return false;
    this.#hold(key, lock, owner, mode);
    return true;
  }

  /**
   * Waits until it is free.
   *
   * @throws SqlError 40P01 where those it would wait for wait for it; 53200; why the signal ended.
   */
  async acquire(
    owner: AdvisoryOwner,
    key: string,
    mode: AdvisoryMode,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    if (this.tryAcquire(owner, key, mode)) return;
    const lock = this.#locks.get(key) as Lock;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const grant = (): void => {
      this.#waits.end(owner);
      this.#hold(key, lock, owner, mode);
      resolve();
    };
    const waiter: Waiter = { owner, mode, grant };
    lock.queue.push(waiter);
    const leave = (why: unknown): void => {
      this.#leave(owner, key, lock, waiter);
      reject(why);
    };
    if (!this.#waits.begin(owner, () => blockers(lock, waiter))) {
      leave(new SqlError("40P01", "deadlock detected: sessions wait for each other's locks"));
    }
    const ended = (): void => leave(signal?.reason);
    signal?.addEventListener("abort", ended, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener("abort", ended);
    }
  }

  /** Lets go of it once. */
  release(owner: AdvisoryOwner, key: string, mode: AdvisoryMode): void {
    const lock = this.#locks.get(key);
    const holding = lock?.holders.get(owner);
    if (lock === undefined || holding === undefined || holding[mode] === 0) return;
    holding[mode]--;
    owner.held--;
    if (holding.exclusive + holding.shared === 0) lock.holders.delete(owner);
    this.#serve(key, lock);
  }

  #hold(key: string, lock: Lock, owner: AdvisoryOwner, mode: AdvisoryMode): void {
    const holding = lock.holders.get(owner) ?? { exclusive: 0, shared: 0 };
    holding[mode]++;
    owner.held++;
    lock.holders.set(owner, holding);
    this.#locks.set(key, lock);
  }

  #leave(owner: AdvisoryOwner, key: string, lock: Lock, waiter: Waiter): void {
    const at = lock.queue.indexOf(waiter);
    if (at < 0) return;
    lock.queue.splice(at, 1);
    this.#waits.end(owner);
    // Those behind it may have waited for it alone.
    this.#serve(key, lock);
  }

  #serve(key: string, lock: Lock): void {
    const before: Waiter[] = [];
    for (const waiter of [...lock.queue]) {
      if (isRefused(lock, waiter.owner, waiter.mode, before)) {
        before.push(waiter);
        continue;
      }
      lock.queue.splice(lock.queue.indexOf(waiter), 1);
      waiter.grant();
    }
    if (lock.holders.size === 0 && lock.queue.length === 0) this.#locks.delete(key);
  }
}

function conflicts(mode: AdvisoryMode, holding: Holding): boolean {
  return holding.exclusive > 0 || (mode === "exclusive" && holding.shared > 0);
}

/** One that holds it already does not wait for those in the queue: they wait for it anyway. */
function isRefused(
  { holders }: Lock,
  owner: AdvisoryOwner,
  mode: AdvisoryMode,
  queue: readonly Waiter[],
): boolean {
  for (const [holder, holding] of holders) {
    if (holder !== owner && conflicts(mode, holding)) return true;
  }
  if (holders.has(owner)) return false;
  return queue.some((waiter) => mode === "exclusive" || waiter.mode === "exclusive");
}

function* blockers({ holders, queue }: Lock, waiter: Waiter): Iterable<AdvisoryOwner> {
  for (const [holder, holding] of holders) {
    if (holder !== waiter.owner && conflicts(waiter.mode, holding)) yield holder;
  }
  if (holders.has(waiter.owner)) return;
  for (const other of queue) {
    if (other === waiter) return;
    if (waiter.mode === "exclusive" || other.mode === "exclusive") yield other.owner;
  }
}
