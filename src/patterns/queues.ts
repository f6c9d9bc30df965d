import { FirnError } from "../base/error.ts";
import type { Datum, RowScan, RowTransaction, TableDescriptor } from "../rows/index.ts";
import {
  ANSWER_CHARS,
  checkedFence,
  checkedNumber,
  jsonText,
  jsonValue,
  MOST_MS,
  type PatternShape,
  type PatternTable,
  patternTable,
} from "./pattern-table.ts";
import { rowsOf } from "./rows-of.ts";

const WAITING = 0;
const DEAD = 1;
/** The state of the queue's own row. */
const MARK = 2;
const MARK_ID = "00000000-0000-0000-0000-000000000000";

export const QUEUE_SHAPE: PatternShape = {
  columns: [
    { name: "id", type: { kind: "uuid" } },
    /** 0: waiting or claimed; 1: dead letter; 2: the low-water mark. */
    { name: "state", type: { kind: "int2" }, nullable: false },
    /** When it may be claimed; of a dead letter: when it died; of the mark: none is earlier. */
    { name: "visible_at", type: { kind: "int8" }, nullable: false },
    { name: "fence", type: { kind: "int8" }, nullable: false },
    { name: "attempts", type: { kind: "int4" }, nullable: false },
    { name: "payload", type: { kind: "json" }, nullable: false },
    { name: "reason", type: { kind: "text" } },
  ],
  primaryKey: { parts: [{ column: "id" }] },
  indexes: [{ name: "due", parts: [{ column: "state" }, { column: "visible_at" }] }],
};
const DUE = 1;

export interface QueueOptions {
  /** A task that was claimed as often, and not acknowledged, is a dead letter; 10 if absent. */
  readonly maxAttempts?: number;
}

export interface ClaimedTask {
  readonly id: string;
  readonly payload: unknown;
  /** Of this claim: `ack`, `nack` and `extend` need it. */
  readonly fence: bigint;
  /** How often it was claimed, this time included. */
  readonly attempts: number;
  readonly claimedUntilMs: number;
}

export interface DeadTask {
  readonly id: string;
  readonly payload: unknown;
  readonly attempts: number;
  readonly diedAtMs: number;
  readonly reason: string | null;
}

/** Which claim of a task. */
export interface TaskClaim {
  readonly id: string;
  readonly fence: bigint;
}

interface Task {
  readonly id: string;
  readonly state: number;
  readonly visibleAtMs: number;
  readonly fence: bigint;
  readonly attempts: number;
  readonly payload: string;
  readonly reason: string | null;
}

const MOST_TASKS = 1_000;
const MOST_REASON = 4_096;
/** The mark moves behind as many acknowledged tasks of this process. */
const MARK_EVERY = 1_024;

/**
 * A work queue: each task is delivered at least once, and acknowledged once. A claim hides a task
 * for a while; a claim that was overtaken by another can do nothing.
 *
 * Claims read the index from a stored low-water mark: tombstones of tasks that are done lie before
 * it. No task is visible earlier than the mark, because its writers hold the mark's row (`key
 * share`) while its mover holds it (`update`).
 */
export class Queue {
  readonly #table: PatternTable;
  readonly #maxAttempts: number;
  #done = 0;

  constructor(table: PatternTable, { maxAttempts = 10 }: QueueOptions = {}) {
    this.#table = table;
    this.#maxAttempts = checkedNumber("maxAttempts", maxAttempts, 1, 1_000_000);
  }

