import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type CatalogError, invalid } from "../base/error.ts";
import { problemAnswer } from "../http/answer.ts";

/**
 * Answers bytes that are no HTTP request: they never become one, so no route sees them. What was
 * asked properly before them on the same connection is answered first; then it is closed.
 */
export class ClientErrors {
  readonly #open = new WeakMap<Socket, ServerResponse>();

  /** Watches which answer each connection is waiting for. */
  watch(server: Server): void {
    server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
      this.#open.set(request.socket, response);
    });
  }

  /** Handles the server's `clientError`. */
  handle(error: Error & { readonly code?: string }, socket: Socket): void {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const open = this.#open.get(socket);
    if (open === undefined || open.writableFinished) {
      socket.end(rawAnswer(refusal(error.code)), () => socket.destroy());
      return;
    }
    const cutShort = open.req.complete === false;
    if (!cutShort) {
      open.once("finish", () => socket.end(rawAnswer(refusal(error.code))));
    } else if (open.headersSent) {
      socket.destroy();
    } else {
      socket.end(rawAnswer(refusal(error.code)), () => socket.destroy());
    }
  }
}

function refusal(code: string | undefined): CatalogError {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return invalid("HEADERS_TOO_LARGE", "request line and headers too large");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return invalid("REQUEST_TIMEOUT", "request took too long to arrive");
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return invalid("BODY_TOO_LARGE", "chunk extensions too large");
    default:
      return invalid("BAD_REQUEST", "malformed http");
  }
}

function rawAnswer(error: CatalogError): string {
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
