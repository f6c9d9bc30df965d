/**
 * What the caller should do next, which is all that a kind says:
 *
 * - `Invalid`: fix the request. `NotFound`, `AlreadyExists`: certain facts about the store.
 * - `Conflict`: read again, then retry. `Overloaded`: wait `retryAfterMs`, then retry.
 * - `Unavailable`: retry, nothing happened. `Unknown`: may have happened, so read again first.
 * - `Forbidden`, `Unauthenticated`: another identity is needed.
 * - `Corrupt`: stored bytes are not what was written. `Internal`: our own fault.
 */
export type ErrorKind =
  | "Invalid"
  | "NotFound"
  | "AlreadyExists"
  | "Conflict"
  | "Forbidden"
  | "Unauthenticated"
  | "Overloaded"
  | "Unavailable"
  | "Unknown"
  | "Corrupt"
  | "Internal";

/** Facts of one error: shown to clients and logs, so never a secret. */
export type ErrorContext = Readonly<Record<string, string | number | bigint | boolean>>;

/**
 * The one error class. `code` is stable text in upper snake case that clients may match on (every
 * one is in `docs/errors.md`); `message` is for people and may change at any time.
 */
export class FirnError extends Error {
  override readonly name = "FirnError";
  readonly kind: ErrorKind;
  readonly code: string;
  readonly context: ErrorContext;

  constructor(
    kind: ErrorKind,
    code: string,
    message: string,
    context: ErrorContext = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.code = code;
    this.context = context;
  }
}

/** Shorthand for the most common error: the request itself is wrong. */
export function invalid(code: string, message: string, context?: ErrorContext): FirnError {
  return new FirnError("Invalid", code, message, context);
}