  /**
   * Adds tasks, all or none.
   *
   * @returns their ids. @throws FirnError `Invalid`, code `PATTERN_VALUE_INVALID`.
   */
  async enqueue(
    payloads: readonly unknown[],
    { delayMs = 0 }: { readonly delayMs?: number } = {},
  ): Promise<readonly string[]> {
    checkedNumber("tasks", payloads.length, 1, MOST_TASKS);
    checkedNumber("delayMs", delayMs, 0, MOST_MS);
    const texts = payloads.map((payload) => jsonText(this.#table, "payload", payload));
    return await this.#table.store.run(async (tx) => {
      const table = await patternTable(tx, this.#table, QUEUE_SHAPE);
      const visibleAt = BigInt((await this.#nowMs(tx, table)) + delayMs);
      const ids = texts.map((): string => this.#table.ids.mint());
      const rows = texts.map((text, i): readonly Datum[] => {
        return [ids[i] as string, WAITING, visibleAt, 0n, 0, text, null];
      });
      await tx.insert(table, rows);
      return ids;
    });
  }

  /**
   * Claims tasks that are visible, those first that have been for longest, and hides them from
   * others for `visibilityMs`. Tasks that were claimed too often become dead letters instead.
   * Fewer than `max` are claimed where payloads are large.
   */
  async claim({
    max = 1,
    visibilityMs = 30_000,
  }: {
    readonly max?: number;
    readonly visibilityMs?: number;
  } = {}): Promise<readonly ClaimedTask[]> {
    checkedNumber("max", max, 1, MOST_TASKS);
    checkedNumber("visibilityMs", visibilityMs, 1, MOST_MS);
    if (this.#done >= MARK_EVERY) await this.moveMark();
    const work = async (tx: RowTransaction): Promise<readonly ClaimedTask[]> => {
      const table = await patternTable(tx, this.#table, QUEUE_SHAPE);
      const low = await mark(tx, table, "key share");
      const nowMs = Math.max(this.#table.clock.nowMs(), low);
      const scan = tx.scan(table, {
        ...waiting(low, nowMs),
        lock: { mode: "update", wait: "skip locked" },
        batchRows: max,
      });
      const claimed: ClaimedTask[] = [];
      let chars = 0;
      for await (const task of tasksOf(scan)) {
        // Another may have claimed it between the index's state and the lock.
        if (task.state !== WAITING || task.visibleAtMs > nowMs) continue;
        if (task.attempts >= this.#maxAttempts) {
          const reason = task.reason ?? "claimed too often without an acknowledgement";
          await put(tx, table, { ...task, state: DEAD, visibleAtMs: nowMs, reason });
          continue;
        }
        const claimedUntilMs = nowMs + visibilityMs;
        const fence = task.fence + 1n;
        const attempts = task.attempts + 1;
        await put(tx, table, { ...task, visibleAtMs: claimedUntilMs, fence, attempts });
        const payload = jsonValue(this.#table, task.payload);
        claimed.push({ id: task.id, payload, fence, attempts, claimedUntilMs });
        chars += task.payload.length;
        if (claimed.length === max || chars >= ANSWER_CHARS) break;
      }
      return claimed;
    };
    // It validates each task from when it was locked: enqueues beside it are not in its way.
    return await this.#table.store.run(work, { isolation: "read committed" });
  }

  /**
   * Removes a task that is done.
   *
   * @returns false where it is gone: it was acknowledged before.
   * @throws FirnError `Conflict`, code `QUEUE_CLAIM_LOST`: another has claimed it, or it is dead.
   */
  async ack({ id, fence }: TaskClaim): Promise<boolean> {
    const isDone = await this.#table.store.run(async (tx) => {
      const table = await patternTable(tx, this.#table, QUEUE_SHAPE);
      const task = await find(tx, table, id);
      if (task === undefined) return false;
      assertClaim(task, fence);
      await tx.delete(table, [id]);
      return true;
    });
    if (isDone) this.#done++;
    return isDone;
  }

  /**
   * Gives a task back, to be claimed again after `delayMs`, or as a dead letter where it was
   * claimed too often.
   *
   * @throws FirnError as `ack`; `NotFound`, code `QUEUE_TASK_NOT_FOUND`.
   */
  async nack(
    { id, fence }: TaskClaim,
    { delayMs = 0, reason }: { readonly delayMs?: number; readonly reason?: string } = {},
  ): Promise<void> {
    checkedNumber("delayMs", delayMs, 0, MOST_MS);
    await this.#change(id, fence, (task, nowMs) => {
      const isDead = task.attempts >= this.#maxAttempts;
      return {
        ...task,
        state: isDead ? DEAD : WAITING,
        visibleAtMs: isDead ? nowMs : nowMs + delayMs,
        // It may be claimed at once: who gave it back must not change it any more.
        fence: task.fence + 1n,
        reason: reason?.slice(0, MOST_REASON) ?? task.reason,
      };
    });
  }

  /** Hides a claimed task for `visibilityMs` from now on. @throws FirnError as `nack`. */
  async extend(
    { id, fence }: TaskClaim,
    { visibilityMs }: { readonly visibilityMs: number },
  ): Promise<void> {
    checkedNumber("visibilityMs", visibilityMs, 1, MOST_MS);
    await this.#change(id, fence, (task, nowMs) => {
      return { ...task, visibleAtMs: nowMs + visibilityMs };
    });
  }

  /** Dead letters, the oldest first. */
  async deadLetters({
    limit = 100,
  }: {
    readonly limit?: number;
  } = {}): Promise<readonly DeadTask[]> {
    checkedNumber("limit", limit, 1, MOST_TASKS);
    return await this.#table.store.run(
      async (tx) => {
        const table = await patternTable(tx, this.#table, QUEUE_SHAPE);
        const dead: DeadTask[] = [];
        let chars = 0;
        for await (const task of tasksOf(tx.scan(table, { index: DUE, equal: [DEAD], limit }))) {
          const { id, attempts, visibleAtMs: diedAtMs, reason } = task;
          const payload = jsonValue(this.#table, task.payload);
          dead.push({ id, payload, attempts, diedAtMs, reason });
          chars += task.payload.length;
          if (chars >= ANSWER_CHARS) break;
        }
        return dead;
      },
      { isolation: "repeatable read", readOnly: true },
    );
  }

  /** Makes a dead letter a task again, with no attempts. @returns false where it is none. */
  async redrive(id: string): Promise<boolean> {
    return await this.#ofDead(id, async (tx, table, task) => {
      const visibleAtMs = await this.#nowMs(tx, table);
      await put(tx, table, { ...task, state: WAITING, visibleAtMs, attempts: 0 });
    });
  }

  /** Removes a dead letter. @returns false where it is none. */
  async discard(id: string): Promise<boolean> {
    return await this.#ofDead(id, async (tx, table) => void (await tx.delete(table, [id])));
  }

  /**
   * Moves the low-water mark to the first task: claims call it now and then.
   *
   * @returns the mark, in milliseconds.
   */
  async moveMark(): Promise<number> {
    this.#done = 0;
    return await this.#table.store.run(
      async (tx) => {
        const table = await patternTable(tx, this.#table, QUEUE_SHAPE);
        const low = await mark(tx, table, "update");
        const nowMs = Math.max(this.#table.clock.nowMs(), low);
        // Who wrote a task has ended: none can begin to while the mark is locked.
        await tx.statement();
        const scan = tx.scan(table, { ...waiting(low), limit: 1 });
        let next = nowMs;
        for await (const { visibleAtMs } of tasksOf(scan)) next = Math.min(next, visibleAtMs);
        if (next > low) await tx.put(table, markRow(next));
        return next;
      },
      { isolation: "read committed" },
    );
  }

  /** The time of the queue, which the mark keeps from going back. */
  async #nowMs(tx: RowTransaction, table: TableDescriptor): Promise<number> {
    return Math.max(this.#table.clock.nowMs(), await mark(tx, table, "key share"));
  }

  async #change(
    id: string,
    fence: bigint,
    changed: (task: Task, nowMs: number) => Task,
  ): Promise<void> {
    await this.#table.store.run(async (tx) => {
      const table = await patternTable(tx, this.#table, QUEUE_SHAPE);
      const nowMs = await this.#nowMs(tx, table);
      const task = await find(tx, table, id);
      if (task === undefined) {
        const message = "the queue has no such task: it was acknowledged";
        throw new FirnError("NotFound", "QUEUE_TASK_NOT_FOUND", message, { task: id });
      }
      assertClaim(task, fence);
      await put(tx, table, changed(task, nowMs));
    });
  }

  async #ofDead(
    id: string,
    work: (tx: RowTransaction, table: TableDescriptor, task: Task) => Promise<void>,
  ): Promise<boolean> {
    return await this.#table.store.run(async (tx) => {
      const table = await patternTable(tx, this.#table, QUEUE_SHAPE);
      const task = await find(tx, table, id);
      if (task?.state !== DEAD) return false;
      await work(tx, table, task);
      return true;
    });
  }
}

