import { type Expr, fieldsOf } from "../bind/expr.ts";
import { ROW } from "../bind/row-expr.ts";

/** What an expression is, as far as parentheses around it and in it go. */
export type Kind =
  | "leaf"
  | "function"
  | "cast"
  | "syntax"
  | "case"
  | "field"
  | "operator"
  | "subquery"
  | "test"
  | "and"
  | "or"
  | "not"
  | "other";

export function isField(expr: Expr): boolean {
  return expr.kind === "call" && expr.name.startsWith(".") && expr.procedure.startsWith("field ");
}

export function isRow(expr: Expr): boolean {
  return expr.kind === "call" && expr.procedure === ROW && fieldsOf(expr) !== undefined;
}

export function kindOfExpr(expr: Expr): Kind {
  switch (expr.kind) {
    case "const":
    case "param":
    case "column":
    case "outer":
    case "default":
      return "leaf";
    case "aggregate":
    case "window":
    case "grouping":
    case "coalesce":
    case "nullIf":
    case "extreme":
    case "array":
      return "function";
    case "cast":
      return "cast";
    case "case":
      return "case";
    case "subquery":
      return "subquery";
    case "isNull":
    case "booleanTest":
    case "distinct":
      return "test";
    case "and":
    case "or":
    case "not":
      return expr.kind;
    case "any":
      return "other";
    case "call":
      if (isField(expr)) return "field";
      if (expr.isOperator) return "operator";
      return /^row is (?:not )?null$/.test(expr.procedure) ? "test" : "function";
  }
}

/** What has parentheses, brackets or key words around its parts. */
const CLOSED: ReadonlySet<Kind> = new Set(["function", "case"]);
const LOGIC: ReadonlySet<Kind> = new Set(["and", "or", "not"]);

/** Whether an expression needs no parentheses in another one. */
export function isSimple(expr: Expr, parent: Kind, around: Expr | undefined): boolean {
  const kind = kindOfExpr(expr);
  switch (kind) {
    case "leaf":
    case "function":
    case "case":
      return true;
    case "field":
      return parent !== "field";
    case "cast":
      // A cast that is a function's call is one; another is as what it casts.
      if (expr.kind !== "cast" || !expr.cast.isIdentity) return true;
      return isSimple(expr.arg, "cast", expr);
    case "operator":
      if (parent === "operator") return bindsTighter(expr, around);
      return CLOSED.has(parent) || LOGIC.has(parent);
    case "subquery":
    case "test":
      return CLOSED.has(parent) || LOGIC.has(parent);
    case "and":
    case "or":
    case "not":
      if (CLOSED.has(parent)) return true;
      if (kind === "or") return parent === "or";
      return parent === "and" || parent === "or";
    default:
      return false;
  }
}

const LOW = "+-";
const HIGH = "*/%";

function arithmetic(expr: Expr | undefined): string | undefined {
  if (expr?.kind !== "call" || !expr.isOperator || expr.args.length !== 2) return undefined;
  return expr.name.length === 1 && (LOW + HIGH).includes(expr.name) ? expr.name : undefined;
}

function bindsTighter(expr: Expr, around: Expr | undefined): boolean {
  const [own, outer] = [arithmetic(expr), arithmetic(around)];
  if (own === undefined || outer === undefined) return false;
  if (HIGH.includes(own) && LOW.includes(outer)) return true;
  if (LOW.includes(own) && HIGH.includes(outer)) return false;
  return around?.kind === "call" && around.args[0] === expr;
}
