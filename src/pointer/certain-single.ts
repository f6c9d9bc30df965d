import type { WriterId } from "../base/ids.ts";
import { LIMITS } from "../base/limits.ts";
import { backoff } from "./backoff.ts";
import type { Attempt, CertainDeps } from "./certain.ts";
import type { Batch, Item, PointerOp, PointerStore, Version } from "./port.ts";

export type SingleOp = Extract<PointerOp, { op: "put" | "delete" }>;

export type SingleVerdict =
  | { readonly verdict: "committed"; readonly version: Version }
  /** Never applied: `found` took the version that was expected. */
  | { readonly verdict: "conflict"; readonly found: Item }
  | { readonly verdict: "overloaded"; readonly retryAfterMs: number }
  /** Read the key again, and go on from what stands there. */
  | { readonly verdict: "unknown" };

const MAX_REFUSALS = 6;

/**
 * Writes one pointer without a receipt: derived pointers, leases. The item's own writer id stands
 * for the receipt, one minted for this write alone, so that no earlier write is taken for it. It
 * tells less than a receipt, since the next write of the key overwrites it; then, where an answer
 * was lost, the verdict is *unknown*.
 *
 * Costs one request when it is answered.
 *
 * @throws CatalogError `Invalid` for an operation that no store could take.
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
    const answer = await store.commit(batch);
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

function isOver(attempt: Pick<Attempt, "stopwatch">): boolean {
  return attempt.stopwatch.elapsedMs() >= LIMITS.attemptMs;
}
