import type { Parameters, Schema } from "../../api/operation.ts";
import { invalid } from "../../base/error.ts";

/** Nothing that we read needs more. */
const MAX_PARAMETERS = 32;

/** Parameters as sent, decoded. */
export type RawQuery = ReadonlyMap<string, string>;

/**
 * Parses what follows the `?`, as forms encode it.
 *
 * @throws FirnError `Invalid`: `URL_INVALID`, or `PARAMETER_INVALID` for one that comes twice.
 */
export function parseQuery(raw: string): RawQuery {
  const query = new Map<string, string>();
  if (raw === "") return query;
  for (const pair of raw.split("&", MAX_PARAMETERS + 1)) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const refuse = (why: string) =>
      invalid("PARAMETER_INVALID", `query parameter ${name.slice(0, 64)}: ${why}`);
    if (query.has(name)) throw refuse("repeated");
    query.set(name, equals < 0 ? "" : decode(pair.slice(equals + 1)));
    if (query.size > MAX_PARAMETERS) throw refuse(`one of more than ${MAX_PARAMETERS}`);
  }
  return query;
}

function decode(raw: string): string {
  return decodePart(raw.replaceAll("+", "%20"));
}

/**
 * Percent-decodes one part of a URL. Bytes that came unescaped are read as UTF-8 too.
 *
 * @throws FirnError `Invalid` `URL_INVALID`.
 */
export function decodePart(raw: string): string {
  if (/^[A-Za-z0-9_.~-]*$/.test(raw)) return raw;
  const escaped = raw.replace(/[\u0080-\u00ff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
  try {
    return decodeURIComponent(escaped);
  } catch {
    const facts = { part: raw.slice(0, 64) };
    throw invalid("URL_INVALID", "malformed percent-encoding", facts);
  }
}

/** Values as their schemas have them; a text that is not of its type is left for the check. */
export function typedQuery(
  query: RawQuery,
  parameters: Parameters,
): Readonly<Record<string, unknown>> {
  const typed: [string, unknown][] = [];
  for (const [name, text] of query) typed.push([name, typedValue(text, parameters[name])]);
  return Object.fromEntries(typed);
}

function typedValue(text: string, schema: Schema | undefined): unknown {
  switch (schema?.["type"]) {
    case "integer":
      return /^[0-9]{1,15}$/.test(text) ? Number(text) : text;
    case "boolean":
      return text === "true" || text === "false" ? text === "true" : text;
    default:
      return text;
  }
}
