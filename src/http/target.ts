/** A request target (RFC 9112, 3.2) in its parts, still percent-encoded. */
export interface Target {
  readonly path: string;
  /** What follows the first `?`, without it. */
  readonly query: string;
}

/** Splits a target. The absolute form, which proxies send, loses its scheme and authority. */
export function parseTarget(raw: string): Target {
  const mark = raw.indexOf("?");
  const before = mark < 0 ? raw : raw.slice(0, mark);
  return { path: withoutAuthority(before), query: mark < 0 ? "" : raw.slice(mark + 1) };
}

function withoutAuthority(path: string): string {
  if (path.startsWith("/")) return path;
  const scheme = /^https?:\/\//i.exec(path)?.[0];
  if (scheme === undefined) return path;
  const slash = path.indexOf("/", scheme.length);
  return slash < 0 ? "/" : path.slice(slash);
}

/** The rest of a path below a mount point, or undefined where it is elsewhere. */
export function below(mount: string, path: string): string | undefined {
  if (!path.startsWith(mount)) return undefined;
  const rest = path.slice(mount.length);
  return rest === "" || rest.startsWith("/") ? rest : undefined;
}
