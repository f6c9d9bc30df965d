import type { ErrorContext, FirnError } from "../base/error.ts";
import { asFirnError, describe } from "../http/failure.ts";

/** Why a start failed and what to do, on one line that ends with the code to look up. */
export function fatalText(thrown: unknown): string {
  const error = asFirnError(thrown);
  return `firn: ${sentence(error)} [${error.code}]\n`;
}

function sentence({ code, message, context, cause }: FirnError): string {
  switch (code) {
    case "LSM_OWNED":
      return ownedText(context);
    case "INTERNAL":
      return `cannot start: ${causeText(cause)}. For its stack: --log-level debug`;
    default:
      return describe(message, context);
  }
}

function ownedText({ host, pid, sinceMs, url }: ErrorContext): string {
  const where = url === undefined || url === "" ? "" : `, url=${url}`;
  return (
    `another process owns this directory or bucket (host=${host}, pid=${pid}, ` +
    `sinceMs=${sinceMs}${where}): ` +
    "stop it, choose another --dir or --s3-prefix, wait with --standby, or fence it with --takeover"
  );
}

function causeText(cause: unknown): string {
  return cause instanceof Error ? cause.message.replaceAll("\n", " ") : "internal error";
}
