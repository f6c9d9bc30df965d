import { type ErrorContext, type ErrorKind, FirnError } from "./error.ts";

/** An error as it passes between threads, which keep messages and lose classes. */
export interface Failure {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly message: string;
  readonly context: ErrorContext;
}

/** @param asKnown what an error is that is none of ours. */
export function failureOf(error: unknown, asKnown: (error: unknown) => FirnError): Failure {
  const { kind, code, message, context } = error instanceof FirnError ? error : asKnown(error);
  return { kind, code, message, context };
}

/** The error that another thread told of. */
export function errorOf({ kind, code, message, context }: Failure): FirnError {
  return new FirnError(kind, code, message, context);
}
