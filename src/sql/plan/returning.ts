import type { Node } from "libpg-query";
import { type Datum, type TableDescriptor, visibleColumns } from "../../rows/index.ts";
import type { ScopeTable } from "../bind/scope.ts";
import { compile } from "../exec/evaluate.ts";
import type { ExecRun, Row } from "../exec/run.ts";
import { type PlanEnv, scopeOf } from "./env.ts";
import { slotsOf } from "./from-tree.ts";
import type { OutputColumn } from "./query.ts";
import { asNumeric } from "./scan-node.ts";
import { bindTargets } from "./targets.ts";

/** RETURNING: what is told of each row that a statement changed. */
export interface Returning {
  readonly columns: readonly OutputColumn[];
  /** Slots that it reads. */
  readonly slots: ReadonlySet<number>;
  /** @param row by the slots of the statement. */
  readonly row: (row: Row, run: ExecRun) => Promise<Row>;
}

export function bindReturning(
  env: PlanEnv,
  tables: readonly ScopeTable[],
  list: readonly Node[] | undefined,
): Returning | undefined {
  if (list === undefined || list.length === 0) return undefined;
  const targets = bindTargets(scopeOf(env, tables, "RETURNING"), list);
  const values = targets.map(({ expr }) => compile(expr));
  return {
    columns: targets.map(({ column }) => column),
    slots: slotsOf(targets.map(({ expr }) => expr)),
    row: (row, run) => run.evaluate(() => values.map((value) => value(row, run.evaluation))),
  };
}

/** Rows as the store gives them, in the datums of expressions. */
export function reader(table: TableDescriptor): (row: Row) => Row {
  const numerics = visibleColumns(table).flatMap(({ type }, slot) =>
    type.kind === "numeric" ? [slot] : [],
  );
  if (numerics.length === 0) return (row) => row;
  return (row) => {
    const read = [...row];
    for (const slot of numerics) read[slot] = asNumeric(read[slot] as Datum);
    return read;
  };
}
