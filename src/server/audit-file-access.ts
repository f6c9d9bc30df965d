import type { Clock } from "../base/clock.ts";
import type { FileAccessNews } from "../service/access/file-access-news.ts";
import type { VendMode } from "../service/access/session-policy.ts";
import type { Actor } from "../service/actor.ts";
import type { TableRef } from "../service/requests.ts";
import { type AuditEntry, type AuditLog, accountOf } from "./audit-log.ts";

/** Signatures of one table for one principal are summed for so long. */
const SPAN_MS = 60_000;
/** Sums at once. With the next one all of them are written. */
const SUMS = 1_000;

/** Signatures that no entry tells yet. */
interface Sum {
  readonly entry: Omit<AuditEntry, "decision">;
  readonly sinceMs: number;
  reads: number;
  writes: number;
}

/**
 * Records credentials and signatures for the files of tables. A client asks for thousands of
 * signatures: the first one for a table is recorded at once, those of the next minute as a sum.
 */
export class FileAccessAudit implements FileAccessNews {
  readonly #audit: Pick<AuditLog, "record">;
  readonly #clock: Clock;
  readonly #sums: Map<string, Sum> = new Map();
  readonly #closing = new AbortController();
  #isWaiting = false;

  constructor(audit: Pick<AuditLog, "record">, clock: Clock) {
    this.#audit = audit;
    this.#clock = clock;
  }

  lent(actor: Actor, table: TableRef, mode: VendMode): void {
    this.#audit.record({ ...entryOf("vend", actor, table), mode, decision: "allowed" });
  }

  signed(actor: Actor, table: TableRef, mode: VendMode): void {
    const entry = entryOf("sign", actor, table);
    const { account, accountId, principal, keyId, issuer, address, object } = entry;
    const who = [account, accountId, principal, keyId, issuer, address];
    const key = JSON.stringify([who, object]);
    const [reads, writes] = mode === "read" ? [1, 0] : [0, 1];
    const sum = this.#sums.get(key);
    if (sum !== undefined) {
      sum.reads += reads;
      sum.writes += writes;
      return;
    }
    this.#audit.record({ ...entry, reads, writes, decision: "allowed" });
    if (this.#sums.size >= SUMS) this.#flush(Number.POSITIVE_INFINITY);
    this.#sums.set(key, { entry, sinceMs: this.#clock.monotonicMs(), reads: 0, writes: 0 });
    void this.#wait();
  }

  /** Writes what was summed. Nothing is told after it. */
  close(): void {
    this.#closing.abort();
    this.#flush(Number.POSITIVE_INFINITY);
  }

  async #wait(): Promise<void> {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const { signal } = this.#closing;
    while (this.#sums.size > 0 && !signal.aborted) {
      await this.#clock.sleep(SPAN_MS, signal);
      this.#flush(this.#clock.monotonicMs() - SPAN_MS);
    }
    this.#isWaiting = false;
  }

  /** Writes the sums that began by then. */
  #flush(untilMs: number): void {
    for (const [key, { entry, sinceMs, reads, writes }] of this.#sums) {
      if (sinceMs > untilMs) continue;
      this.#sums.delete(key);
      if (reads + writes === 0) continue;
      const { requestId: _, ...summed } = entry;
      this.#audit.record({ ...summed, reads, writes, decision: "allowed" });
    }
  }
}

function entryOf(
  operation: string,
  actor: Actor,
  { catalog, namespace, table }: TableRef,
): Omit<AuditEntry, "decision"> {
  const { principal, keyId, issuer, address, requestId } = actor;
  const object = { catalog, namespace: namespace.join("."), table };
  return {
    requestId,
    ...accountOf(actor),
    principal,
    keyId,
    issuer,
    address,
    operation,
    object,
  };
}
