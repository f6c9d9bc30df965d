import { typeName } from "../functions/coercion.ts";
import type { SqlContext } from "../types/context.ts";
import type { TypeRegistry } from "../types/registry.ts";
import type { Expr } from "./expr.ts";

/** Prints bound expressions, for EXPLAIN; equal texts are equal expressions. */
export class ExprPrinter {
  readonly #types: TypeRegistry;
  readonly #context: SqlContext;

  constructor(types: TypeRegistry, context: SqlContext) {
    this.#types = types;
    this.#context = context;
  }

  text(expr: Expr): string {
    const each = (parts: readonly Expr[], by: string): string =>
      parts.map((part) => this.text(part)).join(by);
    switch (expr.kind) {
      case "const":
        return this.#constant(expr.oid, expr.value);
      case "param":
        return `$${expr.index + 1}`;
      case "column":
        return expr.name;
      case "outer":
        return expr.name;
      case "aggregate":
      case "window":
        return `${expr.kind} ${expr.index}`;
      case "grouping":
        return `GROUPING(${each(expr.args, ", ")})`;
      case "subquery":
        return this.#subquery(expr);
      case "default":
        return "DEFAULT";
      case "call":
        // A field of a row.
        if (expr.name.startsWith(".")) return `(${each(expr.args, "")})${expr.name}`;
        if (!expr.isOperator) return `${expr.name}(${each(expr.args, ", ")})`;
        return expr.args.length === 1
          ? `(${expr.name} ${each(expr.args, "")})`
          : `(${each(expr.args, ` ${expr.name} `)})`;
      case "cast":
        if (expr.cast.isIdentity) return this.text(expr.arg);
        return `(${this.text(expr.arg)})::${typeName(this.#types, expr.oid)}`;
      case "and":
      case "or":
        return `(${each(expr.args, expr.kind === "and" ? " AND " : " OR ")})`;
      case "not":
        return `(NOT ${this.text(expr.arg)})`;
      case "isNull":
        return `(${this.text(expr.arg)} IS ${expr.isNegated ? "NOT " : ""}NULL)`;
      case "booleanTest": {
        const word = expr.value === null ? "UNKNOWN" : expr.value ? "TRUE" : "FALSE";
        return `(${this.text(expr.arg)} IS ${expr.isNegated ? "NOT " : ""}${word})`;
      }
      case "distinct": {
        const words = expr.isNegated ? "IS NOT DISTINCT FROM" : "IS DISTINCT FROM";
        return `(${each(expr.equal.args, ` ${words} `)})`;
      }
      case "case": {
        const whens = expr.whens.map(
          ({ when, value }) => `WHEN ${this.text(when)} THEN ${this.text(value)}`,
        );
        const last = expr.otherwise === undefined ? "" : ` ELSE ${this.text(expr.otherwise)}`;
        return `CASE ${whens.join(" ")}${last} END`;
      }
      case "coalesce":
        return `COALESCE(${each(expr.args, ", ")})`;
      case "nullIf":
        return `NULLIF(${each(expr.equal.args, ", ")})`;
      case "extreme":
        return `${expr.isGreatest ? "GREATEST" : "LEAST"}(${each(expr.args, ", ")})`;
      case "array":
        return `ARRAY[${each(expr.args, ", ")}]`;
      case "any": {
        const side = expr.array === undefined ? each(expr.list ?? [], ", ") : this.text(expr.array);
        const word = expr.isAll ? "ALL" : "ANY";
        return `(${this.text(expr.left)} ${expr.operator} ${word} (${side}))`;
      }
    }
  }

  #subquery({ form, left }: Extract<Expr, { kind: "subquery" }>): string {
    const values = left.map((part) => this.text(part)).join(", ");
    switch (form) {
      case "scalar":
        return "(SubPlan)";
      case "exists":
        return "EXISTS(SubPlan)";
      case "array":
        return "ARRAY(SubPlan)";
      case "any":
      case "all":
        return `(${values} ${form.toUpperCase()} (SubPlan))`;
    }
  }

  #constant(oid: number, value: Extract<Expr, { kind: "const" }>["value"]): string {
    if (value === null) return `NULL::${typeName(this.#types, oid)}`;
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    const shown = this.#types.get(oid).codec.output(value, this.#context);
    return `'${shown.replaceAll("'", "''")}'::${typeName(this.#types, oid)}`;
  }
}
