const TLS_FAILURE = /^(?:ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/;

/**
 * Whether an exchange failed before anything of it was sent: no connection came to stand. The code
 * alone does not tell: a connection that stands may end as an unreachable host, too.
 */
export function neverSent(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(neverSent);
  if (typeof error !== "object" || error === null) return false;
  const { syscall, code } = error as { readonly syscall?: unknown; readonly code?: unknown };
  if (syscall === "connect" || syscall === "getaddrinfo") return true;
  return typeof code === "string" && TLS_FAILURE.test(code);
}
