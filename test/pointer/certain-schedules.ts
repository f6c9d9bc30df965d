import { LIMITS } from "../../src/base/limits.ts";
import type { Attempt, Verdict } from "../../src/pointer/certain.ts";
import type { Batch, CommitOutcome, PointerStore } from "../../src/pointer/port.ts";
import { type Fault, FaultyPointerStore, type Script } from "../support/faulty-pointer-store.ts";
import {
  type CommitFunction,
  contradiction,
  ENTITY,
  GUARD,
  NAME,
  RECEIPT,
  runAttempt,
  World,
} from "./certain-world.ts";
import type { Choices } from "./explore.ts";

type Move = (world: World) => Promise<void>;

const takeName: Move = async (world) =>
  world.rival({ op: "put", key: NAME, expected: await world.version(NAME) });
const freeName: Move = async (world) =>
  world.rival({ op: "delete", key: NAME, expected: await world.version(NAME) });
const deleteGuard: Move = async (world) =>
  world.rival({ op: "delete", key: GUARD, expected: await world.version(GUARD) });
const putGuard: Move = async (world) =>
  world.rival({ op: "put", key: GUARD, expected: await world.version(GUARD) });
const moveEntity: Move = async (world) =>
  world.rival({ op: "put", key: ENTITY, expected: await world.version(ENTITY) });

/** Another attempt of the same client key: whole, or its receipt alone, or only its fence. */
const commitSameKey: Move = async (world) => {
  if (await world.isLive(RECEIPT)) return;
  await world.rival(
    { op: "put", key: ENTITY, expected: await world.version(ENTITY) },
    { op: "put", key: RECEIPT, expected: await world.version(RECEIPT) },
  );
};
const putSameReceipt: Move = async (world) => {
  if (await world.isLive(RECEIPT)) return;
  await world.rival({ op: "put", key: RECEIPT, expected: await world.version(RECEIPT) });
};
const fenceSameReceipt: Move = async (world) => {
  if (await world.isLive(RECEIPT)) return;
  await world.rival({ op: "delete", key: RECEIPT, expected: await world.version(RECEIPT) });
};

/** What a rival does, one move after the other, each at any instant that comes. */
export const RIVALS: Readonly<Record<string, readonly Move[]>> = {
  none: [],
  "moves the entity": [moveEntity],
  "takes the name and frees it": [takeName, freeName],
  "deletes the guard and puts it again": [deleteGuard, putGuard],
  "commits under the same receipt": [commitSameKey],
  "puts the same receipt": [putSameReceipt],
  "fences the same receipt": [fenceSameReceipt],
};

const PAST_DEADLINE_MS = LIMITS.attemptMs + 1;

/** One attempt among faults and a rival: each decision is a choice of the explorer. */
class Schedule {
  readonly world: World = new World();
  readonly faulty: FaultyPointerStore;
  readonly #choices: Choices;
  readonly #moves: Move[];
  readonly #faultyCalls: number;
  #reads = 0;
  #tail: "healthy" | "silent for a while" | "silent" | undefined;

