import { escapeText, type Pairs } from "../../aws/sigv4.ts";
import { keysToDelete } from "./delete-body.ts";
import { signRefused } from "./sign-refused.ts";

/*
 * Judges a request to S3 that a client wants signed with the server's credentials. A signature is
 * good for exactly what is signed, so whatever is not known to be harmless is refused: stores read
 * paths, queries and headers in more ways than one.
 */

/** A request as a client is about to send it. */
export interface AskedSignature {
  readonly method: string;
  /** Absolute, as it will stand on the wire. */
  readonly uri: string;
  readonly region: string;
  /** Under lower-case names. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** Of a deletion of several objects. */
  readonly body?: string | undefined;
}

/** Where requests for one bucket go. */
export interface SigningPlace {
  readonly bucket: string;
  readonly region: string;
  /** What URLs have before the key: scheme, host, port, and the bucket where it is in the path. */
  readonly bases: readonly string[];
}

/** A bucket and a key in it that a URI may mean: by itself it does not tell where the bucket is. */
export interface NamedPlace {
  readonly bucket: string;
  readonly key: string;
}

/** What is allowed to one caller: keys that begin with `prefix`, which ends with a slash. */
export interface SigningScope extends SigningPlace {
  readonly prefix: string;
  readonly writes: boolean;
}

/** What is to be signed, beside the time and the credentials. */
export interface Judged {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly query: Pairs;
  /** `x-amz-*` headers of the client, and others that are signed. */
  readonly headers: Pairs;
  readonly payloadSha256: string;
  readonly writes: boolean;
}

/** What S3 does, by method and the names in the query. */
interface Operation {
  readonly method: string;
  readonly query: readonly string[];
  readonly on: "key" | "bucket";
  readonly writes: boolean;
}

const OPERATIONS: readonly Operation[] = [
  { method: "GET", query: [], on: "key", writes: false },
  { method: "HEAD", query: [], on: "key", writes: false },
  { method: "PUT", query: [], on: "key", writes: true },
  { method: "DELETE", query: [], on: "key", writes: true },
  { method: "POST", query: ["uploads"], on: "key", writes: true },
  { method: "PUT", query: ["partNumber", "uploadId"], on: "key", writes: true },
  { method: "POST", query: ["uploadId"], on: "key", writes: true },
  { method: "DELETE", query: ["uploadId"], on: "key", writes: true },
  { method: "GET", query: ["uploadId"], on: "key", writes: false },
  { method: "POST", query: ["delete"], on: "bucket", writes: true },
];

/** Of a list; all but the first two may be absent. */
const LIST_QUERY: readonly string[] = [
  "list-type",
  "prefix",
  "delimiter",
  "max-keys",
  "continuation-token",
  "start-after",
  "encoding-type",
  "fetch-owner",
];
const PART_QUERY: readonly string[] = ["max-parts", "part-number-marker"];

