import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { sha256Hex } from "../base/hash.ts";

/*
 * Signature Version 4, as AWS documents it ("Create a signed AWS API request"):
 *
 *   canonical request  method, path, query, headers, names of headers, SHA-256 of the payload: one
 *                      a line
 *   string to sign     algorithm, time, scope, SHA-256 of the canonical request
 *   signing key        HMAC of "AWS4" + secret over day, region, service, "aws4_request", in turn
 *   signature          hex of the HMAC of the string to sign under the signing key
 *
 * Example: day 20150830, region us-east-1, service iam and the secret of AWS's own examples make
 * the signing key c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9.
 */

/** Keys of an identity; `sessionToken` of one that is lent for a while. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  /** When they end, where they do. */
  readonly expiration?: Date | undefined;
}

/** Name and value of each header or parameter. */
export type Pairs = readonly (readonly [name: string, value: string])[];

export interface SignerOptions {
  readonly credentials: AwsCredentials;
  readonly region: string;
  readonly service: string;
  /** All services but S3: the path is normalized and encoded once more before it is signed. */
  readonly escapePath: boolean;
}

/** What is signed. Every header that is named here is. */
export interface Signable {
  readonly method: string;
  /** As it stands on the wire: absolute and percent-encoded, without a query. */
  readonly path: string;
  /** Not encoded. */
  readonly query?: Pairs;
  /** Under lower-case names, `host` and `x-amz-date` among them. */
  readonly headers: Pairs;
  /** Lower-hex SHA-256 of the body. */
  readonly payloadSha256: string;
}

/** SHA-256 of no bytes. */
export const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

const ALGORITHM = "AWS4-HMAC-SHA256";

/** Signs requests of one identity to one service in one region. */
export class Signer {
  readonly #options: SignerOptions;
  /** Of the day that was last signed for: the next one comes in 24 hours. */
  #key: { readonly day: string; readonly key: KeyObject } | undefined;

  constructor(options: SignerOptions) {
    this.#options = options;
  }

  /** The value of the `authorization` header. `date`: as in `x-amz-date`. */
  authorize(request: Signable, date: string): string {
    const { credentials, region, service } = this.#options;
    const day = date.slice(0, 8);
    const scope = `${day}/${region}/${service}/aws4_request`;
    const headers = request.headers.toSorted(byName);
    const names = headers.map(([name]) => name).join(";");
    const canonicalHash = sha256Hex(this.#canonical(request, headers, names));
    const text = `${ALGORITHM}\n${date}\n${scope}\n${canonicalHash}`;
    const signature = createHmac("sha256", this.#keyOf(day)).update(text).digest("hex");
    return (
      `${ALGORITHM} Credential=${credentials.accessKeyId}/${scope}, ` +
      `SignedHeaders=${names}, Signature=${signature}`
    );
  }

  #canonical(
    { method, path, query = [], payloadSha256 }: Signable,
    headers: Pairs,
    names: string,
  ): string {
    const signedPath = this.#options.escapePath ? escapePath(path) : path;
    let text = `${method}\n${signedPath}\n${canonicalQuery(query)}\n`;
    for (const [name, value] of headers) text += `${name}:${tidyValue(value)}\n`;
    return `${text}\n${names}\n${payloadSha256}`;
  }

  #keyOf(day: string): KeyObject {
    if (this.#key?.day !== day) {
      const { credentials, region, service } = this.#options;
      let key: string | Buffer = `AWS4${credentials.secretAccessKey}`;
      for (const part of [day, region, service, "aws4_request"]) {
        key = createHmac("sha256", key).update(part).digest();
      }
      this.#key = { day, key: createSecretKey(Buffer.from(key)) };
    }
    return this.#key.key;
  }
}

/** `20150830T123600Z` */
export function amzDate(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:]|\.\d{3}/g, "");
}

/** Percent-encodes all but letters, digits, `-`, `.`, `_` and `~`. @throws URIError */
export function escapeText(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function byName([a]: Pairs[number], [b]: Pairs[number]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function canonicalQuery(query: Pairs): string {
  if (query.length === 0) return "";
  return query
    .map(([name, value]) => [escapeText(name), escapeText(value)] as const)
    .sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

const UNTIDY = /[\t\r\n]|^ | $| {2}/;

function tidyValue(value: string): string {
  if (!UNTIDY.test(value)) return value;
  return value.replace(/[ \t\r\n]+/g, " ").replace(/^ | $/g, "");
}

/** RFC 3986's removal of dot segments, without empty ones, encoded once more. */
function escapePath(path: string): string {
  if (path === "/") return path;
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment === "..") segments.pop();
    else segments.push(escapeText(segment));
  }
  const end = segments.length > 0 && path.endsWith("/") ? "/" : "";
  return `/${segments.join("/")}${end}`;
}
