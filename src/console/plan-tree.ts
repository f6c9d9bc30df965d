/** A node of a plan, as EXPLAIN prints it. */
export interface PlanStep {
  readonly title: string;
  /** What it says of itself below its title. */
  readonly details: readonly string[];
  /** Milliseconds and rows that ANALYZE saw; absent without it. */
  readonly actual?: { readonly ms?: number; readonly rows: number };
  readonly children: readonly PlanStep[];
}

interface Open {
  readonly indent: number;
  readonly step: {
    title: string;
    details: string[];
    actual?: NonNullable<PlanStep["actual"]>;
    children: Open["step"][];
  };
}

const ACTUAL = / \(actual (?:time=([\d.]+) )?rows=(\d+)\)$/;

function stepOf(text: string): Open["step"] {
  const [told, ms, rows] = ACTUAL.exec(text) ?? [];
  const title = told === undefined ? text : text.slice(0, -told.length);
  if (rows === undefined) return { title, details: [], children: [] };
  const actual = { rows: Number(rows), ...(ms !== undefined && { ms: Number(ms) }) };
  return { title, details: [], actual, children: [] };
}

/**
 * Plans in the lines of EXPLAIN: a node begins at the margin or behind `->`, and holds every line
 * that stands further right. Undefined where the lines are not a plan.
 */
export function planTree(lines: readonly string[]): readonly PlanStep[] | undefined {
  const roots: Open["step"][] = [];
  const open: Open[] = [];
  for (const line of lines) {
    const [, spaces = "", arrow, text = ""] = /^( *)(-> {2})?(.*)$/.exec(line) ?? [];
    const indent = spaces.length;
    if (arrow === undefined && indent > 0) {
      const above = open.findLast((each) => each.indent < indent);
      if (above === undefined) return undefined;
      above.step.details.push(text);
      continue;
    }
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop();
    const step = stepOf(text);
    (open.at(-1)?.step.children ?? roots).push(step);
    open.push({ indent, step });
  }
  return roots.length === 0 ? undefined : roots;
}
