import type { Clock } from "../../base/clock.ts";
import { type Cursor, ENTRY, MISS, type Step } from "../format/cursor.ts";
import { EXPIRES, type Key, MERGE, PUT, plainKind } from "../format/entry.ts";
import type { Operand, Operators } from "./operators.ts";

/** What entries mean that are neither plain puts nor deletions. */
export interface EntrySemantics {
  readonly operators: Operators;
  readonly nowMs: () => number;
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
 * @returns undefined where a block is missing: then the cursor has to be put back.
 * @throws FirnError as `Operators.fold`.
 */
export function foldDown(below: Cursor, key: Key, semantics: EntrySemantics): Folded | undefined {
  const operands: Operand[] = [];
  for (let step: Step = ENTRY; ; step = below.next()) {
    if (step === MISS) return undefined;
    const isOver = step !== ENTRY || below.key !== key;
    const kind = isOver ? undefined : plainKind(below.kind);
    const counts = kind !== undefined && !hasExpired(below, semantics);
    if (kind === MERGE) {
      if (counts) operands.push({ operator: below.operator, value: below.value() });
      continue;
    }
    const base = kind === PUT && counts ? below.value() : undefined;
    return { value: semantics.operators.fold(base, operands), step };
  }
}
