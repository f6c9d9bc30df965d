import { createHash, createHmac } from "node:crypto";
import type { Request, Response } from "../server.ts";
import { failure } from "./xml.ts";

/** Secrets by access key. */
export type Accounts = ReadonlyMap<string, string>;

const CREDENTIAL = String.raw`Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request`;
const AUTHORIZATION = new RegExp(
  `^AWS4-HMAC-SHA256 ${CREDENTIAL}, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$`,
);
const MAX_SKEW_MS = 900_000;

/**
 * The refusal of a request that is not signed (Signature Version 4) by an account we know, for this
 * region, about now; undefined for one that is.
 */
export function refusedSignature(
  request: Request,
  accounts: Accounts,
  region: string,
  nowMs: number,
): Response | undefined {
  const match = AUTHORIZATION.exec(request.headers["authorization"] ?? "");
  if (match === null) return failure(403, "AccessDenied");
  const [, account = "", day = "", scope = "", signedHeaders = "", signature] = match;
  const secret = accounts.get(account);
  if (secret === undefined) return failure(403, "InvalidAccessKeyId");
  if (scope !== region) {
    const malformed = failure(400, "AuthorizationHeaderMalformed", { Region: region });
    const headers = { ...malformed.headers, "x-amz-bucket-region": region };
    return { ...malformed, headers };
  }
  const date = request.headers["x-amz-date"] ?? "";
  if (Math.abs(millisecondsOf(date) - nowMs) > MAX_SKEW_MS) {
    return failure(403, "RequestTimeTooSkewed");
  }
  return signatureOf(request, { secret, day, region, signedHeaders }) === signature
    ? undefined
    : failure(403, "SignatureDoesNotMatch");
}

interface Signer {
  readonly secret: string;
  /** `20261121` */
  readonly day: string;
  readonly region: string;
  /** Names, joined by `;`. */
  readonly signedHeaders: string;
}

function signatureOf(request: Request, { secret, day, region, signedHeaders }: Signer): string {
  const date = request.headers["x-amz-date"] ?? "";
  const text = ["AWS4-HMAC-SHA256", date, `${day}/${region}/s3/aws4_request`];
  text.push(createHash("sha256").update(canonical(request, signedHeaders)).digest("hex"));
  const key = [day, region, "s3", "aws4_request"].reduce<string | Buffer>(
    (above, part) => hmac(above, part),
    `AWS4${secret}`,
  );
  return hmac(key, text.join("\n")).toString("hex");
}

/** The headers of a request, and its signature besides. */
export function signedHeaders(
  request: Request,
  account: { readonly accessKeyId: string; readonly secretAccessKey: string },
  region: string,
): Record<string, string> {
  const date = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const day = date.slice(0, 8);
  const headers: Record<string, string> = {
    ...request.headers,
    "x-amz-date": date,
    "x-amz-content-sha256": createHash("sha256").update(request.body).digest("hex"),
  };
  const names = Object.keys(headers).sort().join(";");
  const signer = { secret: account.secretAccessKey, day, region, signedHeaders: names };
  const signature = signatureOf({ ...request, headers }, signer);
  const credential = `${account.accessKeyId}/${day}/${region}/s3/aws4_request`;
  headers["authorization"] =
    `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`;
  return headers;
}

function canonical(request: Request, signedHeaders: string): string {
  const query = Object.entries(request.query)
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .sort();
  const headers = signedHeaders
    .split(";")
    .map((name) => `${name}:${(request.headers[name] ?? "").trim().replace(/ +/g, " ")}\n`);
  const payload = request.headers["x-amz-content-sha256"] ?? "UNSIGNED-PAYLOAD";
  return [
    request.method,
    request.path,
    query.join("&"),
    headers.join(""),
    signedHeaders,
    payload,
  ].join("\n");
}

function escaped(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

/** Of `20261121T101112Z`. */
function millisecondsOf(date: string): number {
  const iso = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z");
  return Date.parse(iso) || 0;
}
