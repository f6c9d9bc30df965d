import type { Found } from "../api/resources.ts";

/** What the address bar says: every view of the console is a URL. */
export type Route =
  | { readonly view: "home" | (typeof PLAIN)[number] }
  | { readonly view: "principal"; readonly name: string }
  | { readonly view: "catalog"; readonly catalog: string }
  | { readonly view: "namespace"; readonly catalog: string; readonly namespace: Path }
  | {
      readonly view: "table";
      readonly catalog: string;
      readonly namespace: Path;
      readonly table: string;
      readonly tab: TableTab;
    }
  | {
      readonly view: "view";
      readonly catalog: string;
      readonly namespace: Path;
      readonly name: string;
    }
  | { readonly view: "unknown" };

export type Path = readonly string[];

export const TABLE_TABS = [
  "overview",
  "rows",
  "history",
  "schema",
  "files",
  "stats",
  "properties",
  "connect",
] as const;
export type TableTab = (typeof TABLE_TABS)[number];

const BASE = "/console";
const PLAIN = [
  "sql",
  "changes",
  "jobs",
  "import",
  "dropped",
  "access",
  "engine",
  "settings",
] as const;

function isPlain(text: string): text is (typeof PLAIN)[number] {
  return (PLAIN as readonly string[]).includes(text);
}

function isTab(text: string): text is TableTab {
  return (TABLE_TABS as readonly string[]).includes(text);
}

/** Before a segment of nothing but one or two dots. Encoded text holds no colon. */
const DOTS = ":";

/** `%2E` is a dot within a name, as in the native API. */
function escaped(name: string): string {
  return encodeURIComponent(name).replaceAll(".", "%2E");
}

/** URLs drop segments of one or two dots, encoded or not: such a name would be another view. */
function kept(segment: string): string {
  return /^(?:%2E){1,2}$/.test(segment) ? `${DOTS}${segment}` : segment;
}

function encoded(name: string): string {
  return kept(escaped(name));
}

function unmarked(raw: string): string {
  return raw.startsWith(DOTS) ? raw.slice(DOTS.length) : raw;
}

function decoded(raw: string): string | undefined {
  try {
    return decodeURIComponent(unmarked(raw));
  } catch {
    return undefined;
  }
}

function pathIn(raw: string): Path | undefined {
  const levels = unmarked(raw).split(".").map(decoded);
  return levels.every((level) => level !== undefined && level !== "")
    ? (levels as string[])
    : undefined;
}

/** The route of a path below `/console`, still percent-encoded. */
export function routeOf(pathname: string): Route {
  const rest = pathname.startsWith(BASE) ? pathname.slice(BASE.length) : pathname;
  const segments = rest.split("/").filter((segment) => segment !== "");
  const [first, rawCatalog, rawNamespace, kind, rawName, tab = "overview", ...more] = segments;
  if (first === undefined) return { view: "home" };
  if (isPlain(first) && segments.length === 1) return { view: first };
  if (first === "access" && segments.length === 2) {
    const name = decoded(rawCatalog ?? "");
    return name === undefined || name === "" ? { view: "unknown" } : { view: "principal", name };
  }
  const catalog = decoded(rawCatalog ?? "");
  if (first !== "c" || catalog === undefined || catalog === "" || more.length > 0) {
    return { view: "unknown" };
  }
  if (rawNamespace === undefined) return { view: "catalog", catalog };
  const namespace = pathIn(rawNamespace);
  if (namespace === undefined) return { view: "unknown" };
  if (kind === undefined) return { view: "namespace", catalog, namespace };
  const name = decoded(rawName ?? "");
  if (name === undefined || name === "") return { view: "unknown" };
  if (kind === "v") return { view: "view", catalog, namespace, name };
  if (kind === "t" && isTab(tab)) return { view: "table", catalog, namespace, table: name, tab };
  return { view: "unknown" };
}

/** The path of a route. */
export function pathOf(route: Route): string {
  switch (route.view) {
    case "home":
    case "unknown":
      return `${BASE}/`;
    case "principal":
      return `${BASE}/access/${encoded(route.name)}`;
    case "catalog":
      return `${BASE}/c/${encoded(route.catalog)}`;
    case "namespace":
      return `${BASE}/c/${encoded(route.catalog)}/${namespaceText(route.namespace)}`;
    case "table": {
      const { catalog, namespace, table, tab } = route;
      const at = `${BASE}/c/${encoded(catalog)}/${namespaceText(namespace)}/t/${encoded(table)}`;
      return tab === "overview" ? at : `${at}/${tab}`;
    }
    case "view": {
      const { catalog, namespace, name } = route;
      return `${BASE}/c/${encoded(catalog)}/${namespaceText(namespace)}/v/${encoded(name)}`;
    }
    default:
      return `${BASE}/${route.view}`;
  }
}

function namespaceText(path: Path): string {
  return kept(path.map(escaped).join("."));
}

/** Where a name that was found leads. */
export function routeToFound({ type, name, catalog = name, namespace = [] }: Found): Route {
  switch (type) {
    case "catalog":
      return { view: "catalog", catalog: name };
    case "namespace":
      return { view: "namespace", catalog, namespace };
    case "table":
      return { view: "table", catalog, namespace, table: name, tab: "overview" };
    case "view":
      return { view: "view", catalog, namespace, name };
  }
}

/** What the title of a view says, and its last crumb. */
export function titleOf(route: Route): string {
  switch (route.view) {
    case "catalog":
      return route.catalog;
    case "namespace":
      return route.namespace.join(".");
    case "table":
      return route.table;
    case "view":
    case "principal":
      return route.name;
    case "home":
      return "Home";
    case "sql":
      return "SQL";
    case "unknown":
      return "Not found";
    default:
      return `${route.view.slice(0, 1).toUpperCase()}${route.view.slice(1)}`;
  }
}
