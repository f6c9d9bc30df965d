import { assert } from "../../base/assert.ts";
import type { Clock } from "../../base/clock.ts";
import { type Cursor, ENTRY, MISS, type MissingBlock, type Step } from "../format/cursor.ts";
import { APART, EXPIRES, type Key, MERGE, PUT, plainKind } from "../format/entry.ts";
import type { ApartValues } from "./apart-values.ts";
import type { Operand, Operators } from "./operators.ts";

/** What entries mean that are neither plain puts nor deletions. */
export interface EntrySemantics {
  readonly operators: Operators;
  readonly nowMs: () => number;
  /** Where values apart are found; absent where no value is read. */
  readonly values?: ApartValues;
}

/** The wall clock for expiry: it never goes back, so that what has expired stays so. */
export class ExpiryClock {
  readonly #clock: Clock;
  #latestMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly nowMs = (): number => {
    const nowMs = this.#clock.nowMs();
    if (nowMs > this.#latestMs) this.#latestMs = nowMs;
    return this.#latestMs;
  };
}

/** The same as of a time, where there is one. */
export function semanticsAt(semantics: EntrySemantics, timeMs: number | undefined): EntrySemantics {
  return timeMs === undefined ? semantics : { ...semantics, nowMs: () => timeMs };
}

/** Whether the entry that a cursor stands on has expired. */
export function hasExpired(cursor: Cursor, { nowMs }: EntrySemantics): boolean {
  return (cursor.kind & EXPIRES) !== 0 && cursor.expiresAtMs <= nowMs();
}

/** The value of the put that a cursor stands on, or what has to be loaded first. */
export function putValueOf(cursor: Cursor, { values }: EntrySemantics): Uint8Array | MissingBlock {
  if ((cursor.kind & APART) === 0) return cursor.value();
  assert(values !== undefined, "who reads values knows where they lie");
  return values.find(cursor);
}

/** What has to be loaded before the versions of a key can be told: a block if absent. */
export interface Unread {
  readonly unread: MissingBlock | undefined;
}

/** What the versions of a key come to, and where the cursor over them stands then. */
export interface Folded {
  readonly value: Uint8Array | undefined;
  readonly step: Step;
}

/**
 * Reads a key from the newest version that counts, which the cursor stands on, down to the one that
 * says all: a put or a deletion. An expired put is a deletion; an operand that has expired counts
 * for nothing.
 *
 * @returns `Unread` where a block is missing, or a value: then the cursor has to be put back.
 * @throws FirnError as `Operators.fold`.
 */
export function foldDown(below: Cursor, key: Key, semantics: EntrySemantics): Folded | Unread {
  const operands: Operand[] = [];
  for (let step: Step = ENTRY; ; step = below.next()) {
    if (step === MISS) return { unread: undefined };
    const isOver = step !== ENTRY || below.key !== key;
    const kind = isOver ? undefined : plainKind(below.kind);
    const counts = kind !== undefined && !hasExpired(below, semantics);
    if (kind === MERGE) {
      if (counts) operands.push({ operator: below.operator, value: below.value() });
      continue;
    }
    const base = kind === PUT && counts ? putValueOf(below, semantics) : undefined;
    if (base !== undefined && "file" in base) return { unread: base };
    return { value: semantics.operators.fold(base, operands), step };
  }
}
