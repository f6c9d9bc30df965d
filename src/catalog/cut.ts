import { assert } from "../base/assert.ts";
import { FirnError } from "../base/error.ts";
import { LIMITS } from "../base/limits.ts";

/*
 * Consistent states of an account, computed from a sweep and the change records of its span.
 *
 * A sweep is not a snapshot: it may see one key of a batch before the batch, and another after it.
 * A cut is a set of batches such that a batch is in it only when every batch is that wrote a lower
 * version of one of its keys. So the state at a cut is one that existed, however late a batch of an
 * earlier minute lands: nothing in the cut can rest on it.
 *
 * States and steps come as streams in the order of their keys, steps of one key by version, and are
 * read more than once; what is held is the ids of the batches that are left out, or undone, though
 * their time says otherwise: those that others overtook.
 */

/** What a canonical key held. `sha` is absent where nothing lived there. */
export interface KeyState {
  readonly key: string;
  readonly version: bigint;
  readonly sha?: string | undefined;
}

/** What one batch did to one canonical key. */
export interface KeyStep {
  readonly key: string;
  readonly versionFrom: bigint;
  readonly versionTo: bigint;
  readonly shaFrom?: string | undefined;
  readonly shaTo?: string | undefined;
  /** Id of the change record. */
  readonly record: string;
  readonly timeMs: number;
}

/** A stream that begins anew each time. */
export type Stream<T> = () => AsyncIterable<T>;

/** A key with its state, if any, and its steps. */
interface Joined<S extends KeyState> {
  readonly key: string;
  readonly state: S | undefined;
  readonly steps: readonly KeyStep[];
}

/**
 * Of the records of a sweep's span, those that are not in the newest consistent state that the
 * sweep and they prove.
 *
 * @param swept what the sweep saw, tombstones too.
 * @param steps of the span of the sweep, from attempt and skew before its start. What was filed
 *   earlier was applied before the sweep began.
 * @throws FirnError `Unavailable`, code `BACKUP_UNSETTLED`: the records do not explain the sweep.
 */
export async function leftOut(
  swept: Stream<KeyState>,
  steps: Stream<KeyStep>,
): Promise<ReadonlySet<string>> {
  const left = new Set<string>();
  for (let known = -1; known < left.size; ) {
    known = left.size;
    for await (const joined of byKey(swept(), steps())) {
      follow(joined, left, (record) => left.add(record));
    }
  }
  for await (const joined of byKey(swept(), steps())) {
    const torn = joined.steps.find((step) => left.has(step.record) && isIn(joined, step));
    if (torn === undefined) continue;
    const message = "the change records do not explain what was read: try again";
    throw new FirnError("Unavailable", "BACKUP_UNSETTLED", message, { change: torn.record });
  }
  return left;
}

/** The state at the cut: that of the sweep, and what the records in the cut made of it. */
export async function* statesAfter<S extends KeyState>(
  swept: Stream<S>,
  steps: Stream<KeyStep>,
  left: ReadonlySet<string>,
): AsyncGenerator<S | KeyState> {
  for await (const joined of byKey(swept(), steps())) {
    const last = follow(joined, left);
    const { key, state } = joined;
    if (last !== undefined) yield { key, version: last.versionTo, sha: last.shaTo };
    else if (state !== undefined) yield state;
  }
}

/**
 * Goes on from the state of a key, step by step, and leaves out what does not follow.
 *
 * @returns the last step that was taken.
 */
function follow<S extends KeyState>(
  joined: Joined<S>,
  left: ReadonlySet<string>,
  leave?: (record: string) => void,
): KeyStep | undefined {
  let version = joined.state?.version ?? 0n;
  let last: KeyStep | undefined;
  for (const step of joined.steps) {
    if (isIn(joined, step)) continue;
    if (step.versionFrom === version && !left.has(step.record)) {
      version = step.versionTo;
      last = step;
    } else leave?.(step.record);
  }
  return last;
}

/** Whether the sweep came by after a step. */
function isIn<S extends KeyState>({ state, steps }: Joined<S>, step: KeyStep): boolean {
  // It died, and its tombstone was removed, before the sweep came by.
  const isForgotten = state === undefined && (steps[0]?.versionFrom ?? 0n) > 0n;
  return isForgotten || (state?.version ?? 0n) >= step.versionTo;
}

/**
 * Records of a time up to `atMs` that rest on later ones, and are undone with them.
 *
 * @param steps all of those since `atMs` among them.
 */
