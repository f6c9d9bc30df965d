/** What may hide a semicolon. A doubled quote ends one part, and begins the next. */
const PARTS: readonly RegExp[] = [
  /[eE]'(?:[^'\\]+|\\.)*'?/sy,
  /'[^']*'?/y,
  /"[^"]*"?/y,
  /--[^\n]*(?:\n|$)/y,
  /[A-Za-z_0-9\u0080-\uffff][\w$\u0080-\uffff]*/y,
];
const DOLLAR = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;

/** A text cut at its semicolons. */
export interface CutText {
  /** Whole statements, without their semicolons; none is blank. */
  readonly statements: readonly string[];
  /** What follows the last semicolon. */
  readonly rest: string;
}

/** Cuts a text into statements as PostgreSQL's lexer sees them. Linear in the text. */
export function cutStatements(text: string): CutText {
  const statements: string[] = [];
  let from = 0;
  let at = 0;
  while (at < text.length) {
    if (text[at] === ";") {
      statements.push(text.slice(from, at));
      from = ++at;
    } else at = skip(text, at);
  }
  const whole = statements.map((each) => each.trim()).filter((each) => !isBlank(each));
  return { statements: whole, rest: text.slice(from) };
}

/** Whether there is nothing but blanks and comments. */
export function isBlank(text: string): boolean {
  for (let at = 0; at < text.length; ) {
    const isComment = text.startsWith("--", at) || text.startsWith("/*", at);
    if (!isComment && /\S/.test(text[at] as string)) return false;
    at = isComment ? skip(text, at) : at + 1;
  }
  return true;
}

/** The place behind what begins at a place. */
function skip(text: string, at: number): number {
  if (text.startsWith("/*", at)) return behindComment(text, at);
  for (const part of PARTS) {
    part.lastIndex = at;
    if (part.test(text)) return part.lastIndex;
  }
  DOLLAR.lastIndex = at;
  const [quote] = DOLLAR.exec(text) ?? [];
  if (quote === undefined) return at + 1;
  const end = text.indexOf(quote, at + quote.length);
  return end < 0 ? text.length : end + quote.length;
}

/** Comments nest. */
function behindComment(text: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const next = /\/\*|\*\//g;
    next.lastIndex = at;
    const found = next.exec(text);
    if (found === null) return text.length;
    depth += found[0] === "/*" ? 1 : -1;
    at = next.lastIndex;
  } while (depth > 0);
  return at;
}
