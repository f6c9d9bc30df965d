import { createHash } from "node:crypto";
import { request as requestOverTcp } from "node:http";
import { request as requestOverTls } from "node:https";
import { EMPTY_SHA256, escapeText, type Pairs } from "../aws/sigv4.ts";
import { FirnError } from "../base/error.ts";
import { sha256Hex } from "../base/hash.ts";
import type { S3RequestSigner } from "../blob/s3/request-signer.ts";

/*
 * What a store does with requests that were signed and then changed, or never signed. It is found
 * out by real requests on objects that are made for it below a key, and removed again.
 */

const REQUEST_MS = 10_000;
const OK = 200;
const FORBIDDEN = 403;
const MISSING = 404;

/** One request of a trial. */
export interface TrialRequest {
  readonly method: string;
  /** Percent-encoded, behind the bucket, without a slash before it; empty: of the bucket itself. */
  readonly path: string;
  /** What is signed in place of the path. */
  readonly signedPath?: string;
  readonly query?: Pairs;
  readonly body?: string;
  /** What is signed in place of the body. */
  readonly signedBody?: string;
  /** Headers that are sent and not signed. */
  readonly unsigned?: Readonly<Record<string, string>>;
  /** Another signer than the store's own; null: it is not signed. */
  readonly signer?: S3RequestSigner | null;
  /** Another beginning of the URL than the signer's. */
  readonly base?: string;
}

/** Sends requests to one bucket as they stand: no client library straightens them. */
export class SigningTrial {
  readonly #signer: S3RequestSigner;
  readonly #base: string;

  private constructor(signer: S3RequestSigner, base: string) {
    this.#signer = signer;
    this.#base = base;
  }

  /** @throws FirnError `Unavailable` `SIGNING_UNAVAILABLE`. */
  static async open(signer: S3RequestSigner): Promise<SigningTrial> {
    const [base = ""] = await signer.bases();
    return new SigningTrial(signer, base);
  }

  /** What URLs of the bucket begin with. */
  get base(): string {
    return this.#base;
  }

  /**
   * The status of the answer.
   *
   * @throws FirnError `Unavailable` `SIGNING_UNAVAILABLE`: the store did not answer.
   */
  async send(asked: TrialRequest): Promise<number> {
    const { method, path, body = "", query = [], base = this.#base } = asked;
    const { signer = this.#signer, unsigned = {} } = asked;
    const signedBody = asked.signedBody ?? body;
    const whole = new URL(base);
    const rawPath = (tail: string): string => {
      const above = whole.pathname.replace(/\/$/, "");
      return tail === "" ? above || "/" : `${above}/${tail}`;
    };
    const signed =
      signer === null
        ? []
        : await signer.sign({
            method,
            host: whole.host,
            path: rawPath(asked.signedPath ?? path),
            query,
            headers: [],
            payloadSha256: signedBody === "" ? EMPTY_SHA256 : sha256Hex(signedBody),
          });
    const names = query.map(([name, value]) => `${escapeText(name)}=${escapeText(value)}`);
    const headers = {
      "content-length": String(Buffer.byteLength(body)),
      ...Object.fromEntries(signed),
      ...unsigned,
    };
    const sent = names.length === 0 ? rawPath(path) : `${rawPath(path)}?${names.join("&")}`;
    return statusOf(whole, { method, path: sent, headers, body });
  }
}

interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function statusOf(base: URL, { method, path, headers, body }: WireRequest): Promise<number> {
  const send = base.protocol === "https:" ? requestOverTls : requestOverTcp;
  const { hostname, port } = base;
  const host = hostname.replace(/^\[|\]$/g, "");
  const to = { host, ...(port !== "" && { port }), agent: false as const };
  const signal = AbortSignal.timeout(REQUEST_MS);
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      const message = "the store did not answer: whether it is safe to sign writes is not known";
      reject(new FirnError("Unavailable", "SIGNING_UNAVAILABLE", message, {}, error));
    };
    send({ ...to, method, path, headers, signal }, (response) => {
      response.once("error", fail).once("end", () => resolve(response.statusCode ?? 0));
      response.resume();
    })
      .once("error", fail)
      .end(body);
  });
}

/** A key as it stands in a URL. */
export function pathOfKey(key: string): string {
  return key.split("/").map(escapeText).join("/");
}

/**
 * Whether a store takes for signed what was not: a header, or another body. No write may be signed
 * for such a store. Some ten requests; what they make is removed.
 *
 * @param key below which objects are made.
 * @throws FirnError `Unavailable` `SIGNING_UNAVAILABLE`: it could not be found out.
 */
export async function honorsUnsigned(
  signer: S3RequestSigner,
  bucket: string,
  key: string,
): Promise<boolean> {
  const trial = await SigningTrial.open(signer);
  return (await honorsUnsignedCopy(trial, bucket, key)) || (await honorsUnsignedBody(trial, key));
}

/**
 * Whether a store copies an object because of a header that was not signed. Then a client could
 * turn a signed write into a copy of any object that this server may read. A store that does not
 * take the signed write itself proves nothing. Three requests.
 *
 * @throws FirnError `Unavailable` `SIGNING_UNAVAILABLE`.
 */
export async function honorsUnsignedCopy(
  trial: SigningTrial,
  bucket: string,
  key: string,
): Promise<boolean> {
  const path = pathOfKey(key);
  const put = { method: "PUT", path } as const;
  if ((await trial.send(put)) !== OK) return true;
  const unsigned = { "x-amz-copy-source": `/${bucket}/${path}-absent` };
  const copied = await trial.send({ ...put, unsigned });
  await trial.send({ method: "DELETE", path });
  // 403: it refuses what is not signed. 200: it passes over the header. Else it obeyed it.
  return copied !== FORBIDDEN && copied !== OK;
}

/**
 * Whether a store obeys another body than the one whose hash was signed. Then a client could have
 * a deletion of its files signed, and delete those of others. Six requests.
 *
 * @throws FirnError `Unavailable` `SIGNING_UNAVAILABLE`.
 */
export async function honorsUnsignedBody(trial: SigningTrial, key: string): Promise<boolean> {
  const [mine, other] = [`${key}-mine`, `${key}-other`] as const;
  const path = pathOfKey(other);
  try {
    if ((await trial.send({ method: "PUT", path, body: "x" })) !== OK) return true;
    const [signedBody, body] = [deletionOf(mine), deletionOf(other)];
    const md5 = createHash("md5").update(body).digest("base64");
    const query = [["delete", ""]] as const;
    const unsigned = { "content-md5": md5 };
    await trial.send({ method: "POST", path: "", query, body, signedBody, unsigned });
    const left = await trial.send({ method: "HEAD", path });
    if (left !== OK) return true;
    // The same of a write.
    const put = { method: "PUT", path: pathOfKey(mine), body: "y", signedBody: "x" };
    const written = await trial.send(put);
    return written < 400 || (await trial.send({ method: "HEAD", path: put.path })) !== MISSING;
  } finally {
    for (const each of [mine, other]) {
      await trial.send({ method: "DELETE", path: pathOfKey(each) });
    }
  }
}

/** Keys of a trial hold nothing that XML gives a meaning. */
function deletionOf(key: string): string {
  const text = key.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  return `<Delete><Quiet>true</Quiet><Object><Key>${text}</Key></Object></Delete>`;
}
