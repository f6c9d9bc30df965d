import { ICEBERG_MOUNT } from "../mounts.ts";

/**
 * Paths of Iceberg clients: those below the mount; and those of a client whose base URL lacks the
 * mount, or names the mount of another server. A client asks for its config or a token first.
 */
export const ICEBERG_PATHS: RegExp = /^\/iceberg(?:\/|$)|^\/v1\/|\/v1\/(?:config|oauth\/tokens)$/;

/** The rest of a path below the mount; undefined where it is elsewhere. */
export function belowMount(path: string): string | undefined {
  if (!path.startsWith(ICEBERG_MOUNT)) return undefined;
  const rest = path.slice(ICEBERG_MOUNT.length);
  return rest === "" || rest.startsWith("/") ? rest : undefined;
}

/** Whether a path below the mount repeats what a base URL ends with: `/iceberg/v1/v1/config`. */
export function repeatsBase(rest: string): boolean {
  return /^\/.*?\/v1\/(?:config|oauth\/tokens)$/.test(rest);
}
