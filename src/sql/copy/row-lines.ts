import type { Column, Row } from "../session/started.ts";
import type { SqlContext } from "../types/context.ts";
import type { TypeRegistry } from "../types/registry.ts";
import type { CopyOptions } from "./options.ts";

/** Writes a row as COPY's formats have it. */
export function rowLine(
  types: TypeRegistry,
  columns: readonly Column[],
  options: CopyOptions,
  context: SqlContext,
): (row: Row) => Buffer {
  const codecs = columns.map(({ type }) => types.get(type.oid).codec);
  if (options.format === "binary") {
    return (row) => {
      const parts: Uint8Array[] = [int(2, row.length)];
      for (const [i, codec] of codecs.entries()) {
        const value = row[i] ?? null;
        if (value === null) parts.push(int(4, -1));
        else {
          const bytes = codec.send(value, context);
          parts.push(int(4, bytes.length), bytes);
        }
      }
      return Buffer.concat(parts);
    };
  }
  const { delimiter, null: nullText } = options;
  const field =
    options.format === "csv"
      ? csvField(options, columns)
      : (text: string): string => escaped(text, delimiter);
  return (row) => {
    const fields = codecs.map((codec, i) => {
      const value = row[i] ?? null;
      return value === null ? nullText : field(codec.output(value, context), i, row.length);
    });
    return Buffer.from(`${fields.join(delimiter)}\n`);
  };
}

/** The names of the columns, as a line. */
export function headerLine(columns: readonly Column[], options: CopyOptions): Buffer {
  const { delimiter } = options;
  const names = columns.map(({ name }) =>
    options.format === "csv"
      ? csvText(name, { ...options, forceQuote: [] }, false)
      : escaped(name, delimiter),
  );
  return Buffer.from(`${names.join(delimiter)}\n`);
}

function int(bytes: 2 | 4, value: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeIntBE(value, 0, bytes);
  return buffer;
}

const ESCAPED: Readonly<Record<string, string>> = {
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
};

function escaped(text: string, delimiter: string): string {
  if (!/[\b\f\n\r\t\v\\]/.test(text) && !text.includes(delimiter)) return text;
  let out = "";
  for (const char of text) out += ESCAPED[char] ?? (char === delimiter ? `\\${char}` : char);
  return out;
}

function csvField(
  options: CopyOptions,
  columns: readonly Column[],
): (text: string, column: number, width: number) => string {
  const forced = columns.map(
    ({ name }) => options.forceQuote.includes("*") || options.forceQuote.includes(name),
  );
  // A line of `\.` alone would end the data.
  return (text, column, width) =>
    csvText(text, options, forced[column] === true || (width === 1 && text === "\\."));
}

function csvText(text: string, options: CopyOptions, isForced: boolean): string {
  const { delimiter, quote, escape: escapeBy, null: nullText } = options;
  const needs =
    isForced ||
    text === nullText ||
    text.includes(delimiter) ||
    text.includes(quote) ||
    /[\n\r]/.test(text);
  if (!needs) return text;
  let inner = text;
  if (escapeBy !== quote) inner = inner.replaceAll(escapeBy, escapeBy + escapeBy);
  return quote + inner.replaceAll(quote, escapeBy + quote) + quote;
}
