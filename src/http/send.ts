import type { ServerResponse } from "node:http";
import type { Answer } from "./answer.ts";

/**
 * Sends an answer, the one place that writes headers, and just as they are written: a framework
 * would send `etag`, and the Java client, which looks for `ETag`, would never ask again with
 * `If-None-Match`. `common`: headers of every answer, whatever it is.
 */
export function sendAnswer(
  response: ServerResponse,
  answer: Answer,
  common: Answer["headers"] = {},
): void {
  const { status, body } = answer;
  const headers: Record<string, string | number> = { ...answer.headers, ...common };
  if (body === undefined) response.writeHead(status, headers).end();
  else if (typeof body === "string" || body instanceof Uint8Array) {
    headers["Content-Length"] = typeof body === "string" ? Buffer.byteLength(body) : body.length;
    response.writeHead(status, headers).end(body);
  } else {
    const length = body.reduce((sum, piece) => sum + piece.length, 0);
    headers["Content-Length"] = length;
    response.writeHead(status, headers);
    sendPieces(response, body, length);
  }
}

/** Below this size one copy costs less than the vector of a gathered write. */
const COPY_BYTES = 65_536;

function sendPieces(response: ServerResponse, pieces: readonly Uint8Array[], length: number): void {
  if (length <= COPY_BYTES) {
    response.end(Buffer.concat(pieces, length));
    return;
  }
  response.cork();
  for (const piece of pieces) response.write(piece);
  response.end();
}
