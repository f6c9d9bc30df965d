import { loadModule, type ParseResult, parseSync } from "libpg-query";
import { SqlError } from "../error.ts";

/** Reads the grammar in; once, before the first `parseText`. */
export const loadGrammar: () => Promise<void> = loadModule;

/** Thrown by the grammar: it has where, in characters from 0. */
interface GrammarError {
  readonly message: string;
  readonly sqlDetails?: { readonly cursorPosition?: number; readonly functionName?: string };
}

/** What the grammar knows and PostgreSQL does not have; its code is lost on the way here. */
const UNSUPPORTED: readonly RegExp[] = [
  /^a column list with .* only supported/,
  /^CREATE SCHEMA IF NOT EXISTS cannot include schema elements/,
  /constraints cannot be (marked|altered to be) /,
  /^(MATCH PARTIAL|CREATE ASSERTION is) not yet/,
];

/**
 * Parses by PostgreSQL's own grammar.
 *
 * @throws SqlError 42601; 0A000 as PostgreSQL; 22025; 54001 where it nests too deep; 22021 for a
 *   zero byte.
 * @throws RangeError where the stack ran out: this thread's grammar must not be used again.
 */
export function parseText(text: string): ParseResult {
  if (text.includes("\0")) {
    throw new SqlError("22021", 'invalid byte sequence for encoding "UTF8": 0x00');
  }
  try {
    return parseSync(text);
  } catch (error) {
    const { message, sqlDetails } = error as GrammarError;
    if (sqlDetails === undefined) throw error;
    const { cursorPosition: at } = sqlDetails;
    // The parser's own stack is bounded, and it says so in these words.
    if (message.startsWith("memory exhausted")) throw tooDeep();
    const place = at === undefined || at < 0 ? {} : { position: at + 1 };
    // In E'…'; that of U&'…' is a syntax error.
    if (message === "invalid Unicode escape" && sqlDetails.functionName === "core_yylex") {
      const hint = "Unicode escapes must be \\uXXXX or \\UXXXXXXXX.";
      throw new SqlError("22025", message, { ...place, hint });
    }
    const isUnsupported = UNSUPPORTED.some((each) => each.test(message));
    throw new SqlError(isUnsupported ? "0A000" : "42601", message, place);
  }
}

export function tooDeep(): SqlError {
  const hint = "Nest the statement less deeply.";
  return new SqlError("54001", "stack depth limit exceeded", { hint });
}
