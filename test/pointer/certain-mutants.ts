import { LIMITS } from "../../src/base/limits.ts";
import type { Verdict } from "../../src/pointer/certain.ts";
import type { Batch, CommitOutcome, Item, PointerStore } from "../../src/pointer/port.ts";
import type { CommitFunction } from "./certain-world.ts";

/*
 * The rule, gone wrong in the ways that catalogs are known to: each of these looks right, and each
 * must be caught by the same checker that passes the rule itself.
 */

type Arguments = Parameters<CommitFunction>;

interface Sent {
  readonly answer: CommitOutcome;
  readonly unanswered: boolean;
}

const unknown: Verdict = { verdict: "unknown" };

/** Sends until committed or refused, or the deadline; says whether a request was not answered. */
async function send(
  [store, { clock }, attempt]: Arguments,
  batch: Batch,
  untilMs: number = LIMITS.attemptMs,
): Promise<Sent> {
  let answer: CommitOutcome = { outcome: "unknown" };
  let unanswered = false;
  while (attempt.stopwatch.elapsedMs() < untilMs) {
    answer = await store.commit(batch);
    if (answer.outcome === "committed" || answer.outcome === "conflict") break;
    unanswered ||= answer.outcome === "unknown";
    await clock.sleep(1_000);
  }
  return { answer, unanswered };
}

function bodyOf([, , { writerId }, { ops, receipt }]: Arguments): Batch {
  return { writerId, ops: [...ops, { op: "put", ...receipt }] };
}

function conflict(args: Arguments, failed: readonly Item[], receiptExpected?: bigint): Verdict {
  return {
    verdict: "conflict",
    failed,
    receiptExpected: receiptExpected ?? args[3].receipt.expected,
  };
}

function isOver(args: Arguments): boolean {
  return args[2].stopwatch.elapsedMs() >= LIMITS.attemptMs;
}

/** A refusal is believed although an earlier request went unanswered: the classic lost table. */
const refusalAfterSilence: CommitFunction = async (...args) => {
  const { answer } = await send(args, bodyOf(args));
  if (answer.outcome === "committed") {
    return { verdict: "committed", versions: answer.versions };
  }
  return answer.outcome === "conflict" && !isOver(args) ? conflict(args, answer.failed) : unknown;
};

/** An absent receipt is taken as proof that nothing will be applied. */
const noFence: CommitFunction = async (...args) => {
  const [store, , attempt, { receipt }] = args;
  const { answer, unanswered } = await send(args, bodyOf(args));
  if (answer.outcome === "committed") {
    return { verdict: "committed", versions: answer.versions };
  }
  if (isOver(args)) return unknown;
  const failed = answer.outcome === "conflict" ? answer.failed : [];
  if (!unanswered) return conflict(args, failed);
  const found = await readReceipt(store, receipt.key);
  if (found.state === "absent") return conflict(args, failed, found.version);
  return found.writerId === attempt.writerId
    ? { verdict: "committed", versions: new Map([[receipt.key, found.version]]) }
    : { verdict: "replayed", receipt: found };
};

/** The fence expects what it reads itself, and so deletes the attempt's own receipt. */
const fenceAtOwnRead: CommitFunction = async (...args) => {
  const [store, { ids }, , { receipt }] = args;
  const { answer, unanswered } = await send(args, bodyOf(args));
  if (answer.outcome === "committed") {
    return { verdict: "committed", versions: answer.versions };
  }
  if (isOver(args)) return unknown;
  const failed = answer.outcome === "conflict" ? answer.failed : [];
  if (!unanswered) return conflict(args, failed);
  const { version } = await readReceipt(store, receipt.key);
  const op = { op: "delete", key: receipt.key, expected: version } as const;
  const fence = await send(args, { writerId: ids.mint(), ops: [op] });
  if (fence.answer.outcome !== "committed" || isOver(args)) return unknown;
  return conflict(args, failed, version + 1n);
};

