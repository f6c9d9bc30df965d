import { loadModule, type ParseResult, parseSync } from "libpg-query";
import { SqlError } from "../error.ts";

/** Reads the grammar in; once, before the first `parseText`. */
export const loadGrammar: () => Promise<void> = loadModule;

/** Thrown by the grammar: it has where, in characters from 0. */
interface GrammarError {
  readonly message: string;
  readonly sqlDetails?: { readonly cursorPosition?: number; readonly functionName?: string };
}

/**
 * Parses by PostgreSQL's own grammar.
 *
 * @throws SqlError 42601; 22025; 54001 where it nests too deep; 22021 for a zero byte.
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
    throw new SqlError("42601", message, place);
  }
}

export function tooDeep(): SqlError {
  const hint = "Nest the statement less deeply.";
  return new SqlError("54001", "stack depth limit exceeded", { hint });
}
