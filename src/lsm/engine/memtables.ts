import { assert } from "../../base/assert.ts";
import type { Manifest } from "../format/manifest.ts";
import { Memtable } from "../memtable/memtable.ts";
import type { MemoryShare } from "../write/budget.ts";
import type { Log } from "./log.ts";
import type { Reads } from "./reads.ts";

interface MemtablesParts {
  readonly reads: Pick<Reads, "views" | "sorted">;
  readonly log: Log;
  readonly memory: MemoryShare;
  readonly memtableBytes: number;
  /** Called when a frozen memtable may be there to be flushed. */
  readonly onFrozen: () => void;
}

/** The memtables of an open engine: when the active one is frozen, and what they take of memory. */
export class Memtables {
  readonly #parts: MemtablesParts;

  constructor(parts: MemtablesParts) {
    this.#parts = parts;
  }

  get bytes(): number {
    const { active, frozen } = this.#parts.reads.views.current;
    let bytes = active.memoryBytes;
    for (const memtable of frozen) bytes += memtable.memoryBytes;
    return bytes;
  }

  /** The next write goes into a new memtable and a new file of the log. */
  freeze(): void {
    const { reads, log, onFrozen } = this.#parts;
    const { current } = reads.views;
    if (!current.active.isEmpty) {
      current.active.freeze();
      const frozen = [current.active, ...current.frozen];
      reads.views.replace({ ...current, active: new Memtable(), frozen });
      log.roll();
      this.note();
    }
    onFrozen();
  }

  /** The active memtable takes more memory than it did. */
  grown(): void {
    const { reads, memory, memtableBytes } = this.#parts;
    const { active } = reads.views.current;
    if (active.memoryBytes >= memtableBytes) this.freeze();
    else memory.set("active", active.memoryBytes);
  }

  /** Memtables that a manifest holds leave the view, its tables come. @returns those that left. */
  replaced(manifest: Manifest): readonly Memtable[] {
    const { reads } = this.#parts;
    const { current } = reads.views;
    const flushed = current.frozen.filter((one) => one.maxSequence <= manifest.lastSequence);
    const frozen = current.frozen.filter((one) => one.maxSequence > manifest.lastSequence);
    // A version in a memtable and in a table would be met twice, and an operand count twice.
    for (const { isEmpty, minSequence } of [current.active, ...frozen]) {
      assert(isEmpty || minSequence > manifest.lastSequence, "a memtable is flushed whole");
    }
    assert(flushed[0] === current.frozen[frozen.length], "the oldest memtables are flushed first");
    for (const memtable of flushed) memtable.hold();
    reads.views.replace({ active: current.active, frozen, ...reads.sorted(manifest) });
    this.note();
    return flushed;
  }

  /** Tells the budget what they take. */
  note(): void {
    const { reads, memory } = this.#parts;
    const { active, frozen } = reads.views.current;
    const bytes = frozen.reduce((sum, memtable) => sum + memtable.memoryBytes, 0);
    // What moves from one part to the other must not be there twice.
    memory.set("active", active.isEmpty ? 0 : active.memoryBytes);
    memory.set("frozen", bytes);
  }
}
