import {
  allOf,
  anyOf,
  defaultClassOf,
  type IndexDescriptor,
  isAnswered,
  type PostingOperator,
  type PostingQuery,
  postingQuery,
  type TableDescriptor,
} from "../../rows/index.ts";
import { bare, type CallExpr, type Expr, isRowFree } from "../bind/expr.ts";
import { compile, type EvalContext } from "../exec/evaluate.ts";
import type { SearchPath } from "./search-path.ts";
import { storedColumns } from "./table-columns.ts";

/** What one condition asks of an index. */
interface Asked {
  readonly share: number;
  readonly postings: (context: EvalContext) => PostingQuery;
}

const OPERATORS: Readonly<Record<string, PostingOperator>> = {
  "@>": "contains",
  "<@": "contained",
  "&&": "overlaps",
  "=": "equals",
  "?": "key",
  "?|": "any key",
  "?&": "all keys",
};

/** The operator with its sides exchanged. */
const MIRRORED: Partial<Record<PostingOperator, PostingOperator>> = {
  contains: "contained",
  contained: "contains",
  overlaps: "overlaps",
  equals: "equals",
};

/** PostgreSQL's guesses where it has no statistics. */
const SHARES: Readonly<Record<PostingOperator, number>> = {
  contains: 0.005,
  contained: 0.05,
  overlaps: 0.01,
  equals: 0.005,
  key: 0.01,
  "any key": 0.02,
  "all keys": 0.005,
};

/** The inverted index that leaves the fewest rows; undefined where none answers a condition. */
export function invertedPath(
  table: TableDescriptor,
  filters: readonly Expr[],
): SearchPath | undefined {
  const paths = table.indexes.flatMap((index): SearchPath[] => {
    // A partial index lacks rows.
    const isUsable = index.state === "public" && index.predicate === undefined;
    if (index.method !== "gin" || !isUsable) return [];
    const asked = filters.flatMap((filter) => {
      const of = askedOf(table, index, filter);
      return of === undefined ? [] : [{ filter, of }];
    });
    if (asked.length === 0) return [];
    return [
      {
        index,
        title: "Inverted Index Scan",
        shown: asked.map(({ filter }) => filter),
        share: asked.reduce((share, { of }) => share * of.share, 1),
        request: (context) => ({
          postings: allOf(asked.map(({ of }) => of.postings(context))),
        }),
      },
    ];
  });
  return paths.toSorted((a, b) => a.share - b.share)[0];
}

function askedOf(table: TableDescriptor, index: IndexDescriptor, expr: Expr): Asked | undefined {
  switch (expr.kind) {
    case "call":
      return expr.isOperator ? ofOperator(table, index, expr) : undefined;
    case "and": {
      const parts = expr.args.flatMap((arg) => askedOf(table, index, arg) ?? []);
      if (parts.length === 0) return undefined;
      return {
        share: parts.reduce((share, one) => share * one.share, 1),
        postings: (context) => allOf(parts.map((one) => one.postings(context))),
      };
    }
    case "or": {
      const parts = expr.args.flatMap((arg) => askedOf(table, index, arg) ?? []);
      // A side that the index does not answer may be met by any row.
      if (parts.length < expr.args.length) return undefined;
      return {
        share: Math.min(
          1,
          parts.reduce((share, one) => share + one.share, 0),
        ),
        postings: (context) => anyOf(parts.map((one) => one.postings(context))),
      };
    }
    default:
      return undefined;
  }
}

function ofOperator(
  table: TableDescriptor,
  index: IndexDescriptor,
  call: CallExpr,
): Asked | undefined {
  const [left, right] = call.args.map(bare);
  const named = OPERATORS[call.name];
  if (left === undefined || right === undefined || named === undefined) return undefined;
  const isMirrored = left.kind !== "column";
  const operator = isMirrored ? MIRRORED[named] : named;
  const column = isMirrored ? right : left;
  const side = isMirrored ? left : right;
  if (operator === undefined || column.kind !== "column" || !isRowFree(side)) return undefined;
  const stored = storedColumns(table)[column.slot];
  const part = index.parts.findIndex((one) => "columnId" in one && one.columnId === stored?.id);
  const own = index.parts[part];
  if (stored === undefined || own === undefined) return undefined;
  const operatorClass = own.operatorClass ?? defaultClassOf(stored.type, stored.name);
  if (!isAnswered(operatorClass, operator)) return undefined;
  const value = compile(side);
  const inverted = { type: stored.type, operatorClass, part };
  // A path and its value in one term tell more than keys and values apart.
  const share = SHARES[operator] * (operatorClass === "jsonb_path_ops" ? 0.5 : 1);
  return {
    share,
    postings: (context) => postingQuery(inverted, operator, value([], context)),
  };
}
