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
  else {
    const length = typeof body === "string" ? Buffer.byteLength(body) : body.length;
    response.writeHead(status, { ...headers, "Content-Length": length }).end(body);
  }
  return reply;
}
