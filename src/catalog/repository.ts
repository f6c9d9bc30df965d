import { assert } from "../base/assert.ts";
import { Stopwatch } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import type { ChangeId, Revision, WriterId } from "../base/ids.ts";
import { LIMITS } from "../base/limits.ts";
import { persist } from "../base/persist.ts";
import { settleAll } from "../base/settle-all.ts";
import { commitCertain, type Verdict } from "../pointer/certain.ts";
import type { Item, Version } from "../pointer/port.ts";
import type { BatchBuilder } from "./batch.ts";
import { type EncodedChange, encodeChangeOp } from "./changes.ts";
import type { Actor, CatalogContext } from "./context.ts";
import { Holds } from "./holds.ts";
import { CATALOG_LIMITS } from "./limits.ts";
import type { Receipt } from "./model.ts";
import { nameAccess, unjudged } from "./name-access.ts";
import type { Authorship } from "./payloads.ts";
import {
  failureOf,
  fitting,
  type ReceiptPlace,
  receiptBase,
  receiptKey,
  recordAlone,
  recordRefusal,
  replayOf,
} from "./receipts.ts";
import { putSnapshotPointer, snapshotsChanged } from "./snapshot-puts.ts";

/** First pause after a lost race; doubled each time, with full jitter. */
const REPLAN_PAUSE_MS = 4;

/** One logical change, from its first read to its verdict. */
export interface Attempt {
  readonly writerId: WriterId;
  readonly stopwatch: Stopwatch;
  readonly authorship: Authorship;
  /** Looks at the store that came to nothing before this one. */
  readonly round: number;
  /** Locations that it holds until its batch claims them. */
  readonly holds: Holds;
}

/** What one look at the store came to: the batch to try, and what it would mean. */
export interface Plan<T> {
  readonly batch: BatchBuilder;
  /** The canonical pointer that the change is about, for the receipt. */
  readonly primary: string;
  /** Runs beside the puts of the payloads: what else must exist before the batch. */
  readonly prepare?: () => Promise<void>;
  /** Goes into the receipt: see there. */
  readonly detail?: string;
  readonly result: (versions: ReadonlyMap<string, Version>) => T;
}

/** What was read contradicts itself, since it was not read at one instant: look again. */
export const REPLAN: { readonly replan: true } = { replan: true };

/** A refusal that rests on several reads. `proof`: what was read before the fact that it states. */
export interface Refused {
  readonly refused: FirnError;
  readonly proof: readonly Item[];
}

/**
 * Refuses, if what was read first still stands when it is read once more: then all of it held at
 * the instant of the last read. Else the refusal might speak of names that have moved on meanwhile,
 * such as "name taken" by the very table that was to be renamed.
 */
export function refuse(refused: FirnError, ...proof: readonly Item[]): Refused {
  return { refused, proof };
}

/** Nothing is to be written. `proof`: as for a refusal, where the answer rests on several reads. */
export interface Unchanged<T> {
  readonly unchanged: T;
  readonly proof?: readonly Item[];
  /** The canonical pointer that it is about, where a client's key may ask for it again. */
  readonly primary?: string;
  readonly detail?: string;
}

/** Renders the outcome of an earlier request of the same key from what is stored now. */
export type ReplayOutcome<T> = (receipt: Receipt) => Promise<T>;

/** For operations that no client's key reaches. */
export function neverReplayed(): Promise<never> {
  throw new FirnError("Internal", "RECEIPT_TAKEN", "another attempt used this receipt");
}

export type Planned<T> = Plan<T> | Refused | Unchanged<T> | typeof REPLAN;

/**
 * The one way to write. A planner reads what it needs, refuses what must be refused, and returns a
 * batch whose every expectation is what it read. Payloads are put, then the batch is committed: the
 * only commit point, with its receipt and its change record. A lost race plans anew, from the
 * names, so a retry never acts on a thing that has moved away. A dry run ends where the first
 * payload would be put.
 *
 * @throws what the planner throws, which is certain: no earlier batch of the attempt can still
 * land; `Invalid` `IDEMPOTENCY_KEY_REUSED`; `Conflict` `CONTENDED`, under a client's key for good;
 * `Overloaded` (nothing happened); `Unknown` `OUTCOME_UNKNOWN`.
 */
