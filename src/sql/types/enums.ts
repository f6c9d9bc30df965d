import { SqlError } from "../error.ts";
import { type TypeCodec, utf8 } from "./codec.ts";
import { decodeText } from "./texts.ts";

/** Values are labels, in the order of the type's definition. */
export function enumCodec(name: string, labels: readonly string[]): TypeCodec<string> {
  const places = new Map(labels.map((label, place) => [label, place]));
  const known = (label: string): string => {
    if (places.has(label)) return label;
    throw new SqlError("22P02", `invalid input value for enum ${name}: "${label}"`);
  };
  return {
    input: known,
    output: (value) => value,
    receive: (bytes) => known(decodeText(bytes)),
    send: utf8,
    compare: (left, right) => (places.get(left) ?? -1) - (places.get(right) ?? -1),
    hash: (value) => value,
  };
}
