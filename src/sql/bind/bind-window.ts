import type { Node } from "libpg-query";
import { SqlError } from "../error.ts";
import { canCoerce, typeName } from "../functions/coercion.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import { OID } from "../types/oids.ts";
import { bindOrder } from "./bind-order.ts";
import { coerce, located, settled } from "./coerce.ts";
import type { Expr } from "./expr.ts";
import type { FrameBound, Scope, WindowSpec } from "./scope.ts";

/** What a frame is, in bits. */
export const FRAME = {
  nonDefault: 0x1,
  range: 0x2,
  rows: 0x4,
  groups: 0x8,
  between: 0x10,
  startUnboundedPreceding: 0x20,
  endUnboundedPreceding: 0x40,
  startUnboundedFollowing: 0x80,
  endUnboundedFollowing: 0x100,
  startCurrent: 0x200,
  endCurrent: 0x400,
  startPreceding: 0x800,
  endPreceding: 0x1000,
  startFollowing: 0x2000,
  endFollowing: 0x4000,
  excludeCurrent: 0x8000,
  excludeGroup: 0x10000,
  excludeTies: 0x20000,
};

/** OVER: which rows a window function sees. */
export function bindWindow(
  scope: Scope,
  given: NodeOf<"WindowDef">,
  bind: (node: Node) => Expr,
): WindowSpec {
  return located(scope, given.location, () => {
    const definition = resolved(scope, given);
    const { partitionClause = [], orderClause = [], frameOptions = 0 } = definition;
    const value = (node: Node): Expr => settled(scope, bind(node));
    const has = (flag: number): boolean => (frameOptions & flag) !== 0;
    const mode = has(FRAME.rows) ? "rows" : has(FRAME.groups) ? "groups" : "range";
    const order = bindOrder(orderClause, value);
    if (mode === "groups" && order.length === 0) {
      throw new SqlError("42P20", "GROUPS mode requires an ORDER BY clause");
    }
    const bound = (side: "start" | "end"): FrameBound => {
      const node = side === "start" ? definition.startOffset : definition.endOffset;
      if (has(FRAME[`${side}UnboundedPreceding`])) return { kind: "unbounded preceding" };
      if (has(FRAME[`${side}UnboundedFollowing`])) return { kind: "unbounded following" };
      if (has(FRAME[`${side}Current`]) || node === undefined) return { kind: "current" };
      const kind = has(FRAME[`${side}Preceding`]) ? "preceding" : "following";
      const given = bind(node);
      const offset = offsetOf(scope, given, mode, order);
      // A literal is printed as what it became.
      if (given.oid === OID.unknown) scope.trace?.expr(offset, node, scope);
      return { kind, offset };
    };
    return {
      partition: partitionClause.map(value),
      order,
      mode,
      start: bound("start"),
      end: bound("end"),
      exclude: has(FRAME.excludeCurrent)
        ? "current row"
        : has(FRAME.excludeGroup)
          ? "group"
          : has(FRAME.excludeTies)
            ? "ties"
            : "no others",
    };
  });
}

/** A window by its name, or one that builds upon a named one. */
function resolved(scope: Scope, given: NodeOf<"WindowDef">): NodeOf<"WindowDef"> {
  const name = given.name ?? given.refname;
  const isReference = given.name !== undefined && given.name !== "";
  if (name === undefined || name === "") return given;
  const named = scope.namedWindows?.get(name);
  if (named === undefined) throw new SqlError("42704", `window "${name}" does not exist`);
  const base = resolved(scope, { ...named, name: "" });
  if (isReference) return base;
  if ((given.partitionClause ?? []).length > 0) {
    throw new SqlError("42P20", `cannot override PARTITION BY clause of window "${name}"`);
  }
  const hasOrder = (base.orderClause ?? []).length > 0;
  if (hasOrder && (given.orderClause ?? []).length > 0) {
    throw new SqlError("42P20", `cannot override ORDER BY clause of window "${name}"`);
  }
  if (((base.frameOptions ?? 0) & FRAME.nonDefault) !== 0) {
    const message = `cannot copy window "${name}" because it has a frame clause`;
    throw new SqlError("42P20", message);
  }
  return {
    ...given,
    name: "",
    refname: "",
    ...(base.partitionClause && { partitionClause: base.partitionClause }),
    ...(hasOrder && { orderClause: base.orderClause as Node[] }),
  };
}

const WHOLE = [OID.int2, OID.int4, OID.int8] as const;

/** Types of offsets, by the type of what is ordered by; the first is a plain text's. */
const OFFSETS: ReadonlyMap<number, readonly number[]> = new Map<number, readonly number[]>([
  [OID.int2, WHOLE],
  [OID.int4, [OID.int4, OID.int2, OID.int8]],
  [OID.int8, [OID.int8]],
  [OID.float4, [OID.float8]],
  [OID.float8, [OID.float8]],
  [OID.numeric, [OID.numeric]],
  ...[OID.date, OID.timestamp, OID.timestamptz, OID.time, OID.timetz, OID.interval].map(
    (oid) => [oid, [OID.interval]] as const,
  ),
]);

function offsetOf(
  scope: Scope,
  expr: Expr,
  mode: WindowSpec["mode"],
  order: WindowSpec["order"],
): Expr {
  if (mode !== "range") return coerce(scope, expr, OID.int8, -1, "implicit");
  const [by, second] = order;
  if (by === undefined || second !== undefined) {
    const message = "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column";
    throw new SqlError("42P20", message);
  }
  const { types } = scope.functions;
  const oid = by.expr.oid === OID.varchar ? OID.text : by.expr.oid;
  const offsets = OFFSETS.get(oid);
  if (offsets?.includes(expr.oid)) return expr;
  const target = offsets?.find((type) => canCoerce(types, expr.oid, type, "implicit"));
  if (target !== undefined) return coerce(scope, expr, target, -1, "implicit");
  const offset = offsets === undefined ? "" : ` and offset type ${typeName(types, expr.oid)}`;
  const message = "RANGE with offset PRECEDING/FOLLOWING is not supported for column type";
  throw new SqlError("0A000", `${message} ${typeName(types, oid)}${offset}`);
}

/** The windows that a query names. */
export function namedWindows(
  clause: readonly Node[] | undefined,
): ReadonlyMap<string, NodeOf<"WindowDef">> {
  const windows = new Map<string, NodeOf<"WindowDef">>();
  for (const node of clause ?? []) {
    const definition = contentOf(node, "WindowDef") ?? {};
    const { name = "" } = definition;
    if (windows.has(name)) throw new SqlError("42P20", `window "${name}" is already defined`);
    windows.set(name, definition);
  }
  return windows;
}
