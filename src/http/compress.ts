import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { lengthOf } from "../base/bytes.ts";
import { LruMap } from "../base/lru.ts";
import type { Answer } from "./answer.ts";
import { HTTP_LIMITS } from "./limits.ts";

/** Metadata repeats itself: a higher level costs twice the time for a tenth of the bytes. */
const LEVEL = 4;

const gzipped = promisify(gzip);

type Body = Uint8Array | readonly Uint8Array[];

interface Packed {
  readonly body: Body;
  readonly bytes: Uint8Array;
}

/**
 * Compresses large answers in the thread pool, for clients that accept gzip. What has an ETag is
 * compressed once and kept as long as that ETag is asked for; the ETag stays as it is, so that
 * `If-None-Match` finds it whichever form the client has.
 */
export class Compressor {
  readonly #kept: LruMap<string, Packed>;
  /** Loads of one table that come together wait for one compression. */
  readonly #underWay = new Map<Body, Promise<Uint8Array>>();

  constructor(keptBytes: number = HTTP_LIMITS.compressedBytesKept) {
    this.#kept = new LruMap(keptBytes, ({ bytes }) => bytes.length);
  }

  /**
   * The answer in the form that the client is to get. Small answers, and those without a body of
   * JSON bytes, stay as they are and take no turn of the event loop.
   */
  fit(answer: Answer, acceptEncoding: string | undefined): Answer | Promise<Answer> {
    const { status, body, asIs } = answer;
    if (asIs === true || status !== 200 || body === undefined || typeof body === "string")
      return answer;
    if (byteLength(body) < HTTP_LIMITS.compressFromBytes) return answer;
    const varying = { ...answer, headers: { ...answer.headers, Vary: "Accept-Encoding" } };
    return acceptsGzip(acceptEncoding) ? this.#compressed(varying, body) : varying;
  }

  async #compressed(answer: Answer, body: Body): Promise<Answer> {
    const bytes = await this.#bytesOf(body, answer.headers["ETag"]);
    return { ...answer, headers: { ...answer.headers, "Content-Encoding": "gzip" }, body: bytes };
  }

  async #bytesOf(body: Body, etag: string | undefined): Promise<Uint8Array> {
    const kept = etag === undefined ? undefined : this.#kept.get(etag);
    // One ETag may be answered with another config: the body tells.
    if (kept?.body === body) return kept.bytes;
    const begun = this.#underWay.get(body);
    if (begun !== undefined) return begun;
    const work = pack(body);
    this.#underWay.set(body, work);
    try {
      const bytes = await work;
      if (etag !== undefined) this.#kept.set(etag, { body, bytes });
      return bytes;
    } finally {
      this.#underWay.delete(body);
    }
  }
}

function byteLength(body: Body): number {
  return body instanceof Uint8Array ? body.length : lengthOf(body);
}

function pack(body: Body): Promise<Uint8Array> {
  const whole = body instanceof Uint8Array ? body : Buffer.concat(body);
  return gzipped(whole, { level: LEVEL });
}

/** Whether an `Accept-Encoding` header allows gzip (RFC 9110, 12.5.3). */
export function acceptsGzip(header: string | undefined): boolean {
  let any = false;
  for (const item of header?.split(",", MOST_CODINGS) ?? []) {
    const [coding = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    const isRefused = parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
    if (coding === "gzip" || coding === "x-gzip") return !isRefused;
    if (coding === "*") any = !isRefused;
  }
  return any;
}

/** More than any client names. */
const MOST_CODINGS = 32;
