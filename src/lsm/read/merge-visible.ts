import { assert } from "../../base/assert.ts";
import {
  type Cursor,
  END,
  ENTRY,
  MISS,
  type MissingBlock,
  type Origin,
  type Step,
} from "../format/cursor.ts";
import {
  APART,
  DELETE,
  type Key,
  keyAfter,
  MERGE,
  PUT,
  plainKind,
  type Sequence,
} from "../format/entry.ts";
import { Drain, RowRoom } from "../format/packed-rows.ts";
import {
  type EntrySemantics,
  type Folded,
  foldDown,
  hasExpired,
  type Unread,
} from "./entry-semantics.ts";

/** Versions of one key that are passed one by one before a seek is the shorter way. */
const STEPS_BEFORE_SEEK = 8;
/**
 * Entries that are passed or shown before others have the event loop: 2 ms at most, at the 1 to
 * 3 µs that each of them costs, and what the reader does with them.
 */
export const STEPS_A_TURN = 512;
/** Entries that are packed in the time that one takes that is shown alone. */
const PACKED_A_STEP = 16;
/** Hidden entries that are passed one by one, before a whole block of them is. */
const STEPS_BEFORE_DRAIN = 4;
const NO_BYTES = new Uint8Array(0);
const stay = (): Step => ENTRY;

/**
 * Moves over keys as they were at a snapshot: of each key the newest version that is not newer than
 * the snapshot, and no key whose version is a deletion or has expired. Operands are folded over the
 * version below them. What `Cursor` says of values and misses holds here too.
 *
 * Going forward, the cursor below stands on the entry, or further on where operands were folded.
 * Going back, it has to see all versions of a key first, so it stands on the key before.
 */
export class VisibleCursor {
  readonly #below: Cursor;
  readonly #snapshot: Sequence;
  readonly #semantics: EntrySemantics;
  #forward = true;
  /** Going forward: the key of which the version to show, or that there is none, is known. */
  #decided: Key | undefined;
  /** Going forward: what the cursor below has already found behind the versions of a key. */
  #found: Step | undefined;
  /** How the cursor below was moving when it missed: the same call has to be made again. */
  #resume: (() => Step) | undefined;
  /** Where a move stopped that does not start over: `resume` goes on with it. */
  #midway: "forward" | "back" | undefined;
  readonly #stepsATurn: number;
  #end: Key | undefined;
  #stepsLeft: number;
  #skip: Drain | undefined;
  /** Going forward: entries that it has shown or passed since it was made. */
  steps = 0;
  /** Going back: the best version seen of the key in hand, if any, and whether it is a deletion. */
  #candidate: "none" | "live" | "deleted" = "none";
  #candidateKey: Key = "";
  /** Going back: the cursor below has nothing more. */
  #drained = false;
  /** The value shown is a reference, of an entry in this table, and is to be looked up. */
  #reference: { readonly origin: Origin | undefined } | undefined;
  /** A value apart that the last move lacked. */
  #unread: MissingBlock | undefined;
  /** Values apart are not looked up: what is shown instead is of no use. */
  keysOnly = false;
  key: Key = "";
  sequence: Sequence = 0;
  valueSource: Uint8Array = NO_BYTES;
  valueStart = 0;
  valueEnd = 0;

  /**
   * `stepsATurn`: entries that it passes before it pauses; a test has it pause all the time. `end`:
   * going forward, what is hidden from there on is not passed in search of what is not.
   */
  constructor(
    below: Cursor,
    snapshot: Sequence,
    semantics: EntrySemantics,
    stepsATurn: number = STEPS_A_TURN,
    end?: Key,
  ) {
    this.#end = end;
    this.#stepsATurn = stepsATurn;
    this.#stepsLeft = stepsATurn;
    this.#below = below;
    this.#snapshot = snapshot;
    this.#semantics = semantics;
  }

  value(): Uint8Array {
    return this.valueSource.subarray(this.valueStart, this.valueEnd);
  }

  /** Whether the miss was none of blocks: others are to have the event loop before it goes on. */
  get isPaused(): boolean {
    return this.#stepsLeft <= 0;
  }

  /** Whether the call that missed goes on by `resume`, and is not made again. */
  get isMidway(): boolean {
    return this.#midway !== undefined;
  }

