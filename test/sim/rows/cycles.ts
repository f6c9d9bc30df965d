/**
 * Finds the anomalies of Adya's thesis in a history of transactions that append to lists, as Elle
 * does (Kingsbury and Alvaro, VLDB 2020): each element is unique, so a list tells the order of its
 * writes, and what a read has seen says which transactions it depends on.
 */

/** `maybe`: its caller was not told. */
export type Fate = "committed" | "aborted" | "maybe";

export type Action =
  | { readonly kind: "append"; readonly list: string; readonly element: string }
  | { readonly kind: "read"; readonly list: string; readonly elements: readonly string[] };

export interface Recorded {
  readonly name: string;
  readonly actions: readonly Action[];
  fate: Fate;
  /** Positions in the order of all beginnings and ends; it is not over where the end is absent. */
  readonly begunAt: number;
  endedAt?: number;
}

export type Anomaly =
  | "lost"
  | "torn"
  | "own write unseen"
  | "incompatible order"
  | "G1a"
  | "G1b"
  | "G0"
  | "G1c"
  | "G-single"
  | "G2"
  | "real time";

export interface Finding {
  readonly anomaly: Anomaly;
  readonly text: string;
}

/** What each level refuses. */
export const REFUSED: Readonly<
  Record<"read committed" | "repeatable read" | "serializable", ReadonlySet<Anomaly>>
> = (() => {
  const outcomes: readonly Anomaly[] = ["lost", "torn", "own write unseen", "incompatible order"];
  const committed: readonly Anomaly[] = [...outcomes, "G1a", "G1b", "G0", "G1c"];
  return {
    "read committed": new Set(committed),
    "repeatable read": new Set([...committed, "G-single"] as const),
    serializable: new Set([...committed, "G-single", "G2", "real time"] as const),
  };
})();

/** `ww`: overwrote; `wr`: read what the other wrote; `rw`: read what the other replaced. */
type EdgeKind = "ww" | "wr" | "rw" | "rt";

interface Edge {
  readonly to: number;
  readonly kind: EdgeKind;
}

/**
 * All anomalies of a history.
 *
 * @param final each list as it is in the end.
 */
export function anomaliesOf(
  transactions: readonly Recorded[],
  final: ReadonlyMap<string, readonly string[]>,
): readonly Finding[] {
  const writers = writersOf(transactions);
  const there = new Set([...final.values()].flat());
  const isIn = ({ fate, actions }: Recorded): boolean =>
    fate === "committed" ||
    (fate === "maybe" && actions.some((one) => one.kind === "append" && there.has(one.element)));
  const findings: Finding[] = [];
  for (const one of transactions) {
    findings.push(...outcomeFindings(one, isIn(one), there));
    if (one.fate === "committed") findings.push(...readFindings(one, final, writers));
  }
  if (findings.length > 0) return findings;
  const present = transactions.filter(isIn);
  return cycleFindings(present, graphOf(present, final));
}

function writersOf(transactions: readonly Recorded[]): ReadonlyMap<string, Recorded> {
  const writers = new Map<string, Recorded>();
  for (const one of transactions) {
    for (const action of one.actions) {
      if (action.kind !== "append") continue;
      if (writers.has(action.element)) throw new Error(`${action.element} is appended twice`);
      writers.set(action.element, one);
    }
  }
  return writers;
}

/** What was promised is there, all or nothing of it. */
function* outcomeFindings(
  { name, fate, actions }: Recorded,
  isIn: boolean,
  there: ReadonlySet<string>,
): Generator<Finding> {
  for (const action of actions) {
    if (action.kind !== "append" || there.has(action.element) === isIn) continue;
    const what = `${action.element} of ${name}, ${fate}`;
    if (isIn && fate === "committed") yield { anomaly: "lost", text: `${what}, is not there` };
    else if (isIn) yield { anomaly: "torn", text: `${what}, is not there, others of it are` };
    else yield { anomaly: "G1a", text: `${what}, is there` };
  }
}

function* readFindings(
  { name, actions }: Recorded,
  final: ReadonlyMap<string, readonly string[]>,
  writers: ReadonlyMap<string, Recorded>,
): Generator<Finding> {
  const own = new Map<string, string[]>();
  for (const action of actions) {
    const { list } = action;
    const mine = own.get(list) ?? [];
    if (action.kind === "append") {
      own.set(list, [...mine, action.element]);
      continue;
    }
    const { elements } = action;
    const text = `${name} read ${list} as [${elements}]`;
    const foreign = elements.slice(0, elements.length - mine.length);
    if (elements.slice(foreign.length).join() !== mine.join()) {
      yield { anomaly: "own write unseen", text: `${text} after it appended [${mine}]` };
      continue;
    }
    const aborted = foreign.find((one) => (writers.get(one)?.fate ?? "aborted") === "aborted");
    if (aborted !== undefined) yield { anomaly: "G1a", text: `${text}: ${aborted} was aborted` };
    const order = final.get(list) ?? [];
    if (order.slice(0, foreign.length).join() !== foreign.join()) {
      yield { anomaly: "incompatible order", text: `${text}, in the end it is [${order}]` };
      continue;
    }
    const last = foreign.at(-1);
    const next = order[foreign.length];
    const isTorn =
      last !== undefined && next !== undefined && writers.get(last) === writers.get(next);
    if (isTorn) yield { anomaly: "G1b", text: `${text}, within ${writers.get(last)?.name}` };
  }
}

