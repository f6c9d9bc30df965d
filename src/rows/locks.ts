import { WaitGraph } from "../base/wait-graph.ts";
import type { Maybe } from "../lsm/index.ts";
import { rowError, transactionOver } from "./errors.ts";

/** Weakest first: each refuses all that the one before refuses, and more. As PostgreSQL's. */
export const LOCK_MODES = ["key share", "share", "no key update", "update"] as const;
export type LockMode = (typeof LOCK_MODES)[number];

/** What to do where another holds the row: wait for it, fail with `55P03`, or leave the row out. */
export type LockWait = "wait" | "nowait" | "skip locked";

/** `held` at once, `waited` for another to end, or `skipped`. */
export type LockOutcome = "held" | "waited" | "skipped";

/** A transaction, as a holder of locks. */
export interface LockOwner {
  /** Keys of all locks that it holds, each once: kept by `RowLocks`. */
  readonly locks: string[];
  /** Who waits while it does, if not itself: a session that also takes locks of other kinds. */
  readonly waiter?: object | undefined;
}

interface Waiter {
  readonly owner: LockOwner;
  readonly mode: LockMode;
  readonly grant: () => void;
  readonly leave: (why: unknown) => void;
}

const STRENGTH: ReadonlyMap<LockMode, number> = new Map(LOCK_MODES.map((mode, at) => [mode, at]));

function strength(mode: LockMode): number {
  return STRENGTH.get(mode) as number;
}

/** The weakest mode that each mode conflicts with, by strength. */
const REFUSES: readonly number[] = [3, 2, 1, 0];

function conflicts(a: LockMode, b: LockMode): boolean {
  return strength(b) >= (REFUSES[strength(a)] as number);
}

/** Of a lock without waiters. */
const NO_WAITERS: Waiter[] = [];

/** One row's lock. Most have one holder and no waiters: they need no map and no array. */
class Lock {
  #queue = NO_WAITERS;
  #first: LockOwner | undefined;
  #firstMode: LockMode = "update";
  #others: Map<LockOwner, LockMode> | undefined;

  get isFree(): boolean {
    return this.#first === undefined && (this.#others?.size ?? 0) === 0 && !this.isAwaited;
  }

  get isAwaited(): boolean {
    return this.#queue.length > 0;
  }

  /** To look at. */
  get waiting(): readonly Waiter[] {
    return this.#queue;
  }

