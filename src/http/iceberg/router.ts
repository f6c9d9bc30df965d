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

interface Route<E extends Endpoint> {
  readonly endpoint: E;
  /** Template segments after `/v1`, `{prefix}` left out. */
  readonly segments: readonly string[];
}

/** Routes of what is served, and of what is not. */
interface Routes {
  readonly served: readonly Route<Operation>[];
  readonly unserved: readonly Route<Endpoint>[];
}

const NOTHING: Match = { found: "nothing" };
const PREFIX = "{prefix}";

const ROUTES: Routes = { served: OPERATIONS.map(routeOf), unserved: UNSERVED.map(routeOf) };
const PREFIXED: Routes = {
  served: ROUTES.served.filter(hasPrefix),
  unserved: ROUTES.unserved.filter(hasPrefix),
};

function routeOf<E extends Endpoint>(endpoint: E): Route<E> {
  const segments = endpoint.template.split("/").slice(2);
  return { endpoint, segments: segments.filter((segment) => segment !== PREFIX) };
}

function hasPrefix({ endpoint }: Route<Endpoint>): boolean {
  return endpoint.template.includes(PREFIX);
}

/**
 * First segments of routes without a prefix, those included that are not served: no catalog can
 * have such a name, so they never are a prefix.
 */
const ROOTS: ReadonlySet<string> = new Set([
  ...["config", "oauth", "namespaces", "tables", "views", "transactions", "functions"],
  ...ROUTES.served.map((route) => route.segments[0] ?? ""),
]);

/**
 * Matches `path`, which starts after the mount point and is split *before* it is decoded: `%2F`
 * belongs to a name, and neither the length of a namespace nor its bytes can make a route vanish.
 */
export function matchPath(method: string, path: string): Match {
  const [empty, version, ...segments] = path.split("/");
  if (empty !== "" || version !== "v1") return NOTHING;
  const first = segments[0] ?? "";
  if (ROOTS.has(first)) return matchSegments(ROUTES, method, segments, {});
  if (first === "") return NOTHING;
  return matchSegments(PREFIXED, method, segments.slice(1), { prefix: first });
}

function matchSegments(
  routes: Routes,
  method: string,
  segments: readonly string[],
  prefix: PathParams,
): Match {
  const allow: Method[] = [];
  for (const route of routes.served) {
    if (!sameShape(route.segments, segments)) continue;
    const { endpoint } = route;
    if (endpoint.method === method) {
      const params = { ...prefix, ...paramsOf(route.segments, segments) };
      return { found: "operation", operation: endpoint, params };
    }
    allow.push(endpoint.method);
  }
  for (const route of routes.unserved) {
    if (route.endpoint.method !== method || !sameShape(route.segments, segments)) continue;
    return { found: "unserved", endpoint: route.endpoint };
  }
  return allow.length === 0 ? NOTHING : { found: "path", allow };
}

function sameShape(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((segment, i) => segment.startsWith("{") || segment === segments[i])
  );
}

function paramsOf(template: readonly string[], segments: readonly string[]): PathParams {
  const params: Record<string, string> = {};
  template.forEach((segment, i) => {
    if (segment.startsWith("{")) params[segment.slice(1, -1)] = segments[i] ?? "";
  });
  return params;
}
