import { invalidParameter, invalidSyntax } from "../error.ts";
import type { TypeCodec } from "./codec.ts";
import type { SqlContext } from "./context.ts";

const BACKSLASH = 0x5c;

/** Hexadecimal digits with white space between bytes. */
export function parseHex(text: string): Uint8Array {
  const digits = text.replace(/[ \t\n\r\v\f]+/g, "");
  const wrong = /[^\da-fA-F]/u.exec(digits)?.[0];
  if (wrong !== undefined) throw invalidParameter(`invalid hexadecimal digit: "${wrong}"`);
  if (digits.length % 2 === 1) {
    throw invalidParameter("invalid hexadecimal data: odd number of digits");
  }
  return Buffer.from(digits, "hex");
}

/** The escape format: `\\` is a backslash, `\ooo` an octal byte. */
export function parseEscaped(text: string, type = "bytea"): Uint8Array {
  const from = Buffer.from(text, "utf8");
  const to = Buffer.allocUnsafe(from.length);
  let length = 0;
  for (let i = 0; i < from.length; i++) {
    let byte = from[i] as number;
    if (byte === BACKSLASH) {
      if (from[i + 1] === BACKSLASH) i++;
      else {
        const octal = /^[0-3][0-7][0-7]/.exec(from.toString("latin1", i + 1, i + 4))?.[0];
        if (octal === undefined) throw invalidSyntax(type, text);
        byte = Number.parseInt(octal, 8);
        i += 3;
      }
    }
    to[length++] = byte;
  }
  return to.subarray(0, length);
}

export function escapeBytes(value: Uint8Array): string {
  const parts: string[] = [];
  for (const byte of value) {
    if (byte === BACKSLASH) parts.push("\\\\");
    else if (byte < 0x20 || byte > 0x7e) parts.push(`\\${byte.toString(8).padStart(3, "0")}`);
    else parts.push(String.fromCharCode(byte));
  }
  return parts.join("");
}

export function hexOf(value: Uint8Array): string {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex");
}

export const bytea: TypeCodec<Uint8Array> = {
  input: (text) => (text.startsWith("\\x") ? parseHex(text.slice(2)) : parseEscaped(text)),
  output: (value: Uint8Array, context: SqlContext) =>
    context.settings.byteaOutput === "hex" ? `\\x${hexOf(value)}` : escapeBytes(value),
  receive: (bytes) => Uint8Array.from(bytes),
  send: (value) => value,
  compare: (left, right) => Buffer.compare(left, right),
  hash: hexOf,
};
