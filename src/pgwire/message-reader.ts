import { isUtf8 } from "node:buffer";
import { invalid } from "../base/error.ts";
import { protocolViolation } from "./protocol-violation.ts";

/** Reads the fields of one message, in order. Every method throws `PROTOCOL_VIOLATION`. */
export class MessageReader {
  readonly #body: Buffer;
  #at = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  /** Bytes that were not read yet. */
  get left(): number {
    return this.#body.length - this.#at;
  }

  byte(): number {
    this.#need(1);
    return this.#body[this.#at++] as number;
  }

  int16(): number {
    this.#need(2);
    this.#at += 2;
    return this.#body.readInt16BE(this.#at - 2);
  }

  uint16(): number {
    this.#need(2);
    this.#at += 2;
    return this.#body.readUInt16BE(this.#at - 2);
  }

  int32(): number {
    this.#need(4);
    this.#at += 4;
    return this.#body.readInt32BE(this.#at - 4);
  }

  uint32(): number {
    return this.int32() >>> 0;
  }

  /** So many bytes: a view, valid as long as the message is. */
  bytes(count: number): Buffer {
    if (count < 0) throw protocolViolation("invalid length in message");
    this.#need(count);
    this.#at += count;
    return this.#body.subarray(this.#at - count, this.#at);
  }

  /** A text that ends with a zero byte. @throws FirnError also where it is not UTF-8. */
  text(): string {
    const end = this.#body.indexOf(0, this.#at);
    if (end < 0) throw protocolViolation("invalid string in message");
    const text = utf8(this.#body.subarray(this.#at, end));
    this.#at = end + 1;
    return text;
  }

  /** @throws FirnError unless everything was read. */
  end(): void {
    if (this.left > 0) throw protocolViolation("invalid message format");
  }

  #need(count: number): void {
    if (this.left < count) throw protocolViolation("insufficient data left in message");
  }
}

/** @throws FirnError `TEXT_INVALID`, SQLSTATE 22021. */
export function utf8(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  throw invalid("TEXT_INVALID", 'invalid byte sequence for encoding "UTF8"', {
    sqlState: "22021",
  });
}
