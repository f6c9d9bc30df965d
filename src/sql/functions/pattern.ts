import { setFlagsFromString } from "node:v8";
import { notSupported, SqlError } from "../error.ts";

// Patterns come from users: V8's linear engine never backtracks, whatever they hold.
setFlagsFromString("--enable-experimental-regexp-engine");

/** More states than this is a pattern for a denial of service, not for a search. */
const MAX_COPIES = 10_000;
const MAX_BOUND = 255;

/** A pattern of PostgreSQL's as one that V8 runs in linear time. */
export interface Pattern {
  readonly expression: RegExp;
  /** Whether it names letters, digits or words, which JavaScript knows of ASCII alone. */
  readonly isAscii: boolean;
}

function invalid(why: string): SqlError {
  return new SqlError("2201B", `invalid regular expression: ${why}`);
}

const CLASSES: Readonly<Record<string, string>> = {
  alpha: "a-zA-Z",
  digit: "0-9",
  alnum: "a-zA-Z0-9",
  upper: "A-Z",
  lower: "a-z",
  space: " \\t\\n\\r\\v\\f",
  blank: " \\t",
  punct: "!-\\/:-@\\[-`{-~",
  xdigit: "0-9a-fA-F",
  cntrl: "\\x00-\\x1f\\x7f",
  print: " -~",
  graph: "!-~",
  word: "a-zA-Z0-9_",
};
const LETTER_ESCAPES: Readonly<Record<string, string>> = {
  d: "0-9",
  s: " \\t\\n\\r\\v\\f",
  w: "a-zA-Z0-9_",
};
const CONTROLS: Readonly<Record<string, string>> = {
  a: "\\x07",
  b: "\\x08",
  e: "\\x1b",
  f: "\\f",
  n: "\\n",
  r: "\\r",
  t: "\\t",
  v: "\\v",
};

class Translator {
  readonly text: string;
  readonly isFolding: boolean;
  at = 0;
  out = "";
  depth = 0;
  /** Whether what stands before may take a quantifier. */
  isOperand = false;
  isAscii = false;
  copies = 1;

  constructor(text: string, isFolding: boolean) {
    this.text = text;
    this.isFolding = isFolding;
  }

  whole(): string {
    while (this.at < this.text.length) this.item();
    if (this.depth > 0) throw invalid("parentheses () not balanced");
    return this.out;
  }

  item(): void {
    const c = this.text[this.at] as string;
    switch (c) {
      case "(":
        this.open();
        return;
      case ")":
        if (this.depth === 0) throw invalid("parentheses () not balanced");
        this.depth--;
        this.emit(")", true);
        return;
      case "|":
        this.emit("|", false);
        return;
      case "^":
      case "$":
        this.emit(c, false);
        return;
      case ".":
        this.emit("[^]", true);
        return;
      case "[":
        this.at++;
        this.bracket();
        return;
      case "\\":
        this.escape();
        return;
      default:
        if (this.quantifier(c)) return;
        this.emit(this.literal(c), true);
    }
  }

  emit(text: string, isOperand: boolean): void {
    this.out += text;
    this.at++;
    this.isOperand = isOperand;
  }

  open(): void {
    this.depth++;
    if (this.text[this.at + 1] !== "?") {
      this.emit("(", false);
      return;
    }
    if (this.text[this.at + 2] !== ":") throw notSupported("lookaround in regular expressions");
    this.at += 2;
    this.emit("(?:", false);
  }

  quantifier(c: string): boolean {
    const bound = /\{(\d+)(,(\d*))?\}/y;
    bound.lastIndex = this.at;
    const found = c === "{" ? bound.exec(this.text) : null;
    if (c === "{" && found === null) {
      if (/\d/.test(this.text[this.at + 1] ?? "")) throw invalid("invalid repetition count(s)");
      return false;
    }
    if (c !== "*" && c !== "+" && c !== "?" && found === null) return false;
    if (!this.isOperand) throw invalid("quantifier operand invalid");
    let text = c;
    if (found !== null) {
      const [whole, low = "0", , high = ""] = found;
      const most = Number(high === "" ? low : high);
      if (Number(low) > MAX_BOUND || most > MAX_BOUND || (high !== "" && most < Number(low))) {
        throw invalid("invalid repetition count(s)");
      }
      this.copies *= Math.max(most, 1);
      if (this.copies > MAX_COPIES) throw notSupported("a regular expression of such a size");
      text = whole;
      this.at += whole.length - 1;
    }
    if (this.text[this.at + 1] === "?") {
      text += "?";
      this.at++;
    }
    this.emit(text, false);
    return true;
  }

  literal(c: string): string {
    if (this.isFolding && c > "\x7f")
      throw notSupported("matching other letters than ASCII in any case");
    if (this.isFolding && /[a-zA-Z]/.test(c)) return `[${c.toLowerCase()}${c.toUpperCase()}]`;
    return /[\\^$.*+?()[\]{}|/]/.test(c) ? `\\${c}` : c;
  }

  escape(): void {
    const c = this.text[++this.at];
    if (c === undefined) throw invalid("invalid escape \\ sequence");
    const letters = LETTER_ESCAPES[c.toLowerCase()];
    const control = CONTROLS[c];
    if (letters !== undefined) {
      this.isAscii = true;
      this.emit(c === c.toLowerCase() ? `[${letters}]` : `[^${letters}]`, true);
    } else if (control !== undefined) this.emit(control, true);
    else if (c === "A") this.emit("^", false);
    else if (c === "Z") this.emit("$", false);
    else if (c === "y" || c === "Y") {
      this.isAscii = true;
      this.emit(c === "y" ? "\\b" : "\\B", false);
    } else if (c === "B") this.emit("\\\\", true);
    else if (/[a-zA-Z0-9]/.test(c)) throw notSupported(`escape \\${c} in regular expressions`);
    else this.emit(this.literal(c), true);
  }

