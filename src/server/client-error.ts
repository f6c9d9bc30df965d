import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type FirnError, invalid } from "../base/error.ts";
import { methodNotAllowed } from "../http/failure.ts";
import { problemAnswer } from "../http/problem.ts";
import type { Connections } from "./connections.ts";
import { HEADER_BYTES } from "./http-server.ts";

/** What Node says of a connection that it could not read a request from. */
export type ClientError = Error & { readonly code?: string };

/**
 * Answers bytes that are not an HTTP request: they never become one, so no route sees them. The
 * proper requests before them on the connection are answered first; then it is closed.
 */
export function answerClientError(
  error: ClientError,
  socket: Socket,
  connections: Connections,
): void {
  const isOpen = error.code !== "ECONNRESET" && socket.writable && connections.has(socket);
  if (!isOpen || connections.isAnswered(socket)) {
    socket.destroy();
    return;
  }
  const waiting = connections.waitingFor(socket);
  const refuse = () => {
    socket.end(rawAnswer(refusal(error.code)), () => socket.destroy());
  };
  if (waiting === undefined) refuse();
  else if (waiting.req.complete) waiting.once("finish", refuse);
  // The request itself is broken: this is its answer, unless one has begun already.
  else if (waiting.headersSent) socket.destroy();
  else refuse();
}

/** Refuses what a client expects before it sends, unless it is to be told to go on. */
export function refuseExpectations(server: Server): void {
  server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) => {
    const unknown = invalid(
      "EXPECTATION_UNKNOWN",
      "unsupported Expect header: only 100-continue is supported",
    );
    const { status, headers, body = "" } = problemAnswer(unknown, false);
    const length = Buffer.byteLength(body);
    response.writeHead(status, { ...headers, "Content-Length": length, Connection: "close" });
    response.end(body);
  });
}

/** Node would close the connection of who asks for a tunnel without a word. */
export function refuseTunnels(server: Server): void {
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => socket.destroy());
    socket.end(rawAnswer(methodNotAllowed([])), () => socket.destroy());
  });
}

function refusal(code: string | undefined): FirnError {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return invalid("HEADERS_TOO_LARGE", "request line and headers too large", {
        limit: HEADER_BYTES,
      });
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return invalid("REQUEST_TIMEOUT", "the request took too long to arrive");
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return invalid("BODY_TOO_LARGE", "chunk extensions too large");
    default:
      return invalid("BAD_REQUEST", "malformed HTTP request");
  }
}

function rawAnswer(error: FirnError): string {
  const { status, headers, body } = problemAnswer(error, false);
  const text = String(body);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(text)}`,
    "Connection: close",
  ];
  return `${lines.join("\r\n")}\r\n\r\n${text}`;
}
