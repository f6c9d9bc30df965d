import type { Datum } from "../../rows/index.ts";
import type { Expr } from "../bind/expr.ts";
import type { ScopeColumn, ScopeTable } from "../bind/scope.ts";
import type { VirtualRelation } from "../catalog/virtual.ts";
import type { ExecRun, Row, RowSource } from "../exec/run.ts";
import { conditionOf } from "./conditions.ts";
import type { PlanNode } from "./node.ts";

/** A virtual relation as names of a statement see it. */
export function virtualTable(relation: VirtualRelation, alias?: string): ScopeTable {
  const columns = relation.columns.map(
    ({ name, oid, typmod = -1 }, slot): ScopeColumn => ({
      name,
      oid,
      typmod,
      slot,
      tableOid: relation.oid,
      attribute: slot + 1,
    }),
  );
  const schema = alias === undefined ? { schema: relation.schema } : {};
  const filled = columns[0]?.name === "oid" ? { filled: 0 } : {};
  const name = alias ?? relation.name;
  return { name, ...schema, columns, isStored: true, rowType: 0, ...filled };
}

/** Reads rows of a virtual relation. Conditions on its columns are told, and not relied upon. */
export function virtualNode(
  relation: VirtualRelation,
  filters: readonly Expr[],
  needed: ReadonlySet<number>,
): PlanNode {
  const conditions = filters.flatMap((filter) => {
    return conditionOf(filter) ?? [];
  });
  return {
    title: `Virtual Scan on ${relation.name}`,
    details: [],
    children: [],
    open: (run) => {
      const equal = new Map<number, readonly Datum[]>();
      const least = new Map<number, Datum>();
      for (const { slot, ranges, isPoints } of conditions) {
        const found = ranges(run.evaluation);
        const [first] = found;
        if (isPoints) {
          equal.set(
            slot,
            found.flatMap((each) => ("point" in each ? [each.point] : [])),
          );
        } else if (found.length === 1 && first !== undefined && "lower" in first) {
          if (first.lower !== undefined) least.set(slot, first.lower.value);
        }
      }
      const { signal } = run;
      const { sql } = run.evaluation;
      const rows = relation.scan({ rows: run.transaction, sql, signal, needed, equal, least });
      return new VirtualRows(rows, run);
    },
  };
}

type Batches = ReturnType<VirtualRelation["scan"]>;

class VirtualRows implements RowSource {
  readonly #batches: Iterator<readonly Row[]> | AsyncIterator<readonly Row[]>;
  readonly #run: ExecRun;

  constructor(batches: Batches, run: ExecRun) {
    this.#batches =
      Symbol.asyncIterator in batches
        ? batches[Symbol.asyncIterator]()
        : batches[Symbol.iterator]();
    this.#run = run;
  }

  async next(): Promise<readonly Row[] | undefined> {
    for (;;) {
      await this.#run.pause();
      const { done, value } = await this.#batches.next();
      if (done === true) return undefined;
      if (value.length > 0) return value;
    }
  }

  close(): void {
    // What fails under way is told by `next`; here no caller waits for it.
    Promise.resolve(this.#batches.return?.()).catch(() => undefined);
  }
}
