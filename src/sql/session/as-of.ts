import type { Clock } from "../../base/clock.ts";
import type { Datum } from "../../rows/index.ts";
import { bindExpr } from "../bind/bind-expression.ts";
import { Parameters, type Scope } from "../bind/scope.ts";
import { notSupported, SqlError } from "../error.ts";
import { compile } from "../exec/evaluate.ts";
import type { FunctionRegistry } from "../functions/resolve.ts";
import type { AsOfClause } from "../parse/as-of.ts";
import { parseExpression } from "../parse/expression-text.ts";
import { contentOf, type Statement } from "../parse/statement.ts";
import type { Prepared } from "../plan/plan.ts";
import { OID } from "../types/oids.ts";
import type { SqlContexts } from "./sql-context.ts";

const WHAT = "AS OF SYSTEM TIME";
const MICROS_A_MS = 1_000n;
const NANOS_A_MS = 1_000_000n;
const NANOS = /^\s*[+-]?[0-9]+\s*$/;

/** What it needs of its session. */
interface Session {
  readonly clock: Clock;
  readonly contexts: SqlContexts;
  parse(text: string): readonly Statement[] | Promise<readonly Statement[]>;
  readText(oid: number, text: string): Datum;
}

/** Statements that read, and those whose plans refuse by themselves: they change rows. */
const TAKES: ReadonlySet<string> = new Set([
  "SelectStmt",
  "CopyStmt",
  "ExplainStmt",
  "PrepareStmt",
  "DeclareCursorStmt",
  "TransactionStmt",
  "VariableSetStmt",
  "InsertStmt",
  "UpdateStmt",
  "DeleteStmt",
  "MergeStmt",
]);

/** The clauses of a statement, or of the one that it executes. */
export function asOfClauses(
  { asOf, node }: Statement,
  prepared: ReadonlyMap<string, Prepared | undefined>,
): readonly AsOfClause[] {
  const executed = contentOf(node, "ExecuteStmt")?.name;
  const inner = executed === undefined ? undefined : prepared.get(executed)?.statement.asOf;
  return asOf ?? inner ?? [];
}

/** Whether it sets the time of a transaction, not its own. */
export function isOfTransaction({ kind }: Statement): boolean {
  return kind === "TransactionStmt" || kind === "VariableSetStmt";
}

/**
 * The time of a statement's clauses, in ms: what was committed at its end is read.
 *
 * @throws SqlError 0A000: the statement takes none; 42601: they differ; 22023: it is not a time of
 *   the past.
 */
export async function timeOf(
  session: Session,
  functions: FunctionRegistry,
  statement: Statement,
  clauses: readonly AsOfClause[],
): Promise<number> {
  const [first] = clauses as readonly [AsOfClause];
  const isKept = contentOf(statement.node, "SelectStmt")?.intoClause !== undefined;
  const isKnown = TAKES.has(statement.kind) || statement.kind === "ExecuteStmt";
  if (isKept || !isKnown) {
    throw notSupported(`${WHAT} in this statement`, "It is for statements that only read.");
  }
  let timeMs: number | undefined;
  for (const clause of clauses) {
    const at = await placed(clause, () => clauseTime(session, functions, clause.expression));
    if (timeMs !== undefined && at !== timeMs) {
      const message = `${WHAT} of one statement must be the same time everywhere`;
      throw new SqlError("42601", message).at(clause.position);
    }
    timeMs = at;
  }
  const at = timeMs as number;
  if (at > session.clock.nowMs()) {
    throw new SqlError("22023", `${WHAT}: cannot specify a time in the future`).at(first.position);
  }
  return at;
}

async function placed<T>({ position }: AsOfClause, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    throw new SqlError(error.sqlState, error.message, { ...error.fields, position }, error);
  }
}

async function clauseTime(
  session: Session,
  functions: FunctionRegistry,
  text: string,
): Promise<number> {
  const { oid, value } = await evaluated(session, functions, text);
  switch (oid) {
    case OID.unknown:
    case OID.text:
    case OID.varchar:
      if (typeof value === "string") return await textTime(session, functions, value);
      throw wrong();
    case OID.int4:
    case OID.int8:
    case OID.numeric:
      return nanosTime(String(value));
    case OID.interval:
      return await instant(session, functions, `now() + (${text})`);
    case OID.date:
    case OID.timestamp:
    case OID.timestamptz:
      return await instant(session, functions, `CAST((${text}) AS timestamptz)`);
    default:
      throw wrong();
  }
}

/** A timestamp, nanoseconds since 1970, or an interval before now. */
async function textTime(
  session: Session,
  functions: FunctionRegistry,
  value: string,
): Promise<number> {
  if (NANOS.test(value)) return nanosTime(value);
  const isA = (oid: number): boolean => {
    try {
      session.readText(oid, value);
      return true;
    } catch (error) {
      if (error instanceof SqlError) return false;
      throw error;
    }
  };
  const quoted = `'${value.replaceAll("'", "''")}'`;
  if (isA(OID.timestamptz)) return await instant(session, functions, `timestamptz ${quoted}`);
  if (isA(OID.interval)) return await instant(session, functions, `now() + interval ${quoted}`);
  throw wrong();
}

function nanosTime(text: string): number {
  if (!NANOS.test(text)) throw wrong();
  return Number(BigInt(text.trim()) / NANOS_A_MS);
}

async function instant(
  session: Session,
  functions: FunctionRegistry,
  text: string,
): Promise<number> {
  const { value } = await evaluated(session, functions, text);
  if (typeof value !== "bigint") throw wrong();
  return Number(value / MICROS_A_MS);
}

/** The value of an expression without columns and parameters. */
async function evaluated(
  session: Session,
  functions: FunctionRegistry,
  text: string,
): Promise<{ readonly oid: number; readonly value: Datum }> {
  const parser = { parse: (whole: string) => session.parse(whole) };
  const { node, source } = await parseExpression(parser, text, WHAT);
  const sql = session.contexts.now();
  const scope: Scope = {
    functions,
    context: sql,
    source,
    parameters: new Parameters([], true),
    tables: [],
    clause: WHAT,
    depth: 0,
  };
  const expr = bindExpr(scope, node);
  return { oid: expr.oid, value: compile(expr)([], { sql, parameters: [] }) };
}

function wrong(): SqlError {
  const message = `${WHAT}: value is neither timestamp, nanoseconds since 1970, nor interval`;
  return new SqlError("22023", message);
}
