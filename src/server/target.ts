import type { ErrorForm, Target } from "../http/protocol.ts";

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

/** The first protocol that owns a path. */
export function ownerOf<P extends Pick<ErrorForm, "owns">>(
  protocols: readonly P[],
  { path }: Target,
): P {
  for (const protocol of protocols) if (protocol.owns.test(path)) return protocol;
  throw new Error("no protocol owns every path");
}
