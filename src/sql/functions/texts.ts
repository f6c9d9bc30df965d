import type { Datum } from "../../rows/datum.ts";
import { notSupported } from "../error.ts";
import type { SqlContext } from "../types/context.ts";
import {
  applyCharModifier,
  applyVarcharModifier,
  characterCount,
  toCharByte,
  toName,
  trimBlanks,
} from "../types/texts.ts";
import { type Family, textOf, typed } from "./implementation.ts";

/** Casts between the text types, their length functions and concatenation. */
export const textFamily: Family = {
  textcat: (a: string, b: string) => a + b,
  byteacat: (a: Uint8Array, b: Uint8Array) => Buffer.concat([a, b]),
  "textanycat(text,anynonarray)": typed((call) => {
    const text = textOf(call, call.arguments[1] ?? 0);
    return (a: string, b: Datum, at: SqlContext) => a + text(b, at);
  }),
  "anytextcat(anynonarray,text)": typed((call) => {
    const text = textOf(call, call.arguments[0] ?? 0);
    return (a: Datum, b: string, at: SqlContext) => text(a, at) + b;
  }),
  textlen: characterCount,
  bpcharlen: (a: string) => characterCount(trimBlanks(a)),
  textoctetlen: (a: string) => Buffer.byteLength(a),
  bpcharoctetlen: (a: string) => Buffer.byteLength(a),
  byteaoctetlen: (a: Uint8Array) => a.length,
  "bit_length(text)": (a: string) => 8 * Buffer.byteLength(a),
  "bit_length(bytea)": (a: Uint8Array) => 8 * a.length,
  rtrim1: trimBlanks,
  varchar: (a: string, typmod: number, isExplicit: boolean) =>
    applyVarcharModifier(a, typmod, isExplicit),
  bpchar: (a: string, typmod: number, isExplicit: boolean) =>
    applyCharModifier(a, typmod, isExplicit),
  name_text: (a: string) => a,
  name_bpchar: (a: string) => a,
  text_name: toName,
  bpchar_name: (a: string) => toName(trimBlanks(a)),
  char_bpchar(a: string) {
    if (a.length !== 1) throw notSupported('an empty "char", or one above 127, as character');
    return a;
  },
  char_text: (a: string) => a,
  text_char: toCharByte,
  chartoi4(a: string) {
    const byte = a.length > 1 ? Number.parseInt(a.slice(1), 8) : a.charCodeAt(0) || 0;
    return (byte << 24) >> 24;
  },
};
