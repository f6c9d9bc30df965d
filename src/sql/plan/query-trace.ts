import type { Expr } from "../bind/expr.ts";
import type { BindTrace, OrderPart, Scope } from "../bind/scope.ts";
import type { NodeOf } from "../parse/statement.ts";

interface TracedTarget {
  readonly expr: Expr;
  readonly column: { readonly name: string };
}

/** A SELECT whose names and types are known. */
export interface SelectParts {
  readonly kind: "select";
  readonly scope: Scope;
  readonly where: Expr | undefined;
  readonly targets: readonly TracedTarget[];
  readonly groups: { readonly exprs: readonly Expr[] };
  readonly having: Expr | undefined;
  readonly sorts: readonly OrderPart[];
  /** Of DISTINCT ON. */
  readonly distinct: readonly Expr[];
}

/** VALUES, by rows. */
interface ValuesParts {
  readonly kind: "values";
  readonly rows: readonly (readonly Expr[])[];
  readonly targets: readonly TracedTarget[];
  readonly sorts: readonly OrderPart[];
}

/** UNION, INTERSECT or EXCEPT. */
interface SetParts {
  readonly kind: "set";
  readonly targets: readonly TracedTarget[];
  readonly sorts: readonly OrderPart[];
}

export type QueryParts = SelectParts | ValuesParts | SetParts;

/** Is told what each query means, and the queries below it. */
export interface QueryTrace extends BindTrace {
  readonly query: (select: NodeOf<"SelectStmt">, parts: QueryParts) => void;
}
