import { unreachable } from "../../base/assert.ts";
import type { PutCondition, PutResult } from "../port.ts";
import { errorOf, isPassing, type S3Failure, unknownOf } from "./failure.ts";
import { type Origin, overOf } from "./object.ts";
import type { Attempted, Budget, S3Wire, Send } from "./wire.ts";

/*
 * The ambiguous put: from answers to single requests to a verdict on the whole call.
 *
 * A request that was not answered may have been applied, and may be applied later; one that was
 * answered with trouble may have been applied too; and the refusal of a resend may be caused by the
 * call's own first request. So every request of one call carries the call's own id (`firn-put`),
 * and no refusal is believed before a look at what stands there:
 *
 * OURS. It carries our id: stored, whatever was answered.
 *
 * STANDS. The condition holds of what stands there: nothing was applied so far. The same request is
 * sent again, which is applied at most once as long as the condition can hold only once.
 *
 * ANOTHER'S. The condition fails. If every request so far was answered with a plain refusal of the
 * condition, that is the verdict. If one is in doubt, ours may have been applied and written over
 * since; what stands there says what *it* was written over (`firn-over`). Where that is the very
 * state that our condition names, no write of ours came between, and none comes after, since the
 * state is gone: refused. Anything else stays in doubt.
 *
 * That a state does not come back is the caller's part: no path is created anew after its delete
 * (`absent`), no content returns after another (`{etag}`, which S3 makes of the content), not while
 * a put of the path is under way.
 */

/** What is known of the requests so far. */
export type Doubt =
  /** All were plainly refused, or never left. */
  | "none"
  /** One was answered with trouble: it may have been applied, and is over. */
  | "answered"
  /** One was not answered: it may still be applied. */
  | "open";

/** What stands at a key. */
export interface Standing {
  readonly etag: string;
  readonly origin: Origin;
}

export type Judgement = "ours" | "stands" | "lost" | "unclear";

/** The step above that a look leads to. */
export function judge(
  found: Standing | undefined,
  put: { readonly id: string; readonly condition: PutCondition | undefined },
  doubt: Doubt,
): Judgement {
  const { id, condition } = put;
  if (found?.origin.put === id) return "ours";
  if (condition === undefined) return found === undefined ? "stands" : "unclear";
  const holds = condition === "absent" ? found === undefined : found?.etag === condition.etag;
  if (holds) return "stands";
  if (doubt === "none") return "lost";
  return found !== undefined && found.origin.over === overOf(condition) ? "lost" : "unclear";
}

export interface Put {
  readonly path: string;
  readonly key: string;
  readonly id: string;
  readonly condition: PutCondition | undefined;
  readonly bytes: number;
  readonly operation: "PutObject" | "CompleteMultipartUpload";
  /** The request that writes; answers the etag of what it wrote. */
  readonly send: Send<string>;
  /**
   * Makes sure that no request still under way is applied later, where that can be done.
   *
   * @returns whether it is sure.
   */
  readonly fence?: () => Promise<boolean>;
}

/**
 * Sends a put until it is known what became of it.
 *
 * Costs one request where it is stored at once, two where its condition fails; resends and looks
 * within the budget of one call where answers fail.
 *
 * @throws FirnError `Unknown` where it stays in doubt; else, with nothing applied, as `errorOf`.
 */
export async function settlePut(wire: S3Wire, put: Put): Promise<PutResult> {
  const budget = wire.budget();
  let doubt: Doubt = "none";
  for (;;) {
    const sent = await wire.once(put.operation, put.send, put.bytes);
    if (sent.ok) return { outcome: "stored", etag: sent.value };
    const { failure } = sent;
    doubt = moreOf(doubt, doubtOf(failure));
    const again = isPassing(failure) || failure.reason === "condition";
    // What may simply be sent again costs no look: never left, or whatever stands there may go.
    if (failure.reason === "unsent" || (put.condition === undefined && again)) {
      if (await budget.pause()) continue;
      return conclude(wire, put, failure, doubt);
    }
    const look = await lookAt(wire, put.key, budget);
    if (!look.ok) throw endOf(put, failure, doubt, false);
    const verdict = verdictOf(look.value, put, doubt);
    if (verdict !== undefined) return verdict;
    const unclear = judge(look.value, put, doubt) === "unclear";
    if (unclear || !again || !(await budget.pause())) {
      return conclude(wire, put, failure, doubt);
    }
  }
}

/** Share of a call's budget that is kept for its last look. */
const LAST_LOOK = 1 / 4;

/** The last word where nothing more is sent: one more look, behind a fence if there is one. */
async function conclude(
  wire: S3Wire,
  put: Put,
  failure: S3Failure,
  doubt: Doubt,
): Promise<PutResult> {
  if (doubt === "none") throw endOf(put, failure, doubt, false);
  const fenced = doubt === "open" && (await put.fence?.()) === true;
  const left: Doubt = fenced ? "answered" : doubt;
  const look = await lookAt(wire, put.key, wire.budget(LAST_LOOK));
  if (!look.ok) throw endOf(put, failure, left, false);
  const verdict = verdictOf(look.value, put, left);
  if (verdict !== undefined) return verdict;
  throw endOf(put, failure, left, judge(look.value, put, left) === "stands");
}

function verdictOf(found: Standing | undefined, put: Put, doubt: Doubt): PutResult | undefined {
  const judgement = judge(found, put, doubt);
  switch (judgement) {
    case "ours":
      return { outcome: "stored", etag: found?.etag ?? "" };
    case "lost":
      return { outcome: "failed", etag: found?.etag };
    case "stands":
    case "unclear":
      return undefined;
    default:
      return unreachable(judgement);
  }
}

/** `untouched`: a look has shown that nothing was applied so far. */
function endOf(put: Put, failure: S3Failure, doubt: Doubt, untouched: boolean): Error {
  const nothing = doubt === "none" || (doubt === "answered" && untouched);
  return (nothing ? errorOf : unknownOf)(failure, put.operation, put.path);
}

const MAX_LOOKS = 2;

/** One HEAD, again while it fails. */
export async function lookAt(
  wire: S3Wire,
  key: string,
  budget: Budget = wire.budget(),
): Promise<Attempted<Standing | undefined>> {
  for (let looks = 1; ; looks++) {
    const look = await wire.again("HeadObject", (signal) => wire.transport.head(key, signal), {
      budget,
    });
    if (look.ok) return look;
    if (look.failure.reason === "missing") return { ok: true, value: undefined };
    // A verdict hangs on it: what will not pass by itself is tried once more, too.
    if (looks >= MAX_LOOKS || !(await budget.pause())) return look;
  }
}

function doubtOf({ reason }: S3Failure): Doubt {
  switch (reason) {
    case "condition":
    case "missing":
    case "unsent":
    case "denied":
    case "bucket":
    case "range":
    case "unfit":
    case "refused":
      return "none";
    case "upload":
    case "clash":
    case "throttled":
    case "broken":
      return "answered";
    case "silent":
      return "open";
  }
}

const DOUBTS: readonly Doubt[] = ["none", "answered", "open"];

function moreOf(a: Doubt, b: Doubt): Doubt {
  return DOUBTS.indexOf(a) > DOUBTS.indexOf(b) ? a : b;
}
