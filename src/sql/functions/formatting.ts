import type { Datum } from "../../rows/datum.ts";
import { invalidParameter, SqlError } from "../error.ts";
import { vector } from "../types/arrays.ts";
import type { SqlContext } from "../types/context.ts";
import { parseIdentifier, quoteIdentifier } from "../types/identifier.ts";
import { OID } from "../types/oids.ts";
import { characterCount } from "../types/texts.ts";
import { type CallTypes, type Family, textOf, typed } from "./implementation.ts";

export function quoteLiteral(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes("\\") ? `E${quoted.replaceAll("\\", "\\\\")}` : quoted;
}

type Show = (value: Datum, at: SqlContext) => string;

/** The output of each argument from `first` on. */
function outputs(call: CallTypes, first: number): readonly Show[] {
  return call.arguments.slice(first).map((oid) => {
    const { codec } = call.types.get(oid === OID.unknown ? OID.text : oid);
    return (value, at) => codec.output(value, at);
  });
}

/** Texts of the arguments that are not NULL, joined. */
function joined(shows: readonly Show[], values: readonly Datum[], by: string, at: SqlContext) {
  return values
    .map((value, i) => (value === null ? null : (shows[i] as Show)(value, at)))
    .filter((text) => text !== null)
    .join(by);
}

const SPECIFIER = /%(?:(\d+)\$)?(-)?(?:(\d+)|\*(?:(\d+)\$)?)?([a-zA-Z%]?)/gu;

interface Arguments {
  readonly shows: readonly Show[];
  readonly types: readonly number[];
  readonly values: readonly Datum[];
}

function format(template: string, { shows, types, values }: Arguments, at: SqlContext): string {
  let next = 0;
  const take = (place: string | undefined): number => {
    if (place === "0") {
      throw invalidParameter("format specifies argument 0, but arguments are numbered from 1");
    }
    if (place !== undefined) next = Number(place) - 1;
    if (next >= values.length) throw invalidParameter("too few arguments for format()");
    return next++;
  };
  return template.replace(SPECIFIER, (all, place, minus, width, starPlace, letter: string) => {
    if (letter === "%" && all === "%%") return "%";
    if (letter === "") throw invalidParameter("unterminated format() type specifier");
    let size = Number(width ?? 0);
    if (all.includes("*")) {
      const index = take(starPlace);
      if (types[index] !== OID.int4) throw new SqlError("0A000", "format() with such a width");
      size = Number(values[index] ?? 0);
    }
    if (letter === "%") return "%";
    if (!"sIL".includes(letter)) {
      const hint = 'For a single "%" use "%%".';
      const message = `unrecognized format() type specifier "${letter}"`;
      throw invalidParameter(message, { hint });
    }
    const index = take(place);
    const value = values[index] ?? null;
    const text = value === null ? null : (shows[index] as Show)(value, at);
    const shown = formatted(letter, text);
    const fill = " ".repeat(Math.max(Math.abs(size) - characterCount(shown), 0));
    return minus === "-" || size < 0 ? shown + fill : fill + shown;
  });
}

function formatted(letter: string, text: string | null): string {
  if (letter === "s") return text ?? "";
  if (letter === "L") return text === null ? "NULL" : quoteLiteral(text);
  if (text !== null) return quoteIdentifier(text);
  throw new SqlError("22004", "null values cannot be formatted as an SQL identifier");
}

type Values = readonly [...(readonly Datum[]), SqlContext];

export const formattingFamily: Family = {
  quote_ident: quoteIdentifier,
  parse_ident: (text: string, isStrict: boolean) => vector(parseIdentifier(text, isStrict)),
  quote_literal: quoteLiteral,
  quote_nullable: (a: string | null) => (a === null ? "NULL" : quoteLiteral(a)),
  "quote_literal(anyelement)": typed((call) => {
    const text = textOf(call, call.arguments[0] ?? 0);
    return (a: Datum, at: SqlContext) => quoteLiteral(text(a, at));
  }),
  "quote_nullable(anyelement)": typed((call) => {
    const text = textOf(call, call.arguments[0] ?? 0);
    return (a: Datum, at: SqlContext) => (a === null ? "NULL" : quoteLiteral(text(a, at)));
  }),
  text_concat: typed((call) => {
    const shows = outputs(call, 0);
    return (...values: Values) =>
      joined(shows, values.slice(0, -1) as Datum[], "", values.at(-1) as SqlContext);
  }),
  text_concat_ws: typed((call) => {
    const shows = outputs(call, 1);
    return (by: string | null, ...values: Values) =>
      by === null
        ? null
        : joined(shows, values.slice(0, -1) as Datum[], by, values.at(-1) as SqlContext);
  }),
  text_format: typed((call) => {
    const shows = outputs(call, 1);
    const types = call.arguments.slice(1);
    return (template: string | null, ...values: Values) => {
      if (template === null) return null;
      const given = { shows, types, values: values.slice(0, -1) as Datum[] };
      return format(template, given, values.at(-1) as SqlContext);
    };
  }),
  text_format_nv: (template: string | null, at: SqlContext) =>
    template === null ? null : format(template, { shows: [], types: [], values: [] }, at),
  pg_num_nulls: (...values: Values) => values.filter((value) => value === null).length,
  pg_num_nonnulls: (...values: Values) => values.filter((value) => value !== null).length - 1,
};
