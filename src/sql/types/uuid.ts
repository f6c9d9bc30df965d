import { invalidBinary, invalidSyntax } from "../error.ts";
import { hexOf } from "./bytea.ts";
import type { TypeCodec } from "./codec.ts";

const FORM = /^(?:[\da-fA-F]{4}-?){7}[\da-fA-F]{4}$/;

function canonical(digits: string): string {
  const part = (from: number, to: number): string => digits.slice(from, to);
  return `${part(0, 8)}-${part(8, 12)}-${part(12, 16)}-${part(16, 20)}-${part(20, 32)}`;
}

export const uuid: TypeCodec<string> = {
  input(text) {
    const bare = text.startsWith("{") && text.endsWith("}") ? text.slice(1, -1) : text;
    if (!FORM.test(bare)) throw invalidSyntax("uuid", text);
    return canonical(bare.replaceAll("-", "").toLowerCase());
  },
  output: (value) => value,
  receive(bytes) {
    if (bytes.length !== 16) throw invalidBinary("uuid");
    return canonical(hexOf(bytes));
  },
  send: (value) => Buffer.from(value.replaceAll("-", ""), "hex"),
  compare: (left, right) => (left < right ? -1 : left > right ? 1 : 0),
  hash: (value) => value,
};
