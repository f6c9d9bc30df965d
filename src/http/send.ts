import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import type { Answer } from "./answer.ts";

/**
 * Sends an answer, the one place that writes headers: the framework would send `etag`, and the Java
 * client, which looks for `ETag`, would never ask again with `If-None-Match`. So the framework is
 * left out of it; its hooks after the answer still run.
 */
export function sendAnswer(reply: FastifyReply, answer: Answer): FastifyReply {
  const { status, headers, body } = answer;
  const response = reply.hijack().raw;
  if (body === undefined) response.writeHead(status, headers).end();
  else if (typeof body === "string" || body instanceof Uint8Array) {
    const length = typeof body === "string" ? Buffer.byteLength(body) : body.length;
    response.writeHead(status, { ...headers, "Content-Length": length }).end(body);
  } else sendPieces(response, status, headers, body);
  return reply;
}

/** Below this size one copy costs less than the vector of a gathered write. */
const COPY_BYTES = 65_536;

function sendPieces(
  response: ServerResponse,
  status: number,
  headers: Answer["headers"],
  pieces: readonly Uint8Array[],
): void {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  response.writeHead(status, { ...headers, "Content-Length": length });
  if (length <= COPY_BYTES) {
    response.end(Buffer.concat(pieces, length));
    return;
  }
  response.cork();
  for (const piece of pieces) response.write(piece);
  response.end();
}
