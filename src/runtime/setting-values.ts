import { isIP, isIPv4 } from "node:net";
import { resolve } from "node:path";
import { canonicalHost } from "../base/loopback.ts";
import { OWN_PRICES, type OwnPrice } from "../service/stores/prices.ts";
import { parseLocation } from "./location.ts";
import type { ParseOne } from "./setting-spec.ts";

/** A catalog that is made at the start if it is absent. */
export interface CatalogSetting {
  readonly name: string;
  /** Root of its tables; absent means a folder of the warehouse. */
  readonly uri?: string;
}

/** Fewer characters than that could be guessed. */
const SECRET_CHARS = 32;
const MOST_MERGE_THREADS = 64;
/** Says that clients are told no endpoint. */
export const NO_ENDPOINT = "none";

export function oneOf<T extends string>(choices: readonly T[]): ParseOne<T> {
  return (text) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined) throw new RangeError(`must be one of ${choices.join(", ")}`);
    return choice;
  };
}

export function parseHost(text: string): string {
  if (!/^[A-Za-z0-9.:_-]{1,253}$/.test(text)) throw new RangeError("must be a host or address");
  return text;
}

/** The name of a server in a `Host` header, as `canonicalHost` spells it. */
export function parseHostName(text: string): string {
  const name = canonicalHost(text);
  if (name === undefined) {
    throw new RangeError("must be a host name or address, without scheme, port and *");
  }
  return name;
}

/** An address, or a network of them. */
export function parseNetwork(text: string): string {
  const [address = "", bits, ...more] = text.split("/");
  const most = isIPv4(address) ? 32 : 128;
  const isWhole = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  if (isIP(address) !== 0 && !address.includes("%") && isWhole && more.length === 0) return text;
  throw new RangeError("must be an IP address, or a network such as 10.0.0.0/8");
}

export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new RangeError("must be an integer from 0 to 65535");
  }
  return Number(text);
}

/** A port, or `off` for none. */
export function parseOptionalPort(text: string): number | undefined {
  if (text === "off") return undefined;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new RangeError("must be an integer from 0 to 65535, or off");
  }
  return Number(text);
}

export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new RangeError("must be an integer from 1 to 999999");
  return Number(text);
}

/** A bound that 0 switches off. */
export function parseBound(text: string): number {
  return text === "0" ? 0 : parseCount(text);
}

/** A size that 0 switches off. */
export function parseMebibytes(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new RangeError("must be a number of mebibytes, 0 for none");
  return Number(text);
}

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A span of time in milliseconds; undefined where the text is none. */
export function spanMs(text: string): number | undefined {
  const [, count, unit] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? [];
  if (count === undefined) return undefined;
  return Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
}

/** A span of time, in milliseconds, that 0 switches off. */
export function parseSpan(text: string): number {
  const ms = text === "0" ? 0 : spanMs(text);
  if (ms === undefined) throw new RangeError("must be a span such as 90s, 30m, 12h, 7d, or 0");
  return ms;
}

/** A span that may not be shorter than `leastMs`. */
export function spanFrom(leastMs: number, leastText: string): (text: string) => number {
  return (text) => {
    const ms = spanMs(text);
    if (ms !== undefined && ms >= leastMs) return ms;
    throw new RangeError(`must be a span such as 12h or 7d, ${leastText} at least`);
  };
}

/** A span between two others. */
export function spanWithin(
  leastMs: number,
  mostMs: number,
  leastText: string,
  mostText: string,
): (text: string) => number {
  return (text) => {
    const ms = spanMs(text);
    if (ms !== undefined && ms >= leastMs && ms <= mostMs) return ms;
    throw new RangeError(`must be a span between ${leastText} and ${mostText}`);
  };
}

/** As `service/access/api-keys.ts` reads one. */
export function parseBootstrapKey(text: string): string {
  if (/^firn_[a-z0-9]{8,32}_[A-Za-z0-9_-]{32,128}$/.test(text)) return text;
  throw new RangeError(
    "must be firn_ID_SECRET, such as firn_$(openssl rand -hex 10)_$(openssl rand -hex 32)",
  );
}

/** As `service/access/names.ts` has them. */
export function parseExternalName(text: string): string {
  if (/^[A-Za-z0-9_-]{1,64}\/[\x21-\x7e]{1,190}$/.test(text)) return text;
  throw new RangeError("must be ISSUER/SUBJECT, with the name of an issuer in --issuers");
}

