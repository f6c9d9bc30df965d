import { bytesEqual } from "../base/bytes.ts";
import { CatalogError, type ErrorContext, type ErrorKind, invalid } from "../base/error.ts";
import { LIMITS } from "../base/limits.ts";
import { type Attempt as CertainAttempt, commitCertain, type Verdict } from "../pointer/certain.ts";
import type { Item, Version } from "../pointer/port.ts";
import { decodeReceipt, encodeReceipt } from "./codec.ts";
import type { Actor, CatalogContext } from "./context.ts";
import { storeOverloaded } from "./errors.ts";
import { FAMILIES, keyOf } from "./keys.ts";
import type { Receipt } from "./model.ts";

/*
 * A receipt is written in the batch of its mutation, under the client's key or else the attempt's
 * own id. So there is no state between "not done" and "done" to get stuck in: whoever finds a
 * receipt of its key answers what it says. A refusal has no batch; its receipt is written alone.
 */

/** Refusals that the same request would meet again. Losing races is no property of a request. */
const FINAL: ReadonlySet<ErrorKind> = new Set(["Invalid", "NotFound", "AlreadyExists", "Conflict"]);
const PASSING_CODES: ReadonlySet<string> = new Set(["CONTENDED", "IDEMPOTENCY_KEY_REUSED"]);

/** Where an attempt's receipt goes; a fence or an expired one moves what is expected there. */
export interface ReceiptPlace {
  readonly key: string;
  expected: Version;
}

/** Key of the receipt of an attempt. */
export function receiptKey(
  context: CatalogContext,
  actor: Actor,
  operation: string,
  attemptId: string,
): string {
  const { idempotency } = actor;
  return idempotency === undefined
    ? keyOf(FAMILIES.receipt, context.account, operation, attemptId)
    : keyOf(FAMILIES.receipt, context.account, idempotency.operation, idempotency.key);
}

/**
 * The receipt that stands for the client's key: what an earlier request came to.
 *
 * @returns undefined where none does, or where it has expired.
 * @throws CatalogError `Invalid` `IDEMPOTENCY_KEY_REUSED`: it is another request's; and the error
 * that the earlier request was refused with.
 */
export function replayOf(context: CatalogContext, actor: Actor, item: Item): Receipt | undefined {
  const { idempotency } = actor;
  if (idempotency === undefined || item.state === "absent" || item.summary === undefined) {
    return undefined;
  }
  const receipt = decodeReceipt(item.summary);
  if (receipt.expiresAtMs <= context.clock.nowMs()) return undefined;
  const same =
    bytesEqual(receipt.requestHash, idempotency.requestHash) &&
    receipt.principal === actor.principal;
  if (!same) {
    const facts = { key: idempotency.key };
    throw invalid("IDEMPOTENCY_KEY_REUSED", "key belongs to another request", facts);
  }
  idempotency.replayed = true;
  if (receipt.error === undefined) return receipt;
  const { kind, code } = receipt.error;
  const facts = JSON.parse(receipt.error.facts) as ErrorContext;
  throw new CatalogError(kind as ErrorKind, code, "refused as before", facts);
}

/** What every receipt of a request says. */
type ReceiptBase = Pick<Receipt, "requestHash" | "principal" | "metadataLocation" | "expiresAtMs">;

export function receiptBase(context: CatalogContext, actor: Actor): ReceiptBase {
  return {
    requestHash: actor.idempotency?.requestHash ?? new Uint8Array(),
    principal: actor.principal,
    metadataLocation: "",
    expiresAtMs: context.clock.nowMs() + LIMITS.receiptLifeMs,
  };
}

/**
 * Records a refusal under the client's key, so that a retry hears it again, also where it would
 * succeed by now. Where another request of the key was faster, its outcome is the answer.
 *
 * @throws CatalogError `Overloaded`, `Unknown`: it could not be recorded. Then it is no answer:
 * another request of the key may have succeeded, or may still.
 */
export async function recordRefusal(
  context: CatalogContext,
  actor: Actor,
  attempt: CertainAttempt,
  place: ReceiptPlace,
  error: unknown,
): Promise<Receipt | undefined> {
  const { idempotency } = actor;
  if (idempotency === undefined || idempotency.replayed) return undefined;
  if (!(error instanceof CatalogError) || !FINAL.has(error.kind)) return undefined;
  if (PASSING_CODES.has(error.code)) return undefined;
  const { kind, code } = error;
  const facts = JSON.stringify(error.context, (_key, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
  const refusal = { ...receiptBase(context, actor), status: 0, key: "", version: 0n };
  const whole = encodeReceipt({ ...refusal, error: { kind, code, facts } });
  const bare = { kind, code, facts: "{}" };
  const summary = fits(whole) ? whole : encodeReceipt({ ...refusal, error: bare });
  for (;;) {
    const request = { ops: [], receipt: { ...place, summary } };
    const verdict = await commitCertain(context.pointers, context, attempt, request);
    switch (verdict.verdict) {
      case "committed":
        return undefined;
      case "replayed":
        return replayOf(context, actor, verdict.receipt);
      case "conflict":
        // Fenced by another request of the key, which has not succeeded so far.
        place.expected = verdict.receiptExpected;
        break;
      case "overloaded":
      case "unknown":
        throw failureOf(verdict);
    }
  }
}

/**
 * Records an outcome that has no batch. What cannot be recorded stands all the same.
 *
 * @returns the receipt of another request of the key, where that was faster.
 */
export async function recordAlone(
  context: CatalogContext,
  actor: Actor,
  attempt: CertainAttempt,
  place: ReceiptPlace,
  receipt: Receipt,
): Promise<Receipt | undefined> {
  const summary = encodeReceipt(receipt);
  if (!fits(summary)) return undefined;
  const request = { ops: [], receipt: { ...place, summary } };
  const verdict = await commitCertain(context.pointers, context, attempt, request);
  return verdict.verdict === "replayed" ? replayOf(context, actor, verdict.receipt) : undefined;
}

/** Whether a receipt fits its pointer. */
export function fits(summary: Uint8Array): boolean {
  return summary.length <= LIMITS.summaryBytes;
}

/** What a caller hears of a verdict that settles nothing. */
export function failureOf(
  verdict: Extract<Verdict, { verdict: "overloaded" } | { verdict: "unknown" }>,
): CatalogError {
  switch (verdict.verdict) {
    case "overloaded":
      return storeOverloaded(verdict.retryAfterMs);
    case "unknown":
      return new CatalogError("Unknown", "OUTCOME_UNKNOWN", "the change may have happened");
  }
}
