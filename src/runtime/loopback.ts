/**
 * Whether a host name or address can only mean this machine. Names other than `localhost` are
 * refused whatever they resolve to: a page can point its own name at 127.0.0.1.
 */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase();
  if (name === "localhost" || name === "::1" || name === "[::1]") return true;
  return /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name) && octetsFit(name);
}

function octetsFit(address: string): boolean {
  return address.split(".").every((octet) => Number(octet) <= 255);
}

/** The host of an authority without its port; undefined where it has no such form. */
export function hostOfAuthority(authority: string): string | undefined {
  return /^(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::\d{1,5})?$/.exec(authority)?.[1];
}
