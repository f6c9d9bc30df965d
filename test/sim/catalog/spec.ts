import { compareUtf8 } from "../../../src/base/bytes.ts";
import { encodeSegment } from "../../../src/base/key-text.ts";

/*
 * What the catalog means, one operation after the other: the sequential specification that every
 * history is held against. States are immutable, so that a history keeps all of them.
 */

/** What can be seen of a table or view in its metadata. */
export interface Content {
  /** Who made it: goes with its files, so it also stands for a location that nobody chose. */
  readonly born: string;
  /** The location that was chosen, as a path that others may lie above or below. */
  readonly place?: string | undefined;
  /** One of every commit that it has seen, sorted. */
  readonly marks: readonly string[];
  /** Current snapshot of the main branch; never of a view. */
  readonly head: string | undefined;
  /** Every snapshot, in order. */
  readonly snapshots: readonly string[];
  readonly balance: number | undefined;
}

export interface Relation {
  readonly type: "table" | "view";
  readonly content: Content;
}

/** Something that was dropped, by the id of its entity. */
export interface Gone {
  readonly type: "table" | "view" | "namespace";
  /** Of a namespace its own path, without a name. */
  readonly at: Name;
  /** Which namespace it was in, or was itself. */
  readonly home: string | undefined;
  readonly content: Content | undefined;
  readonly marks: readonly string[];
  /** Its files are asked to go with it. */
  readonly purge: boolean;
  /** They go, and cannot come back. */
  readonly purging: boolean;
  readonly atMs: number;
}

export interface State {
  /** Properties by path, as marks. */
  readonly namespaces: ReadonlyMap<string, readonly string[]>;
  /** Which namespace is under a path: the mark that it was created with. */
  readonly homes: ReadonlyMap<string, string>;
  readonly dropped: ReadonlyMap<string, Gone>;
  /** Relations by namespace and name. */
  readonly relations: ReadonlyMap<string, Relation>;
  /** Namespaces by path that a job deletes with all that is in them: nobody finds them. */
  readonly leaving: ReadonlyMap<string, Leaving>;
  /** What is in those, by namespace and name. */
  readonly hidden: ReadonlyMap<string, Relation>;
}

/** A namespace that a job deletes. */
export interface Leaving {
  readonly marks: readonly string[];
  readonly job: string;
  /** The job was asked for this very one, and not for one above it. */
  readonly isRoot: boolean;
}

export type Path = readonly string[];

export interface Name {
  readonly path: Path;
  readonly name: string;
}

/** A snapshot to be added, where the main branch is still at `base`. */
export interface NewHead {
  readonly base: string | undefined;
  readonly id: string;
  readonly sequenceNumber: number;
  readonly manifestList: string;
  readonly balance?: number;
}

export interface TableChange {
  readonly at: Name;
  readonly mark: string;
  readonly head?: NewHead;
}

/** A file that held a table or view when somebody saw it. */
export interface KnownFile {
  readonly location: string;
  readonly content: Content;
}

/** One member for each kind, so that a kind tells what comes with it. */
type Each<Kind extends string, Fields> = Kind extends string
  ? Readonly<{ kind: Kind } & Fields>
  : never;

interface Birth {
  readonly at: Name;
  readonly born: string;
  readonly balance?: number;
}

export type NamespaceMutation =
  | Each<"createNamespace" | "updateNamespace", { path: Path; mark: string }>
  | Each<"dropNamespace" | "deleteNamespace", { path: Path }>;

export type TableMutation =
  | Each<"createTable" | "createStaged", Birth>
  | Each<"createAt", Birth & { place: string }>
  | Each<"commitTable" | "replaceSnapshot", TableChange>
  | Each<"dropTable" | "purgeTable" | "unregisterTable", { at: Name }>
  | Each<"renameTable", { at: Name; to: Name }>
  | Each<"registerTable" | "registerOver", { at: Name; file: KnownFile }>;

export type ViewMutation =
  | Each<"createView", Birth>
  | Each<"commitView", { at: Name; mark: string }>
  | Each<"dropView", { at: Name }>
  | Each<"renameView", { at: Name; to: Name }>
  | Each<"registerView", { at: Name; file: KnownFile }>;

export type Mutation =
  | NamespaceMutation
  | TableMutation
  | ViewMutation
  | Each<"transaction", { changes: readonly TableChange[] }>
  /** Without `to`, to where it was. */
  | Each<"undrop", { id: string; to?: Name }>;

export const EMPTY: State = {
  namespaces: new Map(),
  homes: new Map(),
  dropped: new Map(),
  relations: new Map(),
  leaving: new Map(),
  hidden: new Map(),
};

/** Everything that stands in the way; nothing stands in the way of a state. */
export type Step = { readonly next: State } | { readonly refused: readonly string[] };

export function pathKey(path: Path): string {
  return JSON.stringify(path);
}

export function nameKey({ path, name }: Name): string {
  return JSON.stringify([path, name]);
}

