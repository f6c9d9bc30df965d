import { assert } from "../base/assert.ts";
import { backoff } from "../base/backoff.ts";
import type { Clock, Stopwatch } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import type { IdSource, WriterId } from "../base/ids.ts";
import { LIMITS } from "../base/limits.ts";
import type { Prng } from "../base/prng.ts";
import { conditionHolds } from "./batch.ts";
import type { Batch, CommitOutcome, Item, Live, PointerOp, PointerStore, Version } from "./port.ts";

/*
 * The ambiguous commit: from raw outcomes of single requests to a verdict on the whole attempt.
 *
 * A request that was not answered may have been applied, may be applied minutes from now, or twice;
 * and the refusal of a resend may be caused by the attempt's own first request. So:
 *
 * RECEIPT. Every batch ("body") also puts a receipt at `expected` = e. Versions of a key only grow
 * while the item or its tombstone is stored, and a tombstone outlives every request that may still
 * be under way (`assertLimits`), so exactly one write ever moves the receipt from e to e + 1. If it
 * is ours, the body was applied, once and whole, whatever was answered: the receipt carries our
 * writer id. If it is not, the body was not applied and no copy of any of its requests ever will.
 *
 * FENCE. So a caller that must know, and cannot wait, takes the step itself: a delete of the
 * receipt at e under another writer id. It wins: the body is dead. It loses: what stands there
 * tells who won. No other key moves. Its own answer is lost: it is sent again, to the same effect.
 *
 * REFUSAL. A request refused because an expected version is already *behind* what is stored proves
 * that the body is dead, since versions only grow; if in addition every request of the body was
 * answered, none was applied before, and that is a verdict without a fence. A failed `bump`,
 * `checkAbsent` or expectation *ahead* of the store proves nothing about a second copy of that
 * request (the guard may come back, the name may be freed again): fence.
 *
 * DEADLINE. All this holds as long as tombstones and receipts outlive the requests, so an attempt
 * sends nothing past `LIMITS.attemptMs` from its first read, by whichever clock saw more, and past
 * it answers only *committed* (a fact for ever) or *unknown*.
 *
 * SINGLE WRITES. Where losing track is harmless (derived pointers, leases), the item's own writer
 * id does for a receipt: `putCertain`.
 *
 * Every store call must end by itself (adapters set request timeouts): a stalled one is *unknown*.
 */

export interface CertainDeps {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly ids: IdSource;
}

/** One logical attempt, over all its bodies: from its first read to its last verdict. */
export interface Attempt {
  readonly writerId: WriterId;
  /** Started before the attempt's first read. */
  readonly stopwatch: Stopwatch;
}

/** The put that every batch adds, at the version that the attempt read, or a fence left. */
export interface Receipt {
  readonly key: string;
  readonly expected: Version;
  readonly summary?: Uint8Array;
  readonly blobPath?: string;
}

export interface CertainRequest {
  readonly ops: readonly PointerOp[];
  readonly receipt: Receipt;
}

/** All but *unknown* are certain and stay true, whatever requests are still under way. */
export type Verdict =
  /** Applied once, whole. `versions` may lack those of bumps, where the store's answer was lost. */
  | { readonly verdict: "committed"; readonly versions: ReadonlyMap<string, Version> }
  /**
   * Never applied. `failed`: what stands in the way, maybe nothing any more. Another body of the
   * same attempt must expect `receiptExpected` of the receipt.
   */
  | {
      readonly verdict: "conflict";
      readonly failed: readonly Item[];
      readonly receiptExpected: Version;
    }
  /** Never applied: another attempt under the same receipt key was. */
  | { readonly verdict: "replayed"; readonly receipt: Live }
  /** Never sent whole. */
  | { readonly verdict: "overloaded"; readonly retryAfterMs: number }
  /** May have been applied or still be: the attempt is over, read again. */
  | { readonly verdict: "unknown" };

