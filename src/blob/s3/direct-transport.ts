import { HeadObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { type Endpoint, type EndpointSource, sampleOf } from "../../aws/endpoint.ts";
import type { HttpAnswer, HttpHead, HttpPool } from "../../aws/http.ts";
import { ServiceError } from "../../aws/service-error.ts";
import { SignedClient } from "../../aws/signed-client.ts";
import { EMPTY_SHA256, escapeText, type Pairs } from "../../aws/sigv4.ts";
import type { Clock } from "../../base/clock.ts";
import { conditionHeaders, encryptionHeaders, etagText, metadataOf, originOf } from "./object.ts";
import type { S3Settings } from "./options.ts";
import {
  type S3Content,
  type S3Get,
  type S3Head,
  type S3Info,
  type S3Put,
  S3SdkTransport,
  type S3Transport,
} from "./transport.ts";

/*
 * S3 says all about an object in headers, user metadata behind `x-amz-meta-`. Only a refusal has a
 * body to read, `<Error><Code>NoSuchKey</Code><Message>…`, and one of a HEAD has not even that.
 */

const METADATA = "x-amz-meta-";
/** A refusal is shorter by far; what is longer is not an answer of the store's. */
const MAX_REFUSAL_BYTES = 65_536;
const refusalBytes = (): number => MAX_REFUSAL_BYTES;
/** Stands for the key in the request that tells where the bucket is. */
export const SAMPLE_KEY = "key";

export interface S3DirectTransportOptions {
  readonly client: S3Client;
  readonly settings: S3Settings;
  readonly pool: HttpPool;
  readonly clock: Clock;
}

/** Requests signed and sent by ourselves, where the SDK's way of signing them is ours too. */
export class S3DirectTransport implements S3Transport {
  readonly #settings: S3Settings;
  readonly #wire: SignedClient;
  readonly #rest: S3SdkTransport;

  constructor({ client, settings, pool, clock }: S3DirectTransportOptions) {
    const source = s3Source(client, settings.bucket);
    this.#settings = settings;
    this.#wire = new SignedClient({ source, pool, clock });
    this.#rest = new S3SdkTransport(client, settings);
  }

  async head(key: string, signal: AbortSignal): Promise<S3Info> {
    const endpoint = await this.#wire.endpoint(signal);
    if (endpoint === undefined) return this.#rest.head(key, signal);
    const request = { ...requestOf(endpoint, "HEAD", key), headers: [] };
    const answer = await this.#wire.send(endpoint, request, { signal });
    if (answer.status === 400) await this.#explain(endpoint, key, signal);
    if (answer.status !== 200) throw refusalOf(answer);
    if (answer.headers["content-length"] === undefined) throw unfit("an object without a size");
    const modifiedAtMs = Date.parse(answer.headers["last-modified"] ?? "") || 0;
    return { ...headOf(answer), size: sizeOf(answer), modifiedAtMs };
  }

  /**
   * Asks why a HEAD was refused by 400, which may be credentials that have expired, a damaged
   * request or another region: that answer has no body, a GET's has.
   *
   * @throws what the GET is refused with, if it is.
   */
  async #explain(endpoint: Endpoint, key: string, signal: AbortSignal): Promise<void> {
    const request = {
      ...requestOf(endpoint, "GET", key),
      headers: [["range", "bytes=0-0"]] as const,
    };
    const answer = await this.#wire.send(endpoint, request, { signal, onHead: refusalBytes });
    if (!isSuccess(answer)) throw refusalOf(answer);
  }

  async get(get: S3Get, signal: AbortSignal): Promise<S3Content> {
    const endpoint = await this.#wire.endpoint(signal);
    if (endpoint === undefined) return this.#rest.get(get, signal);
    const { key, range, maxBytes, allow } = get;
    const headers: Pairs = range === undefined ? [] : [["range", range]];
    const onHead = (head: HttpHead): number => {
      if (!isSuccess(head)) return MAX_REFUSAL_BYTES;
      allow(sizeOf(head));
      return maxBytes;
    };
    const request = { ...requestOf(endpoint, "GET", key), headers };
    const answer = await this.#wire.send(endpoint, request, { signal, onHead });
    if (!isSuccess(answer)) throw refusalOf(answer);
    const { body, isCut } = answer;
    return {
      ...headOf(answer),
      size: isCut ? sizeOf(answer) : body.length,
      bytes: isCut ? undefined : body,
      range: answer.headers["content-range"],
    };
  }

  async put(put: S3Put, signal: AbortSignal): Promise<string> {
    const endpoint = await this.#wire.endpoint(signal);
    if (endpoint === undefined) return this.#rest.put(put, signal);
    const request = {
      ...requestOf(endpoint, "PUT", put.key),
      headers: this.#putHeaders(put),
      body: put.bytes,
      payloadSha256: put.digest.toString("hex"),
    };
    const answer = await this.#wire.send(endpoint, request, { signal, onHead: refusalBytes });
    if (answer.status !== 200) throw refusalOf(answer);
    return etagText(answer.headers["etag"]);
  }

  async delete(key: string, signal: AbortSignal): Promise<void> {
    const endpoint = await this.#wire.endpoint(signal);
    if (endpoint === undefined) return this.#rest.delete(key, signal);
    const request = { ...requestOf(endpoint, "DELETE", key), headers: [] };
    const answer = await this.#wire.send(endpoint, request, { signal, onHead: refusalBytes });
    if (!isSuccess(answer)) throw refusalOf(answer);
  }

  #putHeaders({ id, condition, digest }: S3Put): Pairs {
    const sha256 = digest.toString("hex");
    const headers: [string, string][] = [
      ["content-type", "application/octet-stream"],
      ["x-amz-checksum-sha256", digest.toString("base64")],
    ];
    for (const [name, value] of Object.entries(metadataOf(id, condition, sha256))) {
      headers.push([METADATA + name, value]);
    }
    const asked = {
      ...conditionHeaders(condition, this.#settings),
      ...encryptionHeaders(this.#settings),
    };
    for (const [name, header] of HEADERS) {
      const value = asked[name];
      if (value !== undefined) headers.push([header, String(value)]);
    }
    return headers;
  }
}

/** The SDK's names of what a put asks for, and the headers that ask for it. */
const HEADERS = [
  ["IfMatch", "if-match"],
  ["IfNoneMatch", "if-none-match"],
  ["ServerSideEncryption", "x-amz-server-side-encryption"],
  ["SSEKMSKeyId", "x-amz-server-side-encryption-aws-kms-key-id"],
  ["BucketKeyEnabled", "x-amz-server-side-encryption-bucket-key-enabled"],
] as const;

/** What the SDK knows of a bucket. */
export function s3Source(client: S3Client, bucket: string): EndpointSource {
  return {
    sample: () =>
      sampleOf(new HeadObjectCommand({ Bucket: bucket, Key: SAMPLE_KEY }), (command) =>
        client.send(command),
      ),
    credentials: () => client.config.credentials(),
    escapePath: false,
  };
}

/** @throws URIError */
function requestOf(
  { path }: Endpoint,
  method: string,
  key: string,
): { readonly method: string; readonly path: string; readonly payloadSha256: string } {
  const bucketPath = path.slice(0, -SAMPLE_KEY.length);
  const keyPath = key.split("/").map(escapeText).join("/");
  return { method, path: bucketPath + keyPath, payloadSha256: EMPTY_SHA256 };
}

function isSuccess({ status }: HttpHead): boolean {
  return status >= 200 && status < 300;
}

function headOf({ headers }: HttpHead): S3Head {
  return { etag: etagText(headers["etag"]), origin: originOf(metadataIn(headers)) };
}

function metadataIn(headers: HttpHead["headers"]): Record<string, string> {
  const metadata: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (name.startsWith(METADATA) && value !== undefined) {
      metadata[name.slice(METADATA.length)] = value;
    }
  }
  return metadata;
}

function sizeOf({ headers }: HttpHead): number {
  return Number(headers["content-length"] ?? 0);
}

/** An answer that says less than it has to: nothing is known by it. */
function unfit(message: string): Error {
  return Object.assign(new Error(message), { name: "UnfitAnswer" });
}

/** Texts of the service stay out of the message: they may hold secrets. */
function refusalOf(answer: HttpAnswer): ServiceError {
  const text = Buffer.from(answer.body).toString("utf8", 0, MAX_REFUSAL_BYTES);
  const code = /<Code>\s*([\w.-]{1,100})\s*<\/Code>/.exec(text)?.[1] ?? `${answer.status}`;
  return new ServiceError(code, "the store refuses", answer);
}
