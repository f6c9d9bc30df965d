import type { ServerResponse } from "node:http";
import { lengthOf } from "../base/bytes.ts";
import type { Answer } from "../http/answer.ts";

/**
 * Sends an answer, the one place that writes headers, and just as they are written: a framework
 * would send `etag`, and the Java client, which looks for `ETag`, would never ask again with
 * `If-None-Match`. `common`: names and values, by turns, of headers of every answer.
 */
export function sendAnswer(
  response: ServerResponse,
  { status, headers, cookies = [], body }: Answer,
  common: readonly string[] = [],
): void {
  const list: string[] = [];
  for (const name in headers) list.push(name, headers[name] ?? "");
  for (const each of cookies) list.push("Set-Cookie", each);
  list.push(...common);
  if (body === undefined) {
    response.writeHead(status, list);
    response.end();
    return;
  }
  list.push("Content-Length", String(bytesOf(body)));
  response.writeHead(status, list);
  if (typeof body === "string" || body instanceof Uint8Array) {
    response.end(body);
    return;
  }
  // One gathered write: to join the pieces would take memory of their length for each answer.
  response.cork();
  for (const piece of body) response.write(piece);
  response.end();
}

function bytesOf(body: Uint8Array | string | readonly Uint8Array[]): number {
  if (typeof body === "string") return Buffer.byteLength(body);
  return body instanceof Uint8Array ? body.length : lengthOf(body);
}
