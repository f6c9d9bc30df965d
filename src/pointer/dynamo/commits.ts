import { assert } from "../../base/assert.ts";
import { backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { Prng } from "../../base/prng.ts";
import { conditionHolds } from "../batch.ts";
import type { KeyFamilies } from "../families.ts";
import type { Batch, CommitOutcome, Item, PointerOp, Version } from "../port.ts";
import type { DynamoClient } from "./client.ts";
import { type Failure, failureOf, type Reason } from "./failure.ts";
import { itemOf } from "./item.ts";
import { versionsOf, type Write, writeOf } from "./writes.ts";

/**
 * Sends of a write that was certainly not applied. Few: `certain.ts` has its own tries, and it
 * alone knows until when anything may be sent. Together they take less than the margin that
 * tombstones live on.
 */
const TRIES = 4;
/** What a throttled writer is told to wait: the service's buckets refill every second. */
const THROTTLED_MS = 100;

export interface DynamoCommitsOptions {
  readonly client: DynamoClient;
  readonly table: string;
  readonly families: KeyFamilies;
  readonly clock: Clock;
  readonly prng: Prng;
  /** Reads what stands there, where a refusal does not tell. */
  readonly get: (key: string) => Promise<Item>;
}

/** What one send of a write says. */
interface Sent {
  readonly outcome: CommitOutcome;
  /** This send was certainly not applied, or has met an earlier copy of itself. */
  readonly again: boolean;
}

/** Batches as single writes and transactions, and what their answers prove. */
export class DynamoCommits {
  readonly #options: DynamoCommitsOptions;
  /** A batch's request, as long as its sender keeps it: a resend has the same token and body. */
  readonly #writes = new WeakMap<Batch, Write>();

  constructor(options: DynamoCommitsOptions) {
    this.#options = options;
  }

  /**
   * One request, up to `TRIES` where it is turned away. It is never sent again here once it is in
   * doubt: that is `certain.ts`'s to do.
   */
  async commit(batch: Batch): Promise<CommitOutcome> {
    const { clock, prng } = this.#options;
    const write = this.#writeOf(batch);
    let inDoubt = false;
    for (let tries = 1; ; tries++) {
      const { outcome, again } = await this.#send(write, batch.ops).catch((error: unknown) => {
        // What the table refuses for good says nothing of the copy under way.
        if (inDoubt)
          return { outcome: { outcome: "unknown", cause: error }, again: false } as const;
        throw error;
      });
      const isVerdict = outcome.outcome === "committed" || outcome.outcome === "conflict";
      // A copy under way may still be applied, whatever becomes of the others.
      inDoubt ||= outcome.outcome === "unknown";
      if (!again || tries >= TRIES) {
        return inDoubt && !isVerdict ? { outcome: "unknown" } : outcome;
      }
      await backoff(clock, prng, tries - 1);
    }
  }

  #writeOf(batch: Batch): Write {
    const { table, families, clock, prng } = this.#options;
    let write = this.#writes.get(batch);
    if (write === undefined) {
      write = writeOf({ table, families, prng, nowMs: clock.nowMs() }, batch);
      this.#writes.set(batch, write);
    }
    return write;
  }

  async #send(write: Write, ops: readonly PointerOp[]): Promise<Sent> {
    try {
      const versions = await this.#apply(write, ops);
      return { outcome: { outcome: "committed", versions }, again: false };
    } catch (error) {
      return this.#judge(failureOf(error), write, ops);
    }
  }

  /** @returns the versions made. @throws what `failure.ts` reads. */
  async #apply(write: Write, ops: readonly PointerOp[]): Promise<ReadonlyMap<string, Version>> {
    const { client } = this.#options;
    const versions = versionsOf(ops);
    switch (write.operation) {
      case "PutItem":
        await client.send("PutItem", write.input);
        break;
      case "UpdateItem": {
        const answer = await client.send("UpdateItem", write.input);
        const version = answer.Attributes?.["v"]?.N;
        for (const { key } of ops) if (version !== undefined) versions.set(key, BigInt(version));
        break;
      }
      case "TransactWriteItems":
        await client.send("TransactWriteItems", write.input);
        break;
    }
    return versions;
  }

  async #judge(failure: Failure, write: Write, ops: readonly PointerOp[]): Promise<Sent> {
    switch (failure.failure) {
      case "condition":
        return this.#conflict([{ code: FAILED, item: failure.item }], write, ops);
      case "cancelled":
        return this.#cancelled(failure.reasons, write, ops);
      case "throttled":
        return overloaded(THROTTLED_MS);
      case "contended":
        return overloaded(0);
      case "inProgress":
        return { outcome: { outcome: "unknown" }, again: true };
      case "doubt":
        return { outcome: { outcome: "unknown", cause: failure.cause }, again: false };
      case "refused":
      case "unreachable":
        throw failure.error;
    }
  }

  /** A verdict only where conditions are all that was wrong: what else was could hide one. */
  #cancelled(
    reasons: readonly Reason[],
    write: Write,
    ops: readonly PointerOp[],
  ): Sent | Promise<Sent> {
    const codes = new Set(reasons.map(({ code }) => code));
    codes.delete("None");
    if (codes.has("ProvisionedThroughputExceeded") || codes.has("ThrottlingError")) {
      return overloaded(THROTTLED_MS);
    }
    if (codes.has("TransactionConflict")) return overloaded(0);
    assert(
      codes.size === 1 && codes.has(FAILED) && reasons.length === ops.length,
      "a transaction of ours is cancelled for a condition or by load",
    );
    return this.#conflict(reasons, write, ops);
  }

  /** Where a refusal does not tell what stands there, it is read; gone by then, others won. */
  async #conflict(
    reasons: readonly Reason[],
    write: Write,
    ops: readonly PointerOp[],
  ): Promise<Sent> {
    const { client, get } = this.#options;
    const isSingle = write.operation !== "TransactWriteItems";
    client.refused(write.operation, isSingle ? 1 : 2 * ops.length);
    const failed: Item[] = [];
    for (const [i, { code, item: attributes }] of reasons.entries()) {
      const op = ops[i];
      if (code !== FAILED || op === undefined) continue;
      const told = itemOf(op.key, attributes);
      const item = conditionHolds(op, told) ? await get(op.key) : told;
      if (!conditionHolds(op, item)) failed.push(item);
    }
    return failed.length === 0
      ? overloaded(0)
      : { outcome: { outcome: "conflict", failed }, again: false };
  }
}

const FAILED = "ConditionalCheckFailed";

/** Certainly not applied by this send. */
function overloaded(retryAfterMs: number): Sent {
  return { outcome: { outcome: "overloaded", retryAfterMs }, again: true };
}
