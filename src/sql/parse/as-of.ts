import { SqlError } from "../error.ts";
import { Source } from "./source.ts";

/** `AS OF SYSTEM TIME` of a statement: PostgreSQL's grammar has none. */
export interface AsOfClause {
  /** Its expression. */
  readonly expression: string;
  /** Of the expression, in characters, from 1. */
  readonly position: number;
  /** Of the word AS, in bytes of UTF-8: it tells the clause's statement. */
  readonly offset: number;
}

/** A text without such clauses, byte for byte as long as it was, and what they said. */
export interface WithoutAsOf {
  readonly text: string;
  readonly clauses: readonly AsOfClause[];
}

interface Token {
  readonly start: number;
  readonly end: number;
  /** In lower case, of what is not quoted; empty of a literal. */
  readonly word: string;
}

/** What ends the expression where no parenthesis is open. */
const ENDS: ReadonlySet<string> = new Set(
  (
    "; , ) where group having window order limit offset fetch for union intersect except " +
    "returning isolation read deferrable"
  ).split(" "),
);

const TOKEN = new RegExp(
  [
    String.raw`--[^\n\r]*`,
    String.raw`(?<block>\/\*)`,
    String.raw`[eE]'(?:[^'\\]|\\[^]|'')*'`,
    `'(?:[^']|'')*'`,
    `"(?:[^"]|"")*"`,
    String.raw`(?<dollar>\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)`,
    String.raw`(?<word>[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)`,
    String.raw`(?<number>[0-9][\w.]*)`,
    String.raw`(?<space>\s+)`,
    "(?<other>[^])",
  ].join("|"),
  "y",
);

/**
 * Takes `AS OF SYSTEM TIME` out of a text of statements, and puts blanks in its place, or
 * `READ ONLY` where it is a mode of a transaction. No statement that PostgreSQL takes has these
 * four words, one after the other, outside of quotes.
 *
 * @throws SqlError 42601: the expression is missing.
 */
export function withoutAsOf(text: string): WithoutAsOf {
  const sign = text.length > LONG_CHARS ? /\bas\s+of\s+system\s+time\b/i : /\bsystem\b/i;
  if (!sign.test(text)) return { text, clauses: [] };
  const tokens = tokensOf(text);
  const source = new Source(text);
  const clauses: AsOfClause[] = [];
  const pieces: string[] = [];
  let done = 0;
  const places = new Places();
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token;
    if (!(isClause(tokens, at) && places.takesClause)) {
      places.pass(token.word);
      continue;
    }
    const first = at + WORDS.length;
    const end = endOf(tokens, first);
    const [from, to] = [tokens[first], tokens[end - 1]];
    if (from === undefined || to === undefined || end === first) throw missing(text, tokens, end);
    const offset = Buffer.byteLength(text.slice(0, token.start));
    const expression = text.slice(from.start, to.end);
    const position = source.position(Buffer.byteLength(text.slice(0, from.start))) as number;
    clauses.push({ expression, position, offset });
    pieces.push(text.slice(done, token.start));
    const bytes = Buffer.byteLength(text.slice(token.start, to.end));
    pieces.push((places.isTransaction ? "READ ONLY" : "").padEnd(bytes));
    done = to.end;
    at = end - 1;
  }
  return { text: pieces.join("") + text.slice(done), clauses };
}

/** A longer text is not read word by word unless it has the clause, without comments in it. */
const LONG_CHARS = 8_192;

const WORDS = ["as", "of", "system", "time"] as const;

function isClause(tokens: readonly Token[], at: number): boolean {
  return WORDS.every((word, i) => tokens[at + i]?.word === word);
}

/** The token behind an expression that begins at one. */
function endOf(tokens: readonly Token[], first: number): number {
  let depth = 0;
  let at = first;
  for (; at < tokens.length; at++) {
    const { word } = tokens[at] as Token;
    if (depth === 0 && ENDS.has(word)) break;
    if (word === "(") depth++;
    else if (word === ")") depth--;
  }
  return at;
}

/** Where in its statement a token stands. */
class Places {
  /** Of each open parenthesis, and of the statement: whether a FROM came behind its SELECT. */
  #hasFrom: boolean[] = [false];
  /** The first words of the statement. */
  #first: string[] = [];

  get isTransaction(): boolean {
    const [verb, object = "", third] = this.#first;
    if (verb === "begin" || verb === "start") return true;
    const isScoped = object === "local" || object === "session";
    return verb === "set" && (isScoped ? third : object) === "transaction";
  }

  get takesClause(): boolean {
    return this.isTransaction || this.#hasFrom.at(-1) === true;
  }

  pass(word: string): void {
    if (word === ";") {
      this.#hasFrom = [false];
      this.#first = [];
      return;
    }
    if (this.#first.length < 3) this.#first.push(word);
    if (word === "(") this.#hasFrom.push(false);
    else if (word === ")" && this.#hasFrom.length > 1) this.#hasFrom.pop();
    else if (word === "select" || word === "from") {
      this.#hasFrom[this.#hasFrom.length - 1] = word === "from";
    }
  }
}

/** As PostgreSQL reads a text; what is not closed goes on to its end. */
function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let start = 0; start < text.length; ) {
    TOKEN.lastIndex = start;
    const groups = TOKEN.exec(text)?.groups ?? {};
    let end = TOKEN.lastIndex || text.length;
    const { block, dollar, word, number, space, other } = groups;
    if (block !== undefined) end = endOfComment(text, end);
    else if (dollar !== undefined) {
      const close = text.indexOf(dollar, end);
      end = close < 0 ? text.length : close + dollar.length;
    }
    const isComment = block !== undefined || text.startsWith("--", start);
    const said = word?.toLowerCase() ?? other ?? number;
    if (!isComment && space === undefined) tokens.push({ start, end, word: said ?? "" });
    start = end;
  }
  return tokens;
}

/** Comments nest. */
function endOfComment(text: string, from: number): number {
  const edge = /\/\*|\*\//g;
  edge.lastIndex = from;
  for (let depth = 1; depth > 0; ) {
    const found = edge.exec(text);
    if (found === null) return text.length;
    depth += found[0] === "/*" ? 1 : -1;
  }
  return edge.lastIndex;
}

function missing(text: string, tokens: readonly Token[], at: number): SqlError {
  const next = tokens[at];
  const where =
    next === undefined ? "end of input" : `or near "${text.slice(next.start, next.end)}"`;
  const place = next?.start ?? text.length;
  const position = new Source(text).position(Buffer.byteLength(text.slice(0, place)));
  return new SqlError("42601", `syntax error at ${where}`).at(position);
}
