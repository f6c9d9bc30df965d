import type { Clock } from "../../base/clock.ts";
import type { Prng } from "../../base/prng.ts";
import type {
  ColumnType,
  CompiledExpression,
  ExpressionContext,
  Expressions,
  ExpressionUse,
  TableDescriptor,
} from "../../rows/index.ts";
import { bindExpr } from "../bind/bind-expression.ts";
import { coerceToBool, settled } from "../bind/coerce.ts";
import { type Expr, someExpr } from "../bind/expr.ts";
import { Parameters, type Scope } from "../bind/scope.ts";
import { SqlError } from "../error.ts";
import { compile } from "../exec/evaluate.ts";
import { FunctionRegistry } from "../functions/resolve.ts";
import { withoutQualifiers } from "../parse/deparse.ts";
import { type ParsedExpression, parseExpression, renamedColumn } from "../parse/expression-text.ts";
import type { Parser } from "../parse/parser.ts";
import type { SqlContext } from "../types/context.ts";
import { contextWithoutSession } from "../types/no-session.ts";
import { TypeRegistry } from "../types/registry.ts";
import { assignedExpr } from "./assign.ts";
import { scopeTable, valueTable } from "./table-columns.ts";

export interface RowExpressionsParts {
  readonly parser: Parser;
  readonly clock: Clock;
  readonly prng: Prng;
}

/** How PostgreSQL's messages name what a text is of. */
const WHAT: Readonly<Record<ExpressionUse, string>> = {
  default: "DEFAULT expression",
  check: "check constraint",
  partition: "partition bound",
  generated: "column generation expression",
  predicate: "index predicate",
  "index part": "index expression",
  domain: "check constraint",
};

/** The SQL that stands in descriptors of tables, compiled. */
export class RowExpressions implements Expressions {
  readonly #parts: RowExpressionsParts;
  /** Of writes that come through no session: made once for each transaction. */
  readonly #contexts = new WeakMap<ExpressionContext, SqlContext>();
  readonly #functions = new FunctionRegistry(new TypeRegistry());

  constructor(parts: RowExpressionsParts) {
    this.#parts = parts;
  }

  /** @throws SqlError as binding does; 42P17 for what may give another value next time. */
  async compile(
    text: string,
    table: TableDescriptor,
    type: ColumnType | undefined,
    use: ExpressionUse,
  ): Promise<CompiledExpression> {
    const evaluate = compile(await this.#bound(text, table, type, use));
    const parameters: readonly never[] = [];
    return (row, context) => evaluate(row, { sql: this.#contextOf(context), parameters });
  }

  async isVolatile(
    text: string,
    table: TableDescriptor,
    type: ColumnType | undefined,
    use: ExpressionUse,
  ): Promise<boolean> {
    const expr = await this.#bound(text, table, type, use);
    return someExpr(expr, (part) => part.kind === "call" && part.isVolatile);
  }

  async #bound(
    text: string,
    table: TableDescriptor,
    type: ColumnType | undefined,
    use: ExpressionUse,
  ): Promise<Expr> {
    const parsed = await parseExpression(this.#parts.parser, text, WHAT[use]);
    const scope = this.#scope(table, parsed, use, type);
    const bound = bindExpr(scope, withoutQualifiers(parsed.node));
    if (use === "domain") return coerceToBool(scope, bound, "CHECK");
    refuseUnfit(bound, parsed, table, use);
    const column = { id: 0, name: table.name, type: type ?? { kind: "bool" }, nullable: true };
    return type === undefined
      ? coerceToBool(scope, bound, WHAT[use].toUpperCase())
      : assignedExpr(scope, column as never, bound, undefined);
  }

  async typeOf(text: string, table: TableDescriptor, use: ExpressionUse): Promise<ColumnType> {
    const parsed = await parseExpression(this.#parts.parser, text, WHAT[use]);
    const scope = this.#scope(table, parsed, use, undefined);
    const { oid, typmod } = settled(scope, bindExpr(scope, withoutQualifiers(parsed.node)));
    return this.#functions.types.toColumnType(oid, typmod);
  }

  async columnsOf(text: string): Promise<readonly string[]> {
    const { columns } = await parseExpression(this.#parts.parser, text, "an expression");
    return [...new Set(columns.map(({ name }) => name))];
  }

  async renamed(text: string, from: string, to: string): Promise<string> {
    const parsed = await parseExpression(this.#parts.parser, text, "an expression");
    return renamedColumn(text, parsed, from, to);
  }

  #scope(
    table: TableDescriptor,
    { source }: ParsedExpression,
    use: ExpressionUse,
    type: ColumnType | undefined,
  ): Scope {
    const { types } = this.#functions;
    // A text names the types of the table's own columns, and no others.
    types.finder = (schema, name) => {
      const named = table.columns.flatMap((column) => oidsIn(types, column.type));
      return named
        .map((oid) => types.find(oid))
        .find((one) => one?.name === name && (schema === undefined || one.schema === schema));
    };
    const seen =
      use === "default"
        ? []
        : use === "domain"
          ? [valueTable(types, type ?? { kind: "text" })]
          : [scopeTable(types, { descriptor: table, oid: 0 })];
    return {
      functions: this.#functions,
      context: this.#contextOf({ transactionTime: 0n }),
      source,
      parameters: new Parameters([], true),
      tables: seen,
      clause: `${WHAT[use]}s`,
      depth: 0,
    };
  }

  /** The session's where there is one; otherwise settings as a new session has them. */
  #contextOf(context: ExpressionContext): SqlContext {
    const { session, transactionTime } = context;
    if (session !== undefined) return session as SqlContext;
    const known = this.#contexts.get(context);
    if (known !== undefined) return known;
    const { clock, prng } = this.#parts;
    const made = contextWithoutSession(clock, prng, transactionTime);
    this.#contexts.set(context, made);
    return made;
  }
}

/** The OIDs of a type and of those that it is made of. */
function oidsIn(types: TypeRegistry, type: ColumnType): readonly number[] {
  const { element, fields = [] } = type;
  const below = [...(element === undefined ? [] : [element]), ...fields.map((one) => one.type)];
  return [types.fromColumnType(type).oid, ...below.flatMap((one) => oidsIn(types, one))];
}

function refuseUnfit(
  expr: Expr,
  { columns }: ParsedExpression,
  table: TableDescriptor,
  use: ExpressionUse,
): void {
  const what = WHAT[use];
  const isSet = (part: Expr): boolean => part.kind === "call" && part.returnsSet;
  if (someExpr(expr, isSet)) {
    throw new SqlError("0A000", `set-returning functions are not allowed in ${what}s`);
  }
  if (use === "default" || use === "check" || use === "domain" || use === "partition") return;
  if (someExpr(expr, isMutable)) {
    throw new SqlError("42P17", `functions in ${what} must be marked IMMUTABLE`);
  }
  if (use !== "generated") return;
  const other = table.columns.find(
    ({ generated, dropped, name }) =>
      generated !== undefined && dropped !== true && columns.some((one) => one.name === name),
  );
  if (other === undefined) return;
  throw new SqlError("42P17", `cannot use generated column "${other.name}" in ${what}`, {
    detail: "A generated column cannot reference another generated column.",
  });
}

/** Whether an equal row may have another value at another time or in another session. */
function isMutable(part: Expr): boolean {
  if (part.kind === "call") return part.isVolatile || part.isStable === true;
  return part.kind === "cast" && part.cast.isStable;
}
