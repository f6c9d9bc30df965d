import { FirnError } from "../../base/error.ts";

/** The refusal of a signature: the reason is told, since the client made the request itself. */
export function signRefused(reason: string): FirnError {
  const message = `the request is not signed: ${reason}`;
  return new FirnError("Forbidden", "SIGN_REFUSED", message, { reason });
}
