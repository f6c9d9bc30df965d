import type { ExecRun, RowSource } from "../exec/run.ts";

/** An operator of a plan: what EXPLAIN shows of it, and how it runs. */
export interface PlanNode {
  readonly title: string;
  readonly details: readonly string[];
  readonly children: readonly PlanNode[];
  readonly open: (run: ExecRun, observe: Observe) => Promise<RowSource> | RowSource;
}

/** Told of each source that is opened, which it may watch: EXPLAIN ANALYZE. */
export type Observe = (node: PlanNode, source: RowSource) => RowSource;

export const UNOBSERVED: Observe = (_node, source) => source;

export async function openNode(node: PlanNode, run: ExecRun, observe: Observe): Promise<RowSource> {
  return observe(node, await node.open(run, observe));
}

/** A node over one other. */
export function over(
  child: PlanNode,
  title: string,
  details: readonly string[],
  wrap: (source: RowSource, run: ExecRun) => RowSource,
): PlanNode {
  return {
    title,
    details,
    children: [child],
    open: async (run, observe) => wrap(await openNode(child, run, observe), run),
  };
}
