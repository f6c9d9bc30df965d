import { type Expr, mapExpr, someExpr } from "../bind/expr.ts";
import type { ScopeTable } from "../bind/scope.ts";
import type { JoinType } from "../exec/join.ts";
import type { Relation } from "./relation.ts";

/** Relations of FROM and their joins. Slots count over all relations of the query. */
export type FromTree = FromRelation | FromJoin;

export interface FromRelation {
  readonly kind: "relation";
  readonly relation: Relation;
  /** The slot of its first column. */
  readonly base: number;
}

export interface FromJoin {
  readonly kind: "join";
  readonly type: JoinType;
  readonly left: FromTree;
  readonly right: FromTree;
  /** All of them are to be true. */
  readonly on: readonly Expr[];
}

/** FROM: what it reads, and what names may mean. */
export interface From {
  readonly tree: FromTree;
  readonly tables: readonly ScopeTable[];
  /** How many slots it has. */
  readonly width: number;
  /** Whether a part of it depends on a query around it. */
  readonly isCorrelated: boolean;
}

export function relationsOf(tree: FromTree): readonly FromRelation[] {
  if (tree.kind === "relation") return [tree];
  return [...relationsOf(tree.left), ...relationsOf(tree.right)];
}

export function slotsOf(exprs: readonly Expr[]): Set<number> {
  const slots = new Set<number>();
  for (const expr of exprs) {
    someExpr(expr, (part) => {
      if (part.kind === "column") slots.add(part.slot);
      return false;
    });
  }
  return slots;
}

/** Conditions and values that a tree's joins and relations read. */
export function exprsOf(tree: FromTree): readonly Expr[] {
  if (tree.kind === "relation") return tree.relation.refs ?? [];
  return [...tree.on, ...exprsOf(tree.left), ...exprsOf(tree.right)];
}

/** Columns by other slots. */
export function movedColumns(expr: Expr, by: (slot: number) => number): Expr {
  return mapExpr(expr, (part) =>
    part.kind === "column" ? { ...part, slot: by(part.slot) } : undefined,
  );
}

/** The tree of a subquery in a query around it: behind its slots, with its values in place. */
export function pulledUp(tree: FromTree, base: number, change: (expr: Expr) => Expr): FromTree {
  if (tree.kind === "relation") {
    const { relation } = tree;
    const refs = relation.refs?.map(change);
    return { ...tree, base: tree.base + base, relation: refs ? { ...relation, refs } : relation };
  }
  return {
    ...tree,
    left: pulledUp(tree.left, base, change),
    right: pulledUp(tree.right, base, change),
    on: tree.on.map(change),
  };
}