/**
 * After this much of the attempt an unanswered body is fenced rather than sent again, so that the
 * rest suffices to settle it.
 */
const FENCE_AFTER_MS = (LIMITS.attemptMs * 2) / 3;

/** Tries at a store that refuses everything, before the caller learns of it. */
const MAX_REFUSALS = 6;

/**
 * Commits `ops` and the receipt's put as one batch, and says for certain what became of it.
 *
 * After *conflict*, the caller may read again and commit another body with the same attempt; after
 * any other verdict the attempt is over. `ops` must not hold the receipt's key.
 *
 * Costs one request when it is answered; resends, a fence and one `getMany` when not.
 *
 * @throws FirnError `Invalid` for a batch that no store could take, before anything is sent.
 */
export async function commitCertain(
  store: PointerStore,
  deps: CertainDeps,
  attempt: Attempt,
  request: CertainRequest,
): Promise<Verdict> {
  const { ops, receipt } = request;
  assert(
    ops.every((op) => op.key !== receipt.key),
    "only the receipt's own put touches the receipt",
  );
  const batch: Batch = {
    writerId: attempt.writerId,
    ops: [...ops, { op: "put", ...receipt }],
  };
  const body: Body = { store, deps, attempt, request, batch };
  const sent = await sendBody(body);
  const verdict = sent.verdict === "unsettled" ? await fenceBody(body) : sent;
  return isOver(attempt) && verdict.verdict !== "committed" ? { verdict: "unknown" } : verdict;
}

/** What the steps below share: one batch, and the attempt that it belongs to. */
interface Body {
  readonly store: PointerStore;
  readonly deps: CertainDeps;
  readonly attempt: Attempt;
  readonly request: CertainRequest;
  readonly batch: Batch;
}

/** Sends the body until something is known of it. A resend is the same batch, byte for byte. */
async function sendBody(body: Body): Promise<Verdict | { readonly verdict: "unsettled" }> {
  const { store, deps, attempt, batch } = body;
  let unanswered = false;
  for (let sends = 0; mayStillSend(attempt, sends); sends++) {
    const answer = await sendOnce(store, batch, unanswered);
    if (answer === undefined) return { verdict: "unknown" };
    switch (answer.outcome) {
      case "committed":
        return { verdict: "committed", versions: answer.versions };
      case "conflict":
        return judgeRefusal(body, answer.failed, unanswered);
      case "overloaded":
        if (!unanswered && sends + 1 >= MAX_REFUSALS) {
          return { verdict: "overloaded", retryAfterMs: answer.retryAfterMs };
        }
        await backoff(deps.clock, deps.prng, sends, answer.retryAfterMs);
        break;
      case "unknown":
        unanswered = true;
        await backoff(deps.clock, deps.prng, sends);
        break;
    }
  }
  return unanswered ? { verdict: "unsettled" } : { verdict: "overloaded", retryAfterMs: 0 };
}

/**
 * Sends a batch. A store that throws has not applied it; but where an earlier request is in doubt
 * that settles nothing, and a store that will not serve is not waited for.
 *
 * @returns undefined where it stays in doubt.
 * @throws what the store throws, where nothing is in doubt.
 */
async function sendOnce(
  store: PointerStore,
  batch: Batch,
  inDoubt: boolean,
): Promise<CommitOutcome | undefined> {
  try {
    return await store.commit(batch);
  } catch (error) {
    if (inDoubt && error instanceof FirnError) return undefined;
    throw error;
  }
}

