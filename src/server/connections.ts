import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Every open connection, and the answer that was begun last on it. */
export class Connections {
  readonly #sockets = new Map<Socket, ServerResponse | undefined>();

  constructor(server: Server) {
    server.on("connection", (socket: Socket) => {
      this.#sockets.set(socket, undefined);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  /** An answer is begun. */
  answering(socket: Socket, response: ServerResponse): void {
    if (this.#sockets.has(socket)) this.#sockets.set(socket, response);
  }

  /** The answer that a connection is waiting for, if any. */
  waitingFor(socket: Socket): ServerResponse | undefined {
    const response = this.#sockets.get(socket);
    return response === undefined || response.writableFinished ? undefined : response;
  }

  /** Whether what still comes in belongs to a request whose answer is out: one is all it gets. */
  isAnswered(socket: Socket): boolean {
    const response = this.#sockets.get(socket);
    return response?.writableFinished === true && !response.req.complete;
  }

  /**
   * Lets connections end with what they are waiting for. Node closes those that have become idle;
   * those that never sent a byte, as browsers open them in advance, it would wait for.
   */
  windDown(): void {
    for (const [socket, response] of this.#sockets) {
      if (socket.bytesRead === 0) socket.destroy();
      else if (response !== undefined && !response.headersSent) {
        response.setHeader("Connection", "close");
      }
    }
  }
}
