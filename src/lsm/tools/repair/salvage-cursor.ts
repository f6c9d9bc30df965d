import { assert } from "../../../base/assert.ts";
import { BlockEntry } from "../../format/block-entry.ts";
import { type Cursor, END, ENTRY, MISS, type Step } from "../../format/cursor.ts";
import type { DataBlock } from "../../format/data-block.ts";
import { type Key, MERGE, plainKind, type Sequence } from "../../format/entry.ts";
import { lowerBound } from "../../format/sst-meta.ts";
import type { SalvageTable } from "./salvage-table.ts";

/** Forward over the entries of a damaged table. On a miss, `load` the next block. */
export class SalvageCursor extends BlockEntry implements Cursor {
  readonly table: SalvageTable;
  /** Of a table that no manifest names: entries up to it count elsewhere, and operands may. */
  readonly above: Sequence | undefined;
  /** The first key that is read. */
  readonly #from: Key;
  #state: "due" | "in a block" | "ended" = "due";
  #isFirst = false;
  #skippedOperands = 0;

  constructor(table: SalvageTable, above: Sequence | undefined) {
    super();
    this.table = table;
    this.#from = lowerBound(table.meta);
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
    if (block !== undefined) this.cursor.reset(block);
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
    while (this.cursor.next()) {
      const { sequence, kind } = this.cursor;
      // A compaction has taken it: it is in another table.
      if (this.#from !== "" && this.cursor.key < this.#from) continue;
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
