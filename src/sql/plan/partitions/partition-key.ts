import { type Datum, visibleColumns } from "../../../rows/index.ts";
import { bindExpr } from "../../bind/bind-expression.ts";
import { settled } from "../../bind/coerce.ts";
import type { Expr } from "../../bind/expr.ts";
import { compile, type EvalContext } from "../../exec/evaluate.ts";
import type { Row } from "../../exec/run.ts";
import { withoutQualifiers } from "../../parse/deparse.ts";
import { type PlanEnv, scopeOf } from "../env.ts";
import { slotsOf } from "../from-tree.ts";
import { scopeTable } from "../table-columns.ts";
import type { TableUse } from "../table-use.ts";
import { type KeyType, keyType } from "./bounds.ts";
import { partType } from "./key-parts.ts";

/** The key of a partitioned table, over its visible columns. */
export interface PartitionKey {
  readonly types: readonly KeyType[];
  readonly exprs: readonly Expr[];
  /** Slots that it is computed of. */
  readonly slots: ReadonlySet<number>;
  readonly valuesOf: (row: Row, context: EvalContext) => readonly Datum[];
}

export function partitionKey(env: PlanEnv, use: TableUse): PartitionKey {
  const { descriptor, partitions } = use;
  const { types } = env.functions;
  const columns = visibleColumns(descriptor);
  const table = scopeTable(types, use);
  const scope = scopeOf(env, [table], "partition keys");
  const parts = descriptor.partitioned?.parts ?? [];
  const exprs = parts.map((part, i): Expr => {
    if (!("columnId" in part)) {
      const tree = withoutQualifiers(partitions?.expressions[i] as never);
      return settled(scope, bindExpr(scope, tree));
    }
    const slot = columns.findIndex(({ id }) => id === part.columnId);
    const column = table.columns[slot] as (typeof table.columns)[0];
    const { oid, typmod, name } = column;
    return { kind: "column", oid, typmod, slot, name };
  });
  const values = exprs.map(compile);
  return {
    types: parts.map((part) => keyType(types, partType(descriptor, part))),
    exprs,
    slots: slotsOf(exprs),
    valuesOf: (row, context) => values.map((value) => value(row, context)),
  };
}
