import { asFirnError } from "../http/failure.ts";
import type { SessionUsers } from "../pgwire/sign-in.ts";
import type { Actor } from "../service/actor.ts";
import { type AuditLog, accountOf } from "./audit-log.ts";

const OPERATION = "sql-session";

/** Records refused proofs. The user is what the client claims. */
export function auditedSignIn(users: SessionUsers, audit: AuditLog | undefined): SessionUsers {
  if (audit === undefined) return users;
  return {
    proofOf: (user) => users.proofOf(user),
    failed: (user, address) => {
      const refusal = users.failed(user, address);
      audit.record({
        principal: user,
        address,
        operation: OPERATION,
        decision: "unauthenticated",
        code: refusal?.code ?? "SIGN_IN_FAILED",
      });
      return refusal;
    },
  };
}

/** Records a session that was opened, or denied to a known principal. */
export async function auditedSession<T>(
  audit: AuditLog | undefined,
  actor: Actor,
  opening: Promise<T>,
): Promise<T> {
  if (audit === undefined) return await opening;
  const { requestId, principal, keyId, issuer, address } = actor;
  const of = { ...accountOf(actor), principal, keyId, issuer, address };
  const who = { requestId, ...of, operation: OPERATION };
  try {
    const session = await opening;
    audit.record({ ...who, decision: "allowed" });
    return session;
  } catch (error) {
    const { kind, code } = asFirnError(error);
    audit.record({ ...who, decision: kind === "Forbidden" ? "denied" : "failed", code });
    throw error;
  }
}
