import { utf8 } from "../base/bytes.ts";
import { ChunkedList, type Part } from "./chunked-list.ts";

/** Where a text is encoded: nothing waits between that and the copy of what it came to. */
const scratch = new Uint8Array(131_072);
const scratchText = Buffer.from(scratch.buffer);
const MAX_UNIT_BYTES = 3;

/** UTF-8 in memory of its own length: half the price of an encoder that has to find it first. */
function encoded(text: string): Uint8Array {
  if (text.length * MAX_UNIT_BYTES > scratch.length) return utf8(text);
  return scratch.slice(0, scratchText.write(text));
}

/** A list so short that one text of all of it costs less than pieces that others share. */
const SHORT_LIST = 128;

/**
 * JSON text in the making, as UTF-8 pieces that belong one behind the other. Metadata made from
 * older metadata shares the chunks of its history, which is most of a long one: the bytes of a
 * chunk are made once, so that a commit encodes and copies only what it changed.
 */
export class Printer {
  readonly #pieces: Uint8Array[] = [];
  /** What is not encoded yet. To add to one text costs less than to join many. */
  #text = "";

  text(text: string): void {
    this.#text += text;
  }

  /** An array of parts. */
  list(parts: readonly Part[] | ChunkedList<Part>): void {
    this.text("[");
    if (parts instanceof ChunkedList && parts.length > SHORT_LIST) this.#chunks(parts);
    else this.#parts(parts);
    this.text("]");
  }

  #parts(parts: Iterable<Part>): void {
    let separator = "";
    for (const { fragment } of parts) {
      this.#text += separator + fragment.text;
      separator = ",";
    }
  }

  #chunks({ chunks }: ChunkedList<Part>): void {
    for (const [index, chunk] of chunks.entries()) {
      // The last one is made anew with the next part, until it is full.
      const grows = index === chunks.length - 1 && !chunk.isFull;
      if (grows) {
        for (const { fragment } of chunk.items) this.#text += `,${fragment.text}`;
      } else {
        this.#piece(index === 0 ? chunk.bytes.subarray(1) : chunk.bytes);
      }
    }
  }

  /** Everything so far. */
  finish(): readonly Uint8Array[] {
    this.#flush();
    return this.#pieces;
  }

  #piece(bytes: Uint8Array): void {
    this.#flush();
    this.#pieces.push(bytes);
  }

  #flush(): void {
    if (this.#text === "") return;
    this.#pieces.push(encoded(this.#text));
    this.#text = "";
  }
}