export async function write<T>(
  context: CatalogContext,
  actor: Actor,
  operation: string,
  planner: (attempt: Attempt) => Promise<Planned<T>>,
  replay: ReplayOutcome<T> = neverReplayed,
): Promise<T> {
  assert(actor.dryRun !== true || actor.idempotency === undefined, "a dry run leaves no receipt");
  const attempt = beginAttempt(context, actor);
  const key = receiptKey(context, actor, operation, attempt.writerId);
  const place: ReceiptPlace = { key, expected: 0n };
  if (actor.idempotency !== undefined) {
    const item = await context.pointers.get(key);
    const done = replayOf(context, actor, item);
    if (done !== undefined) return replay(done);
    place.expected = item.version;
  }
  try {
    const writing = { context, actor, operation, attempt, place, standing: new Map() };
    return await settle(writing, planner, replay);
  } catch (error) {
    const faster = await recordRefusal(context, actor, attempt, place, error);
    if (faster === undefined) throw error;
    return replay(faster);
  } finally {
    // A batch whose fate is unknown either made claims of them or, from here on, never will.
    await attempt.holds.release();
  }
}

/** What the steps of one write share. */
interface Writing {
  readonly context: CatalogContext;
  readonly actor: Actor;
  readonly operation: string;
  readonly attempt: Attempt;
  readonly place: ReceiptPlace;
  /** Versions of the snapshot pointers that an earlier round has put. */
  readonly standing: Map<string, Version>;
}

/** Plans and sends until one look at the store is answered for certain. */
async function settle<T>(
  writing: Writing,
  planner: (attempt: Attempt) => Promise<Planned<T>>,
  replay: ReplayOutcome<T>,
): Promise<T> {
  const { context, actor, operation, attempt, place } = writing;
  for (let round = 0; ; round++) {
    const planned = await planner({ ...attempt, round });
    if ("unchanged" in planned) {
      const { proof = [] } = planned;
      if (proof.length === 0 || (await standsStill(context, proof))) {
        const faster = await recordUnchanged(writing, planned);
        return faster === undefined ? planned.unchanged : replay(faster);
      }
    } else if ("refused" in planned) {
      if (await standsStill(context, planned.proof)) throw planned.refused;
    } else if (!("replan" in planned)) {
      if (actor.dryRun === true) return planned.result(new Map());
      const verdict = await send(writing, planned);
      if (verdict.verdict === "committed") {
        const isWritten = verdict.versions.has(planned.primary);
        assert(isWritten, "what was committed has a version of what its caller asked for");
        attempt.holds.spent(planned.batch.ops);
        for (const work of planned.batch.following) unjudged(() => context.background.run(work));
        return planned.result(verdict.versions);
      }
      if (verdict.verdict === "replayed") {
        const done = replayOf(context, actor, verdict.receipt);
        return done === undefined ? neverReplayed() : replay(done);
      }
      if (verdict.verdict !== "conflict") throw failureOf(verdict);
      // Less than before where an earlier one's tombstone was forgotten: versions begin anew.
      place.expected = verdict.receiptExpected;
    }
    if (round >= CATALOG_LIMITS.replans || attempt.stopwatch.elapsedMs() > LIMITS.attemptMs) {
      throw new FirnError(
        "Conflict",
        "CONTENDED",
        "other writers kept changing the entity: try again",
        { operation },
      );
    }
    await context.clock.sleep(context.prng.float() * REPLAN_PAUSE_MS * 2 ** round);
  }
}

async function recordUnchanged<T>(
  { context, actor, attempt, place }: Writing,
  { primary, detail }: Unchanged<T>,
): Promise<Receipt | undefined> {
  if (actor.idempotency === undefined || primary === undefined) return undefined;
  const done = { ...receiptBase(context, actor), status: 200, key: primary, version: 0n };
  const whole = detail === undefined ? done : { ...done, detail };
  return recordAlone(context, actor, attempt, place, [whole, done]);
}