/** Reads a refusal of the body: the receipt first, which settles everything if it has moved. */
function judgeRefusal(
  body: Body,
  failed: readonly Item[],
  unanswered: boolean,
): Verdict | { readonly verdict: "unsettled" } {
  const { ops, receipt } = body.request;
  const others = failed.filter((item) => item.key !== receipt.key);
  const found = failed.find((item) => item.key === receipt.key);
  if (found !== undefined && found.version > receipt.expected) {
    return judgeReceipt(body, found, others);
  }
  // The tombstone that was read is forgotten, and another request of the key was faster: versions
  // began anew. Where every request was refused, that one decides all the same.
  const isAnew = found?.state === "live" && found.version < receipt.expected;
  if (isAnew && !unanswered) return { verdict: "replayed", receipt: found };
  if (unanswered || !isDead(ops, others)) return { verdict: "unsettled" };
  const receiptExpected = found?.version ?? receipt.expected;
  return { verdict: "conflict", failed: others, receiptExpected };
}

/** Whether a refusal that found these items holds for every copy of the body, for ever. */
function isDead(ops: readonly PointerOp[], failed: readonly Item[]): boolean {
  const found = new Map(failed.map((item) => [item.key, item.version]));
  return ops.some((op) => "expected" in op && (found.get(op.key) ?? 0n) > op.expected);
}

/** The receipt has moved past the body's expectation: its mover decides. */
function judgeReceipt(body: Body, found: Item, failed: readonly Item[]): Verdict {
  assert(found.version > body.request.receipt.expected, "a receipt that moved tells who won");
  if (found.state === "absent") {
    return { verdict: "conflict", failed, receiptExpected: found.version };
  }
  return found.writerId === body.attempt.writerId
    ? { verdict: "committed", versions: expectedVersions(body.batch.ops) }
    : { verdict: "replayed", receipt: found };
}

/** Moves the receipt past the body's expectation, or learns who did. */
async function fenceBody(body: Body): Promise<Verdict> {
  const { store, deps, attempt, request } = body;
  const { key, expected } = request.receipt;
  const fence: Batch = { writerId: deps.ids.mint(), ops: [{ op: "delete", key, expected }] };
  for (let sends = 0; !isOver(attempt); sends++) {
    const answer = await sendOnce(store, fence, true);
    if (answer === undefined) break;
    if (answer.outcome === "committed") return readFailures(body, expected + 1n);
    if (answer.outcome === "conflict") return judgeLostFence(body, answer.failed);
    const floorMs = answer.outcome === "overloaded" ? answer.retryAfterMs : 0;
    await backoff(deps.clock, deps.prng, sends, floorMs);
  }
  return { verdict: "unknown" };
}

async function judgeLostFence(body: Body, failed: readonly Item[]): Promise<Verdict> {
  const { key, expected } = body.request.receipt;
  const found = failed.find((item) => item.key === key);
  // Below the expectation stands a receipt that was forgotten meanwhile: versions began anew there,
  // so neither this fence nor a later one at e proves anything.
  if (found === undefined || found.version < expected) return { verdict: "unknown" };
  return found.state === "live" ? judgeReceipt(body, found, []) : readFailures(body, found.version);
}

/** The body is dead by its receipt: reads what, if anything, stands in its way now. */
async function readFailures(body: Body, receiptExpected: Version): Promise<Verdict> {
  const { ops } = body.request;
  const keys = ops.map((op) => op.key);
  const items = keys.length === 0 ? [] : await readUntilOver(body, keys);
  if (items === undefined) return { verdict: "unknown" };
  const found = new Map(items.map((item) => [item.key, item]));
  const failed = ops.flatMap((op) => {
    const item = found.get(op.key);
    return item === undefined || conditionHolds(op, item) ? [] : [item];
  });
  return { verdict: "conflict", failed, receiptExpected };
}

async function readUntilOver(
  body: Body,
  keys: readonly string[],
): Promise<readonly Item[] | undefined> {
  const { store, deps, attempt } = body;
  for (let tries = 0; !isOver(attempt); tries++) {
    try {
      return await store.getMany(keys);
    } catch (error) {
      if (!isPassing(error)) throw error;
      await backoff(deps.clock, deps.prng, tries);
    }
  }
  return undefined;
}

