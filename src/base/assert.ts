import { FirnError } from "./error.ts";

/**
 * States an invariant of our own code. Always on: a broken invariant must stop the operation before
 * it reaches a store. Never used on input, which answers `Invalid` instead.
 *
 * @throws FirnError `Internal`, code `ASSERTION_FAILED`.
 */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) {
    throw new FirnError("Internal", "ASSERTION_FAILED", `assertion failed: ${message}`);
  }
}

/** Closes a `switch` without default: the compiler refuses it while a case is missing. */
export function unreachable(value: never): never {
  throw new FirnError("Internal", "ASSERTION_FAILED", `unreachable value: ${String(value)}`);
}
