import type { Node } from "libpg-query";
import type { ArrayDatum, Datum } from "../../rows/datum.ts";
import { notSupported, SqlError } from "../error.ts";
import { canCoerce, typeName } from "../functions/coercion.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import { elementAt } from "../types/array-element.ts";
import { MAX_DIMENSIONS } from "../types/array-literal.ts";
import { EMPTY_ARRAY } from "../types/arrays.ts";
import { OID } from "../types/oids.ts";
import { ofByte } from "../types/texts.ts";
import { operatorCall } from "./bind-operator.ts";
import { coerce, located } from "./coerce.ts";
import type { Expr } from "./expr.ts";
import type { Scope } from "./scope.ts";

type Bind = (node: Node) => Expr;

/** `a[1]`, `a[1][2]`, `a[2:3]`: an element or a part of an array. @throws SqlError 42804. */
export function bindSubscript(
  scope: Scope,
  array: Expr,
  indirection: readonly Node[],
  bind: Bind,
): Expr {
  const { types } = scope.functions;
  const indices = indirection.map((node) => contentOf(node, "A_Indices"));
  const element = types.elementOf(types.baseOf(array.oid));
  if (element === 0) {
    const type = typeName(types, array.oid);
    if (type === "jsonb") return jsonbPart(scope, array, indices, bind);
    if (type === "name" && indices.length === 1) return byteOfName(scope, array, indices[0], bind);
    const hint = type === "json" ? { hint: "Use -> and ->>." } : {};
    throw new SqlError(
      "42804",
      `cannot subscript type ${type} because it does not support subscripting`,
      hint,
    );
  }
  if (indices.length > MAX_DIMENSIONS) {
    const most = `exceeds the maximum allowed (${MAX_DIMENSIONS})`;
    throw new SqlError("54000", `number of array dimensions (${indices.length}) ${most}`);
  }
  const isSlice = indices.some((each) => each?.is_slice === true);
  const bound = (node: Node | undefined): Expr => {
    if (node === undefined) return { kind: "const", oid: OID.int4, typmod: -1, value: null };
    const index = bind(node);
    return located(scope, undefined, () => coerce(scope, index, OID.int4, -1, "assignment"));
  };
  // Without `lidx` a subscript among slices means `1:n`.
  const pairs = indices.map((each) => ({
    lower: each?.is_slice === true ? bound(each.lidx) : undefined,
    upper: bound(each?.uidx),
    isOpen: [
      each?.is_slice === true && each.lidx === undefined,
      each?.is_slice === true && each.uidx === undefined,
    ] as const,
  }));
  const args = [array, ...pairs.flatMap(({ lower, upper }) => [lower ?? ONE, upper])];
  const evaluate = isSlice
    ? (value: Datum, ...given: readonly unknown[]) =>
        sliceOf(
          value as ArrayDatum,
          boundsOf(
            given,
            pairs.map(({ isOpen }) => isOpen),
          ),
        )
    : (value: Datum, ...given: readonly unknown[]) =>
        elementOf(
          value as ArrayDatum,
          pairs.map((_, i) => given[2 * i + 1]),
        );
  return {
    kind: "call",
    name: isSlice ? "slice" : "subscript",
    oid: isSlice ? types.baseOf(array.oid) : element,
    typmod: array.typmod,
    args,
    evaluate: evaluate as never,
    procedure: "",
    isOperator: false,
    isStrict: false,
    isVolatile: false,
    returnsSet: false,
  };
}

/** `n[0]`: a byte of a name, which PostgreSQL keeps as 64 of them. @throws SqlError 42804. */
function byteOfName(
  scope: Scope,
  name: Expr,
  index: NodeOf<"A_Indices"> | undefined,
  bind: Bind,
): Expr {
  if (index?.is_slice === true || index?.uidx === undefined) throw notSupported("a part of a name");
  const at = coerce(scope, bind(index.uidx), OID.int4, -1, "assignment");
  const evaluate = (value: string, place: number): Datum => {
    if (place < 0 || place >= NAME_BYTES) return null;
    const byte = Buffer.from(value)[place] ?? 0;
    return ofByte(byte);
  };
  return {
    kind: "call",
    name: "subscript",
    oid: OID.char,
    typmod: -1,
    args: [name, at],
    evaluate: evaluate as never,
    procedure: "",
    isOperator: false,
    isStrict: true,
    isVolatile: false,
    returnsSet: false,
  };
}

