import type { Asks } from "./asks.ts";
import type { ApiOperation, Schema } from "./operation.ts";
import { COUNT, FLAG, listOf, NAME, object, oneOf, TEXT } from "./schema.ts";

/** A column of a result, with its type as PostgreSQL names it. */
export interface SqlColumn {
  readonly name: string;
  readonly type: string;
  readonly oid: number;
}

export interface SqlNotice {
  readonly severity: string;
  readonly sqlState: string;
  readonly message: string;
}

/** What the last statement of a request gave. */
export interface SqlAnswer {
  /** As PostgreSQL's clients print it: `INSERT 0 1`. */
  readonly command: string;
  readonly rowCount: number;
  readonly columns: readonly SqlColumn[];
  readonly rows: readonly (readonly unknown[])[];
  readonly notices?: readonly SqlNotice[];
}

/** SQL that is one transaction: nothing of it outlives its answer. */
export interface SqlRequest {
  readonly statement: string;
  readonly parameters?: readonly unknown[];
  readonly catalog?: string;
  readonly transaction?: {
    readonly isolation?: "serializable" | "repeatable read" | "read committed";
    readonly readOnly?: boolean;
  };
  readonly timeoutMs?: number;
  readonly settings?: Readonly<Record<string, string>>;
}

export interface SqlOperations {
  runSql: Asks<never, object, SqlRequest, SqlAnswer>;
}

const COLUMN = object({ name: TEXT, type: TEXT, oid: COUNT });
const NOTICE = object({ severity: TEXT, sqlState: TEXT, message: TEXT });
const ROW: Schema = {
  type: "array",
  description:
    "Values in the order of the columns: booleans, int2, int4 and finite floats as in JSON, " +
    "json and jsonb as they are, arrays as arrays, all other types as PostgreSQL's text",
};

/** A line of an answer in lines: the columns, one row each, then the end or an error. */
const LINE: Schema = {
  anyOf: [
    object({ columns: listOf(COLUMN) }),
    ROW,
    object({ command: TEXT, rowCount: COUNT }, { notices: listOf(NOTICE) }),
    object({ error: { type: "object", description: "A problem (RFC 9457)" } }),
  ],
};

export const SQL_OPERATIONS: Readonly<Record<keyof SqlOperations, ApiOperation>> = {
  runSql: {
    method: "POST",
    template: "/sql",
    tag: "sql",
    summary: "Run SQL in a transaction: one statement, or several without parameters",
    needs: ["see"],
    body: object(
      {
        statement: {
          type: "string",
          minLength: 1,
          description: "The answer is that of the last statement",
        },
      },
      {
        parameters: {
          type: "array",
          maxItems: 65_535,
          description: "Values of $1, $2 …; texts are read as PostgreSQL reads its literals",
        },
        catalog: { ...NAME, description: "The database; absent: default" },
        transaction: object(
          {},
          {
            isolation: oneOf("serializable", "repeatable read", "read committed"),
            readOnly: FLAG,
          },
        ),
        timeoutMs: {
          type: "integer",
          minimum: 1,
          maximum: 3_600_000,
          description: "Ends a statement that takes longer; absent: 30000",
        },
        settings: {
          type: "object",
          additionalProperties: { type: "string" },
          description: "As SET takes them, such as search_path and TimeZone",
        },
      },
    ),
    status: 200,
    answer: object(
      { command: TEXT, rowCount: COUNT, columns: listOf(COLUMN), rows: listOf(ROW) },
      { notices: listOf(NOTICE) },
    ),
    answerLines: LINE,
  },
};
