import type { ApiOperation } from "../../api/operation.ts";
import { OPERATIONS, type OperationName } from "../../api/operations.ts";
import { assert } from "../../base/assert.ts";

/** An operation with its name. */
export interface Route {
  readonly name: OperationName;
  readonly operation: ApiOperation;
}

/** Segments by the names of the template, still percent-encoded. */
export type RawParams = Readonly<Record<string, string>>;

/** Where a path leads. `path`: it exists, under other methods. */
export type Match =
  | { readonly found: "route"; readonly route: Route; readonly params: RawParams }
  | { readonly found: "path"; readonly allow: readonly string[] }
  | { readonly found: "nothing" };

/** A place in the tree of templates. */
interface Node {
  readonly literals: Map<string, Node>;
  parameter: { readonly name: string; readonly node: Node } | undefined;
  readonly routes: Map<string, Route>;
  /** Routes of this place under a verb. */
  readonly verbs: Map<string, Map<string, Route>>;
}

function emptyNode(): Node {
  return { literals: new Map(), parameter: undefined, routes: new Map(), verbs: new Map() };
}

/** What stands before the last `:`, and the verb behind it. */
function splitVerb(segment: string): readonly [name: string, verb: string | undefined] {
  const at = segment.lastIndexOf(":");
  return at < 0 ? [segment, undefined] : [segment.slice(0, at), segment.slice(at + 1)];
}

function addRoute(root: Node, route: Route): void {
  const { method, template } = route.operation;
  const segments = template.slice(1).split("/");
  const [last, verb] = splitVerb(segments.at(-1) ?? "");
  let node = root;
  for (const segment of [...segments.slice(0, -1), last]) node = nextOf(node, segment);
  let routes = node.routes;
  if (verb !== undefined) {
    routes = node.verbs.get(verb) ?? new Map<string, Route>();
    node.verbs.set(verb, routes);
  }
  assert(!routes.has(method), "no two operations share a method and a path");
  routes.set(method, route);
}

function nextOf(node: Node, segment: string): Node {
  if (!segment.startsWith("{")) {
    const known = node.literals.get(segment) ?? emptyNode();
    node.literals.set(segment, known);
    return known;
  }
  const name = segment.slice(1, -1);
  node.parameter ??= { name, node: emptyNode() };
  assert(node.parameter.name === name, "a place in a path has one name");
  return node.parameter.node;
}

const ROOT: Node = (() => {
  const root = emptyNode();
  const entries = Object.entries(OPERATIONS) as [OperationName, ApiOperation][];
  for (const [name, operation] of entries) addRoute(root, { name, operation });
  return root;
})();

/**
 * Matches a path below the mount. It is split before it is decoded: `%2F` and `%3A` belong to a
 * name. A literal goes before a parameter; a verb is what is known as one at its place.
 */
export function matchPath(method: string, path: string): Match {
  const segments = path.slice(1).split("/");
  const params: Record<string, string> = {};
  let node: Node = ROOT;
  for (const segment of segments.slice(0, -1)) {
    const next = step(node, segment, params);
    if (next === undefined) return { found: "nothing" };
    node = next;
  }
  const routes = lastOf(node, segments.at(-1) ?? "", params);
  // A `HEAD` is a `GET` without its body.
  const route = routes.get(method === "HEAD" ? "GET" : method);
  if (route !== undefined) return { found: "route", route, params };
  const allow = [...routes.keys()].flatMap((each) => (each === "GET" ? ["GET", "HEAD"] : [each]));
  return allow.length === 0 ? { found: "nothing" } : { found: "path", allow };
}

const NONE: ReadonlyMap<string, Route> = new Map();

/** The routes that a last segment leads to, by method. */
function lastOf(
  node: Node,
  segment: string,
  params: Record<string, string>,
): ReadonlyMap<string, Route> {
  const [name, verb] = splitVerb(segment);
  if (verb !== undefined) {
    const routes = step(node, name, {})?.verbs.get(verb);
    if (routes !== undefined) {
      step(node, name, params);
      return routes;
    }
  }
  return step(node, segment, params)?.routes ?? NONE;
}

function step(node: Node, segment: string, params: Record<string, string>): Node | undefined {
  const literal = node.literals.get(segment);
  if (literal !== undefined) return literal;
  const { parameter } = node;
  if (parameter === undefined || segment === "") return undefined;
  params[parameter.name] = segment;
  return parameter.node;
}
