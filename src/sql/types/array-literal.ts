import type { ArrayDatum, Datum } from "../../rows/datum.ts";
import { SqlError } from "../error.ts";
import { SPACE } from "./codec.ts";

export const MAX_DIMENSIONS = 6;
const INT4_MAX = 2_147_483_647;

function malformed(text: string, detail: string): SqlError {
  return new SqlError("22P02", `malformed array literal: "${text}"`, { detail });
}

/** `[1:2][-1:3]=` before the braces: the bounds of each dimension. */
function readBounds(
  text: string,
): { readonly at: number; readonly sizes: number[]; readonly lower: number[] } | undefined {
  const sizes: number[] = [];
  const lower: number[] = [];
  const item = /[ \t\n\r\v\f]*\[([^\]:]*)(?::([^\]]*))?\]/y;
  let at = 0;
  for (;;) {
    item.lastIndex = at;
    const found = item.exec(text);
    if (found === null) break;
    if (sizes.length === MAX_DIMENSIONS) {
      const message = `number of array dimensions (${sizes.length + 1}) exceeds the maximum`;
      throw new SqlError("54000", `${message} allowed (${MAX_DIMENSIONS})`);
    }
    const [, first = "", second] = found;
    const from = second === undefined ? 1 : bound(first, text);
    const to = bound(second ?? first, text);
    if (to < from) throw new SqlError("2202E", "upper bound cannot be less than lower bound");
    lower.push(from);
    sizes.push(to - from + 1);
    at = item.lastIndex;
  }
  if (sizes.length === 0) return undefined;
  const equals = /[ \t\n\r\v\f]*=/y;
  equals.lastIndex = at;
  if (!equals.test(text)) throw malformed(text, 'Missing "=" after array dimensions.');
  return { at: equals.lastIndex, sizes, lower };
}

function bound(digits: string, text: string): number {
  if (!/^[+-]?\d+$/.test(digits)) {
    throw malformed(text, '"[" must introduce explicitly-specified array dimensions.');
  }
  const value = Number(digits);
  return Math.abs(value) > INT4_MAX ? Math.sign(value) * INT4_MAX : value;
}

/** One walk over the braces; elements are read in order, and every level must have equal sizes. */
class Literal {
  readonly text: string;
  readonly delimiter: string;
  readonly read: (text: string) => Datum;
  readonly elements: Datum[] = [];
  readonly sizes: number[] = [];
  at: number;

  constructor(text: string, at: number, delimiter: string, read: (text: string) => Datum) {
    this.text = text;
    this.at = at;
    this.delimiter = delimiter;
    this.read = read;
  }

  skip(): void {
    while (this.at < this.text.length && SPACE.includes(this.text[this.at] as string)) this.at++;
  }

  /** A pair of braces at `depth`; the cursor stands behind the opening one. */
  level(depth: number): void {
    if (depth >= MAX_DIMENSIONS) {
      const message = `number of array dimensions (${depth + 1}) exceeds the maximum`;
      throw new SqlError("54000", `${message} allowed (${MAX_DIMENSIONS})`);
    }
    let count = 0;
    this.skip();
    if (this.text[this.at] === "}") {
      if (depth > 0) throw this.wrong('Unexpected "}" character.');
      this.at++;
    } else {
      for (;;) {
        this.item(depth);
        count++;
        this.skip();
        const next = this.text[this.at++];
        if (next === "}") break;
        if (next === undefined) throw this.wrong("Unexpected end of input.");
        if (next !== this.delimiter) throw this.wrong(`Unexpected "${next}" character.`);
        this.skip();
        if (this.text[this.at] === "}") throw this.wrong('Unexpected "}" character.');
      }
    }
    const known = this.sizes[depth];
    if (known === undefined || known === -1) this.sizes[depth] = count;
    else if (known !== count) throw this.ragged();
  }

  item(depth: number): void {
    this.skip();
    const isNested = this.text[this.at] === "{";
    const isDeeper = this.sizes[depth + 1] !== undefined;
    if (isNested) {
      if (!isDeeper && this.elements.length > 0) throw this.ragged();
      if (!isDeeper) this.sizes[depth + 1] = -1;
      if (this.sizes[depth] === undefined) this.sizes[depth] = -1;
      this.at++;
      this.level(depth + 1);
      return;
    }
    if (isDeeper) throw this.ragged();
    this.elements.push(this.element());
  }

  element(): Datum {
    let value = "";
    let isQuoted = false;
    let end = 0;
    for (; this.at < this.text.length; this.at++) {
      const character = this.text[this.at] as string;
      if (character === '"') {
        if (isQuoted || value.trim() !== "") throw this.wrong("Unexpected array element.");
        isQuoted = true;
        value = this.quoted();
        end = value.length;
        continue;
      }
      if (character === this.delimiter || character === "}") break;
      if (character === "{") throw this.wrong('Unexpected "{" character.');
      if (character === "\\") {
        if (isQuoted) throw this.wrong("Unexpected array element.");
        this.at++;
        if (this.at >= this.text.length) throw this.wrong("Unexpected end of input.");
        value += this.text[this.at];
        end = value.length;
        continue;
      }
      if (SPACE.includes(character)) {
        if (!isQuoted) value += character;
        continue;
      }
      if (isQuoted) throw this.wrong("Unexpected array element.");
      value += character;
      end = value.length;
    }
    if (this.at >= this.text.length) throw this.wrong("Unexpected end of input.");
    const whole = value.slice(0, end);
    if (!isQuoted && end === 0) {
      throw this.wrong(`Unexpected "${this.text[this.at]}" character.`);
    }
    return !isQuoted && whole.toLowerCase() === "null" ? null : this.read(whole);
  }

  /** From the opening quotation mark to the closing one, where the cursor stays. */
  quoted(): string {
    let value = "";
    for (this.at++; this.at < this.text.length; this.at++) {
      const character = this.text[this.at] as string;
      if (character === '"') return value;
      if (character === "\\") this.at++;
      if (this.at < this.text.length) value += this.text[this.at];
    }
    throw this.wrong("Unexpected end of input.");
  }

  wrong(detail: string): SqlError {
    return malformed(this.text, detail);
  }

  ragged(): SqlError {
    const detail = "Multidimensional arrays must have sub-arrays with matching dimensions.";
    return malformed(this.text, detail);
  }
}

/**
 * Reads PostgreSQL's `{…}` of any depth, with bounds before it.
 *
 * @throws SqlError 22P02, 54000, 2202E, and what `read` throws for an element.
 */
export function readArrayLiteral(
  text: string,
  delimiter: string,
  read: (text: string) => Datum,
): ArrayDatum {
  const bounds = readBounds(text);
  const literal = new Literal(text, bounds?.at ?? 0, delimiter, read);
  literal.skip();
  if (text[literal.at] !== "{") {
    const detail =
      bounds === undefined
        ? 'Array value must start with "{" or dimension information.'
        : 'Array contents must start with "{".';
    throw malformed(text, detail);
  }
  literal.at++;
  literal.level(0);
  literal.skip();
  if (literal.at < text.length) throw malformed(text, "Junk after closing right brace.");
  const { elements, sizes } = literal;
  if (elements.length === 0) return { dimensions: [], lowerBounds: [], elements };
  if (bounds !== undefined) {
    const isEqual =
      bounds.sizes.length === sizes.length && sizes.every((size, i) => bounds.sizes[i] === size);
    if (!isEqual) throw malformed(text, "Specified array dimensions do not match array contents.");
  }
  return { dimensions: sizes, lowerBounds: bounds?.lower ?? sizes.map(() => 1), elements };
}
