import { compareUtf8 } from "../base/bytes.ts";
import type { Properties } from "./model.ts";

/**
 * The same entries, listed by the bytes of their keys. A plain object lists keys such as "10"
 * before all others and by number, whatever order they were set in.
 */
export function sorted(properties: Properties): Record<string, string> {
  const keys = Object.keys(properties);
  if (keys.length > 1) keys.sort(compareUtf8);
  const entries = { ...properties };
  return keys.every(isOrdered)
    ? inOrder(entries, keys)
    : new Proxy(entries, { ownKeys: () => keys });
}

/** A key that a plain object lists where it was set. */
function isOrdered(key: string): boolean {
  const first = key.charCodeAt(0);
  return !(first >= 0x30 && first <= 0x39) && key !== "__proto__";
}

function inOrder(entries: Properties, keys: readonly string[]): Record<string, string> {
  const ordered: Record<string, string> = {};
  for (const key of keys) ordered[key] = entries[key] ?? "";
  return ordered;
}
