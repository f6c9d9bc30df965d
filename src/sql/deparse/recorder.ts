import type { Node } from "libpg-query";
import type { Expr } from "../bind/expr.ts";
import { textsOf } from "../bind/names.ts";
import type { Scope, ScopeTable } from "../bind/scope.ts";
import { SqlError } from "../error.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import type { QueryParts, QueryTrace } from "../plan/query-trace.ts";

/** How an expression was written, and where its names were looked for. */
export interface Origin {
  readonly node?: Node | undefined;
  readonly scope: Scope;
}

/** What a query means, part by part, as its binding told. */
export class Recorder implements QueryTrace {
  readonly #origins = new Map<Expr, Origin>();
  readonly #exprs = new Map<Node, { readonly expr: Expr; readonly scope: Scope }>();
  readonly #groups = new Map<Node, Expr>();
  readonly #items = new Map<Node, readonly ScopeTable[]>();
  readonly #queries = new Map<object, QueryParts>();
  readonly #collations = new Map<Expr, string>();

  readonly expr = (expr: Expr, node: Node, scope: Scope): void => {
    this.#exprs.set(node, { expr, scope });
    const collation = contentOf(node, "CollateClause");
    if (collation !== undefined) {
      this.#collations.set(expr, textsOf(collation.collname).at(-1) ?? "");
    }
    // A cast that changes nothing is what it casts.
    if (!this.#origins.has(expr)) this.#origins.set(expr, { node, scope });
  };

  readonly group = (expr: Expr, node: Node): void => {
    this.#groups.set(node, expr);
  };

  readonly item = (node: Node, tables: readonly ScopeTable[]): void => {
    this.#items.set(node, tables);
  };

  readonly query = (select: NodeOf<"SelectStmt">, parts: QueryParts): void => {
    this.#queries.set(select, parts);
  };

  originOf(expr: Expr): Origin | undefined {
    return this.#origins.get(expr);
  }

  collationOf(expr: Expr): string | undefined {
    return this.#collations.get(expr);
  }

  exprOf(node: Node): { readonly expr: Expr; readonly scope: Scope } {
    return known(this.#exprs.get(node));
  }

  groupOf(node: Node): Expr {
    return known(this.#groups.get(node));
  }

  tablesOf(node: Node): readonly ScopeTable[] {
    return known(this.#items.get(node));
  }

  partsOf(select: NodeOf<"SelectStmt">): QueryParts | undefined {
    return this.#queries.get(select);
  }
}

function known<T>(value: T | undefined): T {
  if (value !== undefined) return value;
  throw new SqlError("XX000", "a part of a view's query is not known");
}
