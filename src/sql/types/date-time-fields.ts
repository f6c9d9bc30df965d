/** The kinds of fields that a date or time splits into, as PostgreSQL's `ParseDateTime`. */
export type FieldKind = "number" | "date" | "time" | "zone" | "word" | "special";

export interface Field {
  readonly kind: FieldKind;
  readonly text: string;
}

const MAX_FIELDS = 25;
const isDigit = (c: string | undefined): boolean => c !== undefined && c >= "0" && c <= "9";
const isLetter = (c: string | undefined): boolean => c !== undefined && /[A-Za-z]/.test(c);
const isSpace = (c: string | undefined): boolean => c !== undefined && " \t\n\r\v\f".includes(c);

/** Words after which a digit or `+` starts another field, and no zone's name goes on. */
export type IsKeyword = (word: string) => boolean;

/** Splits a text into fields; nothing where it holds what no date or time does. */
export function splitFields(text: string, isKeyword: IsKeyword): readonly Field[] | undefined {
  const fields: Field[] = [];
  let at = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? "";
    at += found.length;
    return found;
  };
  while (at < text.length) {
    const c = text[at] as string;
    if (isSpace(c)) {
      at++;
      continue;
    }
    if (fields.length === MAX_FIELDS) return undefined;
    if (isDigit(c)) fields.push(numeric(text, take, () => at));
    else if (c === ".") fields.push({ kind: "number", text: take(/\.\d*/y) });
    else if (isLetter(c)) fields.push(word(text, take, () => at, isKeyword));
    else if (c === "+" || c === "-") {
      at++;
      while (isSpace(text[at])) at++;
      if (isDigit(text[at])) fields.push({ kind: "zone", text: c + take(/[\d:.-]+/y) });
      else if (isLetter(text[at])) {
        fields.push({ kind: "special", text: c + take(/[A-Za-z]+/y).toLowerCase() });
      } else return undefined;
    } else if (/[!-/:-@[-`{-~]/.test(c)) at++;
    else return undefined;
  }
  return fields;
}

function numeric(text: string, take: (p: RegExp) => string, at: () => number): Field {
  const digits = take(/\d+/y);
  const next = text[at()];
  if (next === ":") return { kind: "time", text: digits + take(/:[\d:.]*/y) };
  if (next !== "-" && next !== "/" && next !== ".") return { kind: "number", text: digits };
  if (isDigit(text[at() + 1])) {
    const second = take(/[-/.]\d+/y);
    const kind = next === "." ? "number" : "date";
    if (text[at()] !== next) return { kind, text: digits + second };
    const rest = next === "." ? /[\d.]+/y : next === "/" ? /[\d/]+/y : /[\d-]+/y;
    return { kind: "date", text: digits + second + take(rest) };
  }
  const rest =
    next === "." ? /\.[\dA-Za-z.]*/y : next === "/" ? /\/[\dA-Za-z/]*/y : /-[\dA-Za-z-]*/y;
  return { kind: "date", text: (digits + take(rest)).toLowerCase() };
}

function word(
  text: string,
  take: (p: RegExp) => string,
  at: () => number,
  isKeyword: IsKeyword,
): Field {
  const letters = take(/[A-Za-z]+/y);
  const next = text[at()];
  const isJoined = next === "-" || next === "/" || next === ".";
  const isLonger = (next === "+" || isDigit(next)) && !isKeyword(letters.toLowerCase());
  if (!isJoined && !isLonger) return { kind: "word", text: letters.toLowerCase() };
  return { kind: "date", text: (letters + take(/[-+/_.:\dA-Za-z]+/y)).toLowerCase() };
}
