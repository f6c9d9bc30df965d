import { utf8Length } from "../base/bytes.ts";
import { invalid } from "../base/error.ts";
import { LIMITS } from "../base/limits.ts";
import { CATALOG_LIMITS } from "./limits.ts";
import type { Properties } from "./model.ts";

/**
 * Routes without a prefix serve the default catalog, so a catalog with one of these names could
 * not be told from a route.
 */
const RESERVED_CATALOG_NAMES: ReadonlySet<string> = new Set([
  "config",
  "oauth",
  "namespaces",
  "tables",
  "views",
  "transactions",
  "functions",
]);

function isControl(code: number): boolean {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code === 0x2028 || code === 0x2029;
}

/** Most names: what all rules below let pass as it is. */
const PLAIN_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._~-]{0,254}$/;

/**
 * A name as stored and answered: NFC, 1 to 255 bytes of UTF-8, no control characters, no white
 * space at either end, neither `.` nor `..`, case-sensitive.
 *
 * @throws FirnError `Invalid`, code `NAME_INVALID`.
 */
export function checkName(text: string, what: string): string {
  if (PLAIN_NAME.test(text)) return text;
  const refuse = (why: string) => invalid("NAME_INVALID", `invalid ${what} name: ${why}`, { why });
  if (!text.isWellFormed()) throw refuse("lone surrogate");
  const name = text.normalize("NFC");
  if (name === "") throw refuse("empty");
  // Every HTTP client takes these out of a path (RFC 3986, 5.2.4): such an entity could be made,
  // and a request to drop it would reach its parent.
  if (name === "." || name === "..") throw refuse("a dot segment");
  if (name.trim() !== name) throw refuse("leading or trailing white space");
  if (utf8Length(name) > LIMITS.nameBytes) throw refuse(`over ${LIMITS.nameBytes} bytes`);
  for (let i = 0; i < name.length; i++) {
    if (isControl(name.charCodeAt(i))) throw refuse("control character");
  }
  return name;
}

/** @throws FirnError `Invalid`, code `NAME_INVALID`. */
export function checkCatalogName(text: string): string {
  const name = checkName(text, "catalog");
  if (RESERVED_CATALOG_NAMES.has(name)) {
    throw invalid("NAME_INVALID", "reserved catalog name", { why: "reserved", name });
  }
  return name;
}

/** @throws FirnError `Invalid`, code `NAME_INVALID`. */
export function checkPath(path: readonly string[]): readonly string[] {
  if (path.length === 0) {
    throw invalid("NAME_INVALID", "empty namespace", { why: "empty namespace" });
  }
  if (path.length > LIMITS.namespaceLevels) {
    const why = `over ${LIMITS.namespaceLevels} levels`;
    throw invalid("NAME_INVALID", `namespace has ${why}`, { why });
  }
  return path.map((level) => checkName(level, "namespace"));
}

/** @throws FirnError `Invalid`, code `PROPERTIES_INVALID`. */
export function checkProperties(properties: Properties): Properties {
  const entries = Object.entries(properties);
  const refuse = (why: string) =>
    invalid("PROPERTIES_INVALID", `invalid properties: ${why}`, { why });
  if (entries.length > CATALOG_LIMITS.properties) throw refuse(`over ${CATALOG_LIMITS.properties}`);
  const { propertyKeyBytes, propertyValueBytes } = CATALOG_LIMITS;
  const { propertiesBytes } = LIMITS;
  let bytes = 0;
  for (const [key, value] of entries) {
    if (key === "") throw refuse("empty key");
    const [keyBytes, valueBytes] = [utf8Length(key), utf8Length(value)];
    if (keyBytes > propertyKeyBytes) throw refuse(`a key over ${propertyKeyBytes} bytes`);
    if (valueBytes > propertyValueBytes) throw refuse(`a value over ${propertyValueBytes} bytes`);
    bytes += keyBytes + valueBytes;
    if (bytes > propertiesBytes) throw refuse(`over ${propertiesBytes} bytes together`);
    if (!key.isWellFormed() || !value.isWellFormed()) throw refuse("lone surrogate");
  }
  return properties;
}

/** A namespace's path as people write it. */
export function dotted(path: readonly string[]): string {
  return path.join(".");
}
