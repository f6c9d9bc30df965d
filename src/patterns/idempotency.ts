import { FirnError, invalid } from "../base/error.ts";
import type { RowTransaction, TableDescriptor } from "../rows/index.ts";
import {
  checkedFence,
  checkedName,
  checkedNumber,
  jsonText,
  jsonValue,
  MOST_MS,
  type PatternShape,
  type PatternTable,
  patternTable,
} from "./pattern-table.ts";

export const IDEMPOTENCY_SHAPE: PatternShape = {
  columns: [
    { name: "scope", type: { kind: "text" } },
    { name: "key", type: { kind: "text" } },
    { name: "hash", type: { kind: "text" }, nullable: false },
    { name: "fence", type: { kind: "int8" }, nullable: false },
    /** While IN_PROGRESS: when another may take it over. Of one that is done: when it was. */
    { name: "at", type: { kind: "int8" }, nullable: false },
    /** NULL: IN_PROGRESS. */
    { name: "reply", type: { kind: "json" } },
  ],
  primaryKey: { parts: [{ column: "scope" }, { column: "key" }] },
};

/** What a command is known by. `hash`: of its content; another one is another command. */
export interface CommandKey {
  readonly scope: string;
  readonly key: string;
  readonly hash: string;
}

export type Reservation =
  /** It is the caller's to do, and to complete with this fence. */
  | { readonly state: "reserved"; readonly fence: bigint; readonly isTakenOver: boolean }
  | { readonly state: "done"; readonly reply: unknown };

interface Stored {
  readonly hash: string;
  readonly fence: bigint;
  readonly atMs: number;
  readonly reply: string | null;
}

/**
 * Commands that have their effect once, and the same reply each time.
 *
 * `run` is for effects in the same catalog's rows: they commit with the reply. `reserve` and
 * `complete` are for effects elsewhere: a crash between the two leaves the key IN_PROGRESS until
 * its lease ends; who takes it over then has to find out whether the effect happened.
 */
export class IdempotencyStore {
  readonly #table: PatternTable;

  constructor(table: PatternTable) {
    this.#table = table;
  }

