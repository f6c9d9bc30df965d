/** Blanks that PostgreSQL's printer uses. */
export const INDENT: {
  readonly clause: number;
  readonly join: number;
  readonly list: number;
  readonly most: number;
} = { clause: 8, join: 4, list: 4, most: 40 };

/** The text of a query as it grows, in lines that are indented as PostgreSQL does. */
export class Writer {
  /** Parentheses are left out where they change nothing. */
  readonly isPretty: boolean;
  /** Lists go on in the next line behind so many characters. */
  readonly wrap: number;
  indent = 0;
  #text = "";

  constructor(isPretty: boolean, wrap: number) {
    this.isPretty = isPretty;
    this.wrap = wrap;
  }

  get text(): string {
    return this.#text;
  }

  put(text: string): void {
    this.#text += text;
  }

  /** Parentheses of what PostgreSQL has in some unless it prints prettily. */
  grouped(work: () => void): void {
    if (!this.isPretty) this.put("(");
    work();
    if (!this.isPretty) this.put(")");
  }

  trim(): void {
    this.#text = this.#text.replace(/ +$/, "");
  }

  /** A word at the begin of a line. */
  line(word: string, before: number, after: number, more: number): void {
    this.indent += before;
    this.trim();
    const { indent } = this;
    const isDeep = indent >= INDENT.most;
    const deep = INDENT.most + Math.floor((indent - INDENT.most) / (INDENT.clause / 2));
    const blanks = (isDeep ? deep % INDENT.most : Math.max(indent, 0)) + more;
    this.put(`\n${" ".repeat(blanks)}${word}`);
    this.indent = Math.max(0, this.indent + after);
  }

  /** Characters in the line so far. */
  get column(): number {
    return this.#text.length - (this.#text.lastIndexOf("\n") + 1);
  }

  /** The text of some work, which is not written. */
  captured(work: () => void): string {
    const before = this.#text;
    this.#text = "";
    work();
    const made = this.#text;
    this.#text = before;
    return made;
  }

  /** Items with commas between them. */
  list<T>(items: readonly T[], each: (item: T) => void, between = ", "): void {
    for (const [i, item] of items.entries()) {
      if (i > 0) this.put(between);
      each(item);
    }
  }
}