/** What a mutation makes of names, or why it does not; `lives.ts` says what it leaves behind. */
export function stepOfNames(
  state: State,
  mutation: Exclude<Mutation, { kind: "undrop" | "deleteNamespace" }>,
): Step {
  switch (mutation.kind) {
    case "createNamespace":
      return createNamespace(state, mutation.path, mutation.mark);
    case "updateNamespace": {
      const marks = state.namespaces.get(pathKey(mutation.path));
      if (marks === undefined) return refused("NAMESPACE_NOT_FOUND");
      return withNamespace(state, mutation.path, [...marks, mutation.mark].sort());
    }
    case "dropNamespace":
      return dropNamespace(state, mutation.path);
    case "createTable":
    case "createStaged":
    case "createView":
    case "createAt":
      return create(state, mutation);
    case "commitTable":
    case "replaceSnapshot":
      return commitAll(state, [mutation]);
    case "transaction":
      return commitAll(state, mutation.changes);
    case "commitView": {
      const view = relationAt(state, "view", mutation.at);
      if (view === undefined) return refused("VIEW_NOT_FOUND");
      const content = { ...view.content, marks: [...view.content.marks, mutation.mark].sort() };
      return withRelation(state, mutation.at, { ...view, content });
    }
    case "dropTable":
    case "purgeTable":
    case "unregisterTable":
      return drop(state, "table", mutation.at);
    case "dropView":
      return drop(state, "view", mutation.at);
    case "renameTable":
      return rename(state, "table", mutation.at, mutation.to);
    case "renameView":
      return rename(state, "view", mutation.at, mutation.to);
    case "registerTable":
      return register(state, "table", mutation.at, mutation.file.content, false);
    case "registerOver":
      return register(state, "table", mutation.at, mutation.file.content, true);
    case "registerView":
      return register(state, "view", mutation.at, mutation.file.content, false);
  }
}

export function relationAt(state: State, type: Relation["type"], at: Name): Relation | undefined {
  const found = state.relations.get(nameKey(at));
  return found?.type === type ? found : undefined;
}

export function allNames(state: State, type: Relation["type"]): readonly Name[] {
  const names: Name[] = [];
  for (const [key, relation] of state.relations) {
    if (relation.type !== type) continue;
    const [path, name] = JSON.parse(key) as [Path, string];
    names.push({ path, name });
  }
  return names;
}

/** Names of one type in a namespace, in the order of their keys. */
export function namesIn(state: State, type: Relation["type"], path: Path): readonly string[] {
  const here = allNames(state, type).filter((name) => pathKey(name.path) === pathKey(path));
  return inKeyOrder(here.map(({ name }) => name));
}

/** Last levels of the child namespaces of a path, in the order of their keys. */
export function childrenOf(state: State, path: Path): readonly string[] {
  // A list still names what is being deleted.
  const keys = [...state.namespaces.keys(), ...state.leaving.keys()];
  const paths = keys.map((key) => JSON.parse(key) as string[]);
  const below = paths.filter(
    (child) => child.length === path.length + 1 && path.every((level, i) => child[i] === level),
  );
  return inKeyOrder(below.map((child) => child.at(-1) ?? ""));
}

export function inKeyOrder(names: readonly string[]): readonly string[] {
  return names.toSorted((a, b) => compareUtf8(encodeSegment(a), encodeSegment(b)));
}

export function refused(...codes: readonly string[]): Step {
  return { refused: codes };
}

function createNamespace(state: State, path: Path, mark: string): Step {
  const codes = namespaceInTheWay(state, path);
  return codes.length > 0 ? refused(...codes) : withNamespace(state, path, [mark]);
}

/** Why no namespace can appear under a path. */
export function namespaceInTheWay(state: State, path: Path): string[] {
  const above = path.slice(0, -1);
  const codes = above.length > 0 ? parentCodes(state, above) : [];
  if (state.namespaces.has(pathKey(path))) codes.push("NAMESPACE_ALREADY_EXISTS");
  if (state.leaving.has(pathKey(path))) codes.push("NAMESPACE_DELETING");
  return codes;
}

/**
 * Whether a namespace lies below one that is being deleted: what reads those above it as well may
 * say that of it too.
 */
export function isBelowLeaving({ leaving }: State, path: Path): boolean {
  return path.some((_, i) => leaving.has(pathKey(path.slice(0, i))));
}

/** Why nothing can appear in a namespace. */
export function parentCodes(state: State, path: Path): string[] {
  if (state.namespaces.has(pathKey(path))) return [];
  return [state.leaving.has(pathKey(path)) ? "NAMESPACE_DELETING" : "NAMESPACE_NOT_FOUND"];
}

function dropNamespace(state: State, path: Path): Step {
  if (!state.namespaces.has(pathKey(path))) return refused("NAMESPACE_NOT_FOUND");
  const full =
    childrenOf(state, path).length > 0 ||
    namesIn(state, "table", path).length > 0 ||
    namesIn(state, "view", path).length > 0;
  if (full) return refused("NAMESPACE_NOT_EMPTY");
  const namespaces = new Map(state.namespaces);
  namespaces.delete(pathKey(path));
  return { next: { ...state, namespaces } };
}