async function standsStill(context: CatalogContext, proof: readonly Item[]): Promise<boolean> {
  const again = await context.pointers.getMany(proof.map(({ key }) => key));
  assert(again.length === proof.length, "a read answers every key, or a proof would prove nothing");
  return proof.every((item, i) => again[i]?.version === item.version);
}

function beginAttempt(context: CatalogContext, actor: Actor): Attempt {
  const stopwatch = new Stopwatch(context.clock);
  return {
    writerId: context.ids.mint<WriterId>(),
    stopwatch,
    round: 0,
    holds: new Holds(context, stopwatch, actor.dryRun === true),
    authorship: {
      revision: context.ids.mint<Revision>(),
      updatedAtMs: context.clock.nowMs(),
      updatedBy: actor.principal,
      requestId: actor.requestId,
      ...(actor.principalId !== undefined && { owner: actor.principalId }),
    },
  };
}

async function send<T>(writing: Writing, plan: Plan<T>): Promise<Verdict> {
  const { context, actor, attempt, place } = writing;
  const { batch } = plan;
  assert(actor.dryRun !== true, "a dry run sends nothing");
  nameAccess()?.assertJudged();
  // Before the batch is sent: its answer may be lost, and a look that finds nothing costs little.
  for (const dueMs of batch.jobsDueMs) context.jobNews.made(dueMs);
  const changeId = context.ids.mint<ChangeId>();
  const change = await putAll(writing, plan, changeId);
  const primary = batch.ops.find((op) => op.key === plan.primary);
  assert(primary !== undefined, "a receipt tells of a pointer that its batch writes");
  const version = "expected" in primary ? primary.expected + 1n : 0n;
  const done = {
    ...receiptBase(context, actor),
    status: 200,
    key: plan.primary,
    version,
    changeId,
  };
  const whole = plan.detail === undefined ? done : { ...done, detail: plan.detail };
  return commitCertain(context.pointers, context, attempt, {
    ops: [...batch.ops, change.op],
    receipt: { ...place, summary: fitting([whole, done]) },
  });
}

/**
 * Puts everything that must stand before the batch, side by side, and gives the batch's record.
 * That names the versions of the snapshot pointers, which are known beforehand unless others stood
 * where they go; then the record is written again.
 */
async function putAll<T>(
  { context, operation, attempt, standing }: Writing,
  { batch, prepare }: Plan<T>,
  changeId: ChangeId,
): Promise<EncodedChange> {
  const { account, payloads } = context;
  const { authorship, stopwatch } = attempt;
  const { changed, snapshots } = batch;
  const putBlob = (path: string, bytes: Uint8Array) =>
    persist(context, () => payloads.putBytes(path, bytes));
  const keys = snapshots.flatMap((put) => put.keys);
  const overwritten = new Map(keys.map((key) => [key, standing.get(key) ?? 0n]));
  const foreseen = [...overwritten.values()];
  const record = (): EncodedChange => {
    const beside = snapshotsChanged(account, snapshots, overwritten);
    return encodeChangeOp(account, changeId, operation, authorship, [...changed, ...beside]);
  };
  const change = record();
  const puts = batch.payloads.map((payload) => persist(context, () => payloads.put(payload)));
  if (change.blob !== undefined) puts.push(putBlob(change.blob.path, change.blob.bytes));
  for (const { path, bytes } of batch.blobs) puts.push(putBlob(path, bytes));
  for (const put of snapshots) {
    puts.push(putBlob(put.path, put.bytes));
    for (const key of put.keys) {
      puts.push(putSnapshotPointer(context, stopwatch, key, put, overwritten));
    }
  }
  if (prepare !== undefined) puts.push(prepare());
  await settleAll(puts);
  assert(overwritten.size === keys.length, "each pointer beside the batch was put over a version");
  for (const [key, version] of overwritten) standing.set(key, version + 1n);
  if ([...overwritten.values()].every((version, i) => version === foreseen[i])) return change;
  const done = record();
  if (done.blob !== undefined) await putBlob(done.blob.path, done.blob.bytes);
  return done;
}