  /** Others have had the event loop. */
  refresh(): void {
    this.#stepsLeft = this.#stepsATurn;
  }

  /** Where what is hidden is not passed any more, from the next move on. */
  set end(key: Key | undefined) {
    this.#end = key;
  }

  /** What the values lie in that `drain` would pack; undefined where it would not. */
  get drainSource(): Uint8Array | undefined {
    const below = this.#below;
    const hasRow = this.#forward && this.#decided !== undefined && this.#resume === undefined;
    if (!hasRow || this.#found !== undefined || below.drain === undefined) return undefined;
    return below.valueSource;
  }

  /**
   * Packs rows behind the one that it stands on, as far as that is possible at once; `next` is then
   * behind the last of them. What this cursor shows is of no use until it has moved.
   */
  drain(into: Drain): void {
    this.#drain(into, true);
  }

  /** Whether it has passed any. */
  #drain(into: Drain, isDecided: boolean): boolean {
    const below = this.#below;
    into.bound(this.#end);
    into.snapshot = this.#snapshot;
    into.deletedAt = 0;
    into.steps = 0;
    into.mostSteps = this.#stepsLeft * PACKED_A_STEP;
    into.isDecided = isDecided;
    into.isKept = false;
    into.stepCost = 1;
    below.drain?.(into);
    if (into.steps === 0) return false;
    const isWithin = this.#end === undefined || below.key < this.#end;
    assert(isWithin, "a drain stops before its bound");
    this.steps += into.steps;
    this.#stepsLeft -= Math.ceil((into.steps * into.stepCost) / PACKED_A_STEP);
    this.#decided = into.isDecided ? below.key : undefined;
    return true;
  }

  /** Passes what is hidden behind an entry that is, as far as it can be had at once. */
  #skipHidden(key: Key): void {
    if (this.#skip === undefined) {
      this.#skip = new Drain(new RowRoom(0));
      this.#skip.skips = true;
    }
    this.#drain(this.#skip, key === this.#decided);
  }

  /** Goes on with the call that missed. */
  resume(): Step {
    const midway = this.#midway;
    const step = midway === "forward" ? this.#onward(this.#goOn()) : this.#goOnBack();
    if (step !== MISS) this.#midway = undefined;
    return step;
  }

  first(): Step {
    return this.#jump(() => this.#below.first());
  }

  last(): Step {
    return this.#backward(() => this.#below.last());
  }

  /** To the first visible key at or after `key`. */
  seek(key: Key): Step {
    return this.#jump(() => this.#below.seek(key, this.#snapshot));
  }

  /** To the last visible key before `key`. */
  seekBefore(key: Key): Step {
    return this.#backward(() => this.#below.seekBefore(key));
  }

