/*
 * What a statement that is still being written says about the word at its cursor. It is read by
 * tokens, not by grammar: half a statement has none.
 */

/** A name as it is written, or a word, or a sign. */
export interface Token {
  readonly kind: "word" | "quoted" | "sign";
  /** A name is as the server reads it: `"A""b"` is `A"b`, `Ab` is `ab`. */
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** Where the cursor stands. */
export interface Place {
  /** Where the word that is being written begins. */
  readonly from: number;
  /** That word, as it is written; empty where none is begun. */
  readonly word: string;
  /** Names in front of it: `a` and `b` of `a.b.c`. */
  readonly qualifiers: readonly string[];
  /** A relation is expected there: behind FROM, say. */
  readonly takesRelation: boolean;
  /** Relations that the statement names, by the name that it gives each. */
  readonly named: readonly Named[];
}

export interface Named {
  readonly schema: string | undefined;
  readonly name: string;
  readonly alias: string;
}

const PATTERN = new RegExp(
  [
    String.raw`(?<skip>--[^\n]*|/\*[\s\S]*?(?:\*/|$)|\s+)`,
    String.raw`(?<text>[eE]'(?:[^'\\]|''|\\[\s\S])*(?:'|$)|'(?:[^']|'')*(?:'|$))`,
    String.raw`(?<dollar>\$(?<tag>[A-Za-z_]*)\$[\s\S]*?(?:\$\k<tag>\$|$))`,
    '(?<quoted>"(?:[^"]|"")*(?:"|$))',
    String.raw`(?<word>[\p{L}_][\p{L}\p{M}\p{N}_$]*)`,
    String.raw`(?<number>\d[\w.]*)`,
    String.raw`(?<sign>[\s\S])`,
  ].join("|"),
  "gu",
);

/** Behind these a relation is named. */
const BEFORE_RELATION = new Set(["from", "join", "update", "into", "table", "only"]);
/** Words that stand behind a relation and are not its alias. */
const AFTER_RELATION = new Set(
  (
    "cross full group having inner join left limit natural offset on order right returning " +
    "select set tablesample union using values where window for fetch intersect except " +
    "default add alter drop rename cascade restrict from"
  ).split(" "),
);
/** What is read of a text around the cursor. */
const MOST_TEXT = 20_000;

/** The place of a cursor; undefined within texts and comments, where no name stands. */
export function placeIn(text: string, cursor: number): Place | undefined {
  const start = Math.max(0, cursor - MOST_TEXT);
  const read = tokensOf(text.slice(start, cursor + MOST_TEXT), start, cursor);
  if (read === undefined) return undefined;
  const { tokens, at } = read;
  const current = tokens[at];
  const word = current === undefined ? "" : text.slice(current.from, cursor);
  const from = current?.from ?? cursor;
  let before = at - 1;
  if (current === undefined) before = tokens.findLastIndex(({ to }) => to <= cursor);
  const qualifiers: string[] = [];
  while (isSign(tokens[before], ".") && isName(tokens[before - 1])) {
    qualifiers.unshift(tokens[before - 1]?.text ?? "");
    before -= 2;
  }
  const others = tokens.filter((token) => token !== current);
  const named = namedIn(others);
  return { from, word, qualifiers, takesRelation: takesRelation(tokens, before), named };
}

function isName(token: Token | undefined): boolean {
  return token !== undefined && token.kind !== "sign";
}

function isSign(token: Token | undefined, text: string): boolean {
  return token?.kind === "sign" && token.text === text;
}

/** Tokens of the statement that the cursor stands in, and which of them it is writing. */
function tokensOf(
  text: string,
  start: number,
  cursor: number,
): { readonly tokens: readonly Token[]; readonly at: number } | undefined {
  let tokens: Token[] = [];
  for (const { groups = {}, index, 0: whole } of text.matchAll(PATTERN)) {
    const from = start + index;
    const to = from + whole.length;
    const isInside = from < cursor && cursor <= to;
    if (groups["skip"] !== undefined) {
      if (isInside && isOpen(whole, cursor - from)) return undefined;
      continue;
    }
    if (groups["text"] !== undefined || groups["dollar"] !== undefined) {
      if (from < cursor && (cursor < to || !isClosed(whole))) return undefined;
      tokens.push({ kind: "sign", text: "'", from, to });
      continue;
    }
    if (groups["number"] !== undefined) {
      if (isInside) return undefined;
      tokens.push({ kind: "sign", text: "0", from, to });
      continue;
    }
    if (whole === ";") {
      if (from >= cursor) break;
      tokens = [];
      continue;
    }
    tokens.push(tokenOf(groups, whole, from, cursor));
  }
  return { tokens, at: tokens.findIndex((one) => one.from < cursor && isWriting(one, cursor)) };
}

/** Whether a name is being written: a quoted one that is closed is not any more. */
function isWriting({ kind, from, to }: Token, cursor: number): boolean {
  if (kind === "sign") return false;
  return kind === "word" ? cursor <= to : cursor < to || to === from;
}

function tokenOf(
  groups: Readonly<Record<string, string | undefined>>,
  whole: string,
  from: number,
  cursor: number,
): Token {
  const to = from + whole.length;
  if (groups["quoted"] === undefined) {
    const kind = groups["word"] === undefined ? "sign" : "word";
    return { kind, text: kind === "word" ? whole.toLowerCase() : whole, from, to };
  }
  const closes = whole.length > 1 && whole.endsWith('"');
  const text = whole.slice(1, closes ? -1 : undefined).replaceAll('""', '"');
  // One that nothing closes goes on to the end of the text: it is what is being written.
  return { kind: "quoted", text, from, to: closes || to < cursor ? to : to + 1 };
}

/** A comment that goes on at the cursor. */
function isOpen(comment: string, cursor: number): boolean {
  if (comment.startsWith("--")) return true;
  return comment.startsWith("/*") && !(cursor === comment.length && comment.endsWith("*/"));
}

function isClosed(text: string): boolean {
  return text.length > 1 && (text.endsWith("'") || /^\$\w*\$[\s\S]*\$\w*\$$/.test(text));
}

/** A comma goes on with what stands in front of it, as far as only names stand between. */
function takesRelation(tokens: readonly Token[], before: number): boolean {
  let at = before;
  for (let names = 0; at >= 0 && names < 60; names++, at--) {
    const token = tokens[at];
    if (token === undefined) return false;
    if (token.kind === "word" && BEFORE_RELATION.has(token.text)) return true;
    const isFirst = at === before;
    if (isFirst && !isSign(token, ",")) return false;
    if (token.kind === "sign" && token.text !== "," && token.text !== ".") return false;
    if (token.kind === "word" && AFTER_RELATION.has(token.text)) return false;
  }
  return false;
}

/** Each relation that stands behind FROM and its like, or behind a comma there. */
function namedIn(tokens: readonly Token[]): readonly Named[] {
  const found: Named[] = [];
  for (let at = 0; at < tokens.length; at++) {
    if (!isName(tokens[at])) continue;
    if (!takesRelation(tokens, at - 1)) continue;
    const token = tokens[at];
    if (token?.kind === "word" && BEFORE_RELATION.has(token.text)) continue;
    const path = [token?.text ?? ""];
    while (isSign(tokens[at + 1], ".") && isName(tokens[at + 2])) {
      path.push(tokens[at + 2]?.text ?? "");
      at += 2;
    }
    const name = path.at(-1) ?? "";
    let next = tokens[at + 1];
    if (next?.kind === "word" && next.text === "as") next = tokens[at + 2];
    const isAlias =
      next?.kind === "quoted" || (next?.kind === "word" && !AFTER_RELATION.has(next.text));
    found.push({ schema: path.at(-2), name, alias: isAlias ? (next?.text ?? name) : name });
  }
  return found;
}
