import { invalidBinary, invalidSyntax } from "../error.ts";
import { type TypeCodec, trimSpace } from "./codec.ts";

const WORDS: readonly (readonly [word: string, shortest: number, value: boolean])[] = [
  ["true", 1, true],
  ["false", 1, false],
  ["yes", 1, true],
  ["no", 1, false],
  ["on", 2, true],
  ["off", 2, false],
  ["1", 1, true],
  ["0", 1, false],
];

/** Any start of `true`, `false`, `yes`, `no`; of `on` and `off` two letters; `1` and `0`. */
export function parseBool(text: string): boolean | undefined {
  const word = trimSpace(text).toLowerCase();
  return WORDS.find(([full, shortest]) => word.length >= shortest && full.startsWith(word))?.[2];
}

export const bool: TypeCodec<boolean> = {
  input(text) {
    if (text === "t" || text === "true") return true;
    if (text === "f" || text === "false") return false;
    const value = parseBool(text);
    if (value === undefined) throw invalidSyntax("boolean", text);
    return value;
  },
  output: (value) => (value ? "t" : "f"),
  receive(bytes) {
    if (bytes.length !== 1) throw invalidBinary("boolean");
    return bytes[0] !== 0;
  },
  send: (value) => Uint8Array.of(value ? 1 : 0),
  compare: (left, right) => Number(left) - Number(right),
  hash: (value) => value,
};
