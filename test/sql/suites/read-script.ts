/** What psql sends to the server at once, and what it copies in after it. */
export interface Step {
  readonly line: number;
  /** One statement, or several that `\;` joins. */
  readonly sql: string;
  /** Data of each COPY FROM STDIN of it. */
  readonly copy: readonly string[];
  /** The variables that `\gset` makes of its row have this prefix. */
  readonly sets?: string;
}

const QUOTED = /[eE]?'/y;
const DOLLAR = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const VARIABLE = /:(?:'(\w+)'|"(\w+)"|(\w+))/y;
const COPY_IN = /\bcopy\s+[\w".]+\s*(?:\([^)]*\)\s*)?from\s+stdin\b/gi;
const WORDS = /'(?:[^']|'')*'|\S+/g;
const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;

/**
 * Reads a script as psql does: statements up to their semicolons, variables, data of COPY, and of
 * the backslash commands those that decide what is sent (`\set`, `\getenv`, `\gset`, `\;`).
 * The others change what psql prints.
 */
export class ScriptReader {
  readonly variables: Map<string, string>;
  readonly #text: string;
  readonly #environment: Readonly<Record<string, string>>;
  #at = 0;
  #sql = "";
  #start = 0;
  #depth = 0;
  /** Inside `BEGIN ATOMIC … END` semicolons end nothing. */
  #atomic = 0;
  #isDone = false;

  constructor(text: string, environment: Readonly<Record<string, string>>) {
    this.#text = text;
    this.#environment = environment;
    this.variables = new Map();
  }

  /** The next step; nothing at the end. Variables may be set between two. */
  next(): Step | undefined {
    this.#sql = "";
    this.#start = this.#at;
    while (this.#at < this.#text.length && !this.#isDone) {
      const step = this.#token();
      if (step !== undefined) return step;
    }
    return undefined;
  }

  #token(): Step | undefined {
    const text = this.#text;
    const rest = text.startsWith.bind(text);
    if (this.#sql.trim() === "") this.#start = this.#at;
    if (rest("--", this.#at)) this.#comment(this.#lineEnd());
    else if (rest("/*", this.#at)) this.#comment(this.#commentEnd());
    else if (this.#matches(QUOTED) !== undefined) this.#take(this.#stringEnd());
    else if (text[this.#at] === '"') this.#take(text.indexOf('"', this.#at + 1) + 1);
    else if (this.#matches(DOLLAR) !== undefined) {
      const tag = this.#matches(DOLLAR)?.[0] ?? "";
      this.#take(text.indexOf(tag, this.#at + tag.length) + tag.length);
    } else if (rest("::", this.#at)) this.#take(this.#at + 2);
    else if (text[this.#at] === ":") this.#variable();
    else if (text[this.#at] === "\\") return this.#command();
    else if (text[this.#at] === ";" && this.#depth === 0 && this.#atomic === 0) {
      this.#at++;
      return this.#sql.trim() === "" ? undefined : this.#step();
    } else this.#plain();
    return undefined;
  }

  #plain(): void {
    const word = this.#matches(WORD)?.[0];
    if (word !== undefined) {
      const lower = word.toLowerCase();
      if (lower === "atomic" && /\bbegin\s+$/i.test(this.#sql)) this.#atomic = 1;
      else if (this.#atomic > 0 && lower === "case") this.#atomic++;
      else if (this.#atomic > 0 && lower === "end") this.#atomic--;
      this.#take(this.#at + word.length);
      return;
    }
    if (this.#text[this.#at] === "(") this.#depth++;
    if (this.#text[this.#at] === ")") this.#depth = Math.max(0, this.#depth - 1);
    this.#take(this.#at + 1);
  }

  #matches(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text) ?? undefined;
  }

  #take(end: number): void {
    const to = end <= this.#at ? this.#text.length : end;
    this.#sql += this.#text.slice(this.#at, to);
    this.#at = to;
  }

  /** Comments before a statement are none of it. */
  #comment(end: number): void {
    if (this.#sql.trim() === "") this.#at = end;
    else this.#take(end);
  }

  #lineEnd(): number {
    const end = this.#text.indexOf("\n", this.#at);
    return end < 0 ? this.#text.length : end + 1;
  }

  #commentEnd(): number {
    let depth = 0;
    for (let at = this.#at; at < this.#text.length; at++) {
      const two = this.#text.slice(at, at + 2);
      if (two === "/*") depth++;
      if (two === "*/") depth--;
      if (two === "/*" || two === "*/") at++;
      if (depth === 0) return at + 1;
    }
    return this.#text.length;
  }

  #stringEnd(): number {
    const hasEscapes = /[eE]/.test(this.#text[this.#at] ?? "");
    let at = this.#at + (hasEscapes ? 2 : 1);
    for (; at < this.#text.length; at++) {
      if (hasEscapes && this.#text[at] === "\\") at++;
      else if (this.#text[at] === "'" && this.#text[at + 1] === "'") at++;
      else if (this.#text[at] === "'") break;
    }
    return at + 1;
  }

  #variable(): void {
    const match = this.#matches(VARIABLE);
    const name = match?.[1] ?? match?.[2] ?? match?.[3];
    const value = name === undefined ? undefined : this.variables.get(name);
    if (match === undefined || value === undefined) {
      this.#take(this.#at + 1);
      return;
    }
    if (match[1] !== undefined) this.#sql += `'${value.replaceAll("'", "''")}'`;
    else if (match[2] !== undefined) this.#sql += `"${value.replaceAll('"', '""')}"`;
    else this.#sql += value;
    this.#at += match[0].length;
  }

  /** A backslash command; it may end the statement before it. */
  #command(): Step | undefined {
    if (this.#text.startsWith("\\;", this.#at)) {
      this.#sql += ";";
      this.#at += 2;
      return undefined;
    }
    const end = this.#lineEnd();
    const line = this.#text.slice(this.#at, end).trim();
    const [command = "", ...words] = line.match(WORDS) ?? [];
    this.#at = end;
    if (command === "\\set") this.variables.set(words[0] ?? "", this.#joined(words.slice(1)));
    if (command === "\\getenv") {
      this.variables.set(words[0] ?? "", this.#environment[words[1] ?? ""] ?? "");
    }
    if (command === "\\quit" || command === "\\q") this.#isDone = true;
    const isEmpty = this.#sql.trim() === "";
    if (command === "\\gset" && !isEmpty) return { ...this.#step(), sets: words[0] ?? "" };
    if (command === "\\g" && !isEmpty) return this.#step();
    // Others of the kind show the answer in another form, or run it.
    if (command.startsWith("\\g")) this.#sql = "";
    return undefined;
  }

  #joined(words: readonly string[]): string {
    return words
      .map((word) => {
        const name = /^:'?(\w+)'?$/.exec(word)?.[1];
        if (name !== undefined) return this.variables.get(name) ?? word;
        return word.replace(/^'(.*)'$/, "$1").replaceAll("''", "'");
      })
      .join("");
  }

  #step(): Step {
    const sql = this.#sql.trim();
    const line = this.#text.slice(0, this.#start).split("\n").length;
    const reads = sql.match(COPY_IN)?.length ?? 0;
    return { line, sql, copy: Array.from({ length: reads }, () => this.#data()) };
  }

  /** Lines up to `\.`, which follow the line of the statement. */
  #data(): string {
    const from = this.#lineEnd();
    const found = /^\\\.$/m.exec(this.#text.slice(from));
    const length = found === null ? this.#text.length - from : found.index;
    this.#at = from + length + (found === null ? 0 : 2);
    return this.#text.slice(from, from + length);
  }
}
