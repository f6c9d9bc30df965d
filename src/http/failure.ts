import { type ErrorContext, FirnError, invalid } from "../base/error.ts";
import { LIMITS } from "../base/limits.ts";

/** The largest part of one context value that an answer repeats. */
const FACT_CHARS = 256;

/**
 * Any thrown value as the one error class. What the HTTP framework refuses becomes `Invalid` with a
 * code of ours; an unforeseen error becomes `Internal`, with the original as its cause.
 */
export function asFirnError(thrown: unknown): FirnError {
  if (thrown instanceof FirnError) return thrown;
  const status = frameworkStatus(thrown);
  if (status === 413) return bodyTooLarge();
  if (status === 415) return contentTypeNotSupported();
  if (status !== undefined && status >= 400 && status < 500) {
    return new FirnError("Invalid", "BAD_REQUEST", "malformed request", {}, thrown);
  }
  return new FirnError("Internal", "INTERNAL", "internal error", {}, thrown);
}

function frameworkStatus(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !("statusCode" in thrown) || !("code" in thrown)) {
    return undefined;
  }
  const ours = typeof thrown.code === "string" && thrown.code.startsWith("FST_");
  return ours && typeof thrown.statusCode === "number" ? thrown.statusCode : undefined;
}

/** Where the request asks for nothing that exists; still percent-encoded, as it was sent. */
export function routeNotFound(path: string): FirnError {
  const message = "nothing is served at this path; GET / says what is";
  return new FirnError("NotFound", "ROUTE_NOT_FOUND", message, { path });
}

/** A client of the Iceberg catalog that was given another base URL than the catalog's. */
export function baseUrlWrong(path: string): FirnError {
  const message =
    "no Iceberg catalog at this URL: the client's uri must end with /iceberg, as in " +
    "http://127.0.0.1:8181/iceberg";
  return new FirnError("NotFound", "BASE_URL_WRONG", message, { path });
}

/** The path exists, the method does not; `allow` is what does, for the header. */
export function methodNotAllowed(allow: readonly string[]): FirnError {
  return invalid("METHOD_NOT_ALLOWED", "method not allowed", { allow: allow.join(", ") });
}

/** Only JSON comes in: a page of another origin cannot send that without asking first. */
export function contentTypeNotSupported(): FirnError {
  return invalid("CONTENT_TYPE_NOT_SUPPORTED", "the body must be uncompressed application/json");
}

/** More is under way than can be done in good time. */
export function overloaded(): FirnError {
  return new FirnError("Overloaded", "OVERLOADED", "the server is overloaded: try again later");
}

/** `limit`: bytes, where the one that refused it told. */
export function bodyTooLarge(limit?: number): FirnError {
  const message = "request body too large: send several requests";
  return invalid("BODY_TOO_LARGE", message, limit === undefined ? {} : { limit });
}

/** So many bytes of a body have come, and then none for as long as it may stand still. */
export function bodyIdle(receivedBytes: number): FirnError {
  const message = "the request body stopped arriving: send it again without a pause";
  return invalid("BODY_IDLE", message, { receivedBytes, limitMs: LIMITS.bodyIdleMs });
}

/**
 * What failed, then the facts that the message does not hold already: the text of every error that
 * no protocol words otherwise.
 */
export function describe(message: string, context: ErrorContext): string {
  const facts = Object.entries(context)
    .filter(([, value]) => !message.includes(String(value)))
    .map(([key, value]) => `${key}=${String(value).slice(0, FACT_CHARS)}`);
  return facts.length === 0 ? message : `${message} (${facts.join(", ")})`;
}
