import { invalid } from "../../base/error.ts";
import { LIMITS } from "../../base/limits.ts";

/** Joins the levels of a namespace in a path and in `parent`: the unit separator. */
const LEVEL_SEPARATOR = "\u001f";

/**
 * Percent-decodes one part of a URL as forms encode it, since the Java client writes a space as
 * `+`. Bytes that came unescaped are read as UTF-8 too.
 *
 * @throws FirnError `Invalid`, code `URL_INVALID`: a bad escape, or bytes that are not UTF-8.
 */
export function decodeUrlPart(raw: string): string {
  if (/^[A-Za-z0-9_.~-]*$/.test(raw)) return raw;
  const escaped = raw
    .replaceAll("+", "%20")
    .replace(/[\u0080-\u00ff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
  try {
    return decodeURIComponent(escaped);
  } catch {
    throw invalid("URL_INVALID", "malformed percent-encoding", { part: raw.slice(0, 64) });
  }
}

/**
 * The levels of a namespace from their decoded join. The catalog judges the names; what is judged
 * here is the shape.
 *
 * @throws FirnError `Invalid`, code `NAMESPACE_INVALID`: an empty or too deep one.
 */
export function splitNamespace(joined: string): readonly string[] {
  return checkLevels(joined.includes(LEVEL_SEPARATOR) ? joined.split(LEVEL_SEPARATOR) : [joined]);
}

/** @throws FirnError `Invalid`, code `NAMESPACE_INVALID`. */
export function checkLevels(levels: readonly string[]): readonly string[] {
  if (levels.length === 0 || levels.includes("")) {
    throw invalid("NAMESPACE_INVALID", "empty namespace level");
  }
  if (levels.length > LIMITS.namespaceLevels) {
    const facts = { levels: levels.length, limit: LIMITS.namespaceLevels };
    throw invalid("NAMESPACE_INVALID", "too many namespace levels: use fewer", facts);
  }
  return levels;
}