  /**
   * The reply of a command, which `work` does in the transaction that stores it.
   *
   * @throws FirnError `Conflict`, code `IDEMPOTENCY_IN_PROGRESS`; `Invalid`, code
   *   `IDEMPOTENCY_KEY_MISMATCH`: the key was used with another hash; and what `work` throws.
   */
  async run<Reply>(
    command: CommandKey,
    work: (tx: RowTransaction) => Promise<Reply>,
  ): Promise<Reply> {
    checkedCommand(command);
    return await this.#table.store.run(async (tx) => {
      const table = await patternTable(tx, this.#table, IDEMPOTENCY_SHAPE);
      const stored = await read(tx, table, command);
      if (stored?.reply != null) return jsonValue(this.#table, stored.reply) as Reply;
      this.#assertFree(command, stored);
      const reply = jsonText(this.#table, "reply", await work(tx));
      const fence = (stored?.fence ?? 0n) + 1n;
      await write(tx, table, command, { fence, atMs: this.#table.clock.nowMs(), reply });
      // As later callers get it.
      return jsonValue(this.#table, reply) as Reply;
    });
  }

  /**
   * Reserves a command for `leaseMs`; one whose lease has ended is taken over.
   *
   * @throws FirnError as `run`; `IDEMPOTENCY_IN_PROGRESS` has `retryAfterMs`.
   */
  async reserve(
    command: CommandKey,
    { leaseMs }: { readonly leaseMs: number },
  ): Promise<Reservation> {
    checkedCommand(command);
    checkedNumber("leaseMs", leaseMs, 1, MOST_MS);
    return await this.#table.store.run(async (tx): Promise<Reservation> => {
      const table = await patternTable(tx, this.#table, IDEMPOTENCY_SHAPE);
      const stored = await read(tx, table, command);
      if (stored?.reply != null) {
        return { state: "done", reply: jsonValue(this.#table, stored.reply) };
      }
      this.#assertFree(command, stored);
      const fence = (stored?.fence ?? 0n) + 1n;
      const atMs = this.#table.clock.nowMs() + leaseMs;
      await write(tx, table, command, { fence, atMs, reply: null });
      return { state: "reserved", fence, isTakenOver: stored !== undefined };
    });
  }

  /**
   * Stores the reply of a command that was reserved. Again with the same fence, it stays as it is.
   *
   * @throws FirnError `Conflict`, code `IDEMPOTENCY_LOST`: another has taken the command over.
   */
  async complete(command: CommandKey, fence: bigint, reply: unknown): Promise<void> {
    checkedCommand(command);
    const text = jsonText(this.#table, "reply", reply);
    await this.#table.store.run(async (tx) => {
      const table = await patternTable(tx, this.#table, IDEMPOTENCY_SHAPE);
      const stored = await read(tx, table, command);
      assertReserved(command, fence, stored);
      if (stored?.reply != null) return;
      await write(tx, table, command, { fence, atMs: this.#table.clock.nowMs(), reply: text });
    });
  }

  /** Ends a reservation whose effect did not happen: the next caller takes it over at once. */
  async abandon(command: CommandKey, fence: bigint): Promise<void> {
    checkedCommand(command);
    await this.#table.store.run(async (tx) => {
      const table = await patternTable(tx, this.#table, IDEMPOTENCY_SHAPE);
      const stored = await read(tx, table, command);
      assertReserved(command, fence, stored);
      if (stored?.reply == null) await write(tx, table, command, { fence, atMs: 0, reply: null });
    });
  }

  /** Forgets a command that is done: the same key has its effect again. @returns whether it was. */
  async forget({ scope, key }: Omit<CommandKey, "hash">): Promise<boolean> {
    checkedCommand({ scope, key });
    return await this.#table.store.run(async (tx) => {
      const table = await patternTable(tx, this.#table, IDEMPOTENCY_SHAPE);
      const row = await tx.get(table, [scope, key], { lock: { mode: "update" } });
      if (row === undefined || row[5] === null) return false;
      await tx.delete(table, [scope, key]);
      return true;
    });
  }

  /** Not done, and no other at work on it. */
  #assertFree({ scope, key }: CommandKey, stored: Stored | undefined): void {
    const retryAfterMs = (stored?.atMs ?? 0) - this.#table.clock.nowMs();
    if (stored === undefined || retryAfterMs <= 0) return;
    const message = "the command is in progress elsewhere: ask again later";
    const context = { scope, key, retryAfterMs };
    throw new FirnError("Conflict", "IDEMPOTENCY_IN_PROGRESS", message, context);
  }
}

function checkedCommand({ scope, key, hash = "-" }: Partial<CommandKey>): void {
  checkedName("scope", scope ?? "");
  checkedName("key", key ?? "");
  checkedName("hash", hash);
}

/** @throws FirnError `Invalid`, code `IDEMPOTENCY_KEY_MISMATCH`. */
async function read(
  tx: RowTransaction,
  table: TableDescriptor,
  { scope, key, hash }: CommandKey,
): Promise<Stored | undefined> {
  const row = await tx.get(table, [scope, key], { lock: { mode: "update" } });
  if (row === undefined) return undefined;
  const [, , known, fence, at, reply] = row as readonly [
    string,
    string,
    string,
    bigint,
    bigint,
    string | null,
  ];
  if (known === hash) return { hash, fence, atMs: Number(at), reply };
  const message = "the key was used for another command: use a new key";
  throw invalid("IDEMPOTENCY_KEY_MISMATCH", message, { scope, key });
}

async function write(
  tx: RowTransaction,
  table: TableDescriptor,
  { scope, key, hash }: CommandKey,
  { fence, atMs, reply }: Omit<Stored, "hash">,
): Promise<void> {
  await tx.put(table, [scope, key, hash, fence, BigInt(atMs), reply]);
}

function assertReserved(command: CommandKey, fence: bigint, stored: Stored | undefined): void {
  checkedFence(fence, stored?.fence ?? 0n);
  if (stored?.fence === fence) return;
  const { scope, key } = command;
  const message = "another has taken the command over: its reply counts";
  throw new FirnError("Conflict", "IDEMPOTENCY_LOST", message, { scope, key, fence });
}