const NAME_BYTES = 64;

/** `j['a'][0]`: a part of a JSON value, by its path. @throws SqlError 42804. */
function jsonbPart(
  scope: Scope,
  value: Expr,
  indices: readonly (NodeOf<"A_Indices"> | undefined)[],
  bind: Bind,
): Expr {
  const path = indices.map((each): Expr => {
    if (each?.is_slice === true) {
      throw new SqlError("42804", "jsonb subscript does not support slices");
    }
    if (each?.uidx === undefined) throw notSupported("a jsonb subscript without a value");
    const index = bind(each.uidx);
    const { types } = scope.functions;
    // A text wins where the index could be both, as for a literal.
    const oid = [OID.text, OID.int4].find((type) => canCoerce(types, index.oid, type, "implicit"));
    if (oid === undefined) {
      const type = typeName(types, index.oid);
      throw new SqlError("42804", `subscript type ${type} is not supported`, {
        hint: "jsonb subscript must be coercible to either integer or text.",
      });
    }
    const key = coerce(scope, index, oid, -1, "implicit");
    return coerce(scope, key, OID.text, -1, "explicit");
  });
  const keys = { kind: "array", oid: TEXTS, typmod: -1, args: path, isNested: false } as const;
  const of = coerce(scope, value, OID.jsonb, -1, "implicit");
  return operatorCall(scope, "#>", [of, keys]);
}

/** `text[]` */
const TEXTS = 1009;

const ONE: Expr = { kind: "const", oid: OID.int4, typmod: -1, value: 1 };

/** From and to in each dimension; "open": as far as the array goes; null: NULL was given. */
type Bound = readonly [lower: number | "open" | null, upper: number | "open" | null];

function boundsOf(
  given: readonly unknown[],
  open: readonly (readonly [boolean, boolean])[],
): readonly Bound[] {
  return open.map(([isLowerOpen, isUpperOpen], i) => [
    isLowerOpen ? "open" : (given[2 * i] as number | null),
    isUpperOpen ? "open" : (given[2 * i + 1] as number | null),
  ]);
}

/** NULL where there is no such element, or the array or an index is NULL. */
function elementOf(array: ArrayDatum | null, indexes: readonly unknown[]): Datum {
  const subscripts = indexes.filter((index) => typeof index === "number");
  return subscripts.length === indexes.length ? elementAt(array, subscripts) : null;
}

/** Its indexes begin at 1. An empty array where there is nothing between the bounds. */
function sliceOf(array: ArrayDatum | null, bounds: readonly Bound[]): Datum {
  if (array === null || bounds.some((each) => each.includes(null))) return null;
  const { dimensions, lowerBounds, elements } = array;
  if (bounds.length > dimensions.length) return EMPTY_ARRAY;
  const ranges = dimensions.map((length, i): readonly [from: number, to: number] => {
    const least = lowerBounds[i] as number;
    const [lower, upper] = bounds[i] ?? ["open", "open"];
    const from = lower === "open" ? least : Math.max(Number(lower), least);
    const to = upper === "open" ? least + length - 1 : Math.min(Number(upper), least + length - 1);
    return [from - least, to - least];
  });
  if (ranges.some(([from, to]) => from > to)) return EMPTY_ARRAY;
  const taken: Datum[] = [];
  const walk = (depth: number, base: number): void => {
    const [from, to] = ranges[depth] as readonly [number, number];
    for (let i = from; i <= to; i++) {
      const at = base * (dimensions[depth] as number) + i;
      if (depth + 1 === dimensions.length) taken.push(elements[at] ?? null);
      else walk(depth + 1, at);
    }
  };
  walk(0, 0);
  return {
    dimensions: ranges.map(([from, to]) => to - from + 1),
    lowerBounds: ranges.map(() => 1),
    elements: taken,
  };
}
