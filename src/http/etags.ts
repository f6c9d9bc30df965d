import { ANY_TAG } from "../service/requests.ts";

/** More tags than any client remembers of one table. */
const MAX_TAGS = 64;

/**
 * The entity tags of an `If-None-Match` header (RFC 9110, 13.1.2), quotes and all. The comparison
 * is weak, so a `W/` before a tag, which proxies add when they compress, is dropped. A malformed
 * header matches nothing: the answer is then whole, which is always right.
 */
export function parseEntityTags(header: string | undefined): readonly string[] | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === ANY_TAG) return [ANY_TAG];
  const tags: string[] = [];
  let at = 0;
  while (at < header.length && tags.length < MAX_TAGS) {
    const char = header[at];
    if (char === " " || char === "\t" || char === ",") {
      at++;
      continue;
    }
    const open = header.startsWith("W/", at) ? at + 2 : at;
    const close = header[open] === '"' ? header.indexOf('"', open + 1) : -1;
    if (close < 0) return undefined;
    tags.push(header.slice(open, close + 1));
    at = close + 1;
  }
  return tags.length === 0 ? undefined : tags;
}
