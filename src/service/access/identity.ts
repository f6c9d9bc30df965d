import { FirnError } from "../../base/error.ts";
import type { AccountId, PrincipalId } from "../../base/ids.ts";
import type { Rights } from "./rights.ts";

/** Who asks, proven by a credential. */
export interface Identity {
  /** The name of the account, and its id. */
  readonly account: string;
  readonly accountId: AccountId;
  readonly principal: string;
  readonly principalId: PrincipalId;
  /** The API key that proves it, or with which its token was got. */
  readonly keyId?: string | undefined;
  /** The issuer of its token. */
  readonly issuer?: string | undefined;
  /** Roles that its token is limited to. */
  readonly roles?: readonly PrincipalId[] | undefined;
  /** Roles that an issuer's claim named. */
  readonly claimed?: readonly string[] | undefined;
  readonly rights: Rights;
  /** When the first credential of a chain of tokens was presented. */
  readonly sinceMs: number;
  readonly expiresAtMs: number;
}

/** A session of a browser. */
export interface BrowserSession {
  /** For a cookie alone. */
  readonly token: string;
  readonly lifeMs: number;
  readonly identity: Identity;
}

/**
 * The one refusal of every credential that is missing, malformed, wrong, expired or revoked: it
 * does not tell which.
 */
export function notAuthenticated(): FirnError {
  const message = "authentication required: send a valid API key or token as Authorization: Bearer";
  return new FirnError("Unauthenticated", "NOT_AUTHENTICATED", message);
}
