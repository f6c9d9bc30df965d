import { FirnError } from "../../base/error.ts";
import { namespaceName } from "../../client/client.ts";

/** In place of any name: the resource of this id. */
const ID = "id:";

/** @throws FirnError `Invalid`, code `NAME_INVALID`: an empty part, or a wrong escape. */
export function partsOf(text: string): readonly string[] {
  const parts = text.split(".");
  try {
    if (!parts.includes("")) return parts.map(decodeURIComponent);
  } catch {
    // Told below.
  }
  const message = "not a name: join names by dots; %2E is a dot within a name, %25 a percent sign";
  throw new FirnError("Invalid", "NAME_INVALID", message, { name: text.slice(0, 256) });
}

/**
 * A dotted name as segments of a path.
 *
 * @param levels of the operation: `catalog`, `namespace`, `table` or `view`, in this order.
 * @throws FirnError `NAME_INVALID`.
 */
export function segmentsOf(
  text: string,
  levels: readonly string[],
): Readonly<Record<string, string>> {
  const parts = partsOf(text);
  const hasNamespace = levels.includes("namespace");
  const fits = hasNamespace ? parts.length >= levels.length : parts.length === levels.length;
  if (!fits) {
    const message = `not a name of this kind: give ${levels.join(".")}`;
    throw new FirnError("Invalid", "NAME_INVALID", message, { name: text.slice(0, 256) });
  }
  const [catalog = "", ...rest] = parts;
  const relation = levels.length > 2 ? rest.at(-1) : undefined;
  const path = relation === undefined ? rest : rest.slice(0, -1);
  return {
    catalog,
    ...(hasNamespace && { namespace: namespaceSegment(path) }),
    ...(relation !== undefined && { [levels.at(-1) ?? ""]: relation }),
  };
}

function namespaceSegment(path: readonly string[]): string {
  const [first = ""] = path;
  return path.length === 1 && first.startsWith(ID) ? first : namespaceName(path);
}

/** Names as a person types them: dots and percent signs within them are escaped. */
export function dotted(parts: readonly string[]): string {
  return parts
    .map((part) => part.replaceAll("%", "%25").replaceAll(".", "%2E").replaceAll("@", "%40"))
    .join(".");
}
