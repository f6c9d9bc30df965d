import { closing, opener } from "./brackets.ts";
import { type Finding, lineAt, type SourceFile } from "./source.ts";

/** A spread of a literal: braces or brackets, perhaps in parentheses for their `as const`. */
const SPREAD = /\.\.\.(\(?)([{[])/g;

/**
 * A fresh literal is not spread into the one around it, nor into the arguments of a call: that
 * only puts several parts on one line, to pass a rule that counts the lines of a function. Lists
 * of test data may group their words so.
 */
export function squeezed(file: SourceFile): readonly Finding[] {
  const { code, path } = file;
  return [...code.matchAll(SPREAD)].flatMap((match) => {
    const open = match.index + match[0].length - 1;
    const isWrapped = match[1] !== "";
    const close = closing(code, open);
    const last = isWrapped ? closing(code, open - 1) : close;
    if (isWrapped && !/^\s*(?:as const\s*)?$/.test(code.slice(close + 1, last))) return [];
    const next = /^\s*(\S*)/.exec(code.slice(last + 1))?.[1] ?? "";
    // A method of it makes something of the literal; an arrow or a type after it: it is a pattern.
    if (!/^[,)\]}]/.test(next) || isPattern(code, last + 1)) return [];
    const isData = !isWrapped && match[2] === "[" && opener(code, match.index) === "[";
    if (isData && path.startsWith("test/")) return [];
    const line = lineAt(file.text, match.index);
    return [{ path, line, what: `spread of a fresh literal: ${match[0]}` }];
  });
}

const isPattern = (code: string, at: number): boolean =>
  /^\s*\)\s*(?::[^;{}()]*)?=>/.test(code.slice(at, at + 200));
