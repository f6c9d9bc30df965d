import { isIPv4, isIPv6 } from "node:net";

const LAST_PORT = 65_535;

/**
 * Whether a host name or address can only mean this machine. Names other than `localhost` are
 * refused whatever they resolve to: a page can point its own name at 127.0.0.1.
 */
export function isLoopbackHost(host: string): boolean {
  const name = canonicalHost(host) ?? "";
  return name === "localhost" || name === "::1" || (isIPv4(name) && name.startsWith("127."));
}

/**
 * The one spelling of a host name or address: lower case, no dot at its end, no brackets, an IPv6
 * address in its short form, one that maps an IPv4 address as that.
 *
 * @returns undefined where the text is neither.
 */
export function canonicalHost(host: string): string | undefined {
  const bare = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
  if (bare.includes(":")) return isIPv6(bare) ? canonicalIPv6(bare) : undefined;
  if (bare !== host) return undefined;
  const name = bare.replace(/\.$/, "").toLowerCase();
  return /^[a-z0-9._-]{1,253}$/.test(name) && !name.startsWith(".") ? name : undefined;
}

/** The scope (`%eth0`) names an interface of this machine and is not part of the address. */
function canonicalIPv6(address: string): string | undefined {
  const [unscoped = ""] = address.split("%");
  const short = URL.parse(`http://[${unscoped}]`)?.hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short ?? "");
  if (mapped === null) return short;
  const halves = mapped.slice(1).map((half) => Number.parseInt(half, 16));
  return halves.flatMap((half) => [half >> 8, half & 255]).join(".");
}

/** The host of an authority without its port; undefined where it has no such form. */
export function hostOfAuthority(authority: string): string | undefined {
  const parts = /^(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,254})(?::(\d{0,5}))?$/.exec(authority);
  return Number(parts?.[2] ?? 0) <= LAST_PORT ? parts?.[1] : undefined;
}