/** A store that turns reads away may answer the next one. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof FirnError)) return false;
  return error.kind === "Unavailable" || error.kind === "Overloaded";
}

/** What an applied batch made of its keys; a bump has no expectation to tell it from. */
function expectedVersions(ops: readonly PointerOp[]): ReadonlyMap<string, Version> {
  const versions = new Map<string, Version>();
  for (const op of ops) {
    if (op.op === "put" || op.op === "delete") versions.set(op.key, op.expected + 1n);
  }
  return versions;
}

/** A body is sent at least once where the attempt is not over, and again while time is plenty. */
function mayStillSend(attempt: Attempt, sends: number): boolean {
  return attempt.stopwatch.elapsedMs() < (sends === 0 ? LIMITS.attemptMs : FENCE_AFTER_MS);
}

function isOver(attempt: Pick<Attempt, "stopwatch">): boolean {
  return attempt.stopwatch.elapsedMs() >= LIMITS.attemptMs;
}

export type SingleOp = Extract<PointerOp, { op: "put" | "delete" }>;

export type SingleVerdict =
  | { readonly verdict: "committed"; readonly version: Version }
  /** Never applied: `found` took the version that was expected. */
  | { readonly verdict: "conflict"; readonly found: Item }
  | { readonly verdict: "overloaded"; readonly retryAfterMs: number }
  /** Read the key again, and go on from what stands there. */
  | { readonly verdict: "unknown" };

/**
 * Writes one pointer without a receipt: derived pointers, leases. The item's own writer id stands
 * for the receipt, one minted for this write alone, so that no earlier write is taken for it. It
 * tells less than a receipt, since the next write of the key overwrites it; then, where an answer
 * was lost, the verdict is *unknown*.
 *
 * Costs one request when it is answered.
 *
 * @throws FirnError `Invalid` for an operation that no store could take.
 */
export async function putCertain(
  store: PointerStore,
  deps: CertainDeps,
  attempt: Pick<Attempt, "stopwatch">,
  op: SingleOp,
): Promise<SingleVerdict> {
  const writerId = deps.ids.mint<WriterId>();
  const verdict = await sendSingle(store, deps, attempt, { writerId, ops: [op] }, op);
  return isOver(attempt) && verdict.verdict !== "committed" ? { verdict: "unknown" } : verdict;
}

async function sendSingle(
  store: PointerStore,
  deps: CertainDeps,
  attempt: Pick<Attempt, "stopwatch">,
  batch: Batch,
  op: SingleOp,
): Promise<SingleVerdict> {
  let unanswered = false;
  for (let sends = 0; !isOver(attempt); sends++) {
    const answer = await sendOnce(store, batch, unanswered);
    if (answer === undefined) break;
    switch (answer.outcome) {
      case "committed":
        return { verdict: "committed", version: op.expected + 1n };
      case "conflict":
        return judgeFound(op, batch.writerId, answer.failed[0], unanswered);
      case "overloaded":
        if (!unanswered && sends + 1 >= MAX_REFUSALS) {
          return { verdict: "overloaded", retryAfterMs: answer.retryAfterMs };
        }
        await backoff(deps.clock, deps.prng, sends, answer.retryAfterMs);
        break;
      case "unknown":
        unanswered = true;
        await backoff(deps.clock, deps.prng, sends);
        break;
    }
  }
  return { verdict: "unknown" };
}

function judgeFound(
  op: SingleOp,
  writerId: string,
  found: Item | undefined,
  unanswered: boolean,
): SingleVerdict {
  // Behind the expectation versions began anew, so a copy of the request may still be applied.
  if (found === undefined || found.version <= op.expected) return { verdict: "unknown" };
  // A bump since then has moved the version and left the writer.
  if (found.writerId === writerId) return { verdict: "committed", version: op.expected + 1n };
  // One write took the step from the expected version: if that is still the last one, not ours did.
  const tellsTheStep = !unanswered || found.version === op.expected + 1n;
  return tellsTheStep ? { verdict: "conflict", found } : { verdict: "unknown" };
}