  bracket(): void {
    let out = "[";
    if (this.text[this.at] === "^") {
      out += "^";
      this.at++;
    }
    let isFirst = true;
    for (;;) {
      const c = this.text[this.at];
      if (c === undefined) throw invalid("brackets [] not balanced");
      if (c === "]" && !isFirst) break;
      isFirst = false;
      out += this.member(c);
    }
    this.out += out;
    this.emit("]", true);
  }

  /** One character, range or class within brackets. */
  member(c: string): string {
    const next = this.text[this.at + 1];
    if (c === "[" && (next === "." || next === "=")) {
      throw notSupported("collating elements in regular expressions");
    }
    if (c === "[" && next === ":") {
      const name = /\[:(\w+):\]/y;
      name.lastIndex = this.at;
      const found = name.exec(this.text);
      const characters = found === null ? undefined : CLASSES[found[1] ?? ""];
      if (found === null || characters === undefined) throw invalid("invalid character class");
      if (this.isFolding && /^(?:upper|lower)$/.test(found[1] ?? "")) {
        throw notSupported("classes of case in regular expressions in any case");
      }
      this.at += found[0].length;
      this.isAscii = true;
      return characters;
    }
    if (c === "\\") {
      const letters = LETTER_ESCAPES[next ?? ""];
      if (letters !== undefined) {
        this.isAscii = true;
        this.at += 2;
        return letters;
      }
    }
    const low = this.endpoint();
    if (this.text[this.at] !== "-" || this.text[this.at + 1] === "]") return this.range(low, low);
    if (this.text[this.at + 1] === undefined) throw invalid("brackets [] not balanced");
    this.at++;
    if (this.text[this.at] === "[") throw notSupported("such a range in regular expressions");
    const high = this.endpoint();
    if (high < low) throw invalid("invalid character range");
    return this.range(low, high);
  }

  endpoint(): string {
    const c = this.text[this.at++] as string;
    if (c !== "\\") return c;
    const escaped = this.text[this.at++] ?? "";
    if (/[a-zA-Z0-9]/.test(escaped)) {
      const known = { n: "\n", t: "\t", r: "\r", f: "\f", v: "\v" }[escaped];
      if (known === undefined) throw notSupported(`escape \\${escaped} in regular expressions`);
      return known;
    }
    if (escaped === "") throw invalid("invalid escape \\ sequence");
    return escaped;
  }

  range(low: string, high: string): string {
    const shown = (c: string): string => (/[\\\]^[-]/.test(c) ? `\\${c}` : c);
    const plain = low === high ? shown(low) : `${shown(low)}-${shown(high)}`;
    if (!this.isFolding) return plain;
    const isLower = low >= "a" && high <= "z";
    const isUpper = low >= "A" && high <= "Z";
    if (isLower) return `${plain}${low.toUpperCase()}-${high.toUpperCase()}`;
    if (isUpper) return `${plain}${low.toLowerCase()}-${high.toLowerCase()}`;
    if (high < "A" || low > "z" || (low > "Z" && high < "a")) {
      if (high > "\x7f") throw notSupported("matching other letters than ASCII in any case");
      return plain;
    }
    throw notSupported("such a range of letters in any case");
  }
}

const CACHED = 100;
const patterns = new Map<string, Pattern>();

/**
 * Translates a regular expression.
 *
 * @throws SqlError 2201B where PostgreSQL refuses it, 0A000 where the linear engine cannot run it.
 */
export function patternOf(text: string, isFolding: boolean): Pattern {
  const key = `${isFolding ? "i" : "c"}${text}`;
  const known = patterns.get(key);
  if (known !== undefined) return known;
  if (text.startsWith("***")) throw notSupported("directors of regular expressions");
  const options = /^\(\?([a-z]+)\)/.exec(text);
  if (options !== null) throw notSupported("embedded options of regular expressions");
  const translator = new Translator(text, isFolding);
  const source = translator.whole();
  const pattern = { expression: compiled(source), isAscii: translator.isAscii };
  if (patterns.size >= CACHED) patterns.clear();
  patterns.set(key, pattern);
  return pattern;
}

function compiled(source: string): RegExp {
  try {
    return new RegExp(source, "l");
  } catch {
    throw notSupported("such a regular expression");
  }
}

/**
 * The expression to search a text with.
 *
 * @throws SqlError 2201B; 0A000 where the text has characters that the pattern cannot judge.
 */
export function expressionFor(text: string, pattern: string, isFolding: boolean): RegExp {
  const { expression, isAscii } = patternOf(pattern, isFolding);
  const isForeign = isAscii || isFolding ? /[^\0-\x7f]/ : /[\ud800-\udfff]/;
  if (isForeign.test(text) || /[\ud800-\udfff]/.test(pattern)) {
    throw notSupported("such characters in regular expressions");
  }
  return expression;
}

/** Whether a pattern is found in a text. */
export function isMatch(text: string, pattern: string, isFolding: boolean): boolean {
  return expressionFor(text, pattern, isFolding).test(text);
}
