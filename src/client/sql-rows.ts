import type { Problem } from "../api/resources.ts";
import type { SqlColumn, SqlNotice } from "../api/sql-operations.ts";
import { ApiError } from "./client.ts";

/** A line of an answer of SQL. */
export type SqlLine =
  | { readonly kind: "columns"; readonly columns: readonly SqlColumn[] }
  | { readonly kind: "row"; readonly values: readonly unknown[] }
  | {
      readonly kind: "end";
      readonly command: string;
      readonly rowCount: number;
      readonly notices: readonly SqlNotice[];
    };

/**
 * Reads an answer of `runSql` in lines, as it comes.
 *
 * @throws ApiError what went wrong after the first line; Error where the answer was cut short.
 */
export async function* readSqlLines(body: ReadableStream<Uint8Array>): AsyncGenerator<SqlLine> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
    const lines = `${rest}${decoder.decode(bytes, { stream: true })}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const told = lineOf(line);
      yield told;
      if (told.kind === "end") return;
    }
  }
  throw new Error("the answer was cut short: the statement may have been done or not");
}

function lineOf(text: string): SqlLine {
  const value: unknown = JSON.parse(text);
  if (Array.isArray(value)) return { kind: "row", values: value };
  const told = value as {
    readonly columns?: readonly SqlColumn[];
    readonly error?: Problem;
    readonly command: string;
    readonly rowCount: number;
    readonly notices?: readonly SqlNotice[];
  };
  if (told.error !== undefined) throw new ApiError(told.error);
  if (told.columns !== undefined) return { kind: "columns", columns: told.columns };
  const { command, rowCount, notices = [] } = told;
  return { kind: "end", command, rowCount, notices };
}
