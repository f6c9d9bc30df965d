import type { Datum } from "../../rows/datum.ts";
import { SqlError } from "../error.ts";
import { SPACE } from "./codec.ts";

/** One walk over the text, from the opening parenthesis on. */
class Literal {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  skip(): void {
    while (this.at < this.text.length && SPACE.includes(this.text[this.at] as string)) this.at++;
  }

  /** Whether a field ends here. */
  get isEnd(): boolean {
    return this.text[this.at] === "," || this.text[this.at] === ")";
  }

  /** The text of a field; null where it is empty without quotation marks. */
  field(): string | null {
    if (this.isEnd) return null;
    let value = "";
    let isQuoted = false;
    while (isQuoted || !this.isEnd) {
      const character = this.#next();
      if (character === "\\") value += this.#next();
      else if (character !== '"') value += character;
      else if (!isQuoted) isQuoted = true;
      else if (this.text[this.at] === '"') value += this.#next();
      else isQuoted = false;
    }
    return value;
  }

  #next(): string {
    const character = this.text[this.at++];
    if (character === undefined) throw this.wrong("Unexpected end of input.");
    return character;
  }

  wrong(detail: string): SqlError {
    return new SqlError("22P02", `malformed record literal: "${this.text}"`, { detail });
  }
}

/**
 * Reads PostgreSQL's `(…)`.
 *
 * @param read a field by its place: as it is written, null where it is NULL.
 * @throws SqlError 22P02, and what `read` throws.
 */
export function readRecordLiteral(
  text: string,
  count: number,
  read: (place: number, field: string | null) => Datum,
): readonly Datum[] {
  const literal = new Literal(text);
  literal.skip();
  if (text[literal.at++] !== "(") throw literal.wrong("Missing left parenthesis.");
  const fields: Datum[] = [];
  for (let i = 0; i < count; i++) {
    if (i > 0) {
      if (text[literal.at] !== ",") throw literal.wrong("Too few columns.");
      literal.at++;
    }
    fields.push(read(i, literal.field()));
  }
  if (text[literal.at++] !== ")") throw literal.wrong("Too many columns.");
  literal.skip();
  if (literal.at < text.length) throw literal.wrong("Junk after right parenthesis.");
  return fields;
}
