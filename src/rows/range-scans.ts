import type { PackedRows } from "../lsm/index.ts";
import type { PackedView } from "./view-scan.ts";

/** Ranges of keys one after the other, as one scan. */
export class RangeScans {
  readonly #begin: readonly (() => PackedView)[];
  #scan: PackedView | undefined;
  #at = 0;

  constructor(begin: readonly (() => PackedView)[]) {
    this.#begin = begin;
  }

  async next(): Promise<PackedRows | undefined> {
    for (;;) {
      if (this.#scan === undefined) {
        const begin = this.#begin[this.#at++];
        if (begin === undefined) return undefined;
        this.#scan = begin();
      }
      const read = this.#scan.nextPacked();
      const packed = read instanceof Promise ? await read : read;
      if (packed !== undefined) return packed;
      this.#scan.close();
      this.#scan = undefined;
    }
  }

  close(): void {
    this.#scan?.close();
    this.#scan = undefined;
    this.#at = this.#begin.length;
  }
}

/** The key of one row of a batch, where it lies. */
export function keyIn(packed: PackedRows, i: number): Uint8Array {
  const from = i === 0 ? 0 : (packed.keyEnds[i - 1] as number);
  return packed.keys.subarray(from, packed.keyEnds[i] as number);
}
