import type { Key, Sequence } from "./entry.ts";

/**
 * Rows side by side, without an object or a text for each. Row `i` has the key
 * `keys[keyEnds[i - 1] ?? 0 .. keyEnds[i]]` and the value `values[valueStarts[i] .. valueEnds[i]]`.
 *
 * Keys are put together here, since blocks store them without what they share. Values are not moved
 * where they all lie in one block: then `values` is that block.
 */
export interface PackedRows {
  readonly count: number;
  readonly keys: Uint8Array;
  readonly keyEnds: Uint32Array;
  /** All three are of no use in a scan of keys only. */
  readonly values: Uint8Array;
  readonly valueStarts: Uint32Array;
  readonly valueEnds: Uint32Array;
}

const NO_BYTES = new Uint8Array(0);
const FIRST_KEY_BYTES = 4_096;

/** Room for packed rows, used again for each batch. Its fields are public: see `Drain`. */
export class RowRoom implements PackedRows {
  count = 0;
  keys: Uint8Array = NO_BYTES;
  readonly keyEnds: Uint32Array;
  values: Uint8Array = NO_BYTES;
  readonly valueStarts: Uint32Array;
  readonly valueEnds: Uint32Array;

  constructor(rows: number) {
    this.keyEnds = new Uint32Array(rows);
    this.valueStarts = new Uint32Array(rows);
    this.valueEnds = new Uint32Array(rows);
  }

  /** Where the next key goes. */
  get keyBytes(): number {
    return this.count === 0 ? 0 : (this.keyEnds[this.count - 1] as number);
  }

  /** Room for so many bytes of keys, those that are there included. Answers the keys. */
  reserveKeys(bytes: number): Uint8Array {
    if (bytes > this.keys.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(bytes, 2 * this.keys.length, FIRST_KEY_BYTES));
      grown.set(this.keys);
      this.keys = grown;
    }
    return this.keys;
  }
}

/**
 * What a cursor that stands on an entry is to pack of the entries behind it, as far as they are
 * plain puts and deletions, lie in memory side by side, and come before a bound.
 */
export class Drain {
  readonly rows: RowRoom;
  /** Rows that there are to be at most. */
  most = 0;
  /** Packs nothing, and stops before the first row. */
  skips = false;
  snapshot: Sequence = 0;
  /** What is not newer was deleted by a range tombstone. */
  deletedAt: Sequence = 0;
  /** Entries of a block that it may pass, and entries that it passed. */
  mostSteps = 0;
  steps = 0;
  /** What passing one of them costs, in entries of a block. */
  stepCost = 1;
  /**
   * Keeps the value of a row, which lies in `source`: for cursors whose values lie in many arrays.
   * Absent in a scan of keys only.
   */
  keep: ((row: number, source: Uint8Array) => void) | undefined;
  /** Whether values were kept. */
  isKept = false;
  /** Whether the version to show of the key it stands on is known: before and afterwards. */
  isDecided = false;
  /** The bound as bytes: undefined, where there is none. */
  before: Uint8Array | undefined;
  #beforeKey: Key | undefined;

  constructor(rows: RowRoom) {
    this.rows = rows;
  }

  get beforeKey(): Key | undefined {
    return this.#beforeKey;
  }

  /** Sets the bound. A merge keeps the same one for many blocks. */
  bound(key: Key | undefined): void {
    if (key === this.#beforeKey) return;
    this.#beforeKey = key;
    this.before = key === undefined ? undefined : Buffer.from(key, "latin1");
  }

  /** Takes in one more bound. */
  narrow(key: Key): void {
    if (this.#beforeKey === undefined || key < this.#beforeKey) this.bound(key);
  }
}
