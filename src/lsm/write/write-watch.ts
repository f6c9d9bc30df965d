import { bytesOfKey, END_OF_KEYS, type Key, type Sequence } from "../format/entry.ts";
import type { BatchOp } from "../wal/batch.ts";

interface WatchedRange {
  readonly from: Uint8Array;
  /** Undefined: up to the end. */
  readonly to: Uint8Array | undefined;
}

/** A write, and the key or the first key of the range that it wrote to. */
interface FirstWrite {
  readonly sequence: Sequence;
  readonly key: Uint8Array;
}

/** Notes whether anything is written to some ranges of keys. */
export class WriteWatch {
  readonly #ranges: readonly WatchedRange[];
  #written: FirstWrite | undefined;

  constructor(ranges: readonly { readonly from: Key; readonly to: Key }[]) {
    this.#ranges = ranges.map(({ from, to }) => {
      return { from: bytesOfKey(from), to: to === END_OF_KEYS ? undefined : bytesOfKey(to) };
    });
  }

  /** Of the first write to them, if there was one. */
  get written(): FirstWrite | undefined {
    return this.#written;
  }

  /** @param first sequence of the batch. */
  note(ops: readonly BatchOp[], first: Sequence): void {
    if (this.#written !== undefined) return;
    const at = ops.findIndex((op) => this.#ranges.some((range) => meets(op, range)));
    if (at < 0) return;
    const op = ops[at] as BatchOp;
    this.#written = {
      sequence: first + at,
      key: Uint8Array.from(op.op === "deleteRange" ? op.from : op.key),
    };
  }

  /** Of an ingest that was published. */
  noteIngest(other: WriteWatch, sequence: Sequence): void {
    const met = other.#ranges.find((one) => this.#ranges.some((range) => overlap(range, one)));
    if (met !== undefined) this.#written ??= { sequence, key: met.from };
  }
}

function overlap(a: WatchedRange, b: WatchedRange): boolean {
  const endsBehind = (to: Uint8Array | undefined, from: Uint8Array): boolean =>
    to === undefined || Buffer.compare(to, from) > 0;
  return endsBehind(a.to, b.from) && endsBehind(b.to, a.from);
}

function meets(op: BatchOp, { from, to }: WatchedRange): boolean {
  if (op.op !== "deleteRange") {
    const isBelow = to === undefined || Buffer.compare(op.key, to) < 0;
    return isBelow && Buffer.compare(op.key, from) >= 0;
  }
  const beginsBelow = to === undefined || Buffer.compare(op.from, to) < 0;
  return beginsBelow && (op.to.length === 0 || Buffer.compare(op.to, from) > 0);
}
