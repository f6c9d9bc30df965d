import type { FirnError } from "../base/error.ts";
import { errorText, type TextAnswer } from "./answer.ts";
import type { ErrorForm } from "./protocol.ts";
import { errorHeaders, httpStatus } from "./status.ts";

/** An error outside any protocol adapter, as an RFC 9457 problem document with our `code`. */
export function problemAnswer(error: FirnError, writes: boolean): TextAnswer {
  const status = httpStatus(error, writes);
  return {
    status,
    headers: { "Content-Type": "application/problem+json", ...errorHeaders(error) },
    body: JSON.stringify({ status, title: error.code, code: error.code, detail: errorText(error) }),
  };
}

/** How errors are worded of every path that no other protocol owns. */
export const PROBLEMS: ErrorForm = {
  owns: /^/,
  refuse: (error) => problemAnswer(error, false),
};
