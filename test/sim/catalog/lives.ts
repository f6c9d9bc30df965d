import { beginDelete } from "./deletes.ts";
import {
  type Gone,
  located,
  locationTaken,
  type Mutation,
  type Name,
  nameKey,
  namespaceInTheWay,
  type Path,
  pathKey,
  placeTaken,
  refused,
  type State,
  type Step,
  stepOfNames,
  withNamespace,
  withRelation,
} from "./spec.ts";

/*
 * What the specification says of the life after a drop: it ends, or what was dropped comes back.
 */

/** What the store says of a batch that the specification cannot know. */
export interface Applied {
  /** The entity that it dropped. */
  readonly droppedId?: string | undefined;
  /** The job that it made. */
  readonly job?: string | undefined;
  readonly nowMs: number;
}

const UNSEEN: Applied = { nowMs: 0 };

/** What a mutation makes of a state, or why it does not. */
export function step(state: State, mutation: Mutation, applied: Applied = UNSEEN): Step {
  if (mutation.kind === "undrop") return undrop(state, mutation.id, mutation.to);
  if (mutation.kind === "deleteNamespace") {
    return beginDelete(state, mutation.path, { job: applied.job ?? "", isRoot: true });
  }
  const made = stepOfNames(state, mutation);
  if ("refused" in made) return made;
  const { next } = made;
  const { droppedId: id = "", nowMs } = applied;
  switch (mutation.kind) {
    case "createNamespace":
      return { next: withHome(next, mutation.path, mutation.mark) };
    case "dropNamespace":
    case "dropTable":
    case "purgeTable":
    case "unregisterTable":
    case "dropView":
      return {
        next: { ...next, dropped: withGone(state.dropped, id, goneOf(state, mutation, nowMs)) },
      };
    default:
      return made;
  }
}

type Drop = Extract<
  Mutation,
  { kind: "dropNamespace" | "dropTable" | "purgeTable" | "unregisterTable" | "dropView" }
>;

function goneOf(state: State, mutation: Drop, atMs: number): Gone {
  const common = { atMs, purging: false, purge: mutation.kind === "purgeTable" };
  if (mutation.kind === "dropNamespace") {
    const { path } = mutation;
    const home = state.homes.get(pathKey(path));
    const marks = state.namespaces.get(pathKey(path)) ?? [];
    return {
      ...common,
      type: "namespace",
      at: { path, name: "" },
      home,
      content: undefined,
      marks,
    };
  }
  const { at } = mutation;
  const content = state.relations.get(nameKey(at))?.content;
  const home = state.homes.get(pathKey(at.path));
  const type = mutation.kind === "dropView" ? "view" : "table";
  return { ...common, type, at, home, content, marks: [] };
}

function undrop(state: State, id: string, to: Name | undefined): Step {
  const gone = state.dropped.get(id);
  if (gone === undefined) return refused("DROPPED_NOT_FOUND");
  if (gone.purging) return refused("BEING_PURGED");
  const { type, content } = gone;
  const left = { ...state, dropped: without(state.dropped, id) };
  if (type === "namespace") return undropNamespace(left, gone, to);
  const at = to ?? homeOf(state, gone);
  if (at === undefined || content === undefined) return refused("NAMESPACE_NOT_FOUND");
  if (state.leaving.has(pathKey(at.path))) return refused("NAMESPACE_DELETING");
  const made = withRelation(left, at, { type, content });
  return located(state, content, placeTaken(state, at), undefined, made);
}

function undropNamespace(state: State, { at, marks, home }: Gone, to: Name | undefined): Step {
  const path = to === undefined ? at.path : [...to.path, to.name];
  const codes = namespaceInTheWay(state, path);
  // One that is being deleted has the name until then.
  if (codes.includes("NAMESPACE_DELETING")) codes.push("NAMESPACE_ALREADY_EXISTS");
  if (codes.length > 0) return refused(...codes);
  const made = withNamespace(state, path, marks);
  return "next" in made && home !== undefined ? { next: withHome(made.next, path, home) } : made;
}

/** Where something is that comes back to the namespace that it was in. */
function homeOf({ homes, namespaces, leaving }: State, { at, home }: Gone): Name | undefined {
  const isThere = (path: string) => namespaces.has(path) || leaving.has(path);
  const found = [...homes].find(([path, born]) => born === home && isThere(path));
  return found === undefined ? undefined : { path: JSON.parse(found[0]) as Path, name: at.name };
}

/** The files of a table are to go from now on. @throws Error where they must not. */
export function beginPurge(state: State, id: string): State {
  const gone = state.dropped.get(id);
  if (gone === undefined || gone.purging || !gone.purge || gone.content === undefined) {
    throw new Error(`${id} is purged, and must not be`);
  }
  if (locationTaken(state, gone.content)) throw new Error(`${id} is purged where another lies`);
  return { ...state, dropped: withGone(state.dropped, id, { ...gone, purging: true }) };
}

/** What was dropped is gone for good. @throws Error where it is not dropped. */
export function endLife(state: State, id: string): State {
  if (!state.dropped.has(id)) throw new Error(`${id} is ended, and is not dropped`);
  return { ...state, dropped: without(state.dropped, id) };
}

function withHome(state: State, path: Path, home: string): State {
  return { ...state, homes: new Map(state.homes).set(pathKey(path), home) };
}

function withGone(map: State["dropped"], id: string, gone: Gone): State["dropped"] {
  return new Map(map).set(id, gone);
}

function without(map: State["dropped"], id: string): State["dropped"] {
  return new Map([...map].filter(([key]) => key !== id));
}
