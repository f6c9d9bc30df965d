import type { SqlAnswer, SqlOperations } from "../../api/sql-operations.ts";
import { invalid } from "../../base/error.ts";
import type { SqlEnd, SqlResult } from "../../service/sql/requests.ts";
import { asFirnError } from "../failure.ts";
import { HTTP_LIMITS } from "../limits.ts";
import type { Handlers, StreamHandler } from "./call.ts";
import { JsonText } from "./json-text.ts";
import { problemOf } from "./problems.ts";

export const SQL_HANDLERS: Handlers<keyof SqlOperations> = {
  runSql: async ({ actor, service, body }) => {
    const result = await service.sql.run(actor, body);
    try {
      return (await wholeAnswer(result)) as unknown as SqlAnswer;
    } finally {
      await result.close();
    }
  },
};

/** What serves the operations that also answer with rows as lines. */
export const SQL_STREAMS: { readonly runSql: StreamHandler<"runSql"> } = {
  runSql: async ({ actor, service, body, ended }) =>
    linesOf(await service.sql.run(actor, body, ended)),
};

/** @throws FirnError `RESULT_TOO_LARGE` before anything is committed. */
async function wholeAnswer(result: SqlResult): Promise<JsonText> {
  const rows: string[] = [];
  let length = 0;
  for await (const batch of result.rows()) {
    for (const row of batch) {
      length += row.length + 1;
      rows.push(row);
    }
    if (length > HTTP_LIMITS.sqlAnswerChars) {
      const message =
        "the result is too large for one answer: add LIMIT, or send Accept: application/x-ndjson";
      throw invalid("RESULT_TOO_LARGE", message, { sqlState: "54000" });
    }
  }
  const end = endOf(await result.end());
  const columns = JSON.stringify(result.columns);
  const head = JSON.stringify(end).slice(0, -1);
  return new JsonText(`${head},"columns":${columns},"rows":[${rows.join(",")}]}`);
}

/** A line for the columns, one for each row, and one for the end or what went wrong. */
async function* linesOf(result: SqlResult): AsyncGenerator<string, void> {
  try {
    yield `${JSON.stringify({ columns: result.columns })}\n`;
    for await (const batch of result.rows()) yield batch.map((row) => `${row}\n`).join("");
    yield `${JSON.stringify(endOf(await result.end()))}\n`;
  } catch (error) {
    // The status has been sent: a line tells it.
    yield `{"error":${problemOf(asFirnError(error), "POST", true).body}}\n`;
  } finally {
    await result.close();
  }
}

function endOf({ command, rowCount, notices }: SqlEnd) {
  const told = notices.map(({ severity, sqlState, message }) => ({ severity, sqlState, message }));
  return { command, rowCount, ...(told.length > 0 && { notices: told }) };
}
