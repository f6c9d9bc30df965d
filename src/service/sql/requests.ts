import type { SqlRequest } from "../../api/sql-operations.ts";
import { FirnError, invalid } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import type { Datum } from "../../rows/datum.ts";
import { notSupported, SqlError } from "../../sql/error.ts";
import { typeName } from "../../sql/functions/coercion.ts";
import type { SessionNotice } from "../../sql/plan/plan.ts";
import type { SqlSession } from "../../sql/session/session.ts";
import type { Column, Row, Rows, Started } from "../../sql/session/started.ts";
import type { Actor } from "../actor.ts";
import { ShardElsewhere, shardMoved } from "../shards/shard-elsewhere.ts";
import { jsonWriter, parameterText } from "./json-values.ts";
import type { SqlService } from "./service.ts";

export interface ResultColumn {
  readonly name: string;
  readonly type: string;
  readonly oid: number;
}

/** What the last statement gives, as it comes. Must be read to its end, or closed. */
export interface SqlResult {
  readonly columns: readonly ResultColumn[];
  /** Rows as JSON text, in batches. @throws FirnError as the statement fails. */
  rows(): AsyncGenerator<readonly string[], void>;
  /** Commits. Valid once the rows have ended. */
  end(): Promise<SqlEnd>;
  /** Lets go of everything, and undoes what was not committed. Idempotent. */
  close(): Promise<void>;
}

export interface SqlEnd {
  readonly command: string;
  readonly rowCount: number;
  readonly notices: readonly SessionNotice[];
}

const DATABASE = "default";
const TIMEOUT_MS = 30_000;
const BATCH_ROWS = 1_000;
/** Notices that one answer tells. */
const MOST_NOTICES = 100;

/** SQL as single requests. */
export class SqlRequests {
  readonly #sql: SqlService;

  constructor(sql: SqlService) {
    this.#sql = sql;
  }

  /**
   * Starts the statements of a request: all but the last have been done when it returns.
   *
   * @throws FirnError as a statement fails; nothing of it has happened.
   */
  async run(actor: Actor, text: SqlRequest, ended?: AbortSignal): Promise<SqlResult> {
    const { catalog = DATABASE, parameters = [] } = text;
    const login = { user: actor.principal, database: catalog, settings: settingsOf(text) };
    const session = await this.#sql.open(actor, login);
    const notices: SessionNotice[] = [];
    session.onNotice = (notice) => {
      if (notices.length < MOST_NOTICES) notices.push(notice);
    };
    const cancel = (): void => session.cancel("08006");
    ended?.addEventListener("abort", cancel);
    const close = async (): Promise<void> => {
      ended?.removeEventListener("abort", cancel);
      await session.close();
    };
    try {
      const started = await startAll(session, text.statement, parameters, ended);
      return keptHere(session, resultOf(session, started, notices, close));
    } catch (error) {
      const told = await toldOf(session, error);
      await close();
      throw told;
    }
  }
}

/**
 * An earlier statement may have been done by the time that another node has the rows: the request
 * is not that node's to run again.
 */
async function toldOf(session: SqlSession, error: unknown): Promise<unknown> {
  return error instanceof ShardElsewhere ? shardMoved(error) : await session.concealed(error);
}

function keptHere(session: SqlSession, result: SqlResult): SqlResult {
  const kept = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw await toldOf(session, error);
    }
  };
  return {
    ...result,
    async *rows() {
      try {
        yield* result.rows();
      } catch (error) {
        throw await toldOf(session, error);
      }
    },
    end: () => kept(result.end()),
  };
}

function settingsOf({ transaction, timeoutMs, settings }: SqlRequest): ReadonlyMap<string, string> {
  const { isolation, readOnly } = transaction ?? {};
  return new Map([
    ["statement_timeout", String(timeoutMs ?? TIMEOUT_MS)],
    ...Object.entries(settings ?? {}),
    ...(isolation === undefined ? [] : [["default_transaction_isolation", isolation] as const]),
    ...(readOnly === true ? [["default_transaction_read_only", "on"] as const] : []),
  ]);
}

