import { badFormat } from "./records.ts";

const SIGNATURE = Buffer.from("PGCOPY\n\xff\r\n\0", "latin1");

/** COPY's binary format: fields of a length and bytes. */
export class BinaryRows {
  #rest: Buffer = Buffer.alloc(0);
  #hasBegun = false;
  #isOver = false;

  /** The rows that are whole; undefined is NULL. @throws SqlError 22P04. */
  read(chunk: Buffer, columns: number): (Buffer | undefined)[][] {
    if (this.#isOver) return [];
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    if (!this.#hasBegun) {
      if (this.#rest.length < SIGNATURE.length + 8) return [];
      at = this.#begin();
    }
    const rows: (Buffer | undefined)[][] = [];
    for (;;) {
      const [row, next] = this.#row(at, columns);
      if (row === undefined) break;
      at = next;
      if (row === "end") {
        this.#isOver = true;
        break;
      }
      rows.push(row);
    }
    // Rows that were given out keep their bytes: what is left is copied.
    this.#rest = Buffer.from(this.#rest.subarray(at));
    return rows;
  }

  /** @throws SqlError 22P04 where a row or the end is missing. */
  end(): void {
    if (!this.#hasBegun) throw badFormat("COPY file signature not recognized");
    if (!this.#isOver && this.#rest.length > 0) throw badFormat("unexpected EOF in COPY data");
  }

  #begin(): number {
    const rest = this.#rest;
    if (!rest.subarray(0, SIGNATURE.length).equals(SIGNATURE)) {
      throw badFormat("COPY file signature not recognized");
    }
    const flags = rest.readUInt32BE(SIGNATURE.length);
    if ((flags & 0xffff0000) !== 0) {
      throw badFormat("unrecognized critical flags in COPY file header");
    }
    if (rest.readUInt32BE(SIGNATURE.length + 4) !== 0) {
      throw badFormat("invalid COPY file header (wrong length)");
    }
    this.#hasBegun = true;
    return SIGNATURE.length + 8;
  }

  #row(begin: number, columns: number): [(Buffer | undefined)[] | "end" | undefined, number] {
    const rest = this.#rest;
    if (rest.length < begin + 2) return [undefined, begin];
    const count = rest.readInt16BE(begin);
    if (count === -1) return ["end", begin + 2];
    if (count !== columns) {
      throw badFormat(`row field count is ${count}, expected ${columns}`);
    }
    const row: (Buffer | undefined)[] = [];
    let at = begin + 2;
    for (let i = 0; i < count; i++) {
      if (rest.length < at + 4) return [undefined, begin];
      const length = rest.readInt32BE(at);
      at += 4;
      if (length === -1) {
        row.push(undefined);
        continue;
      }
      if (length < 0 || length > MOST_FIELD_BYTES) throw badFormat("invalid field size");
      if (rest.length < at + length) return [undefined, begin];
      row.push(rest.subarray(at, at + length));
      at += length;
    }
    return [row, at];
  }
}

const MOST_FIELD_BYTES = 16_777_216;

export const BINARY_HEAD: Buffer = Buffer.concat([SIGNATURE, Buffer.alloc(8)]);
export const BINARY_END: Buffer = Buffer.from([0xff, 0xff]);
