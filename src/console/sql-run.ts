import type { SqlColumn, SqlNotice, SqlRequest } from "../api/sql-operations.ts";
import { ApiError, problemIn } from "../client/client.ts";
import { readSqlLines } from "../client/sql-rows.ts";
import { send } from "./session.ts";

export type SqlRow = readonly unknown[];

/** A statement as far as it has come. */
export interface SqlRun {
  readonly statement: string;
  readonly state: "running" | "done" | "failed" | "cancelled";
  readonly columns: readonly SqlColumn[];
  /** The first ones: `rowCount` has the number of all. */
  readonly rows: readonly SqlRow[];
  readonly rowCount: number;
  readonly ms: number;
  readonly command?: string;
  readonly notices?: readonly SqlNotice[];
  /** What the server refused; absent where it did not answer. */
  readonly error?: ApiError;
}

/** Rows that the page keeps. All are read: the transaction commits behind the last one. */
const SHOWN_ROWS = 10_000;
/** Between two drawings of a result that comes in. In milliseconds. */
const DRAWN_EVERY_MS = 100;

/** Runs a statement; tells how far it has come, and at last how it ended. */
export async function runSql(
  request: SqlRequest,
  signal: AbortSignal,
  tell: (run: SqlRun) => void,
): Promise<void> {
  const startedMs = performance.now();
  const rows: SqlRow[] = [];
  let run: SqlRun = {
    statement: request.statement,
    state: "running",
    columns: [],
    rows,
    rowCount: 0,
    ms: 0,
  };
  let toldMs = startedMs;
  const say = (more: Partial<SqlRun>): void => {
    toldMs = performance.now();
    run = { ...run, rows: rows.slice(), ms: toldMs - startedMs, ...more };
    tell(run);
  };
  say({});
  try {
    let rowCount = 0;
    for await (const line of await linesOf(request, signal)) {
      if (line.kind === "columns") say({ columns: line.columns });
      else if (line.kind === "end") {
        const { command, notices } = line;
        say({ state: "done", command, notices, rowCount });
      } else {
        rowCount++;
        if (rows.length < SHOWN_ROWS) rows.push(line.values);
        if (performance.now() - toldMs > DRAWN_EVERY_MS) say({ rowCount });
      }
    }
  } catch (error) {
    if (signal.aborted) say({ state: "cancelled" });
    else say({ state: "failed", ...(error instanceof ApiError && { error }) });
  }
}

async function linesOf(request: SqlRequest, signal: AbortSignal) {
  const response = await send(
    new Request(`${location.origin}/api/v1/sql`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/x-ndjson" },
      body: JSON.stringify(request),
      signal,
    }),
  );
  if (!response.ok || response.body === null) {
    throw new ApiError(problemIn(response.status, await response.text()));
  }
  return readSqlLines(response.body);
}
