/** Where in a statement an error is. */
export interface SqlPlace {
  /** Index in the text, in UTF-16 units. */
  readonly offset: number;
  /** The first line is 1. */
  readonly line: number;
  /** The whole line. */
  readonly text: string;
  /** Units of the line that stand before it. */
  readonly column: number;
}

/** @param position Counts characters (code points) from 1, as PostgreSQL does. */
export function sqlPlace(statement: string, position: number): SqlPlace {
  const before = [...statement].slice(0, position - 1).join("");
  const start = before.lastIndexOf("\n") + 1;
  const [text = ""] = statement.slice(start).split("\n");
  const offset = before.length;
  return { offset, line: before.split("\n").length, text, column: offset - start };
}