export async function undoneWith(
  steps: Stream<KeyStep>,
  atMs: number,
): Promise<ReadonlySet<string>> {
  const undone = new Set<string>();
  for (let known = -1; known < undone.size; ) {
    known = undone.size;
    let lives: Lives | undefined;
    for await (const step of steps()) {
      if (lives?.key !== step.key) lives = new Lives(step.key);
      const life = lives.of(step);
      const isLate = step.timeMs > atMs || undone.has(step.record);
      if (isLate) life.first ??= step;
      else if (life.first !== undefined) undone.add(step.record);
    }
  }
  return undone;
}

/** The state as of a time: every batch of a later time is undone, and with it what rests on it. */
export async function* statesBefore<S extends KeyState>(
  states: Stream<S>,
  steps: Stream<KeyStep>,
  atMs: number,
  undone: ReadonlySet<string>,
): AsyncGenerator<S | KeyState> {
  const firsts = firstUndone(steps(), (step) => step.timeMs > atMs || undone.has(step.record));
  for await (const {
    key,
    state,
    steps: [first],
  } of byKey(states(), firsts)) {
    if (first !== undefined) yield { key, version: first.versionFrom, sha: first.shaFrom };
    else if (state !== undefined) yield state;
  }
}

/** Of each key with an undone step the first one, in its first life that has one. */
async function* firstUndone(
  steps: AsyncIterable<KeyStep>,
  isUndone: (step: KeyStep) => boolean,
): AsyncGenerator<KeyStep> {
  let lives: Lives | undefined;
  for await (const step of steps) {
    if (lives?.key !== step.key) {
      if (lives?.first !== undefined) yield lives.first;
      lives = new Lives(step.key);
    }
    if (isUndone(step)) lives.of(step).first ??= step;
  }
  if (lives?.first !== undefined) yield lives.first;
}

/** Half of the life of a tombstone: no two clocks and no late request are so far apart. */
const APART_MS = LIMITS.tombstoneLifeMs / 2;

/**
 * The lives of one key, which begins anew once its tombstone is forgotten: then its versions begin
 * at 0 again. A tombstone lives longer than any request, so times tell the lives apart. Steps come
 * by version, so all births come first.
 */
class Lives {
  readonly key: string;
  readonly #bornMs: number[] = [];
  /** Before the first birth, then of each birth. */
  readonly #lives: { first: KeyStep | undefined }[] = [{ first: undefined }];

  constructor(key: string) {
    this.key = key;
  }

  /** The life that a step belongs to. */
  of({ versionFrom, timeMs }: KeyStep): { first: KeyStep | undefined } {
    if (versionFrom === 0n) {
      assert(timeMs >= (this.#bornMs.at(-1) ?? 0), "births come by time");
      this.#bornMs.push(timeMs);
      this.#lives.push({ first: undefined });
    }
    const number = this.#bornMs.findLastIndex((bornMs) => bornMs <= timeMs + APART_MS) + 1;
    const life = this.#lives[number];
    assert(life !== undefined, "each birth begins a life");
    return life;
  }

  /** The first step that was noted, of all lives. */
  get first(): KeyStep | undefined {
    return this.#lives.find(({ first }) => first !== undefined)?.first;
  }
}

/** Two streams in the order of their keys, as one. */
async function* byKey<S extends KeyState>(
  states: AsyncIterable<S>,
  steps: AsyncIterable<KeyStep>,
): AsyncGenerator<Joined<S>> {
  const others = steps[Symbol.asyncIterator]();
  let other = await others.next();
  const stepsOf = async (key: string): Promise<KeyStep[]> => {
    const some: KeyStep[] = [];
    for (; other.done !== true && other.value.key === key; other = await others.next()) {
      some.push(other.value);
    }
    return some;
  };
  // A sweep that is not a snapshot may show a key twice: the greater version comes last.
  let state: S | undefined;
  for await (const next of states) {
    if (state !== undefined && state.key !== next.key) {
      yield { key: state.key, state, steps: await stepsOf(state.key) };
    }
    state = next;
    while (other.done !== true && other.value.key < next.key) {
      const { key } = other.value;
      yield { key, state: undefined, steps: await stepsOf(key) };
    }
  }
  if (state !== undefined) yield { key: state.key, state, steps: await stepsOf(state.key) };
  while (other.done !== true) {
    const { key } = other.value;
    yield { key, state: undefined, steps: await stepsOf(key) };
  }
}
