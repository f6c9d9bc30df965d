import { SqlError } from "../error.ts";
import type { Family } from "./implementation.ts";
import { lower } from "./strings.ts";

const ANY = 0;
const ONE = 1;
/** An escape character that escapes nothing: an error when the match comes to it. */
const BROKEN = 2;
type Token = typeof ANY | typeof ONE | typeof BROKEN | string;

function compile(pattern: string): readonly Token[] {
  const tokens: Token[] = [];
  const all = [...pattern];
  for (let i = 0; i < all.length; i++) {
    const character = all[i] as string;
    if (character === "%") {
      if (tokens.at(-1) !== ANY) tokens.push(ANY);
    } else if (character === "_") tokens.push(ONE);
    else if (character !== "\\") tokens.push(character);
    else tokens.push(all[++i] ?? BROKEN);
  }
  return tokens;
}

/** The patterns of a statement repeat row by row. */
let last: { readonly pattern: string; readonly tokens: readonly Token[] } | undefined;

function tokensOf(pattern: string): readonly Token[] {
  if (last?.pattern !== pattern) last = { pattern, tokens: compile(pattern) };
  return last.tokens;
}

/** `text LIKE pattern`: only the newest `%` is tried again, so its cost is a product at most. */
export function like(text: string, pattern: string): boolean {
  const tokens = tokensOf(pattern);
  const characters = /[\ud800-\udfff]/.test(text) ? [...text] : text;
  let at = 0;
  let place = 0;
  let star = -1;
  let mark = 0;
  while (at < characters.length) {
    const token = tokens[place];
    if (token === ANY) {
      star = place++;
      mark = at;
      if (place === tokens.length) return true;
      if (tokens[place] === BROKEN) throw broken();
    } else if (token !== undefined && matches(token, characters[at] as string)) {
      at++;
      place++;
    } else if (star >= 0) {
      place = star + 1;
      at = ++mark;
    } else return false;
  }
  while (tokens[place] === ANY) place++;
  return place === tokens.length;
}

function matches(token: Token, character: string): boolean {
  if (token === BROKEN) throw broken();
  return token === ONE || token === character;
}

function broken(): SqlError {
  return new SqlError("22025", "LIKE pattern must not end with escape character");
}

/** A pattern with another escape character (none where it is empty) as one with backslashes. */
function escaped(pattern: string, by: string): string {
  if (by === "\\") return pattern;
  if (by === "") return pattern.replaceAll("\\", "\\\\");
  if ([...by].length !== 1) {
    const hint = "Escape string must be empty or one character.";
    throw new SqlError("22025", "invalid escape string", { hint });
  }
  let isEscaped = false;
  return [...pattern]
    .map((character) => {
      if (character === by && !isEscaped) {
        isEscaped = true;
        return "\\";
      }
      const shown = character === "\\" && !isEscaped ? "\\\\" : character;
      isEscaped = false;
      return shown;
    })
    .join("");
}

const latin = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
const ilike = (text: string, pattern: string): boolean => like(lower(text), lower(pattern));

export const likeFamily: Family = {
  textlike: like,
  textnlike: (a: string, pattern: string) => !like(a, pattern),
  namelike: like,
  namenlike: (a: string, pattern: string) => !like(a, pattern),
  texticlike: ilike,
  texticnlike: (a: string, pattern: string) => !ilike(a, pattern),
  nameiclike: ilike,
  nameicnlike: (a: string, pattern: string) => !ilike(a, pattern),
  bpchariclike: (a: string, pattern: string) => ilike(a, pattern),
  bpcharicnlike: (a: string, pattern: string) => !ilike(a, pattern),
  bytealike: (a: Uint8Array, pattern: Uint8Array) => like(latin(a), latin(pattern)),
  byteanlike: (a: Uint8Array, pattern: Uint8Array) => !like(latin(a), latin(pattern)),
  like_escape: escaped,
};
