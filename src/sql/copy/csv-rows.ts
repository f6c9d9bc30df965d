import type { CopyOptions } from "./options.ts";
import { badFormat, type CopyRecord, type RecordReader, Waiting } from "./records.ts";

/** COPY's CSV: newlines stand in quotes too. */
export class CsvRows implements RecordReader {
  readonly #options: CopyOptions;
  readonly #forced: {
    readonly notNull: (column: number) => boolean;
    readonly null: (column: number) => boolean;
  };
  readonly #waiting = new Waiting();
  #line = 0;
  /** Characters seen of the record that has not ended, and whether they end in quotes. */
  #seen = 0;
  #isQuoted = false;
  #lines = 0;
  #isOver = false;

  constructor(options: CopyOptions, columns: readonly string[]) {
    this.#options = options;
    const forced = (names: readonly string[]) => (column: number) =>
      names.includes("*") || names.includes(columns[column] ?? "");
    this.#forced = { notNull: forced(options.forceNotNull), null: forced(options.forceNull) };
  }

  read(text: string, isEnd: boolean): CopyRecord[] {
    if (this.#isOver) return [];
    const whole = this.#waiting.add(text, isEnd);
    if (whole === undefined) return [];
    const records: CopyRecord[] = [];
    let begin = 0;
    while (begin < whole.length) {
      const end = this.#endOf(whole, begin);
      if (end < 0 && !isEnd) break;
      if (end < 0 && this.#isQuoted) throw badFormat("unterminated CSV quoted field");
      const stop = end < 0 ? whole.length : end;
      const line = whole.slice(begin, whole[stop - 1] === "\r" ? stop - 1 : stop);
      const from = this.#line + 1;
      this.#line += this.#lines + 1;
      begin = stop + 1;
      this.#seen = 0;
      this.#lines = 0;
      if (line === "\\.") {
        this.#isOver = true;
        return records;
      }
      records.push({ line: from, values: this.#values(line), text: line });
    }
    this.#waiting.keep(whole.slice(begin));
    return records;
  }

  /** The newline that ends a record. Goes on where it stopped when more has come. */
  #endOf(text: string, begin: number): number {
    const { quote, escape: escapeBy } = this.#options;
    let at = begin + this.#seen;
    if (this.#seen === 0) {
      const end = text.indexOf("\n", begin);
      const first = text.indexOf(quote, begin);
      if (end >= 0 && (first < 0 || first > end)) return end;
    }
    for (; at < text.length; at++) {
      const char = text[at];
      if (this.#isQuoted && char === escapeBy && escapeBy !== quote) {
        // What it stands before has not come yet.
        if (at + 1 === text.length) break;
        if (text[at + 1] === quote || text[at + 1] === escapeBy) at++;
      } else if (char === quote) this.#isQuoted = !this.#isQuoted;
      else if (char === "\n") {
        if (!this.#isQuoted) return at;
        this.#lines++;
      }
    }
    this.#seen = at - begin;
    return -1;
  }

  #values(line: string): (string | undefined)[] {
    const { delimiter, quote } = this.#options;
    const forced = this.#forced;
    if (!line.includes(quote)) {
      return line.split(delimiter).map((field, i) => this.#value(field, false, i, forced));
    }
    const values: (string | undefined)[] = [];
    for (let at = 0; at <= line.length; ) {
      const [field, wasQuoted, next] = this.#field(line, at);
      values.push(this.#value(field, wasQuoted, values.length, forced));
      at = next;
    }
    return values;
  }

  /** @returns the field, whether a part of it stood in quotes, and where the next one begins. */
  #field(line: string, begin: number): [string, boolean, number] {
    const { delimiter, quote, escape: escapeBy } = this.#options;
    let field = "";
    let wasQuoted = false;
    let isIn = false;
    let at = begin;
    for (; at < line.length; at++) {
      const char = line[at] as string;
      if (isIn) {
        const next = line[at + 1];
        if (char === escapeBy && (next === quote || next === escapeBy)) {
          field += next;
          at++;
        } else if (char === quote) isIn = false;
        else field += char;
      } else if (char === delimiter) return [field, wasQuoted, at + 1];
      else if (char === quote) {
        isIn = true;
        wasQuoted = true;
      } else field += char;
    }
    return [field, wasQuoted, line.length + 1];
  }

  #value(
    field: string,
    wasQuoted: boolean,
    column: number,
    forced: { notNull: (column: number) => boolean; null: (column: number) => boolean },
  ): string | undefined {
    if (field !== this.#options.null) return field;
    if (wasQuoted) return forced.null(column) ? undefined : field;
    return forced.notNull(column) ? field : undefined;
  }
}
