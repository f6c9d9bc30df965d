/** An answer as the wire gave it. */
export interface WireAnswer {
  readonly status: number;
  /** Empty where the body was not to be kept. */
  readonly body: Buffer;
}

const HEAD_END = Buffer.from("\r\n\r\n");
const LINE_END = Buffer.from("\r\n");
const NOTHING = Buffer.alloc(0);

/**
 * Reads one HTTP/1.1 answer (RFC 9112) from the pieces in which it comes: with a length, in chunks,
 * or without a body. Enough for servers that are known to speak it right, and strict with the rest.
 */
export class AnswerReader {
  readonly #bodyless: boolean;
  readonly #keep: boolean;
  readonly #body: Buffer[] = [];
  /** Bytes of a head, or of a chunk's size, that are not whole yet. */
  #pending: Buffer = NOTHING;
  #state: "head" | "length" | "size" | "chunk" | "trailer" = "head";
  #status = 0;
  /** Bytes to come of the body, or of the chunk with its line end. */
  #left = 0;

  /** `bodyless`: an answer to HEAD. `keep`: whether the body is wanted, or only its end. */
  constructor(bodyless: boolean, keep: boolean) {
    this.#bodyless = bodyless;
    this.#keep = keep;
  }

  /** Takes the next piece, whose bytes are then the caller's again. @returns a whole answer. */
  read(piece: Buffer): WireAnswer | undefined {
    let rest = this.#pending.length === 0 ? piece : Buffer.concat([this.#pending, piece]);
    this.#pending = NOTHING;
    for (;;) {
      const next = this.#step(rest);
      if (next === "whole") return { status: this.#status, body: Buffer.concat(this.#body) };
      if (next === undefined) return undefined;
      rest = next;
    }
  }

  /** @returns what is left of the bytes; undefined where more are needed. */
  #step(bytes: Buffer): Buffer | "whole" | undefined {
    switch (this.#state) {
      case "head":
        return this.#head(bytes);
      case "length": {
        const rest = this.#take(bytes);
        return this.#left > 0 ? undefined : ended(rest);
      }
      case "size":
        return this.#size(bytes);
      case "chunk": {
        const rest = this.#take(bytes);
        if (this.#left > 0) return undefined;
        this.#state = "size";
        return rest;
      }
      case "trailer":
        return bytes.length < LINE_END.length ? this.#wait(bytes) : ended(bytes.subarray(2));
    }
  }

  #head(bytes: Buffer): Buffer | "whole" | undefined {
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) return this.#wait(bytes);
    const head = bytes.toString("latin1", 0, end);
    const rest = bytes.subarray(end + HEAD_END.length);
    this.#status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(this.#status)) throw new Error(`not HTTP/1.1: ${head.slice(0, 80)}`);
    if (this.#bodyless || this.#status === 204 || this.#status === 304) return ended(rest);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length !== undefined) {
      this.#state = "length";
      this.#left = Number(length);
      return rest;
    }
    if (!/\r\ntransfer-encoding: *chunked/i.test(head)) throw new Error("an answer without end");
    this.#state = "size";
    return rest;
  }

  /** The line before a chunk; the empty line between chunks counts to the chunk before it. */
  #size(bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf(LINE_END);
    if (end < 0) return this.#wait(bytes);
    const size = Number.parseInt(bytes.toString("latin1", 0, end), 16);
    if (Number.isNaN(size)) throw new Error("a chunk without a size");
    this.#state = size === 0 ? "trailer" : "chunk";
    this.#left = size + LINE_END.length;
    return bytes.subarray(end + LINE_END.length);
  }

  /** Up to what is left to come. */
  #take(bytes: Buffer): Buffer {
    const taken = Math.min(bytes.length, this.#left);
    const line = this.#state === "chunk" ? LINE_END.length : 0;
    const content = Math.min(taken, Math.max(0, this.#left - line));
    if (this.#keep && content > 0) this.#body.push(Buffer.from(bytes.subarray(0, content)));
    this.#left -= taken;
    return bytes.subarray(taken);
  }

  #wait(bytes: Buffer): undefined {
    this.#pending = Buffer.from(bytes);
  }
}

function ended(rest: Buffer): "whole" {
  if (rest.length > 0) throw new Error("bytes after the end of an answer");
  return "whole";
}
