import { utf8 } from "../base/bytes.ts";
import { ChunkedList, type Part } from "./chunked-list.ts";

/** A list so short that one text of all of it costs less than pieces that others share. */
const SHORT_LIST = 128;

/**
 * JSON text in the making, as UTF-8 pieces that belong one behind the other. Metadata made from
 * older metadata shares the chunks of its history, which is most of a long one: the bytes of a
 * chunk are made once, so that a commit encodes and copies only what it changed.
 */
export class Printer {
  readonly #pieces: Uint8Array[] = [];
  #texts: string[] = [];

  text(text: string): void {
    this.#texts.push(text);
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
      this.#texts.push(separator, fragment.text);
      separator = ",";
    }
  }

  #chunks({ chunks }: ChunkedList<Part>): void {
    for (const [index, chunk] of chunks.entries()) {
      // The last one is made anew with the next part, until it is full.
      const grows = index === chunks.length - 1 && !chunk.isFull;
      if (grows) {
        for (const { fragment } of chunk.items) this.#texts.push(",", fragment.text);
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
    if (this.#texts.length === 0) return;
    this.#pieces.push(utf8(this.#texts.join("")));
    this.#texts = [];
  }
}