/** @returns what the last statement has begun to give. */
async function startAll(
  session: SqlSession,
  text: string,
  parameters: readonly unknown[],
  ended: AbortSignal | undefined,
): Promise<Started> {
  const statements = await session.parse(text);
  if (statements.length > 1 && parameters.length > 0) {
    const message = "cannot insert multiple commands into a prepared statement";
    throw new SqlError("42601", message, { hint: "Send one statement with parameters." });
  }
  for (const [index, statement] of statements.entries()) {
    ended?.throwIfAborted();
    const isLast = index === statements.length - 1;
    const prepared = await session.prepare(statement, []);
    const { parameterTypes } = prepared;
    if (parameterTypes.length !== parameters.length) {
      const needed = `the statement has ${parameterTypes.length} parameters`;
      throw new SqlError("08P01", `${needed}, and the request gives ${parameters.length}`);
    }
    const values = parameters.map((value, i) => readParameter(session, value, parameterTypes[i]));
    const started = await session.start(prepared, values, isLast);
    if (started.kind === "copyIn" || started.kind === "copyOut") {
      await started.close();
      throw notSupported("COPY over HTTP", "Use a PostgreSQL client, such as psql.");
    }
    if (isLast) return started;
    await drain(started);
  }
  throw invalid("STATEMENT_EMPTY", "the text has no statement", { sqlState: "42601" });
}

function readParameter(session: SqlSession, value: unknown, oid = 0): Datum {
  const text = parameterText(value as JsonValue, session.types.isArray(oid));
  return text === null ? null : session.readText(oid, text);
}

async function drain(started: Started): Promise<void> {
  if (started.kind === "rows") {
    while ((await started.next(BATCH_ROWS)) !== undefined);
  }
  await started.finish();
}

function resultOf(
  session: SqlSession,
  started: Started,
  notices: readonly SessionNotice[],
  close: () => Promise<void>,
): SqlResult {
  const columns = started.kind === "rows" ? started.columns : [];
  let count = 0;
  return {
    columns: columns.map(({ name, type }) => ({
      name,
      type: typeName(session.types, type.oid),
      oid: type.oid,
    })),
    async *rows() {
      if (started.kind !== "rows") return;
      const write = rowWriter(session, columns);
      for await (const batch of batchesOf(started)) {
        count += batch.length;
        yield batch.map(write);
      }
    },
    end: async () => {
      const command = await started.finish();
      await session.sync();
      assertClosed(session);
      const rowCount = started.kind === "rows" ? count : countIn(command);
      return { command, rowCount, notices };
    },
    close,
  };
}

async function* batchesOf(rows: Rows): AsyncGenerator<readonly Row[], void> {
  for (;;) {
    const batch = await rows.next(BATCH_ROWS);
    if (batch === undefined) return;
    yield batch;
  }
}

function rowWriter(session: SqlSession, columns: readonly Column[]): (row: Row) => string {
  const context = session.contexts.now();
  const writers = columns.map(({ type }) => jsonWriter(session.types, type.oid, context));
  return (row) => {
    const fields = writers.map((write, i) => {
      const value = row[i] ?? null;
      return value === null ? "null" : write(value);
    });
    return `[${fields.join(",")}]`;
  };
}

/** The number of rows at the end of a tag. */
function countIn(command: string): number {
  return Number(/ (\d+)$/.exec(command)?.[1] ?? 0);
}

/** Nothing of a transaction that a request begins could ever be ended by another one. */
function assertClosed(session: SqlSession): void {
  if (!session.transactionState.hasBegun) return;
  const message =
    "the request ends within a transaction, which was rolled back: end it with COMMIT, or leave " +
    "out BEGIN";
  throw new FirnError("Invalid", "TRANSACTION_OPEN", message, { sqlState: "25000" });
}
