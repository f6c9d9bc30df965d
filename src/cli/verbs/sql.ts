import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { SqlColumn, SqlRequest } from "../../api/sql-operations.ts";
import { FirnError } from "../../base/error.ts";
import { ApiError, problemIn } from "../../client/client.ts";
import { sqlPlace } from "../../client/sql-place.ts";
import { readSqlLines, type SqlLine } from "../../client/sql-rows.ts";
import { EXIT } from "../exit-codes.ts";
import { failureOf } from "../failure-text.ts";
import { plain } from "../screen.ts";
import { type Column, tableText } from "../show.ts";
import type { VerbCall } from "./call.ts";
import { runSqlPrompt } from "./sql-prompt.ts";
import { cutStatements, isBlank } from "./sql-text.ts";

/** `firn sql`: a statement, a file, standard input, or a prompt where that is a terminal. */
export async function sql(call: VerbCall): Promise<number> {
  const { words, values, stdin, cwd } = call;
  const given = [words[0], values["command"], values["file"]].filter((each) => each !== undefined);
  if (given.length > 1) {
    const message = "give a statement, --command or --file, not several of them";
    throw new FirnError("Invalid", "STATEMENT_INVALID", message);
  }
  const file = values["file"];
  const isTyped = given.length === 0 && (stdin as NodeJS.ReadStream).isTTY === true;
  if (isTyped) return await runSqlPrompt(call, (text) => runText(call, text));
  if (typeof file === "string" && file !== "-") {
    return await runText(call, await readFile(resolve(cwd, file), "utf8"));
  }
  return await runText(
    call,
    (given[0] === file ? undefined : given[0]?.toString()) ?? (await readAll(stdin)),
  );
}

async function readAll(stdin: NodeJS.ReadableStream): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of stdin) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString("utf8");
}

/** Runs the statements of a text one by one, or as one transaction. Ends with the first error. */
async function runText(call: VerbCall, text: string): Promise<number> {
  const { statements, rest } = cutStatements(text);
  const all = isBlank(rest) ? statements : [...statements, rest.trim()];
  const isWhole = call.values["singleTransaction"] === true;
  for (const statement of isWhole ? [all.join(";\n")] : all) {
    try {
      await runStatement(call, statement);
    } catch (error) {
      const failure = failureOf(error);
      if (failure === undefined) throw error;
      call.screen.printError(`${failure.text}${placeText(error, statement)}`);
      return failure.exitCode;
    }
  }
  return EXIT.ok;
}

/** The line of a statement that an error is in, and a mark below. */
function placeText(error: unknown, statement: string): string {
  if (!(error instanceof ApiError)) return "";
  const { position, hint } = error.problem.context as Readonly<Record<string, unknown>>;
  const hinted = typeof hint === "string" ? `hint: ${plain(hint)}\n` : "";
  if (typeof position !== "number") return hinted;
  const { line, text, column } = sqlPlace(statement, position);
  const head = `LINE ${line}: `;
  return `${head}${plain(text)}\n${" ".repeat(head.length + column)}^\n${hinted}`;
}

async function runStatement(call: VerbCall, statement: string): Promise<void> {
  const { place, values, screen } = call;
  const { catalog, timeout } = values;
  const body: SqlRequest = {
    statement,
    ...(typeof catalog === "string" && { catalog }),
    ...(typeof timeout === "number" && { timeoutMs: timeout }),
  };
  const headers = { "Content-Type": "application/json", Accept: "application/x-ndjson" };
  const request = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await place.fetch(new Request(`${place.url}/api/v1/sql`, request));
  if (!response.ok || response.body === null) {
    throw new ApiError(problemIn(response.status, await response.text()));
  }
  const printer = new ResultPrinter(call);
  for await (const line of readSqlLines(response.body)) {
    printer.take(line);
    await screen.drained();
  }
}

/** Rows that are printed at once: widths are those of the first ones. */
const SHOWN_ROWS = 1_000;

/** Prints a result: aligned, with tabs for a pipe, or as JSON. */
class ResultPrinter {
  readonly #call: VerbCall;
  #columns: readonly SqlColumn[] = [];
  #rows: (readonly unknown[])[] = [];
  #printed = 0;

  constructor(call: VerbCall) {
    this.#call = call;
  }

  take(line: SqlLine): void {
    const { screen, format } = this.#call;
    if (line.kind === "columns") this.#columns = line.columns;
    else if (line.kind === "row") {
      this.#rows.push(line.values);
      if (this.#rows.length === SHOWN_ROWS) this.#flush();
    } else {
      this.#flush();
      for (const { severity, message } of line.notices) {
        screen.printError(`${severity}: ${plain(message)}\n`);
      }
      const hasRows = this.#columns.length > 0;
      if (format.form === "json" && hasRows) screen.print(this.#printed === 0 ? "[]\n" : "\n]\n");
      else if (format.form !== "text") return;
      else if (!hasRows) screen.print(`${line.command}\n`);
      else if (screen.isTerminal) {
        screen.print(`(${line.rowCount} ${line.rowCount === 1 ? "row" : "rows"})\n`);
      }
    }
  }

  #flush(): void {
    const { screen, format } = this.#call;
    const rows = this.#rows.splice(0);
    const isFirst = this.#printed === 0;
    this.#printed += rows.length;
    if (format.form === "text") {
      const isHead = isFirst && this.#columns.length > 0;
      if (rows.length > 0 || isHead) {
        screen.print(tableText(this.#shown(), rows, screen, isHead));
      }
      return;
    }
    const texts = rows.map((row) => JSON.stringify(this.#object(row)));
    if (format.form === "json") {
      if (rows.length > 0) screen.print(`${isFirst ? "[" : ","}\n  ${texts.join(",\n  ")}`);
    } else screen.print(texts.map((text) => `${text}\n`).join(""));
  }

  #object(row: readonly unknown[]): object {
    return Object.fromEntries(this.#columns.map(({ name }, i) => [name, row[i]]));
  }

  #shown(): readonly Column<readonly unknown[]>[] {
    return this.#columns.map(({ name, oid }, i) => ({
      header: name,
      value: (row) => shownText(row[i]),
      right: NUMBERS.has(oid),
    }));
  }
}

/** int8, int2, int4, oid, float4, float8, numeric. */
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 26, 700, 701, 1700]);

function shownText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
