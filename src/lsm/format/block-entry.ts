import type { EntryBytes } from "./cursor.ts";
import { DataBlockCursor } from "./data-block-cursor.ts";
import type { Key, Kind, Sequence } from "./entry.ts";

/** The entry of a data block that a cursor over a table stands on. */
export abstract class BlockEntry {
  protected readonly cursor: DataBlockCursor = new DataBlockCursor();

  get key(): Key {
    return this.cursor.key;
  }

  get sequence(): Sequence {
    return this.cursor.sequence;
  }

  get kind(): Kind {
    return this.cursor.kind;
  }

  get valueSource(): Uint8Array {
    return this.cursor.valueSource;
  }

  get valueStart(): number {
    return this.cursor.valueStart;
  }

  get valueEnd(): number {
    return this.cursor.valueEnd;
  }

  get operator(): number {
    return this.cursor.operator;
  }

  get expiresAtMs(): number {
    return this.cursor.expiresAtMs;
  }

  get entry(): EntryBytes {
    return this.cursor.entry;
  }

  value(): Uint8Array {
    const { valueSource, valueStart, valueEnd } = this.cursor;
    const { buffer, byteOffset } = valueSource;
    return new Uint8Array(buffer, byteOffset + valueStart, valueEnd - valueStart);
  }
}
