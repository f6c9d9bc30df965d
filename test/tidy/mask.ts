/**
 * A TypeScript text in which the content of every comment, string and regular expression is
 * blanked, so that a search finds code only. Same length and same line ends as the original: an
 * offset into one is an offset into the other. Quotes stay, code inside `${}` stays.
 */
export function maskText(text: string): string {
  const out: string[] = [...Array(text.length).keys()].map((i) => (text[i] === "\n" ? "\n" : " "));
  /** Depth of braces at each open `${`, so that its closing brace is told from others. */
  const templates: number[] = [];
  let depth = 0;
  let at = 0;

  const keep = (end: number): void => {
    for (; at < end; at++) out[at] = text[at] ?? "";
  };
  const skipTo = (end: number): void => {
    at = Math.min(end, text.length);
  };
  const templateText = (): void => {
    while (at < text.length) {
      if (text[at] === "\\") skipTo(at + 2);
      else if (text[at] === "`") {
        keep(at + 1);
        return;
      } else if (text.startsWith("${", at)) {
        keep(at + 2);
        templates.push(depth);
        depth++;
        return;
      } else at++;
    }
  };

  while (at < text.length) {
    const c = text[at] ?? "";
    if (text.startsWith("//", at)) skipTo(endOf(text, "\n", at));
    else if (text.startsWith("/*", at)) skipTo(endOf(text, "*/", at + 2) + 2);
    else if (c === '"' || c === "'") {
      keep(at + 1);
      skipTo(endOfString(text, at, c));
      keep(Math.min(at + 1, text.length));
    } else if (c === "`") {
      keep(at + 1);
      templateText();
    } else if (c === "/" && startsRegex(out.slice(Math.max(0, at - 200), at).join(""))) {
      keep(at + 1);
      skipTo(endOfRegex(text, at));
      keep(Math.min(at + 1, text.length));
    } else {
      if (c === "{") depth++;
      if (c === "}") depth--;
      const closes = c === "}" && templates.at(-1) === depth;
      keep(at + 1);
      if (closes) {
        templates.pop();
        templateText();
      }
    }
  }
  return out.join("");
}

function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length : found;
}

function endOfString(text: string, from: number, quote: string): number {
  let at = from;
  while (at < text.length && text[at] !== quote && text[at] !== "\n") {
    at += text[at] === "\\" ? 2 : 1;
  }
  return at;
}

function endOfRegex(text: string, from: number): number {
  let at = from;
  let inClass = false;
  while (at < text.length && text[at] !== "\n" && (inClass || text[at] !== "/")) {
    if (text[at] === "[") inClass = true;
    if (text[at] === "]") inClass = false;
    at += text[at] === "\\" ? 2 : 1;
  }
  return at;
}

/** A slash divides after a value, and opens a regular expression after anything else. */
function startsRegex(before: string): boolean {
  const code = before.trimEnd();
  if (code === "") return true;
  if (/\b(?:return|typeof|case|in|of|do|else|void|delete|throw|yield|await)$/.test(code))
    return true;
  return !/[\w$)\]}"'`]$/.test(code);
}