/** Who must come before whom. */
function graphOf(
  transactions: readonly Recorded[],
  final: ReadonlyMap<string, readonly string[]>,
): readonly (readonly Edge[])[] {
  const edges: Edge[][] = transactions.map(() => []);
  const at = new Map<string, number>();
  for (const [index, { actions }] of transactions.entries()) {
    for (const one of actions) if (one.kind === "append") at.set(one.element, index);
  }
  const add = (from: number | undefined, to: number | undefined, kind: EdgeKind): void => {
    if (from !== undefined && to !== undefined && from !== to) edges[from]?.push({ to, kind });
  };
  for (const order of final.values()) {
    for (const [index, element] of order.slice(1).entries()) {
      add(at.get(order[index] as string), at.get(element), "ww");
    }
  }
  for (const [index, { actions, fate, begunAt }] of transactions.entries()) {
    for (const [other, { endedAt, fate: other_ }] of transactions.entries()) {
      if (other_ === "committed" && (endedAt ?? Infinity) < begunAt) add(other, index, "rt");
    }
    if (fate !== "committed") continue;
    const own = new Set(actions.flatMap((one) => (one.kind === "append" ? [one.element] : [])));
    for (const action of actions) {
      if (action.kind !== "read") continue;
      const foreign = action.elements.filter((one) => !own.has(one));
      const order = final.get(action.list) ?? [];
      const last = foreign.at(-1);
      if (last !== undefined) add(at.get(last), index, "wr");
      const next = order[foreign.length];
      if (next !== undefined) add(index, at.get(next), "rw");
    }
  }
  return edges;
}

/** From the worst on: each with the edges its cycle may have, and how many reads were overtaken. */
const CYCLES: readonly {
  readonly anomaly: Anomaly;
  readonly through: readonly EdgeKind[];
  readonly first: EdgeKind;
}[] = [
  { anomaly: "G0", first: "ww", through: ["ww"] },
  { anomaly: "G1c", first: "wr", through: ["ww", "wr"] },
  { anomaly: "G-single", first: "rw", through: ["ww", "wr"] },
  { anomaly: "G2", first: "rw", through: ["ww", "wr", "rw"] },
  { anomaly: "real time", first: "rt", through: ["ww", "wr", "rw", "rt"] },
];

/** The worst cycle of a history, if it has one. */
function cycleFindings(
  transactions: readonly Recorded[],
  edges: readonly (readonly Edge[])[],
): readonly Finding[] {
  for (const { anomaly, first, through } of CYCLES) {
    const allowed = new Set(through);
    for (const [from, outgoing] of edges.entries()) {
      for (const { to, kind } of outgoing) {
        if (kind !== first) continue;
        const path = pathOf(edges, to, from, allowed);
        if (path === undefined) continue;
        const names = [from, ...path].map((one) => transactions[one]?.name);
        return [{ anomaly, text: `${first}: ${names.join(" → ")}` }];
      }
    }
    // What is reached again through all kinds is in a cycle: none of the rest is looked for.
    if (anomaly === "G0" && !hasCycle(edges)) return [];
  }
  return [];
}

/** The shortest way through edges of some kinds, both ends included. */
function pathOf(
  edges: readonly (readonly Edge[])[],
  from: number,
  goal: number,
  allowed: ReadonlySet<EdgeKind>,
): readonly number[] | undefined {
  const cameFrom = new Map<number, number | undefined>([[from, undefined]]);
  for (const one of cameFrom.keys()) {
    if (one === goal) {
      const path: number[] = [];
      for (let at: number | undefined = goal; at !== undefined; at = cameFrom.get(at)) {
        path.unshift(at);
      }
      return path;
    }
    for (const { to, kind } of edges[one] ?? []) {
      if (allowed.has(kind) && !cameFrom.has(to)) cameFrom.set(to, one);
    }
  }
  return undefined;
}

/** Whether any cycle is left once all that nothing leads to is taken away, again and again. */
function hasCycle(edges: readonly (readonly Edge[])[]): boolean {
  const incoming = edges.map(() => 0);
  for (const { to } of edges.flat()) incoming[to] = (incoming[to] as number) + 1;
  const free = incoming.flatMap((count, index) => (count === 0 ? [index] : []));
  let taken = 0;
  for (let one = free.pop(); one !== undefined; one = free.pop()) {
    taken++;
    for (const { to } of edges[one] ?? []) {
      incoming[to] = (incoming[to] as number) - 1;
      if (incoming[to] === 0) free.push(to);
    }
  }
  return taken < edges.length;
}