  constructor(choices: Choices, moves: readonly Move[], faultyCalls: number) {
    this.#choices = choices;
    this.#moves = [...moves];
    this.#faultyCalls = faultyCalls;
    this.faulty = new FaultyPointerStore(this.world.memory, this.#script);
  }

  /** An instant at which the rival may make its next moves; far into the tail all are alike. */
  async instant(): Promise<void> {
    if (this.faulty.history.length > this.#faultyCalls + 1) return;
    while (this.#moves.length > 0 && this.#choices.pick(2) === 1) {
      await this.#moves.shift()?.(this.world);
    }
  }

  /** After the verdict: the moves that are left, before or after what is still under way. */
  async end(): Promise<void> {
    if (this.#moves.length > 0 && this.#choices.pick(2) === 1) await this.#lastMoves();
    await this.faulty.releaseAll();
    await this.#lastMoves();
  }

  async #lastMoves(): Promise<void> {
    while (this.#moves.length > 0) await this.#moves.shift()?.(this.world);
  }

  readonly #script: Script = (index, method) => {
    if (method !== "commit") return this.#readFault();
    if (index >= this.#faultyCalls) return this.#tailFault();
    return this.#choices.of(this.#faults(index));
  };

  /** The first read may go unanswered; what its resend finds is explored as the rival's moves. */
  #readFault(): Fault | undefined {
    const isFirst = this.#reads++ === 0;
    return isFirst && this.#choices.pick(2) === 1 ? { fault: "refused" } : undefined;
  }

  #faults(index: number): readonly (Fault | undefined)[] {
    const stall = (applied: "before" | "after", ms: number): Fault => ({
      fault: "stalled",
      applied,
      until: async () => {
        await this.instant();
        await this.world.clock.sleep(ms);
      },
    });
    return [
      undefined,
      { fault: "notSent" },
      { fault: "answerLost" },
      { fault: "late", lands: { beforeCall: index + 1 } },
      { fault: "late", lands: { beforeCall: index + 2 } },
      { fault: "late", lands: "release" },
      { fault: "duplicated", lands: { beforeCall: index + 1 } },
      { fault: "duplicated", lands: "release" },
      { fault: "refused" },
      stall("before", 0),
      stall("after", 0),
      stall("before", PAST_DEADLINE_MS),
      stall("after", PAST_DEADLINE_MS),
    ];
  }

  /** Beyond the calls explored: all is well, or well after 35 s, or nothing is answered. */
  #tailFault(): Fault | undefined {
    this.#tail ??= this.#choices.of(["healthy", "silent for a while", "silent"]);
    const silentMs = { healthy: 0, "silent for a while": 35_000, silent: Infinity }[this.#tail];
    return this.world.clock.nowMs() < silentMs ? { fault: "notSent" } : undefined;
  }
}

/** The attempt's view of the store: the rival may move before each commit; notes late sends. */
class WatchedStore implements PointerStore {
  sentPastDeadline = false;
  readonly get: PointerStore["get"];
  readonly getMany: PointerStore["getMany"];
  readonly list: PointerStore["list"];
  readonly sweep: PointerStore["sweep"];
  readonly forget: PointerStore["forget"];
  readonly #schedule: Schedule;
  readonly #attempt: Attempt;

  constructor(schedule: Schedule, attempt: Attempt) {
    const { faulty } = schedule;
    this.#schedule = schedule;
    this.#attempt = attempt;
    this.get = (key) => faulty.get(key);
    this.getMany = (keys) => faulty.getMany(keys);
    this.list = (directory, options) => faulty.list(directory, options);
    this.sweep = (prefix) => faulty.sweep(prefix);
    this.forget = (key, version) => faulty.forget(key, version);
  }

  async commit(batch: Batch): Promise<CommitOutcome> {
    if (this.#attempt.stopwatch.elapsedMs() >= LIMITS.attemptMs) this.sentPastDeadline = true;
    await this.#schedule.instant();
    return this.#schedule.faulty.commit(batch);
  }
}

/**
 * One schedule of one attempt, to its end: verdict, the rival's last moves, all late requests.
 * Answers what the verdict got wrong.
 */
export async function runSchedule(
  choices: Choices,
  commit: CommitFunction,
  rival: readonly Move[],
  faultyCalls: number,
  seen: Set<Verdict["verdict"]> = new Set(),
): Promise<string | undefined> {
  const schedule = new Schedule(choices, rival, faultyCalls);
  const { world, faulty } = schedule;
  await world.begin();
  const attempt = world.attempt();
  const store = new WatchedStore(schedule, attempt);
  const verdict = await runAttempt(world, store, commit, attempt, 2);
  seen.add(verdict.verdict);
  const answeredAtMs = attempt.stopwatch.elapsedMs();
  const receiptThen = await world.version(RECEIPT);
  await schedule.end();
  if (store.sentPastDeadline) return "sent past the deadline";
  return (
    contradiction(verdict, attempt, answeredAtMs, faulty.history) ??
    wrongFacts(verdict, receiptThen)
  );
}

/** What a verdict says besides its kind. */
function wrongFacts(verdict: Verdict, receiptThen: bigint): string | undefined {
  if (verdict.verdict === "conflict" && verdict.receiptExpected !== receiptThen) {
    return "conflict, with a version that the receipt is not at";
  }
  if (verdict.verdict === "replayed" && verdict.receipt.writerId !== "rival") {
    return "replayed, but nobody else's receipt";
  }
  if (verdict.verdict === "committed" && verdict.versions.get(RECEIPT) === undefined) {
    return "committed, without the receipt's version";
  }
  return undefined;
}
