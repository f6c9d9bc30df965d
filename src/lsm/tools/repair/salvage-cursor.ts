import { assert } from "../../../base/assert.ts";
import { type Cursor, END, ENTRY, type EntryBytes, MISS, type Step } from "../../format/cursor.ts";
import type { DataBlock } from "../../format/data-block.ts";
import { DataBlockCursor } from "../../format/data-block-cursor.ts";
import { type Key, type Kind, MERGE, plainKind, type Sequence } from "../../format/entry.ts";
import type { SalvageTable } from "./salvage-table.ts";

/** Forward over the entries of a damaged table. On a miss, `load` the next block. */
export class SalvageCursor implements Cursor {
  readonly table: SalvageTable;
  readonly #cursor = new DataBlockCursor();
  /** Of a table that no manifest names: entries up to it count elsewhere, and operands may. */
  readonly above: Sequence | undefined;
  #state: "due" | "in a block" | "ended" = "due";
  #isFirst = false;
  #skippedOperands = 0;

  constructor(table: SalvageTable, above: Sequence | undefined) {
    this.table = table;
    this.above = above;
  }

  /** Operands that were passed over: whether they are in another table too is not known. */
  get skippedOperands(): number {
    return this.#skippedOperands;
  }

  get isDue(): boolean {
    return this.#state === "due";
  }

  async load(): Promise<void> {
    const block: DataBlock | undefined = await this.table.nextBlock();
    this.#state = block === undefined ? "ended" : "in a block";
    if (block !== undefined) this.#cursor.reset(block);
  }

  get key(): Key {
    return this.#cursor.key;
  }

  get sequence(): Sequence {
    return this.#cursor.sequence;
  }

  get kind(): Kind {
    return this.#cursor.kind;
  }

  get operator(): number {
    return this.#cursor.operator;
  }

  get expiresAtMs(): number {
    return this.#cursor.expiresAtMs;
  }

  get valueSource(): Uint8Array {
    return this.#cursor.valueSource;
  }

  get valueStart(): number {
    return this.#cursor.valueStart;
  }

  get valueEnd(): number {
    return this.#cursor.valueEnd;
  }

  get entry(): EntryBytes {
    return this.#cursor.entry;
  }

  value(): Uint8Array {
    const { valueSource, valueStart, valueEnd } = this.#cursor;
    return valueSource.subarray(valueStart, valueEnd);
  }

  /** May be called again until the first `next`. */
  first(): Step {
    if (!this.#isFirst) this.#isFirst = this.next() === ENTRY;
    if (this.#isFirst) return ENTRY;
    return this.#state === "due" ? MISS : END;
  }

  next(): Step {
    if (this.#state === "due") return MISS;
    if (this.#state === "ended") return END;
    while (this.#cursor.next()) {
      const { sequence, kind } = this.#cursor;
      if (this.above === undefined) return ENTRY;
      if (sequence <= this.above) continue;
      if (plainKind(kind) !== MERGE) return ENTRY;
      this.#skippedOperands++;
    }
    this.#state = "due";
    return MISS;
  }

  last(): Step {
    return backward();
  }

  seek(): Step {
    return backward();
  }

  seekBefore(): Step {
    return backward();
  }

  prev(): Step {
    return backward();
  }

  missing(): void {}
}

function backward(): Step {
  assert(false, "a repair reads each table once, from its beginning to its end");
}
