import { type ErrorContext, FirnError } from "../../base/error.ts";
import { errorText, type TextAnswer } from "../answer.ts";
import { overloaded } from "../failure.ts";
import { errorHeaders, httpStatus } from "../status.ts";

/** One of the things that are wrong with a request. */
export interface RequestProblem {
  /** Where in the body, as a JSON pointer (RFC 6901). */
  readonly pointer?: string;
  /** Which parameter of the query, or header. */
  readonly parameter?: string;
  readonly code: string;
  readonly detail: string;
}

/** A request that is wrong in one or several ways, all of which it names. */
export class RequestInvalid extends FirnError {
  readonly problems: readonly RequestProblem[];

  constructor(problems: readonly RequestProblem[]) {
    const [first] = problems;
    const where = first?.pointer ?? first?.parameter ?? "";
    super("Invalid", "REQUEST_INVALID", "the request is invalid: see `errors`", {
      problems: problems.length,
      first: `${where}: ${first?.detail ?? ""}`.slice(0, 256),
    });
    this.problems = problems;
  }
}

const HIDDEN: ReadonlySet<FirnError["kind"]> = new Set([
  "Corrupt",
  "Internal",
  "Unavailable",
  "Unknown",
]);

/** The facts of an error, 64-bit integers as text. */
function shownContext({ kind, context }: FirnError): ErrorContext {
  const { sqlState } = context;
  if (HIDDEN.has(kind)) return typeof sqlState === "string" ? { sqlState } : {};
  return Object.fromEntries(
    Object.entries(context).map(([name, value]) => [
      name,
      typeof value === "bigint" ? String(value) : cut(value),
    ]),
  );
}

const FACT_CHARS = 1_024;

function cut(value: string | number | boolean): string | number | boolean {
  return typeof value === "string" ? value.slice(0, FACT_CHARS) : value;
}

/** `TABLE_NOT_FOUND` as `Table not found`. */
function titleOf(code: string): string {
  const words = code.replaceAll("_", " ").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Any error as an RFC 9457 problem: the one place where the native API words errors. */
export function problemOf(error: FirnError, method: string, writes: boolean): TextAnswer {
  const status = httpStatus(error, writes);
  const { code, kind, context } = error;
  const retryAfterMs = Number(context["retryAfterMs"]);
  const etag = code === "PRECONDITION_FAILED" ? context["etag"] : undefined;
  const body = JSON.stringify({
    type: `/api/errors/${code}`,
    title: titleOf(code),
    status,
    detail: errorText(error),
    code,
    kind,
    context: shownContext(error),
    ...(error instanceof RequestInvalid && { errors: error.problems }),
    ...(Number.isSafeInteger(retryAfterMs) && retryAfterMs >= 0 && { retryAfterMs }),
  });
  return {
    status,
    headers: {
      "Content-Type": "application/problem+json",
      "Cache-Control": "no-store",
      ...errorHeaders(error),
      ...(typeof etag === "string" && { ETag: etag }),
    },
    body: method === "HEAD" ? "" : body,
  };
}

export function overloadedProblem(method: string): TextAnswer {
  return problemOf(overloaded(), method, false);
}
