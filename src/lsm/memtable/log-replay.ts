import { assert } from "../../base/assert.ts";
import { ENTRY } from "../format/cursor.ts";
import type { Sequence } from "../format/entry.ts";
import type { WalGroup } from "../wal/port.ts";
import { Memtable } from "./memtable.ts";

/** Groups of a log into memtables, as they were written before. */
export class LogReplay {
  readonly #memtableBytes: number;
  #filled: Memtable[] = [];
  #active = new Memtable();
  #lastSequence: Sequence;

  constructor(memtableBytes: number, lastSequence: Sequence) {
    this.#memtableBytes = memtableBytes;
    this.#lastSequence = lastSequence;
  }

  get memtables(): readonly Memtable[] {
    return [this.#active, ...this.#filled.toReversed()];
  }

  get lastSequence(): Sequence {
    return this.#lastSequence;
  }

  add({ batches }: WalGroup): void {
    for (const { firstSequence, count, payload } of batches) {
      // A group may begin below the mark: what tables hold is not written again.
      if (firstSequence + count - 1 <= this.#lastSequence) continue;
      this.#active.addPayload(payload, count, firstSequence);
      this.#lastSequence = firstSequence + count - 1;
    }
    // An ingest leaves nothing in it, and there is no table of nothing.
    if (!this.#active.isEmpty && this.#active.memoryBytes >= this.#memtableBytes) {
      this.#active.freeze();
      this.#filled.push(this.#active);
      this.#active = new Memtable();
    }
  }

  /**
   * Gives up what tables hold by now: everything up to a sequence. No version may be met twice, in
   * a memtable and in a table, or an operand would count twice.
   */
  cut(through: Sequence): void {
    const left = (memtable: Memtable): Memtable =>
      memtable.minSequence > through ? memtable : newerPart(memtable, through);
    this.#filled = this.#filled.filter((one) => one.maxSequence > through).map(left);
    if (!this.#active.isEmpty) this.#active = left(this.#active);
    const isCut = this.memtables.every((one) => one.isEmpty || one.minSequence > through);
    assert(isCut, "no version is in a memtable and in a table: an operand would count twice");
    this.#lastSequence = Math.max(this.#lastSequence, through);
  }
}

/** A copy of what came after a sequence. */
function newerPart(memtable: Memtable, after: Sequence): Memtable {
  const copy = new Memtable();
  const cursor = memtable.cursor();
  // Backwards, so that of each key the older versions come first.
  for (let step = cursor.last(); step === ENTRY; step = cursor.prev()) {
    const { key, sequence, kind, operator, expiresAtMs } = cursor;
    if (sequence > after) copy.add(key, sequence, kind, cursor.value(), { operator, expiresAtMs });
  }
  const deleted = (memtable.ranges?.fragments() ?? []).flatMap(({ from, to, sequences }) =>
    sequences.map((sequence) => ({ from, to, sequence })),
  );
  for (const { from, to, sequence } of deleted.sort((a, b) => a.sequence - b.sequence)) {
    if (sequence > after) copy.addRange(from, to, sequence);
  }
  return copy;
}
