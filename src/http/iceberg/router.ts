import type { PathParams } from "./call.ts";
import { type Method, OPERATIONS, type Operation } from "./operations.ts";

/**
 * What a raw path leads to: an operation with its still encoded parameters, the methods that the
 * path does have, or nothing.
 */
export type Match =
  | { readonly found: "operation"; readonly operation: Operation; readonly params: PathParams }
  | { readonly found: "path"; readonly allow: readonly Method[] }
  | { readonly found: "nothing" };

interface Route {
  readonly operation: Operation;
  /** Template segments after `/v1`, `{prefix}` left out. */
  readonly segments: readonly string[];
}

const NOTHING: Match = { found: "nothing" };
const PREFIX = "{prefix}";

const ROUTES: readonly Route[] = OPERATIONS.map((operation) => ({
  operation,
  segments: operation.template
    .split("/")
    .slice(2)
    .filter((segment) => segment !== PREFIX),
}));
const PREFIXED: readonly Route[] = ROUTES.filter((route) =>
  route.operation.template.includes(PREFIX),
);

/**
 * First segments of routes without a prefix, those of the contract included that are not served
 * yet: no catalog can have such a name, so they never are a prefix.
 */
const ROOTS: ReadonlySet<string> = new Set([
  ...["config", "oauth", "namespaces", "tables", "views", "transactions", "functions"],
  ...ROUTES.map((route) => route.segments[0] ?? ""),
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
  routes: readonly Route[],
  method: string,
  segments: readonly string[],
  prefix: PathParams,
): Match {
  const allow: Method[] = [];
  for (const route of routes) {
    if (!sameShape(route.segments, segments)) continue;
    const { operation } = route;
    if (operation.method === method) {
      return {
        found: "operation",
        operation,
        params: { ...prefix, ...paramsOf(route.segments, segments) },
      };
    }
    allow.push(operation.method);
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
