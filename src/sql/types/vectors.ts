import type { ArrayDatum, Datum } from "../../rows/datum.ts";
import { invalidSyntax } from "../error.ts";
import { arrayCodec } from "./arrays.ts";
import { type TypeCodec, trimSpace } from "./codec.ts";
import { int2, oid } from "./integers.ts";
import { OID } from "./oids.ts";

/** `int2vector` and `oidvector`: numbers with blanks between them, from index 0. */
function vectorCodec(name: string, elementOid: number, element: TypeCodec<number>) {
  const codec = element as TypeCodec<Datum>;
  const arrays = arrayCodec({ oid: elementOid, delimiter: ",", codec });
  return {
    ...arrays,
    input(text, typmod, context) {
      const trimmed = trimSpace(text);
      const parts = trimmed.match(/[+-]?\d+/g) ?? [];
      const rest = trimmed.replace(/[+-]?\d+/g, "");
      if (/[^ \t\n\r\v\f]/.test(rest)) throw invalidSyntax(name, text);
      const elements = parts.map((part) => element.input(part, typmod, context));
      return { dimensions: [elements.length], lowerBounds: [0], elements };
    },
    output: (value) => value.elements.join(" "),
  } satisfies TypeCodec<ArrayDatum> as TypeCodec<ArrayDatum>;
}

export const int2vector: TypeCodec<ArrayDatum> = vectorCodec("smallint", OID.int2, int2);
export const oidvector: TypeCodec<ArrayDatum> = vectorCodec("oid", OID.oid, oid);