/** A failed bump or absence is believed of every copy of the request. */
const softRefusal: CommitFunction = async (...args) => {
  const [, , attempt, { receipt }] = args;
  const { answer, unanswered } = await send(args, bodyOf(args));
  if (answer.outcome === "committed") {
    return { verdict: "committed", versions: answer.versions };
  }
  if (unanswered || isOver(args) || answer.outcome !== "conflict") return forgiven;
  const found = answer.failed.find(({ key }) => key === receipt.key);
  if (found?.state !== "live") {
    return conflict(args, answer.failed, found?.version ?? receipt.expected);
  }
  return found.writerId === attempt.writerId
    ? { verdict: "committed", versions: new Map([[receipt.key, found.version]]) }
    : { verdict: "replayed", receipt: found };
};

/** Overload is answered although an earlier request went unanswered. */
const overloadAfterSilence: CommitFunction = async (...args) => {
  const [store, { clock }] = args;
  for (let sends = 0; sends < 2; sends++) {
    const answer = await store.commit(bodyOf(args));
    if (answer.outcome === "committed") {
      return { verdict: "committed", versions: answer.versions };
    }
    if (isOver(args)) return unknown;
    if (answer.outcome === "overloaded") return { verdict: "overloaded", retryAfterMs: 0 };
    if (answer.outcome === "conflict") return forgiven;
    await clock.sleep(1_000);
  }
  return forgiven;
};

/** Whoever wrote the receipt last, its writer id is ours: also where that was our own fence. */
const fenceUnderOwnWriter: CommitFunction = async (...args) => {
  const [store, { clock }, { writerId }, { receipt }] = args;
  const sent = await send(args, bodyOf(args), LIMITS.attemptMs / 2);
  if (sent.answer.outcome === "committed") {
    return { verdict: "committed", versions: sent.answer.versions };
  }
  const fence = { op: "delete", key: receipt.key, expected: receipt.expected } as const;
  while (!isOver(args)) {
    const answer = await store.commit({ writerId, ops: [fence] });
    if (answer.outcome === "committed") return conflict(args, [], receipt.expected + 1n);
    if (answer.outcome === "conflict") {
      const ours = answer.failed[0]?.writerId === writerId;
      const versions = new Map([[receipt.key, receipt.expected + 1n]]);
      return ours ? { verdict: "committed", versions } : forgiven;
    }
    await clock.sleep(1_000);
  }
  return unknown;
};

/** The deadline is forgotten: what is sent then may outlive the tombstones that fence it. */
const noDeadline: CommitFunction = async (...args) => {
  const [store, { clock }] = args;
  for (let sends = 0; sends < 200; sends++) {
    const answer = await store.commit(bodyOf(args));
    if (answer.outcome === "committed") {
      return { verdict: "committed", versions: answer.versions };
    }
    if (answer.outcome === "conflict") return forgiven;
    await clock.sleep(1_000);
  }
  return forgiven;
};

/** Gives up where there was time: safe and useless. */
const alwaysUnknown: CommitFunction = async (...args) => {
  const [store] = args;
  const answer = await store.commit(bodyOf(args));
  return answer.outcome === "committed"
    ? { verdict: "committed", versions: answer.versions }
    : unknown;
};

async function readReceipt(store: PointerStore, key: string): Promise<Item> {
  for (;;) {
    try {
      return await store.get(key);
    } catch {
      // Unavailable: nothing happened.
    }
  }
}

/** Where a mutant has nothing wrong to say in its own way: never the fault that is looked for. */
const forgiven: Verdict = { verdict: "unknown" };

/** By name, with what the checker must say of it. */
export const MUTANTS: Readonly<
  Record<string, { readonly commit: CommitFunction; readonly caughtBy: string }>
> = {
  "believes a refusal after a silence": {
    commit: refusalAfterSilence,
    caughtBy: "conflict, but applied",
  },
  "believes an absent receipt": { commit: noFence, caughtBy: "conflict, but applied" },
  "fences at its own read": { commit: fenceAtOwnRead, caughtBy: "conflict, but applied" },
  "believes a failed bump of every copy": {
    commit: softRefusal,
    caughtBy: "conflict, but applied",
  },
  "answers overload after a silence": {
    commit: overloadAfterSilence,
    caughtBy: "overloaded, but applied",
  },
  "fences under its own writer id": {
    commit: fenceUnderOwnWriter,
    caughtBy: "committed, but not applied",
  },
  "forgets the deadline": { commit: noDeadline, caughtBy: "sent past the deadline" },
  "always answers unknown": {
    commit: alwaysUnknown,
    caughtBy: "unknown while there was time to be certain",
  },
};