function create(
  state: State,
  mutation: Each<"createTable" | "createStaged" | "createView" | "createAt", Birth>,
): Step {
  const { at, kind, born, balance } = mutation;
  const place = "place" in mutation ? String(mutation.place) : undefined;
  const content = { born, place, marks: [], head: undefined, snapshots: [], balance };
  const taken = placeTaken(state, at, kind === "createStaged");
  const type = kind === "createView" ? "view" : "table";
  return located(state, content, taken, undefined, withRelation(state, at, { type, content }));
}

/** A step as the location allows it: what claims a directory above or below is in the way. */
export function located(
  state: State,
  content: Content,
  codes: readonly string[],
  own: Name | undefined,
  made: Step,
): Step {
  const { place } = content;
  const others = claimants(state, own);
  const taken = others.some((other) => spotOf(other) === spotOf(content));
  const over = others.some((other) => isInside(place, other.place));
  const all = [
    ...codes,
    ...(taken ? ["LOCATION_TAKEN"] : []),
    ...(over ? ["LOCATION_OVERLAPS"] : []),
  ];
  const below = others.some((other) => isInside(other.place, place));
  if (below) all.push("LOCATION_OVERLAPS");
  return all.length > 0 ? refused(...all) : made;
}

/** Everything but `own` that claims a location. */
function claimants(state: State, own: Name | undefined): readonly Content[] {
  const relations = [...state.relations].filter(
    ([key]) => own === undefined || key !== nameKey(own),
  );
  const purging = [...state.dropped.values()].filter((gone) => gone.purging);
  return [
    ...relations.map(([, { content }]) => content),
    ...[...state.hidden.values()].map(({ content }) => content),
    ...purging.flatMap(({ content }) => content ?? []),
  ];
}

function spotOf({ place, born }: Content): string {
  return place === undefined ? `of ${born}` : `at ${place}`;
}

function isInside(inner: string | undefined, outer: string | undefined): boolean {
  return inner !== undefined && outer !== undefined && inner.startsWith(`${outer}/`);
}

/** Why nothing can appear at a name. A staged create requires that the table is not there. */
export function placeTaken(state: State, at: Name, staged = false): readonly string[] {
  const above = parentCodes(state, at.path);
  if (above.length > 0) return above;
  const holder = state.relations.get(nameKey(at));
  if (holder === undefined) return [];
  if (holder.type === "view") return ["VIEW_ALREADY_EXISTS"];
  return [staged ? "REQUIREMENT_FAILED" : "TABLE_ALREADY_EXISTS"];
}

function commitAll(state: State, changes: readonly TableChange[]): Step {
  const codes: string[] = [];
  const relations = new Map(state.relations);
  for (const { at, mark, head } of changes) {
    const table = relationAt(state, "table", at);
    if (table === undefined) {
      codes.push("TABLE_NOT_FOUND");
      continue;
    }
    const { content } = table;
    if (head !== undefined && head.base !== content.head) codes.push("REQUIREMENT_FAILED");
    const moved =
      head === undefined
        ? {}
        : {
            head: head.id,
            snapshots: [...content.snapshots, head.id],
            balance: head.balance ?? content.balance,
          };
    const marks = [...content.marks, mark].sort();
    relations.set(nameKey(at), { ...table, content: { ...content, ...moved, marks } });
  }
  return codes.length > 0 ? refused(...codes) : { next: { ...state, relations } };
}

function drop(state: State, type: Relation["type"], at: Name): Step {
  if (relationAt(state, type, at) === undefined) return refused(notFound(type));
  const relations = new Map(state.relations);
  relations.delete(nameKey(at));
  return { next: { ...state, relations } };
}

function rename(state: State, type: Relation["type"], at: Name, to: Name): Step {
  const found = relationAt(state, type, at);
  const codes = [...(found === undefined ? [notFound(type)] : []), ...placeTaken(state, to)];
  if (found === undefined || codes.length > 0) return refused(...codes);
  const relations = new Map(state.relations);
  relations.delete(nameKey(at));
  relations.set(nameKey(to), found);
  return { next: { ...state, relations } };
}

/** `over`: takes the place of a table that is there. */
function register(
  state: State,
  type: Relation["type"],
  at: Name,
  content: Content,
  over: boolean,
): Step {
  const held = over ? relationAt(state, "table", at) : undefined;
  const codes = held === undefined ? placeTaken(state, at) : [];
  const own = held === undefined ? undefined : at;
  return located(state, content, codes, own, withRelation(state, at, { type, content }));
}

/** Whether something else claims the very location. */
export function locationTaken(state: State, content: Content): boolean {
  return claimants(state, undefined).some((other) => spotOf(other) === spotOf(content));
}

function notFound(type: Relation["type"]): string {
  return type === "view" ? "VIEW_NOT_FOUND" : "TABLE_NOT_FOUND";
}

export function withNamespace(state: State, path: Path, marks: readonly string[]): Step {
  return { next: { ...state, namespaces: new Map(state.namespaces).set(pathKey(path), marks) } };
}

export function withRelation(state: State, at: Name, relation: Relation): Step {
  return { next: { ...state, relations: new Map(state.relations).set(nameKey(at), relation) } };
}