export function parseRoleArn(text: string): string {
  if (/^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/.test(text)) return text;
  throw new RangeError("must be the ARN of a role, such as arn:aws:iam::123456789012:role/firn");
}

/** Of the storage engine: less would be a table for each few rows. */
export function parseEngineMemory(text: string): number {
  const mib = parseMebibytes(text);
  if (mib < 16) throw new RangeError("must be a number of mebibytes, 16 at least");
  return mib;
}

export function parseMergeThreads(text: string): number {
  const threads = parseCount(text);
  if (threads > MOST_MERGE_THREADS) {
    throw new RangeError(`must be an integer from 1 to ${MOST_MERGE_THREADS}`);
  }
  return threads;
}

/** One processor is left to the thread that serves; more than some merges wait for the store. */
export function mergeThreadsOf(processors: number): number {
  return Math.min(4, Math.max(1, processors - 1));
}

export function parseDir(text: string, cwd: string): string {
  if (text === "" || text.includes("\0")) throw new RangeError("must be a path");
  return resolve(cwd, text);
}

export function parseCatalog(text: string, cwd: string): CatalogSetting {
  const equals = text.indexOf("=");
  const name = equals < 0 ? text : text.slice(0, equals);
  if (name === "") throw new RangeError("must be a name, or name=uri");
  return equals < 0 ? { name } : { name, uri: parseLocation(text.slice(equals + 1), cwd) };
}

export function parsePropertyKey(text: string): string {
  if (!/^[\w.-]+$/.test(text)) throw new RangeError("must be the whole key of a property");
  return text;
}

export function parsePrice(text: string): OwnPrice {
  const [own = "", dollars = "", ...more] = text.split("=");
  const name = OWN_PRICES.find((each) => each === own);
  const isPrice = /^[0-9]{1,6}(?:\.[0-9]{1,9})?$/.test(dollars) && more.length === 0;
  if (name !== undefined && isPrice) return { name, dollars: Number(dollars) };
  throw new RangeError(`must be name=dollars for a million, of ${OWN_PRICES.join(", ")}`);
}

export function parseSecret(text: string): string {
  if (text.length >= SECRET_CHARS) return text;
  throw new RangeError(`must be ${SECRET_CHARS} random characters or more`);
}

/** As S3 names buckets; names of old that clients cannot put into a URI are refused. */
export function parseBucket(text: string): string {
  if (/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(text)) return text;
  throw new RangeError("must be the name of a bucket, without s3://");
}

/** With a slash at its end: its own folder, so that no table can lie among Firn's files. */
export function parsePrefix(text: string): string {
  const segments = text.split("/").filter((segment) => segment !== "");
  const plain = segments.every((segment) => /^[A-Za-z0-9!_.*'()=-]{1,200}$/.test(segment));
  const dots = segments.some((segment) => segment === "." || segment === "..");
  if (segments.length > 0 && plain && !dots && text.length <= 400) return `${segments.join("/")}/`;
  throw new RangeError("must be a folder of the bucket, such as firn/");
}

export function parseTable(text: string): string {
  if (/^[A-Za-z0-9_.-]{3,255}$/.test(text)) return text;
  throw new RangeError("must be the name of a DynamoDB table");
}

export function parseKmsKey(text: string): string {
  if (/^[A-Za-z0-9:/_-]{1,2048}$/.test(text)) return text;
  throw new RangeError("must be the id, alias or ARN of a KMS key");
}

/** As `parseUrl`; or `none`. */
export function parseClientEndpoint(text: string): string {
  return text === NO_ENDPOINT ? text : parseUrl(text);
}

/** Where others reach this process: scheme and authority alone. */
export function parseUrl(text: string): string {
  const url = URL.parse(text);
  const plain = url !== null && url.pathname === "/" && url.search === "" && url.hash === "";
  if (!plain || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    throw new RangeError("must be http://host:port or https://host:port");
  }
  return url.origin;
}

/** Text of one line that is sent to others as it is. */
export function parseText(text: string): string {
  if (/^[\x21-\x7e]{1,512}$/.test(text)) return text;
  throw new RangeError("must be 1 to 512 printable ASCII characters without spaces");
}

/** Scopes of OAuth 2.0, `openid` among them. */
export function parseScope(text: string): string {
  const scopes = text.split(" ");
  const isScope = (scope: string) => /^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/.test(scope);
  if (scopes.length <= 32 && scopes.every(isScope) && scopes.includes("openid")) return text;
  throw new RangeError("must be scopes separated by single spaces, with openid among them");
}
