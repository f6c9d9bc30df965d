import { parseKeyText } from "../service/access/api-keys.ts";
import { credentialOf } from "../service/access/authenticator.ts";
import { type AuditEntry, type AuditLog, accountOf, type Decision } from "./audit-log.ts";
import type { Exchange } from "./exchange.ts";
import { OPERATOR } from "./operator-access.ts";

/** How an answer was decided; undefined: nothing to record. */
function decisionOf(
  exchange: Exchange,
  status: number,
  code: string | undefined,
): Decision | undefined {
  if (status === 401 || code === "TOO_MANY_ATTEMPTS") return "unauthenticated";
  if (status === 403) return "denied";
  const { accepted } = exchange;
  // A wrong request for a token is a failed sign-in, whatever RFC 6749 answers it with.
  if (accepted?.signsIn === true) {
    return status < 400 || status >= 500 ? undefined : "unauthenticated";
  }
  const writes = accepted?.writes ?? isFrameworks(exchange);
  if (!writes) return undefined;
  return status < 400 ? "allowed" : "failed";
}

function keyIdOf(header: string | undefined): string | undefined {
  const credential = header === undefined ? undefined : credentialOf(header);
  return credential && parseKeyText(credential.text)?.id;
}

/** A framework serves it, and nothing of it is known but its method. */
function isFrameworks({ accepted, route, request }: Exchange): boolean {
  const reads = request.method === "GET" || request.method === "HEAD";
  return accepted === undefined && route !== undefined && !reads;
}

/** Records a request that changed something, was denied, or had no valid credential. */
export function auditRequest(
  audit: AuditLog,
  exchange: Exchange,
  status: number,
  code: string | undefined,
): void {
  const decision: Decision | undefined = decisionOf(exchange, status, code);
  if (decision === undefined) return;
  const { request, requestId, accepted, route } = exchange;
  const who = exchange.actor ?? exchange.identity;
  const sent = who === undefined ? keyIdOf(request.headers.authorization) : undefined;
  // Only operators are served by a framework where that changes anything.
  const operator = decision !== "unauthenticated" && isFrameworks(exchange) ? OPERATOR : undefined;
  const entry: AuditEntry = {
    requestId,
    ...accountOf(who),
    principal: who?.principal ?? operator,
    keyId: who?.keyId ?? sent,
    issuer: who?.issuer,
    address: exchange.address,
    operation: accepted?.operation ?? route ?? "sign-in",
    object: accepted?.named,
    decision,
    status,
    code,
  };
  audit.record(entry);
}