function waiting(lowMs: number, upToMs?: number) {
  return {
    index: DUE,
    equal: [WAITING],
    lower: { value: BigInt(lowMs), inclusive: true },
    ...(upToMs !== undefined && { upper: { value: BigInt(upToMs), inclusive: true } }),
  } as const;
}

function markRow(lowMs: number): readonly Datum[] {
  return [MARK_ID, MARK, BigInt(lowMs), 0n, 0, "null", null];
}

async function mark(
  tx: RowTransaction,
  table: TableDescriptor,
  mode: "key share" | "update",
): Promise<number> {
  const row = await tx.get(table, [MARK_ID], { lock: { mode } });
  return row === undefined ? 0 : Number(row[2]);
}

async function find(
  tx: RowTransaction,
  table: TableDescriptor,
  id: string,
): Promise<Task | undefined> {
  const row = await tx.get(table, [id], { lock: { mode: "update" } });
  const task = row && taskOf(row);
  return task?.state === MARK ? undefined : task;
}

function taskOf(row: readonly Datum[]): Task {
  const [id, state, visibleAt, fence, attempts, payload, reason] = row as readonly [
    string,
    number,
    bigint,
    bigint,
    number,
    string,
    string | null,
  ];
  return { id, state, visibleAtMs: Number(visibleAt), fence, attempts, payload, reason };
}

async function* tasksOf(scan: RowScan): AsyncGenerator<Task> {
  for await (const row of rowsOf(scan)) yield taskOf(row);
}

async function put(tx: RowTransaction, table: TableDescriptor, task: Task): Promise<void> {
  const { id, state, visibleAtMs, fence, attempts, payload, reason } = task;
  await tx.put(table, [id, state, BigInt(visibleAtMs), fence, attempts, payload, reason]);
}

/** @throws FirnError `QUEUE_CLAIM_LOST`, `PATTERN_FENCE_INVALID`. */
function assertClaim(task: Task, fence: bigint): void {
  checkedFence(fence, task.fence);
  if (task.fence === fence && task.state === WAITING) return;
  const message = "the claim has ended, and the task is another's now: claim again";
  const context = { task: task.id, fence, newest: task.fence };
  throw new FirnError("Conflict", "QUEUE_CLAIM_LOST", message, context);
}
