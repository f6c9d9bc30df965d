import { closing } from "./brackets.ts";
import { type Finding, lineAt, type SourceFile } from "./source.ts";

/** `describe(`, also of `describe.skipIf(…)(` and `describe.each(…)(`. */
const DESCRIBE = /^[ \t]*describe\b[\w.]*[(<]/gm;
const LONGEST_LINES = 100;

/** A group of tests is read as one: a longer one has a second subject, and takes a second title. */
export function describes(file: SourceFile): readonly Finding[] {
  const { code, path, text } = file;
  return [...code.matchAll(DESCRIBE)].flatMap((match) => {
    const first = lineAt(text, match.index + match[0].search(/\S/));
    let end = closing(code, code.indexOf("(", match.index));
    for (let more = /^\s*\(/.exec(code.slice(end + 1)); more !== null; ) {
      end = closing(code, end + more[0].length);
      more = /^\s*\(/.exec(code.slice(end + 1));
    }
    const lines = lineAt(text, end) - first + 1;
    if (lines <= LONGEST_LINES) return [];
    return [{ path, line: first, what: `describe of ${lines} lines, over ${LONGEST_LINES}` }];
  });
}
