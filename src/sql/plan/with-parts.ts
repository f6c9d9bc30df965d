import { BatchRows } from "../exec/join.ts";
import { ReadyRows } from "../exec/operators.ts";
import { type ExecRun, type Row, type RowSource, rowBytes } from "../exec/run.ts";
import { SharedRows } from "../exec/shared.ts";
import type { ChangePlan } from "./change-plan.ts";
import { type Observe, openNode, type PlanNode } from "./node.ts";

/** A query of WITH, as it runs beside others. */
export interface Part {
  readonly name: string;
  /** The key by which runs share its rows. */
  readonly key: object;
  readonly plan: () => PlanNode;
  /** It changes rows: it is run to its end, once, read or not. */
  readonly change?: ChangePlan;
}

/** A query that is read as far as needed. */
export function queryPart(name: string, key: object, make: () => PlanNode): Part {
  let made: PlanNode | undefined;
  const plan = (): PlanNode => {
    made ??= make();
    return made;
  };
  return { name, key, plan };
}

/** A change, whose rows are those of RETURNING. */
export function changePart(name: string, key: object, change: ChangePlan): Part {
  const node = changeNode(change);
  return { name, key, plan: () => node, change };
}

/** A change as a source of what it tells. */
export function changeNode(change: ChangePlan): PlanNode {
  const { title, children } = change;
  const open: PlanNode["open"] = (run, observe) => changed(change, run, observe);
  return { title, details: [], children, open };
}

/** What EXPLAIN shows of it. */
export function shownPart({ name, plan }: Part): PlanNode {
  const node = plan();
  return { ...node, title: `CTE ${name}`, details: [], children: [node] };
}

interface Shared {
  /** A run below which the parts may be read. */
  readonly below: ExecRun;
  /** Runs the changes that nothing has read: the last one first, which may read those before it. */
  readonly finish: () => Promise<void>;
}

/** Shares the rows of queries in a run. */
export function shareParts(run: ExecRun, parts: readonly Part[], observe: Observe): Shared {
  const below = run.below(undefined);
  const unread: (() => Promise<void>)[] = [];
  for (const { key, plan, change } of parts) {
    const node = plan();
    let isBegun = false;
    const open = (): Promise<RowSource> => {
      isBegun = true;
      return openNode(node, below, observe);
    };
    below.share(key, new SharedRows(open, below));
    if (change === undefined) continue;
    unread.unshift(async () => {
      if (isBegun) return;
      observe(node, new ReadyRows([]));
      await change.run(below, () => undefined, observe);
    });
  }
  const finish = async (): Promise<void> => {
    for (const each of unread) await each();
  };
  return { below, finish };
}

/** Rows that are handed on at once. */
const BATCH = 256;

/** All of a change: what it tells is handed on when it is done. */
async function changed(change: ChangePlan, run: ExecRun, observe: Observe): Promise<RowSource> {
  const rows: Row[] = [];
  const tell = (row: Row): void => {
    run.keep(rowBytes(row));
    rows.push(row);
  };
  await change.run(run, tell, observe);
  async function* handed(): AsyncGenerator<readonly Row[], void> {
    for (let at = 0; at < rows.length; at += BATCH) {
      const batch = rows.slice(at, at + BATCH);
      run.keep(-batch.reduce((sum, row) => sum + rowBytes(row), 0));
      yield batch;
    }
  }
  return new BatchRows(handed());
}