/** All other `x-amz-*` headers could copy, tag, lock, open or redirect something. */
const HEADERS: ReadonlySet<string> = new Set([
  "x-amz-date",
  "x-amz-content-sha256",
  "x-amz-user-agent",
  "x-amz-checksum-mode",
  "x-amz-sdk-checksum-algorithm",
  "x-amz-checksum-algorithm",
  "x-amz-checksum-type",
  "x-amz-checksum-crc32",
  "x-amz-checksum-crc32c",
  "x-amz-checksum-crc64nvme",
  "x-amz-checksum-sha1",
  "x-amz-checksum-sha256",
  "x-amz-server-side-encryption",
  "x-amz-server-side-encryption-aws-kms-key-id",
  "x-amz-te",
]);
/** Of a header that takes others too: a sum behind the object, which Java's SDK wants to check. */
const ONLY_VALUE: ReadonlyMap<string, string> = new Map([["x-amz-te", "append-md5"]]);
/** Replaced by the server's own. */
const REPLACED: ReadonlySet<string> = new Set(["x-amz-date", "x-amz-content-sha256"]);
const UNSIGNED = "UNSIGNED-PAYLOAD";
const SHA256 = /^[0-9a-f]{64}$/;
/** Scheme, host with its port, path, query: no user, no fragment. */
const ABSOLUTE = /^(https?:\/\/[^/?#@\\\s]+)(\/[^?#\s]*)?(?:\?([^#\s]*))?$/;
const METADATA_FILE = /\.metadata\.json(?:\.gz)?$/;
const AWS_BUCKET_HOST = /^(.+)\.s3[.-][a-z0-9.-]*amazonaws\.com(?:\.cn)?(?::\d+)?$/;
/** No key of S3 makes a longer one. */
const URI_CHARS = 8_192;

/** Whether a request changes anything in the store, by its method and query alone. */
export function isWrite({ method, uri }: Pick<AskedSignature, "method" | "uri">): boolean {
  const [, , , query = ""] = ABSOLUTE.exec(uri) ?? [];
  const names = namesIn(query);
  const operation = OPERATIONS.find(
    (each) => each.method === method && sameNames(each.query, names),
  );
  return operation?.writes ?? !["GET", "HEAD"].includes(method);
}

/**
 * What a request names, by its URI and body alone: an object, the prefix of a list, or the first
 * object of a deletion. Of each bucket that the URI may mean.
 *
 * @throws FirnError `Forbidden` `SIGN_REFUSED`: stores may read it in more ways than one.
 */
export function namedPlaces(asked: AskedSignature): readonly NamedPlace[] {
  const { method, uri, body } = asked;
  if (uri.length > URI_CHARS) throw signRefused("its URI is too long");
  const [, , , rawQuery = ""] = ABSOLUTE.exec(uri) ?? [];
  const query = queryOf(rawQuery);
  const inBucket = (): string => {
    if (isList(method, query)) return query.find(([name]) => name === "prefix")?.[1] ?? "";
    return keysToDelete(body).keys[0] ?? "";
  };
  return possibleBases(uri).map(({ bucket, base }) => {
    const key = keyOf(uri, base);
    return { bucket, key: key === "" ? inBucket() : key };
  });
}

/** AWS has its buckets in the host or in the path; of other hosts it cannot be told. */
function possibleBases(uri: string): readonly { bucket: string; base: string }[] {
  const [, origin = "", path = ""] = ABSOLUTE.exec(uri) ?? [];
  const host = origin.slice(origin.indexOf("//") + 2).toLowerCase();
  const inHost = AWS_BUCKET_HOST.exec(host)?.[1];
  if (inHost !== undefined) return [{ bucket: inHost, base: origin }];
  const [, first = ""] = path.split("/");
  const inPath = { bucket: first, base: `${origin}/${first}` };
  const label = host.split(".")[0] ?? "";
  return host.includes(".") ? [inPath, { bucket: label, base: origin }] : [inPath];
}

/**
 * What may be signed of a request.
 *
 * @throws FirnError `Forbidden` `SIGN_REFUSED`.
 */
export function judgeSignature(asked: AskedSignature, scope: SigningScope): Judged {
  const { method, uri, region } = asked;
  if (uri.length > URI_CHARS) throw signRefused("its URI is too long");
  if (region !== scope.region) throw signRefused("its region is another one");
  const base = baseOf(uri, scope.bases);
  const [, , path = "/", rawQuery = ""] = ABSOLUTE.exec(uri) ?? [];
  const query = queryOf(rawQuery);
  const key = keyOf(uri, base);
  const headers = headersOf(asked);
  const host = base.slice(base.indexOf("//") + 2).split("/")[0] ?? "";
  const signable = { method, host, path, query };
  if (isList(method, query)) {
    if (key !== "") throw signRefused("a list is of a bucket");
    const prefix = query.find(([name]) => name === "prefix")?.[1] ?? "";
    if (!prefix.startsWith(scope.prefix)) throw signRefused("its prefix is outside of the table");
    return { ...signable, headers, payloadSha256: payloadOf(asked), writes: false };
  }
  const operation = operationOf(method, query);
  if (operation.writes && !scope.writes) throw signRefused("writes are not signed here");
  if (operation.on === "bucket") {
    if (key !== "") throw signRefused("a deletion of several objects is of a bucket");
    const { sha256, keys } = keysToDelete(asked.body);
    for (const each of keys) assertMine(each, scope, true);
    return { ...signable, headers, payloadSha256: sha256, writes: true };
  }
  assertMine(key, scope, operation.writes);
  return { ...signable, headers, payloadSha256: payloadOf(asked), writes: operation.writes };
}

/** What of a URL stands before its key. Another scheme, host, port or bucket has none. */
function baseOf(uri: string, bases: readonly string[]): string {
  const [, origin = "", path = ""] = ABSOLUTE.exec(uri) ?? [];
  const whole = `${withoutDefaultPort(origin.toLowerCase())}${path}/`;
  const base = bases.find((each) => whole.startsWith(`${each}/`));
  if (base === undefined) throw signRefused("it does not go to the table's bucket");
  return base;
}

function withoutDefaultPort(origin: string): string {
  if (origin.startsWith("https:")) return origin.replace(/:443$/, "");
  return origin.replace(/:80$/, "");
}

/** The key of an object as S3 decodes it; empty for the bucket itself. */
function keyOf(uri: string, base: string): string {
  const [, , path = ""] = ABSOLUTE.exec(uri) ?? [];
  const inBase = base.slice(base.indexOf("//") + 2);
  const slash = inBase.indexOf("/");
  const above = slash < 0 ? "" : inBase.slice(slash);
  const raw = path.slice(above.length + 1);
  if (raw === "") return "";
  return raw.split("/").map(segmentOf).join("/");
}

/** Decoded once; one that would be encoded otherwise could be read otherwise, too. */
function segmentOf(raw: string): string {
  const decoded = decodedPart(raw);
  if (escapeText(decoded) !== raw) throw signRefused("its path is not encoded as S3 encodes it");
  assertSegment(decoded);
  assertNotAbove(decoded);
  return decoded;
}

/** Keys may hold escapes, as partitions do. A store that decodes them twice stays inside. */
function assertNotAbove(segment: string): void {
  if (!segment.includes("%")) return;
  const twice = segment
    .replace(/%2e/gi, ".")
    .replace(/%2f|%5c/gi, "/")
    .split("/");
  if (twice.some((each) => each === "." || each === "..")) {
    throw signRefused("its path holds . or .. in an escape");
  }
}

function assertSegment(segment: string): void {
  if (segment === "" || segment === "." || segment === "..") {
    throw signRefused("its path has an empty segment, . or ..");
  }
  for (const character of segment) {
    const isControl = character < " " || character === "\u007f";
    if (isControl || character === "/" || character === "\\") {
      throw signRefused("its path holds an encoded slash, a backslash or a control character");
    }
  }
}

function decodedPart(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    throw signRefused("it is not percent-encoded UTF-8");
  }
}

function assertMine(key: string, { prefix }: SigningScope, writes: boolean): void {
  for (const segment of key.split("/")) assertSegment(segment);
  if (!key.startsWith(prefix)) throw signRefused("it is outside of the table");
  // The catalog alone writes metadata files: one that a client replaced would lead readers astray.
  if (writes && METADATA_FILE.test(key)) throw signRefused("the catalog writes metadata files");
}

function queryOf(raw: string): Pairs {
  if (raw === "") return [];
  const pairs = raw.split("&").map((pair): readonly [string, string] => {
    const at = pair.indexOf("=");
    const name = at < 0 ? pair : pair.slice(0, at);
    // Stores disagree on a plus, a semicolon, and on what was left unencoded.
    if (!/^[\w.~%/=-]*$/.test(pair)) throw signRefused("its query is not encoded as S3 encodes it");
    return [decodedPart(name), decodedPart(at < 0 ? "" : pair.slice(at + 1))];
  });
  const names = new Set(pairs.map(([name]) => name));
  if (names.size < pairs.length) throw signRefused("its query names something twice");
  return pairs;
}

function namesIn(raw: string): readonly string[] {
  return raw === "" ? [] : raw.split("&").map((pair) => pair.split("=")[0] ?? "");
}

function sameNames(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((name) => others.includes(name));
}

function isList(method: string, query: Pairs): boolean {
  const type = query.find(([name]) => name === "list-type");
  if (type === undefined) return false;
  const isKnown = query.every(([name]) => LIST_QUERY.includes(name));
  if (method !== "GET" || type[1] !== "2" || !isKnown) throw signRefused("it is not such a list");
  return true;
}

function operationOf(method: string, query: Pairs): Operation {
  const names = query.map(([name]) => name);
  const isParts = method === "GET" && names.includes("uploadId");
  const counted = isParts ? names.filter((name) => !PART_QUERY.includes(name)) : names;
  const found = OPERATIONS.find((each) => each.method === method && sameNames(each.query, counted));
  if (found === undefined) throw signRefused("its method or query is not among those");
  return found;
}

function headersOf({ headers }: AskedSignature): Pairs {
  const signed: [string, string][] = [];
  for (const [name, values] of headers) {
    if (!name.startsWith("x-amz-")) continue;
    if (!HEADERS.has(name)) throw signRefused(`its header ${name.slice(0, 64)} is not allowed`);
    const [value, ...more] = values;
    if (value === undefined || more.length > 0) throw signRefused("a header is there twice");
    if ((ONLY_VALUE.get(name) ?? value) !== value) throw signRefused(`its ${name} is another one`);
    if (/[^\x20-\x7e]/.test(value)) throw signRefused("a header holds other than plain text");
    if (!REPLACED.has(name)) signed.push([name, value]);
  }
  return signed;
}

/** The client's own hash of its body, or none. A body in signed chunks has other signatures. */
function payloadOf({ headers }: AskedSignature): string {
  const sent = headers.get("x-amz-content-sha256")?.[0] ?? UNSIGNED;
  if (sent === UNSIGNED || SHA256.test(sent)) return sent;
  throw signRefused("its body is streamed in chunks");
}
