import type { CopyOptions } from "./options.ts";
import { type CopyRecord, type RecordReader, Waiting } from "./records.ts";

const ESCAPES: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** COPY's text format: a line a row, with backslash escapes. */
export class TextRows implements RecordReader {
  readonly #options: CopyOptions;
  readonly #waiting = new Waiting();
  #line = 0;
  #isOver = false;

  constructor(options: CopyOptions) {
    this.#options = options;
  }

  read(text: string, isEnd: boolean): CopyRecord[] {
    if (this.#isOver) return [];
    const whole = this.#waiting.add(text, isEnd);
    if (whole === undefined) return [];
    const records: CopyRecord[] = [];
    let begin = 0;
    while (begin < whole.length) {
      const end = endOfLine(whole, begin);
      if (end < 0 && !isEnd) break;
      const stop = end < 0 ? whole.length : end;
      const line = whole.slice(begin, whole[stop - 1] === "\r" ? stop - 1 : stop);
      begin = stop + 1;
      this.#line++;
      if (line === "\\.") {
        this.#isOver = true;
        return records;
      }
      records.push({ line: this.#line, values: this.#values(line), text: line });
    }
    this.#waiting.keep(whole.slice(begin));
    return records;
  }

  #values(line: string): (string | undefined)[] {
    const { delimiter, null: nullText } = this.#options;
    const isEscaped = line.includes("\\");
    const fields = isEscaped ? fieldsOf(line, delimiter) : line.split(delimiter);
    // Nothing in it is NULL, as most often: NULL is written with a backslash.
    if (!isEscaped && nullText.includes("\\")) return fields;
    return fields.map((field) => {
      if (field === nullText) return undefined;
      return field.includes("\\") ? unescaped(field) : field;
    });
  }
}

/** The next line's end: a newline behind a backslash is data. */
function endOfLine(text: string, from: number): number {
  for (let at = text.indexOf("\n", from); at >= 0; at = text.indexOf("\n", at + 1)) {
    let backslashes = 0;
    while (at - backslashes > from && text[at - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return -1;
}

/** Parts between delimiters that no backslash stands before. */
function fieldsOf(line: string, delimiter: string): string[] {
  const fields: string[] = [];
  let begin = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === "\\") at++;
    else if (line[at] === delimiter) {
      fields.push(line.slice(begin, at));
      begin = at + 1;
    }
  }
  fields.push(line.slice(begin));
  return fields;
}

const ESCAPED = /\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|([\s\S]))/g;

/** Bytes that are given by number are bytes of UTF-8. */
function unescaped(field: string): string {
  if (!/\\(?:[0-7]|x[0-9A-Fa-f])/.test(field)) {
    return field.replace(/\\([\s\S])/g, (_, char: string) => ESCAPES[char] ?? char);
  }
  const parts: Buffer[] = [];
  let begin = 0;
  for (const match of field.matchAll(ESCAPED)) {
    parts.push(Buffer.from(field.slice(begin, match.index)));
    begin = match.index + match[0].length;
    const [, octal, hex, char = ""] = match;
    if (octal !== undefined) parts.push(Buffer.from([Number.parseInt(octal, 8) & 0xff]));
    else if (hex !== undefined) parts.push(Buffer.from([Number.parseInt(hex, 16)]));
    else parts.push(Buffer.from(ESCAPES[char] ?? char));
  }
  parts.push(Buffer.from(field.slice(begin)));
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts));
}