  /** To change. */
  get queue(): Waiter[] {
    if (this.#queue === NO_WAITERS) this.#queue = [];
    return this.#queue;
  }

  /** What an owner holds. */
  held(owner: LockOwner): LockMode | undefined {
    return this.#first === owner ? this.#firstMode : this.#others?.get(owner);
  }

  hold(owner: LockOwner, mode: LockMode): void {
    if (this.#first === owner || (this.#first === undefined && !this.#others?.has(owner))) {
      this.#first = owner;
      this.#firstMode = mode;
      return;
    }
    this.#others ??= new Map();
    this.#others.set(owner, mode);
  }

  letGo(owner: LockOwner): void {
    if (this.#first === owner) this.#first = undefined;
    else this.#others?.delete(owner);
  }

  /** Whether one that is not `owner` holds what `mode` conflicts with. */
  refuses(owner: LockOwner, mode: LockMode): boolean {
    const first = this.#first;
    if (first !== undefined && first !== owner && conflicts(mode, this.#firstMode)) return true;
    if (this.#others === undefined) return false;
    for (const [other, held] of this.#others) {
      if (other !== owner && conflicts(mode, held)) return true;
    }
    return false;
  }

  /** All that hold it. */
  *holders(): Iterable<readonly [LockOwner, LockMode]> {
    if (this.#first !== undefined) yield [this.#first, this.#firstMode];
    if (this.#others !== undefined) yield* this.#others;
  }
}

/**
 * Locks of rows, in memory: writers of one row wait for each other instead of failing. They make
 * conflicts rare and decide nothing: a commit is checked against what was written all the same.
 * Waiters that conflict are served in the order in which they came.
 */
export class RowLocks {
  readonly #locks = new Map<string, Lock>();
  readonly #waiting = new Map<LockOwner, string>();
  readonly #waits: WaitGraph;

  /** `waits`: of all locks that those who wait here may also wait for. */
  constructor(waits: WaitGraph = new WaitGraph()) {
    this.#waits = waits;
  }

  /** Locks that are held or waited for. */
  get size(): number {
    return this.#locks.size;
  }

  /**
   * @throws FirnError `Conflict`: `ROW_LOCKED` (55P03), with `nowait`; `ROW_DEADLOCK` (40P01),
   *   where those it would wait for wait for it.
   */
  acquire(owner: LockOwner, key: string, mode: LockMode, wait: LockWait): Maybe<LockOutcome> {
    const lock = this.#lockOf(key);
    const held = lock.held(owner);
    if (held !== undefined && strength(held) >= strength(mode)) return "held";
    // One that holds the row already goes before all waiters: they wait for it anyway.
    const queue = held === undefined ? lock.waiting : NO_WAITERS;
    if (!this.#isRefused(lock, owner, mode, queue)) {
      this.#hold(lock, key, owner, mode);
      return "held";
    }
    if (wait === "skip locked") return "skipped";
    if (wait === "nowait") {
      throw rowError("Conflict", "ROW_LOCKED", "55P03", "another transaction holds the row's lock");
    }
    const { promise, resolve, reject } = Promise.withResolvers<LockOutcome>();
    const grant = (): void => {
      this.#ends(owner);
      this.#hold(lock, key, owner, mode);
      resolve("waited");
    };
    const waiter = { owner, mode, grant, leave: reject };
    if (held === undefined) lock.queue.push(waiter);
    else lock.queue.unshift(waiter);
    // Looked for from its place in the queue: those behind one that goes first wait for it, too.
    const blockers = () => this.#blockers(lock, owner, mode, lock.queue);
    if (!this.#waits.begin(owner.waiter ?? owner, blockers)) {
      lock.queue.splice(lock.queue.indexOf(waiter), 1);
      throw rowError("Conflict", "ROW_DEADLOCK", "40P01", "deadlock: begin the transaction again");
    }
    this.#waiting.set(owner, key);
    return promise;
  }

  /** Ends the wait of a transaction, which then fails with `why`. It keeps what it holds. */
  leave(owner: LockOwner, why: unknown): void {
    const key = this.#waiting.get(owner);
    const lock = key === undefined ? undefined : this.#locks.get(key);
    const at = lock?.queue.findIndex((waiter) => waiter.owner === owner) ?? -1;
    if (key === undefined || lock === undefined || at < 0) return;
    this.#ends(owner);
    const [waiter] = lock.queue.splice(at, 1);
    // Those behind it may have waited for it alone.
    this.#serve(lock, key);
    waiter?.leave(why);
  }

  /** Ends it: it waits for nothing any more, and lets go of all that it holds. */
  release(owner: LockOwner): void {
    if (this.#waiting.has(owner)) this.leave(owner, transactionOver());
    for (const key of owner.locks) {
      const lock = this.#locks.get(key);
      lock?.letGo(owner);
      if (lock !== undefined) this.#serve(lock, key);
    }
    owner.locks.length = 0;
  }

  #lockOf(key: string): Lock {
    let lock = this.#locks.get(key);
    if (lock === undefined) {
      lock = new Lock();
      this.#locks.set(key, lock);
    }
    return lock;
  }

  #ends(owner: LockOwner): void {
    this.#waiting.delete(owner);
    this.#waits.end(owner.waiter ?? owner);
  }

  #hold(lock: Lock, key: string, owner: LockOwner, mode: LockMode): void {
    if (lock.held(owner) === undefined) owner.locks.push(key);
    lock.hold(owner, mode);
  }

  /**
   * Grants each waiter that conflicts neither with a holder nor with a waiter before it. Who still
   * waits then does so for what `#blockers` names alone, or a circle would go unseen.
   */
  #serve(lock: Lock, key: string): void {
    if (lock.isAwaited) this.#grant(lock);
    if (lock.isFree) this.#locks.delete(key);
  }

  #grant(lock: Lock): void {
    const before: Waiter[] = [];
    for (const waiter of [...lock.queue]) {
      if (this.#isRefused(lock, waiter.owner, waiter.mode, before)) {
        before.push(waiter);
        continue;
      }
      lock.queue.splice(lock.queue.indexOf(waiter), 1);
      waiter.grant();
    }
  }

  #isRefused(lock: Lock, owner: LockOwner, mode: LockMode, queue: readonly Waiter[]): boolean {
    if (lock.refuses(owner, mode)) return true;
    return queue.length > 0 && queue.some((waiter) => conflicts(mode, waiter.mode));
  }

  *#blockers(
    lock: Lock,
    owner: LockOwner,
    mode: LockMode,
    queue: readonly Waiter[],
  ): Iterable<object> {
    for (const [holder, held] of lock.holders()) {
      if (holder !== owner && conflicts(mode, held)) yield holder.waiter ?? holder;
    }
    for (const { owner: other, mode: wanted } of queue) {
      if (other === owner) return;
      if (conflicts(mode, wanted)) yield other.waiter ?? other;
    }
  }
}
