import { Violation } from "../harness/sim.ts";
import {
  type Leaving,
  type Name,
  type Path,
  pathKey,
  type Relation,
  refused,
  type State,
  type Step,
} from "./spec.ts";

/*
 * What the specification says of a namespace that a job deletes with all that is in it. From its
 * mark on nobody finds it, nor what is in it, until the job has dropped it or takes the mark back.
 * One who had found it before may still be on its way: see `reopened`.
 */

/** A namespace is marked. */
export function beginDelete(state: State, path: Path, by: Omit<Leaving, "marks">): Step {
  const key = pathKey(path);
  const marks = state.namespaces.get(key);
  if (marks === undefined) return refused("NAMESPACE_NOT_FOUND");
  return { next: hide(state, new Map([[key, { ...by, marks }]])) };
}

/** Hides namespaces with what is in them. */
function hide(state: State, marked: ReadonlyMap<string, Leaving>): State {
  const namespaces = new Map(state.namespaces);
  for (const key of marked.keys()) namespaces.delete(key);
  const isIn = (key: string) => marked.has(homeKey(key));
  const [hidden, relations] = parted(state.relations, isIn);
  return {
    ...state,
    namespaces,
    relations,
    leaving: new Map([...state.leaving, ...marked]),
    hidden: new Map([...state.hidden, ...hidden]),
  };
}

/** Takes the mark of one namespace back. */
export function endDelete(state: State, path: Path): State {
  const key = pathKey(path);
  if (!state.leaving.has(key)) throw new Violation(`${key} was not being deleted`);
  return shown(state, new Set([key]));
}

function shown(state: State, keys: ReadonlySet<string>): State {
  const leaving = new Map(state.leaving);
  const namespaces = new Map(state.namespaces);
  for (const key of keys) {
    const marked = leaving.get(key);
    if (marked === undefined) continue;
    leaving.delete(key);
    namespaces.set(key, marked.marks);
  }
  const [found, hidden] = parted(state.hidden, (key) => keys.has(homeKey(key)));
  return {
    ...state,
    leaving,
    namespaces,
    hidden,
    relations: new Map([...state.relations, ...found]),
  };
}

/**
 * What a step makes of a state in which these namespaces are found as before their marks; they are
 * hidden again in what it makes.
 */
export function reopened(
  state: State,
  paths: readonly string[],
  step: (state: State) => Step,
): Step {
  const made = step(shown(state, new Set(paths)));
  if ("refused" in made) return made;
  const still = [...state.leaving].filter(
    ([key]) => paths.includes(key) && made.next.namespaces.has(key),
  );
  return { next: hide(made.next, new Map(still)) };
}

/** A job drops something below what it deletes, or that itself: as `step` drops it where found. */
export function dropLeaving(state: State, at: Path, step: (state: State) => Step): State {
  const key = pathKey(at);
  if (!state.leaving.has(key)) throw new Violation(`a job drops in ${key}, which is not deleted`);
  const made = reopened(state, [key], step);
  if ("next" in made) return made.next;
  throw new Violation(`a job drops in ${key} what it must not: ${made.refused.join(", ")}`);
}

/** A job marks a namespace below one that is being deleted. */
export function markBelow(state: State, path: Path, job: string): State {
  const above = pathKey(path.slice(0, -1));
  if (!state.leaving.has(above)) throw new Violation(`${above} is not deleted, what is in it is`);
  const made = beginDelete(state, path, { job, isRoot: false });
  if ("next" in made) return made.next;
  throw new Violation(`a job deletes ${pathKey(path)}, which is not there`);
}

/** Where something would be found if nothing were being deleted. */
export function everyRelation(state: State): readonly Relation[] {
  return [...state.relations.values(), ...state.hidden.values()];
}

function homeKey(key: string): string {
  const [path] = JSON.parse(key) as [Name["path"], string];
  return pathKey(path);
}

type Relations = ReadonlyMap<string, Relation>;

function parted(relations: Relations, isChosen: (key: string) => boolean): [Relations, Relations] {
  const all = [...relations];
  const chosen = all.filter(([key]) => isChosen(key));
  return [new Map(chosen), new Map(all.filter(([key]) => !isChosen(key)))];
}
