import type { CallExpr, Expr } from "../bind/expr.ts";
import { OID } from "../types/oids.ts";
import type { Writer } from "./writer.ts";

interface Printers {
  readonly whole: (expr: Expr) => void;
  /** With parentheses where it needs some. */
  readonly part: (expr: Expr) => void;
}

/**
 * Writes a call in the form that the standard has for it, such as `EXTRACT(year FROM x)`.
 *
 * @returns whether there is one.
 */
export function syntaxOf(call: CallExpr, writer: Writer, print: Printers): boolean {
  const form = formOf(call);
  if (form === undefined) return false;
  for (const piece of form.split(/([$@#]\d)/)) {
    const arg = call.args[Number(piece.slice(1))];
    if (arg === undefined || !/^[$@#]\d$/.test(piece)) writer.put(piece);
    else if (piece.startsWith("$")) print.whole(arg);
    else if (piece.startsWith("@")) print.part(arg);
    else writer.put(arg.kind === "const" ? String(arg.value) : "");
  }
  return true;
}

function formOf({ name, args }: CallExpr): string | undefined {
  const isPattern = name === "substring" && args[1]?.oid === OID.text;
  if (!isPattern) return FORMS[`${name} ${args.length}`];
  return args.length === 3 ? "SUBSTRING($0 SIMILAR $1 ESCAPE $2)" : undefined;
}

/**
 * By the name of the function and how many arguments it has: `$0` is the first argument, `@0` is it
 * with the parentheses that it needs, `#0` is the bare text of a constant.
 */
const FORMS: Readonly<Record<string, string>> = {
  "timezone 2": "(@1 AT TIME ZONE @0)",
  "overlaps 4": "(($0, $1) OVERLAPS ($2, $3))",
  "extract 2": "EXTRACT(#0 FROM $1)",
  "is_normalized 1": "(($0) IS NORMALIZED)",
  "is_normalized 2": "(($0) IS #1 NORMALIZED)",
  "pg_collation_for 1": "COLLATION FOR ($0)",
  "normalize 1": "NORMALIZE($0)",
  "normalize 2": "NORMALIZE($0, #1)",
  "overlay 3": "OVERLAY($0 PLACING $1 FROM $2)",
  "overlay 4": "OVERLAY($0 PLACING $1 FROM $2 FOR $3)",
  "position 2": "POSITION(($1) IN ($0))",
  "substring 2": "SUBSTRING($0 FROM $1)",
  "substring 3": "SUBSTRING($0 FROM $1 FOR $2)",
  "btrim 1": "TRIM(BOTH FROM $0)",
  "btrim 2": "TRIM(BOTH $1 FROM $0)",
  "ltrim 1": "TRIM(LEADING FROM $0)",
  "ltrim 2": "TRIM(LEADING $1 FROM $0)",
  "rtrim 1": "TRIM(TRAILING FROM $0)",
  "rtrim 2": "TRIM(TRAILING $1 FROM $0)",
};
