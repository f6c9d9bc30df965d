import { assert } from "../../base/assert.ts";
import type { PathParams } from "./call.ts";
import { type Endpoint, type Method, OPERATIONS, type Operation } from "./operations.ts";
import { UNSERVED } from "./unserved.ts";

/**
 * What a raw path leads to: an operation with its still encoded parameters, one of the contract
 * that is not served, the methods that the path does have, or nothing.
 */
export type Match =
  | { readonly found: "operation"; readonly operation: Operation; readonly params: PathParams }
  | { readonly found: "unserved"; readonly endpoint: Endpoint }
  | { readonly found: "path"; readonly allow: readonly Method[] }
  | { readonly found: "nothing" };

/** What begins with the same segments: it goes on by literals, or by one parameter. */
interface Node {
  readonly literals: Map<string, Node>;
  parameter: { readonly name: keyof PathParams; readonly node: Node } | undefined;
  readonly served: Map<string, Operation>;
  readonly unserved: Map<string, Endpoint>;
}

const NOTHING: Match = { found: "nothing" };
const PREFIX = "{prefix}";

function emptyNode(): Node {
  return { literals: new Map(), parameter: undefined, served: new Map(), unserved: new Map() };
}

/** The node of a template below `root`, which stands for `/v1` and the prefix. */
function nodeOf(root: Node, { template }: Endpoint): Node {
  const segments = template.split("/").slice(2);
  let node = root;
  for (const segment of segments.filter((each) => each !== PREFIX)) node = nextOf(node, segment);
  return node;
}

function nextOf(node: Node, segment: string): Node {
  if (!segment.startsWith("{")) {
    assert(node.parameter === undefined, "a path goes on by literals or by a parameter");
    const known = node.literals.get(segment) ?? emptyNode();
    node.literals.set(segment, known);
    return known;
  }
  const name = segment.slice(1, -1) as keyof PathParams;
  node.parameter ??= { name, node: emptyNode() };
  assert(node.literals.size === 0, "a path goes on by literals or by a parameter");
  assert(node.parameter.name === name, "a place in a path has one name");
  return node.parameter.node;
}

/** The routes of some endpoints. */
function routesOf(served: readonly Operation[], unserved: readonly Endpoint[]): Node {
  const root = emptyNode();
  for (const operation of served) nodeOf(root, operation).served.set(operation.method, operation);
  for (const endpoint of unserved) nodeOf(root, endpoint).unserved.set(endpoint.method, endpoint);
  return root;
}

function hasPrefix({ template }: Endpoint): boolean {
  return template.includes(PREFIX);
}

const ROUTES: Node = routesOf(OPERATIONS, UNSERVED);
const PREFIXED: Node = routesOf(OPERATIONS.filter(hasPrefix), UNSERVED.filter(hasPrefix));

/**
 * First segments of routes without a prefix, those included that are not served: no catalog can
 * have such a name, so they never are a prefix.
 */
const ROOTS: ReadonlySet<string> = new Set([
  "config",
  "oauth",
  "namespaces",
  "tables",
  "views",
  "transactions",
  "functions",
  ...ROUTES.literals.keys(),
]);

/**
 * Matches `path`, which starts after the mount point and is split *before* it is decoded: `%2F`
 * belongs to a name, and neither the length of a namespace nor its bytes can make a route vanish.
 */
export function matchPath(method: string, path: string): Match {
  const segments = path.split("/");
  const [empty, version, first = ""] = segments;
  if (empty !== "" || version !== "v1") return NOTHING;
  const params: Params = {};
  if (ROOTS.has(first)) return matchSegments(ROUTES, method, segments, 2, params);
  if (first === "") return NOTHING;
  params.prefix = first;
  return matchSegments(PREFIXED, method, segments, 3, params);
}

type Params = { -readonly [Name in keyof PathParams]: PathParams[Name] };

/** `at`: the first segment to be matched. `params` are added to on the way. */
function matchSegments(
  root: Node,
  method: string,
  segments: readonly string[],
  at: number,
  params: Params,
): Match {
  let node = root;
  for (let i = at; i < segments.length; i++) {
    const segment = segments[i] ?? "";
    const { parameter } = node;
    if (parameter !== undefined) params[parameter.name] = segment;
    const next = parameter === undefined ? node.literals.get(segment) : parameter.node;
    if (next === undefined) return NOTHING;
    node = next;
  }
  const operation = node.served.get(method);
  if (operation !== undefined) return { found: "operation", operation, params };
  const endpoint = node.unserved.get(method);
  if (endpoint !== undefined) return { found: "unserved", endpoint };
  const allow = Array.from(node.served.values(), (each) => each.method);
  return allow.length === 0 ? NOTHING : { found: "path", allow };
}
