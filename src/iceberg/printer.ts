import { utf8 } from "../base/bytes.ts";
import type { Steps } from "../base/steps.ts";
import { ChunkedList, type Part } from "./chunked-list.ts";

/** Where what is not shared is gathered: nothing waits between that and the copy of it. */
const scratch = Buffer.allocUnsafeSlow(131_072);
const MAX_UNIT_BYTES = 3;

/**
 * Below this a copy costs less than one piece more, in the file's write and in the answer's. Well
 * below the chunks of a snapshot log, of which a long history has many: new memory is dear.
 */
const SMALL_BYTES = 1_024;

/** More of what is not shared begins its own piece, so that none takes long to encode. */
const PIECE_CHARS = 1_048_576;

/** Short parts between two steps. */
const PARTS_A_STEP = 16;

/**
 * JSON text in the making, as UTF-8 pieces that belong one behind the other. Metadata made from
 * older metadata shares the chunks of its history, which is most of a long one: the bytes of a
 * part are made once, so that a commit encodes and copies only what it changed.
 */
export class Printer {
  readonly #pieces: Uint8Array[] = [];
  /** What belongs to the next piece that is not shared. To add to one text costs least. */
  #loose: (string | Uint8Array)[] = [];
  #text = "";

  text(text: string): void {
    this.#text += text;
    if (this.#text.length > PIECE_CHARS) this.#flush();
  }

  /** Texts of any length, one behind the other. */
  *texts(texts: readonly string[]): Steps<void> {
    for (const text of texts) {
      this.text(text);
      yield;
    }
  }

  /** An array of parts. */
  *list(parts: readonly Part[] | ChunkedList<Part>): Steps<void> {
    this.text("[");
    if (parts instanceof ChunkedList) yield* this.#chunks(parts);
    else yield* this.#parts(parts);
    this.text("]");
  }

  *#parts(parts: readonly Part[]): Steps<void> {
    for (const [index, { fragment }] of parts.entries()) {
      const { shortText } = fragment;
      const separator = index === 0 ? "" : ",";
      if (shortText === undefined) {
        this.text(separator);
        yield* this.texts(yield* fragment.textSteps());
      } else this.text(`${separator}${shortText}`);
      if (index % PARTS_A_STEP === PARTS_A_STEP - 1) yield;
    }
  }

  *#chunks({ chunks }: ChunkedList<Part>): Steps<void> {
    for (const [index, { bytes }] of chunks.entries()) {
      this.#bytes(index === 0 ? bytes.subarray(1) : bytes);
      yield;
    }
  }

  /** Everything so far. */
  finish(): readonly Uint8Array[] {
    this.#flush();
    return this.#pieces;
  }

  #bytes(bytes: Uint8Array): void {
    if (bytes.length < SMALL_BYTES) {
      this.#loose.push(this.#text, bytes);
      this.#text = "";
      return;
    }
    this.#flush();
    this.#pieces.push(bytes);
  }

  #flush(): void {
    const loose = [...this.#loose, this.#text];
    this.#loose = [];
    this.#text = "";
    const piece = gathered(loose);
    if (piece.length > 0) this.#pieces.push(piece);
  }
}

/** Texts and bytes one behind the other, in memory of their own length. */
function gathered(parts: readonly (string | Uint8Array)[]): Uint8Array {
  let most = 0;
  for (const part of parts) most += part.length * (typeof part === "string" ? MAX_UNIT_BYTES : 1);
  if (most > scratch.length) {
    return Buffer.concat(parts.map((part) => (typeof part === "string" ? utf8(part) : part)));
  }
  let at = 0;
  for (const part of parts) {
    if (typeof part === "string") at += scratch.write(part, at);
    else {
      scratch.set(part, at);
      at += part.length;
    }
  }
  return new Uint8Array(scratch.subarray(0, at));
}
