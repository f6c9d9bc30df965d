import { assert } from "../../base/assert.ts";
import { giveBack } from "../../base/bytes.ts";
import { type Key, latin1Text } from "../format/entry.ts";
import {
  type BatchOp,
  BatchWalk,
  batchBytes,
  decodeBatch,
  encodeBatch,
  writeBatch,
} from "../wal/batch.ts";

/** A batch that is known to be one: its payload is checked. */
export interface Prepared {
  /** Operations. */
  readonly count: number;
  /** Of its payload. */
  readonly bytes: number;
  /** Writes the payload, for which there is room, at an offset. */
  writeTo(out: Buffer, at: number): void;
  ops(): readonly BatchOp[];
  /** Keys of operations, of a range the first, by their numbers: asked for in ascending order. */
  readonly keys: () => (index: number) => Key;
  /** The same batch, of which no byte is the caller's. */
  kept(): Prepared;
  /** It is not used any more. */
  letGo(): void;
}

/** As operations, whose keys and values are the caller's. */
export class OpsBatch implements Prepared {
  readonly bytes: number;
  readonly #ops: readonly BatchOp[];

  constructor(ops: readonly BatchOp[]) {
    this.#ops = ops;
    this.bytes = batchBytes(ops);
  }

  get count(): number {
    return this.#ops.length;
  }

  writeTo(out: Buffer, at: number): void {
    writeBatch(out, at, this.#ops);
  }

  ops(): readonly BatchOp[] {
    return this.#ops;
  }

  readonly keys = (): ((index: number) => Key) => {
    return (index) => {
      const op = this.#ops[index] as BatchOp;
      const key = op.op === "deleteRange" ? op.from : op.key;
      return latin1Text(key, 0, key.length);
    };
  };

  kept(): Prepared {
    return new PayloadBatch([encodeBatch(this.#ops)], this.count);
  }

  letGo(): void {}
}

/** As a payload, in pieces of whole operations. */
export class PayloadBatch implements Prepared {
  readonly count: number;
  readonly bytes: number;
  readonly #pieces: readonly Uint8Array[];

  constructor(pieces: readonly Uint8Array[], count: number) {
    this.#pieces = pieces;
    this.count = count;
    this.bytes = pieces.reduce((sum, { length }) => sum + length, 0);
    assert(this.bytes >= count, "an operation has a kind at least");
  }

  writeTo(out: Buffer, at: number): void {
    assert(at + this.bytes <= out.length, "there is room for the payload");
    let next = at;
    for (const piece of this.#pieces) {
      out.set(piece, next);
      next += piece.length;
    }
  }

  ops(): readonly BatchOp[] {
    const whole = Buffer.allocUnsafe(this.bytes);
    this.writeTo(whole, 0);
    return decodeBatch(whole, this.count);
  }

  readonly keys = (): ((index: number) => Key) => {
    const pieces = this.#pieces.values();
    let piece = pieces.next().value as Uint8Array;
    let walk = new BatchWalk(piece, 0, piece.length);
    let at = -1;
    return (index) => {
      for (; at < index; at++) {
        if (walk.next()) continue;
        piece = pieces.next().value as Uint8Array;
        walk = new BatchWalk(piece, 0, piece.length);
        walk.next();
      }
      return latin1Text(piece, walk.keyAt, walk.valueAt);
    };
  };

  kept(): Prepared {
    return this;
  }

  letGo(): void {
    for (const piece of this.#pieces) {
      // What is short shares an array with others.
      if (piece.length === piece.buffer.byteLength) giveBack(piece);
    }
  }
}
