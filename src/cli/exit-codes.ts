import type { ErrorKind } from "../base/error.ts";

/** What a command ends with, so that a script knows what to do next. */
export const EXIT = {
  ok: 0,
  /** It failed, or a check found something. */
  failed: 1,
  /** The command line or the request must be corrected. */
  usage: 2,
  notFound: 3,
  notAllowed: 4,
  conflict: 5,
  /** Nothing happened: retry. */
  busy: 6,
  interrupted: 130,
} as const;

/** The exit code of a failure. */
export function exitCodeOf(kind: ErrorKind): number {
  switch (kind) {
    case "Invalid":
      return EXIT.usage;
    case "NotFound":
      return EXIT.notFound;
    case "Forbidden":
    case "Unauthenticated":
      return EXIT.notAllowed;
    case "AlreadyExists":
    case "Conflict":
      return EXIT.conflict;
    case "Overloaded":
    case "Unavailable":
      return EXIT.busy;
    case "Unknown":
    case "Corrupt":
    case "Internal":
      return EXIT.failed;
  }
}
