import type { Node } from "libpg-query";
import { textsOf } from "../bind/names.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import { aliasNames, type Ranges } from "./ranges.ts";
import type { Recorder } from "./recorder.ts";

/** A column of an item of FROM; `isLater`: its table got it after the view was made. */
interface ItemColumn {
  readonly name: string;
  readonly isLater: boolean;
}

/**
 * The names of columns that stand behind the alias of an item of FROM. Columns that a table got
 * after the view was made are among them: where they would take the name of another, they get one
 * that is free.
 *
 * @param merged names of USING in the same FROM, which later columns of a table may not have.
 * @returns undefined where none need to be written.
 */
export function aliasList(
  recorder: Recorder,
  ranges: Ranges,
  node: Node,
  merged: ReadonlySet<string>,
): readonly string[] | undefined {
  const columns = columnsOf(recorder, ranges, node);
  const isJoin = "JoinExpr" in node;
  const taken = new Set(columns.flatMap(({ name, isLater }) => (isLater ? [] : [name])));
  if (!isJoin) for (const name of merged) taken.add(name);
  let isChanged = aliasNames(node).length > 0;
  const names = columns.map(({ name, isLater }) => {
    if (!isLater) return name;
    let free = name;
    for (let n = 1; taken.has(free); n++) free = `${name}_${n}`;
    taken.add(free);
    isChanged ||= free !== name;
    return free;
  });
  return isChanged ? names : undefined;
}

/** The names that USING and NATURAL have anywhere in a FROM. */
export function mergedIn(recorder: Recorder, nodes: readonly Node[]): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...nodes];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const join = contentOf(node, "JoinExpr");
    if (join === undefined) continue;
    for (const name of mergedNames(recorder, join)) found.add(name);
    waiting.push(join.larg as Node, join.rarg as Node);
  }
  return found;
}

/** The columns that both sides of a join have as one. */
export function mergedNames(
  recorder: Recorder,
  { larg, rarg, usingClause, isNatural }: NodeOf<"JoinExpr">,
): readonly string[] {
  if (isNatural !== true) return textsOf(usingClause);
  const seen = (side: Node | undefined): readonly string[] =>
    recorder
      .tablesOf(side as Node)
      .flatMap(({ columns, visible }) => (visible === "qualified" ? [] : columns))
      .map(({ name }) => name);
  const theirs = new Set(seen(rarg));
  return seen(larg).filter((name) => theirs.has(name));
}

function columnsOf(recorder: Recorder, ranges: Ranges, node: Node): readonly ItemColumn[] {
  const join = contentOf(node, "JoinExpr");
  if (join === undefined) {
    const [table] = recorder.tablesOf(node);
    const own = (table?.columns ?? []).map(({ name }) => ({ name, isLater: false }));
    return [...own, ...(table?.later ?? []).map(({ name }) => ({ name, isLater: true }))];
  }
  const merged = mergedNames(recorder, join);
  const rest = [join.larg, join.rarg].flatMap((side) =>
    columnsOf(recorder, ranges, side as Node).filter(
      ({ name, isLater }) => isLater || !merged.includes(name),
    ),
  );
  const all = [...merged.map((name) => ({ name, isLater: false })), ...rest];
  if (join.alias === undefined) return all;
  const names = ranges.rangeOf(node).columns.map(({ name }) => name);
  return all.map((column) => (column.isLater ? column : { ...column, name: names.shift() ?? "" }));
}