  next(): Step {
    if (this.#forward) return this.#onward(this.#goOn());
    const { key } = this;
    return this.#jump(() => this.#below.seek(keyAfter(key)));
  }

  prev(): Step {
    if (this.#forward) {
      const { key } = this;
      return this.#backward(() => this.#below.seekBefore(key));
    }
    if (this.#resume !== undefined) return this.#goOnBack();
    this.#candidate = "none";
    return this.#drained ? END : this.#walkBack(ENTRY);
  }

  /**
   * None where it only paused.
   *
   * @param aheadBytes of values that will be read next, if one is missing.
   */
  missing(into: MissingBlock[], aheadBytes = 0): void {
    if (this.isPaused) return;
    if (this.#unread === undefined) {
      this.#below.missing(into);
      return;
    }
    into.push(this.#unread);
    const { values } = this.#semantics;
    const left = aheadBytes - this.#unread.bytes;
    if (left <= 0 || values === undefined) return;
    const next = this.#below.ahead?.(left) ?? [];
    into.push(...values.missing(next, this.#below.origin));
  }

  #goOn(): () => Step {
    return this.#resume ?? this.#nextBelow;
  }

  #goOnBack(): Step {
    // What missed may miss again, as its blocks are found one after the other.
    const step = this.#resume?.() ?? MISS;
    return step === MISS ? MISS : this.#walkBack(step);
  }

  readonly #nextBelow = (): Step => {
    const found = this.#found;
    if (found === undefined) return this.#below.next();
    this.#found = undefined;
    return found;
  };
  readonly #prevBelow = (): Step => this.#below.prev();

  /** Forward to another place. A miss on the way changes nothing here, so it can start over. */
  #jump(move: () => Step): Step {
    const forward = this.#forward;
    this.#unread = undefined;
    this.#decided = undefined;
    this.#found = undefined;
    this.#midway = undefined;
    const step = this.#onward(move);
    if (step === MISS && !this.isMidway) {
      this.#forward = forward;
      this.#resume = undefined;
    }
    return step;
  }

  /** Forward from wherever `move` leads, past the versions of the key that was decided last. */
  #onward(move: () => Step): Step {
    const below = this.#below;
    let call = move;
    let passed = 0;
    let hidden = 0;
    this.#unread = undefined;
    for (let step = call(); ; step = call()) {
      if (step === MISS) {
        this.#resume = call;
        return MISS;
      }
      if (step === END) return this.#stopped(true);
      const { key } = below;
      const passing = key === this.#decided || below.sequence > this.#snapshot;
      if (!passing) {
        const { kind } = below;
        const shown = kind === PUT ? this.#show() : kind !== DELETE && this.#showOther(key);
        if (shown === MISS) {
          // Nothing is known of the key: its versions are read again from the newest.
          const isOperand = plainKind(kind) === MERGE;
          this.#resume = isOperand ? () => below.seek(key, this.#snapshot) : stay;
          return MISS;
        }
        this.#decided = key;
        passed = 0;
        if (shown) {
          this.#stepsLeft--;
          this.steps++;
          return this.#stopped(true, ENTRY);
        }
        if (this.#found !== undefined) {
          call = this.#nextBelow;
          continue;
        }
      }
      call = this.#nextBelow;
      if (++passed > STEPS_BEFORE_SEEK) {
        passed = 0;
        const snapshot = this.#snapshot;
        const past = key === this.#decided;
        call = () => (past ? below.seek(keyAfter(key)) : below.seek(key, snapshot));
      }
      if (this.#end !== undefined && key >= this.#end) return this.#stopped(true);
      this.steps++;
      if (--this.#stepsLeft <= 0) return this.#pause("forward", call);
      if (call !== this.#nextBelow || ++hidden <= STEPS_BEFORE_DRAIN) continue;
      this.#skipHidden(key);
      // Else a miss behind it would start over, with as many steps as did not suffice before.
      if (this.#stepsLeft <= 0) return this.#pause("forward", call);
    }
  }

  #backward(move: () => Step): Step {
    this.#resume = undefined;
    this.#unread = undefined;
    this.#found = undefined;
    this.#midway = undefined;
    const step = move();
    // Nothing has changed, so the same call starts over.
    if (step === MISS) return MISS;
    this.#candidate = "none";
    this.#drained = false;
    this.#forward = false;
    return this.#walkBack(step);
  }

  /** Backward from the entry below, until the newest visible version of a key is known. */
  #walkBack(from: Step): Step {
    const below = this.#below;
    let step = from;
    let passed = 0;
    this.#unread = undefined;
    for (;;) {
      if (step === END) {
        this.#drained = true;
        return this.#candidate === "live" ? this.#stoppedAtLive(END) : this.#stopped(false);
      }
      let call = this.#prevBelow;
      if (step === ENTRY) {
        const { key } = below;
        if (this.#candidate === "none" || key !== this.#candidateKey) {
          if (this.#candidate === "live") return this.#stoppedAtLive(ENTRY);
          this.#candidate = "none";
          this.#candidateKey = key;
          passed = 0;
        }
        if (below.sequence <= this.#snapshot && !this.#consider()) {
          this.#resume = stay;
          return MISS;
        }
        if (++passed > STEPS_BEFORE_SEEK) {
          passed = 0;
          call = () => this.#skipVersions(key);
        }
      }
      if (--this.#stepsLeft <= 0) return this.#pause("back", call);
      step = call();
      if (step === MISS) {
        this.#resume = call;
        return MISS;
      }
    }
  }

  /** Over all newer versions of a key in two seeks, taking the newest visible one on the way. */
  #skipVersions(key: Key): Step {
    const newest = this.#below.seek(key, this.#snapshot);
    if (newest === MISS) return MISS;
    if (newest === ENTRY && this.#below.key === key) {
      const { sequence, kind } = this.#below;
      if (plainKind(kind) !== MERGE) this.#consider();
      else {
        const folded = foldDown(this.#below, key, this.#semantics);
        if (!("value" in folded)) return this.#lacks(folded);
        this.#candidate = folded.value === undefined ? "deleted" : "live";
        this.#showFolded(key, sequence, folded);
      }
    }
    return this.#below.seekBefore(key);
  }

  /** Going back, the key is known to be shown; `step` is what the cursor below came to. */
  #stoppedAtLive(step: Step): Step {
    if (this.#resolve()) return this.#stopped(false, ENTRY);
    this.#resume = () => step;
    return MISS;
  }

  /**
   * Takes the version below into account, after all older ones of its key.
   *
   * @returns false where a value is missing that an operand is based on.
   */
  #consider(): boolean {
    const below = this.#below;
    const { kind, key, sequence } = below;
    const isOver = kind > PUT && hasExpired(below, this.#semantics);
    if (plainKind(kind) === MERGE) {
      if (isOver) return true;
      const isBased = this.#candidate === "live";
      if (isBased && !this.#resolve(true)) return false;
      const base = isBased ? this.value() : undefined;
      const operand = { operator: below.operator, value: below.value() };
      const value = this.#semantics.operators.fold(base, [operand]);
      this.#candidate = "live";
      this.#showFolded(key, sequence, { value });
      return true;
    }
    const live = kind !== DELETE && !isOver;
    this.#candidate = live ? "live" : "deleted";
    if (live) this.#show();
    return true;
  }

  /** Going forward, of an entry that expires or is an operand: whether its key is to be shown. */
  #showOther(key: Key): boolean | typeof MISS {
    const below = this.#below;
    const { kind, sequence } = below;
    if (plainKind(kind) !== MERGE) {
      if (hasExpired(below, this.#semantics)) return false;
      this.#show();
      return this.#resolve() || MISS;
    }
    const folded = foldDown(below, key, this.#semantics);
    if (!("value" in folded)) return this.#lacks(folded);
    // It may stand on an older version of the key, which is passed, or behind all of them.
    this.#found = folded.step;
    this.#showFolded(key, sequence, folded);
    return folded.value !== undefined;
  }

  #showFolded(key: Key, sequence: Sequence, { value }: Pick<Folded, "value">): void {
    if (value === undefined) return;
    this.#reference = undefined;
    this.key = key;
    this.sequence = sequence;
    this.valueSource = value;
    this.valueStart = 0;
    this.valueEnd = value.length;
  }

  #show(): true {
    const below = this.#below;
    this.key = below.key;
    this.sequence = below.sequence;
    this.valueSource = below.valueSource;
    this.valueStart = below.valueStart;
    this.valueEnd = below.valueEnd;
    const isApart = (below.kind & APART) !== 0;
    this.#reference = isApart ? { origin: below.origin } : undefined;
    return true;
  }

  /** Puts the value in the place of the reference that is shown; false where it is missing. */
  #resolve(isNeeded = !this.keysOnly): boolean {
    if (this.#reference === undefined || !isNeeded) return true;
    const { values } = this.#semantics;
    assert(values !== undefined, "who reads values knows where they lie");
    const { valueSource, valueStart, valueEnd } = this;
    const { origin } = this.#reference;
    const found = values.find({ origin, valueSource, valueStart, valueEnd });
    if ("file" in found) {
      this.#unread = found;
      return false;
    }
    this.#reference = undefined;
    this.valueSource = found;
    this.valueStart = 0;
    this.valueEnd = found.length;
    return true;
  }

  #lacks({ unread }: Unread): typeof MISS {
    this.#unread = unread;
    return MISS;
  }

  #pause(midway: "forward" | "back", call: () => Step): typeof MISS {
    this.#midway = midway;
    this.#resume = call;
    return MISS;
  }

  #stopped(forward: boolean, step: Step = END): Step {
    this.#forward = forward;
    this.#resume = undefined;
    return step;
  }
}
