import { assert } from "../base/assert.ts";
import { bytesEqual } from "../base/bytes.ts";
import { type ErrorContext, type ErrorKind, FirnError, invalid } from "../base/error.ts";
import { LIMITS } from "../base/limits.ts";
import { type Attempt as CertainAttempt, commitCertain, type Verdict } from "../pointer/certain.ts";
import type { Item, Version } from "../pointer/port.ts";
import { decodeReceipt, encodeReceipt } from "./codec/receipt.ts";
import type { Actor, CatalogContext } from "./context.ts";
import { storeOverloaded } from "./errors.ts";
import { FAMILIES, keyOf } from "./keys.ts";
import type { Receipt } from "./model.ts";

/*
 * A receipt is written in the batch of its mutation, under the client's key or else the attempt's
 * own id. So there is no state between "not done" and "done" to get stuck in: a request that finds
 * a receipt of its key answers what it says. What has no batch, a refusal or that nothing had to be
 * changed, has its receipt written alone before it is answered: else an earlier request of the key,
 * which its client has given up waiting for, could still be carried out after the answer. To fence
 * it would not do, since a fenced request plans anew.
 *
 * A client may use a key again once its receipt has expired; that request expects the version of
 * the old receipt. So a receipt under a client's key is never forgotten alive: versions would begin
 * anew, and of two such requests each could find what it expects. It is deleted first, and its
 * tombstone forgotten when no request is under way any more that knew it alive.
 */

/** Refusals that hold for the key from now on, also where the same request would succeed later. */
const FINAL: ReadonlySet<ErrorKind> = new Set(["Invalid", "NotFound", "AlreadyExists", "Conflict"]);

/**
 * How far the clocks of two nodes may be apart: each is within `clockSkewMs` of the store's. A
 * receipt is judged by a clock that may be ahead of the one that it was written by, and is good for
 * `receiptLifeMs` nevertheless: that is what clients are told.
 */
const CLOCKS_APART_MS = 2 * LIMITS.clockSkewMs;

/** Where an attempt's receipt goes; a fence or an expired one moves what is expected there. */
export interface ReceiptPlace {
  readonly key: string;
  expected: Version;
}

/**
 * Key of the receipt of an attempt. A client's key stands alone there, without what it is used for:
 * so two requests of one key meet at one pointer, and at most one of their batches is applied, also
 * where they are about different tables or by different operations.
 */
export function receiptKey(
  context: CatalogContext,
  actor: Actor,
  operation: string,
  attemptId: string,
): string {
  const { idempotency } = actor;
  return idempotency === undefined
    ? keyOf(FAMILIES.receipt, context.account, operation, attemptId)
    : keyOf(FAMILIES.keyedReceipt, context.account, idempotency.key);
}

/**
 * The receipt that stands for the client's key: what an earlier request came to.
 *
 * @returns undefined where none does, or where it has expired.
 * @throws FirnError `Invalid` `IDEMPOTENCY_KEY_REUSED`: it is another request's; and the error
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
    throw invalid(
      "IDEMPOTENCY_KEY_REUSED",
      "the Idempotency-Key was used for another request: use a new key",
      facts,
    );
  }
  idempotency.replayed = true;
  if (receipt.error === undefined) return receipt;
  const { kind, code } = receipt.error;
  const facts = JSON.parse(receipt.error.facts) as ErrorContext;
  throw new FirnError(kind as ErrorKind, code, "refused as before", facts);
}

/** As the judge of a request refuses it. */
export const PRIVILEGE_MISSING = "PRIVILEGE_MISSING";

/** What every receipt of a request says. */
type ReceiptBase = Pick<Receipt, "requestHash" | "principal" | "metadataLocation" | "expiresAtMs">;

/** What every receipt of a request says, before its outcome is known. */
export function receiptBase(context: CatalogContext, actor: Actor): ReceiptBase {
  return {
    requestHash: actor.idempotency?.requestHash ?? new Uint8Array(),
    principal: actor.principal,
    metadataLocation: "",
    expiresAtMs: context.clock.nowMs() + LIMITS.receiptLifeMs + CLOCKS_APART_MS,
  };
}

/**
 * Records a refusal under the client's key, so that a retry hears it again, also where it would
 * succeed by now. Where another request of the key was faster, its outcome is the answer.
 *
 * @throws FirnError `Overloaded`, `Unknown`: it could not be recorded. Then it is not an answer:
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
  if (!(error instanceof FirnError) || !FINAL.has(error.kind)) return undefined;
  if (error.code === "IDEMPOTENCY_KEY_REUSED") return undefined;
  const { kind, code } = error;
  // It may be granted before the client asks again.
  if (code === PRIVILEGE_MISSING) return undefined;
  const facts = JSON.stringify(error.context, (_key, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
  const refusal = { ...receiptBase(context, actor), status: 0, key: "", version: 0n };
  const bare = { kind, code, facts: "{}" };
  return recordAlone(context, actor, attempt, place, [
    { ...refusal, error: { kind, code, facts } },
    { ...refusal, error: bare },
  ]);
}

/**
 * Records under the client's key what has no batch. `receipts`: the one to record, and a shorter
 * one for where that does not fit its pointer. One request where it is answered.
 *
 * @returns the receipt of another request of the key, where that was faster.
 * @throws FirnError `Overloaded`, `Unknown`: it could not be recorded, so it is not an answer.
 */
export async function recordAlone(
  context: CatalogContext,
  actor: Actor,
  attempt: CertainAttempt,
  place: ReceiptPlace,
  receipts: readonly [whole: Receipt, bare: Receipt],
): Promise<Receipt | undefined> {
  assert(actor.dryRun !== true, "a dry run leaves no receipt");
  const summary = fitting(receipts);
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
        assert(
          verdict.receiptExpected !== place.expected,
          "a receipt alone conflicts with another",
        );
        place.expected = verdict.receiptExpected;
        break;
      case "overloaded":
      case "unknown":
        throw failureOf(verdict);
    }
  }
}

/** The first of two receipts, if it fits its pointer, else the second. */
export function fitting([whole, bare]: readonly [whole: Receipt, bare: Receipt]): Uint8Array {
  const summary = encodeReceipt(whole);
  if (summary.length <= LIMITS.summaryBytes) return summary;
  const least = encodeReceipt(bare);
  assert(least.length <= LIMITS.summaryBytes, "a receipt fits without its detail");
  return least;
}

/** What a caller learns of a verdict that settles nothing. */
export function failureOf(
  verdict: Extract<Verdict, { verdict: "overloaded" } | { verdict: "unknown" }>,
): FirnError {
  switch (verdict.verdict) {
    case "overloaded":
      return storeOverloaded(verdict.retryAfterMs);
    case "unknown":
      return new FirnError(
        "Unknown",
        "OUTCOME_UNKNOWN",
        "the change may have happened: read before you retry",
      );
  }
}
