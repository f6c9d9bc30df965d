import { unreachable } from "../base/assert.ts";
import type { FirnError } from "../base/error.ts";

/** Refusals of the request itself that HTTP knows by a finer number than 400. */
const INVALID_STATUS: Readonly<Record<string, number>> = {
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  BODY_IDLE: 408,
  BODY_TOO_LARGE: 413,
  CONTENT_TYPE_NOT_SUPPORTED: 415,
  EXPECTATION_UNKNOWN: 417,
  PROPERTIES_OVERLAP: 422,
  IDEMPOTENCY_KEY_REUSED: 422,
  HEADERS_TOO_LARGE: 431,
  OPERATION_NOT_SUPPORTED: 501,
};

/** Refusals of other kinds that HTTP knows by a finer number. */
const FINER_STATUS: Readonly<Record<string, number>> = {
  PRECONDITION_FAILED: 412,
  HISTORY_GONE: 410,
  ROW_PAGE_GONE: 410,
  LEASE_LOST: 410,
  QUEUE_CLAIM_LOST: 410,
  IDEMPOTENCY_LOST: 410,
};

/** When to come back if the error does not say: long enough to matter, short enough to wait. */
const RETRY_AFTER_MS = 1_000;

/**
 * The HTTP status of an error. Clients read 5xx on a write as "may have happened" and leave their
 * files behind, so a write that certainly did not happen is never answered with one. But for 501:
 * every client takes that as "not supported", and the Java one takes nothing else as that.
 */
export function httpStatus(error: FirnError, writes: boolean): number {
  switch (error.kind) {
    case "Invalid":
      return INVALID_STATUS[error.code] ?? 400;
    case "Unauthenticated":
      return 401;
    case "Forbidden":
      return 403;
    case "NotFound":
      return FINER_STATUS[error.code] ?? 404;
    case "AlreadyExists":
    case "Conflict":
      return FINER_STATUS[error.code] ?? 409;
    case "Overloaded":
      return 429;
    case "Unavailable":
      return writes ? 429 : 503;
    case "Unknown":
    case "Corrupt":
    case "Internal":
      return 500;
    default:
      return unreachable(error.kind);
  }
}

/** Headers that belong to an error whatever its body looks like. */
export function errorHeaders(error: FirnError): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { "X-Firn-Error": error.code };
  if (error.kind === "Overloaded" || error.kind === "Unavailable") {
    const waitMs = Number(error.context["retryAfterMs"] ?? RETRY_AFTER_MS);
    headers["Retry-After"] = String(Math.max(1, Math.ceil(waitMs / 1_000)));
  }
  if (error.code === "METHOD_NOT_ALLOWED") headers["Allow"] = String(error.context["allow"] ?? "");
  if (error.kind === "Unauthenticated") headers["WWW-Authenticate"] = "Bearer";
  return headers;
}
