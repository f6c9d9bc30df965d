import type { Node } from "libpg-query";
import { notSupported } from "../error.ts";
import type { RowSource } from "../exec/run.ts";
import { contentOf } from "../parse/statement.ts";
import type { Observe, PlanNode } from "./node.ts";

/** What EXPLAIN (ANALYZE) saw of a node. */
interface Seen {
  rows: number;
  ms: number;
  readonly source: RowSource;
}

export interface ExplainOptions {
  readonly isAnalyze: boolean;
  readonly isTimed: boolean;
}

/** @throws SqlError 0A000. */
export function explainOptions(options: readonly Node[]): ExplainOptions {
  const isOn = (name: string): boolean | undefined => {
    const option = options
      .map((node) => contentOf(node, "DefElem"))
      .find((each) => each?.defname === name);
    if (option === undefined) return undefined;
    if (option.arg === undefined) return true;
    const text = contentOf(option.arg, "String")?.sval ?? contentOf(option.arg, "Integer")?.ival;
    return !["off", "false", "0", 0, undefined].includes(text);
  };
  const format = options
    .map((node) => contentOf(node, "DefElem"))
    .find((each) => each?.defname === "format");
  const named = contentOf(format?.arg, "String")?.sval ?? "text";
  if (named.toLowerCase() !== "text") throw notSupported(`EXPLAIN (FORMAT ${named})`);
  return { isAnalyze: isOn("analyze") === true, isTimed: isOn("timing") !== false };
}

/** Watches the sources of a plan while it runs. */
export class PlanWatch {
  readonly #seen = new Map<PlanNode, Seen>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  readonly observe: Observe = (node, source): RowSource => {
    const seen: Seen = { rows: 0, ms: 0, source };
    this.#seen.set(node, seen);
    return {
      next: async () => {
        const beganMs = this.#nowMs();
        const batch = await source.next();
        seen.ms += this.#nowMs() - beganMs;
        seen.rows += batch?.length ?? 0;
        return batch;
      },
      close: () => source.close(),
    };
  };

  of(node: PlanNode): Seen | undefined {
    return this.#seen.get(node);
  }
}

/** The lines of a plan, as psql shows them. */
export function planLines(
  node: PlanNode,
  watch?: PlanWatch,
  isTimed = true,
  depth = 0,
): readonly string[] {
  const indent = depth === 0 ? "" : `${" ".repeat(depth * 6 - 4)}->  `;
  const below = " ".repeat(depth * 6 + 2);
  const seen = watch?.of(node);
  const time = isTimed && seen !== undefined ? `time=${seen.ms.toFixed(3)} ` : "";
  const told = seen === undefined ? "" : ` (actual ${time}rows=${seen.rows})`;
  return [
    `${indent}${node.title}${told}`,
    ...[...node.details, ...(seen?.source.facts?.() ?? [])].map((each) => `${below}${each}`),
    ...node.children.flatMap((child) => planLines(child, watch, isTimed, depth + 1)),
  ];
}
