import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { FirnError } from "../base/error.ts";
import { bodyIdle, bodyTooLarge, contentTypeNotSupported } from "../http/failure.ts";
import type { Accepted } from "../http/protocol.ts";

/** Methods whose requests have no meaning for a body: whatever comes is dropped with the answer. */
const BODYLESS: ReadonlySet<string> = new Set(["GET", "HEAD", "TRACE"]);

/**
 * Judges by its head what a request says of its body.
 *
 * @param accepted says how large it may be, and of which type it may be beside JSON.
 * @returns whether there is one to read.
 * @throws FirnError `CONTENT_TYPE_NOT_SUPPORTED`, `BODY_TOO_LARGE`.
 */
export function expectsBody(
  { method = "", headers }: IncomingMessage,
  { bodyBytes: maxBytes, bodyType }: Pick<Accepted, "bodyBytes" | "bodyType">,
): boolean {
  if (BODYLESS.has(method)) return false;
  const type = headers["content-type"];
  const length = headers["content-length"];
  const comes =
    headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
  if (type === undefined ? comes : !isOfType(type, bodyType)) throw contentTypeNotSupported();
  if (isCompressed(headers)) throw contentTypeNotSupported();
  if (Number(length) > maxBytes) throw bodyTooLarge(maxBytes);
  return comes;
}

function isOfType(contentType: string, other: string | undefined): boolean {
  const end = contentType.indexOf(";");
  const mediaType = end < 0 ? contentType : contentType.slice(0, end);
  if (mediaType === "application/json") return true;
  const cleaned = mediaType.trim().toLowerCase();
  return cleaned === "application/json" || (other !== undefined && cleaned === other);
}

function isCompressed(headers: IncomingHttpHeaders): boolean {
  const encoding = headers["content-encoding"];
  return encoding !== undefined && encoding !== "identity";
}

/** What a body may take while it arrives. */
export interface Arrival {
  /** The largest one that is taken. */
  readonly maxBytes: number;
  /** Told of each piece as it comes; may refuse by throwing. */
  readonly counts: (bytes: number) => void;
  /** Calls back once nothing was `touch`ed for as long as a body may stand still. */
  readonly watch: (onIdle: () => void) => IdleWatch;
}

/** A limit on silence that is under way. */
export interface IdleWatch {
  touch(): void;
  stop(): void;
}

/** Smaller pieces are copied together: each as its own object takes ten times its bytes. */
const SMALL_BYTES = 4_096;
const JOINED_BYTES = 65_536;

/**
 * Reads a body. Once it is refused, what still comes of it is dropped.
 *
 * @throws FirnError `BODY_TOO_LARGE`; `BODY_IDLE` where it stood still; `BAD_REQUEST` where it
 *   ended before its end; what `counts` throws.
 */
export function readBody(request: IncomingMessage, arrival: Arrival): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const pieces = new Pieces();
    const settle = (settled: () => void): void => {
      watch.stop();
      request.off("data", onData).off("end", onEnd).off("error", onError);
      settled();
    };
    const refuse = (error: unknown): void => {
      settle(() => reject(error));
      request.resume();
    };
    const onData = (piece: Buffer): void => {
      watch.touch();
      try {
        if (pieces.length + piece.length > arrival.maxBytes) throw bodyTooLarge(arrival.maxBytes);
        arrival.counts(piece.length);
        pieces.add(piece);
      } catch (error) {
        refuse(error);
      }
    };
    const onEnd = (): void => settle(() => resolve(pieces.joined()));
    const onError = (error: unknown): void => {
      const cut = new FirnError("Invalid", "BAD_REQUEST", "malformed request", {}, error);
      settle(() => reject(cut));
    };
    const watch = arrival.watch(() => refuse(bodyIdle(pieces.length)));
    request.on("data", onData).on("end", onEnd).on("error", onError);
  });
}

/** What has come of a body. */
class Pieces {
  length = 0;
  readonly #whole: Buffer[] = [];
  /** The last of `#whole` while it still has room for small pieces, and how much of it is used. */
  #open: Buffer | undefined;
  #used = 0;

  add(piece: Buffer): void {
    const isFirst = this.length === 0;
    this.length += piece.length;
    if (isFirst || piece.length >= SMALL_BYTES) {
      this.#close();
      this.#whole.push(piece);
      return;
    }
    if (this.#open === undefined || this.#open.length - this.#used < piece.length) {
      this.#close();
      this.#open = Buffer.allocUnsafeSlow(JOINED_BYTES);
      this.#whole.push(this.#open);
    }
    this.#used += piece.copy(this.#open, this.#used);
  }

  joined(): Uint8Array {
    this.#close();
    const [only] = this.#whole;
    return this.#whole.length === 1 && only ? only : Buffer.concat(this.#whole, this.length);
  }

  #close(): void {
    if (this.#open === undefined) return;
    this.#whole[this.#whole.length - 1] = this.#open.subarray(0, this.#used);
    this.#open = undefined;
    this.#used = 0;
  }
}
