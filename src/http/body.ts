import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { CatalogError } from "../base/error.ts";
import { LIMITS } from "../base/limits.ts";
import { bodyTooLarge, contentTypeNotSupported } from "./failure.ts";

/** Methods whose requests have no meaning for a body: whatever comes is dropped with the answer. */
const BODYLESS: ReadonlySet<string> = new Set(["GET", "HEAD", "TRACE"]);

/**
 * Judges by its head what a request says of its body.
 *
 * @returns whether there is one to read.
 * @throws CatalogError `CONTENT_TYPE_NOT_SUPPORTED`, `BODY_TOO_LARGE`.
 */
export function expectsBody({ method = "", headers }: IncomingMessage): boolean {
  if (BODYLESS.has(method)) return false;
  const type = headers["content-type"];
  const length = headers["content-length"];
  const comes =
    headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
  if (type === undefined ? comes : !isJson(type)) throw contentTypeNotSupported();
  if (isCompressed(headers)) throw contentTypeNotSupported();
  if (Number(length) > LIMITS.bodyBytes) throw bodyTooLarge();
  return comes;
}

function isJson(contentType: string): boolean {
  const end = contentType.indexOf(";");
  const mediaType = end < 0 ? contentType : contentType.slice(0, end);
  return mediaType === "application/json" || mediaType.trim().toLowerCase() === "application/json";
}

function isCompressed(headers: IncomingHttpHeaders): boolean {
  const encoding = headers["content-encoding"];
  return encoding !== undefined && encoding !== "identity";
}

/**
 * Reads a body. `counts` hears of each piece as it comes, and may refuse by throwing: what still
 * comes then is dropped.
 *
 * @throws CatalogError `BODY_TOO_LARGE`; `BAD_REQUEST` where it ended before its end.
 */
export function readBody(
  request: IncomingMessage,
  counts: (bytes: number) => void,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    const settle = (settled: () => void): void => {
      request.off("data", onData).off("end", onEnd).off("error", onError);
      settled();
    };
    const onData = (piece: Buffer): void => {
      length += piece.length;
      try {
        if (length > LIMITS.bodyBytes) throw bodyTooLarge();
        counts(piece.length);
        pieces.push(piece);
      } catch (error) {
        settle(() => reject(error));
        request.resume();
      }
    };
    const onEnd = (): void => {
      const [only] = pieces;
      const whole = pieces.length === 1 && only ? only : Buffer.concat(pieces, length);
      settle(() => resolve(whole));
    };
    const onError = (error: unknown): void => {
      const cut = new CatalogError("Invalid", "BAD_REQUEST", "malformed request", {}, error);
      settle(() => reject(cut));
    };
    request.on("data", onData).on("end", onEnd).on("error", onError);
  });
}
