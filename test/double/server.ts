import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** One request as it stood on the wire. `path` is raw: still percent-encoded, without the query. */
export interface Request {
  readonly method: string;
  readonly path: string;
  /** Decoded; a parameter without a value is the empty text. */
  readonly query: Readonly<Record<string, string>>;
  /** Under lower-case names; the values of a repeated header are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A service. Synchronous, so that each request is one atomic step of it. */
export type Handler = (request: Request) => Response;

/** What the network makes of an answer. */
export type Delivery =
  | { readonly delivery: "answered"; readonly response: Response }
  /** The connection breaks after this share (0 to 1) of the answer's body; at 0 before its head. */
  | { readonly delivery: "torn"; readonly response: Response; readonly share: number }
  /** The connection is closed without an answer. */
  | { readonly delivery: "closed" }
  /** Nothing comes back, and the connection stays open until the client gives up. */
  | { readonly delivery: "silent" };

/** A service behind a network: see `faults.ts`. */
export type Service = (request: Request) => Promise<Delivery>;

export interface Serving {
  /** `http://127.0.0.1:{port}` */
  readonly url: string;
  /** TCP connections accepted so far. */
  connections(): number;
  /** Requests read whole so far. */
  requests(): number;
  /** From here on, serving does not keep the process running. */
  unref(): void;
  /** Resolves when the port is closed and every connection is gone. */
  close(): Promise<void>;
}

/** Serves on a free port of the loopback interface, or on the one that is named. */
export async function serve(service: Handler | Service, port = 0): Promise<Serving> {
  const sockets = new Set<Socket>();
  const count = { connections: 0, requests: 0 };
  const server = createServer((incoming, outgoing) => {
    void answer(incoming, outgoing, async (request) => {
      count.requests++;
      const result = await service(request);
      return "delivery" in result ? result : { delivery: "answered", response: result };
    });
  });
  // A client keeps its connections longer than Node's five seconds, as against the real service.
  server.keepAliveTimeout = 60_000;
  server.on("connection", (socket: Socket) => {
    count.connections++;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => count.connections,
    requests: () => count.requests,
    unref: () => {
      server.unref();
      server.on("connection", (socket: Socket) => socket.unref());
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  service: Service,
): Promise<void> {
  const request = await read(incoming).catch(() => undefined);
  // Torn on its way here: as far as the service knows it was never sent.
  if (request === undefined) return;
  const delivery = await service(request);
  switch (delivery.delivery) {
    case "answered":
      outgoing.writeHead(delivery.response.status, headersOf(delivery.response));
      outgoing.end(request.method === "HEAD" ? undefined : delivery.response.body);
      return;
    case "torn":
      tear(outgoing, delivery.response, delivery.share);
      return;
    case "closed":
      outgoing.destroy();
      return;
    case "silent":
      return;
  }
}

async function read(incoming: IncomingMessage): Promise<Request> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  const [path = "/", ...query] = (incoming.url ?? "/").split("?");
  return {
    method: incoming.method ?? "GET",
    path,
    query: Object.fromEntries(new URLSearchParams(query.join("?"))),
    headers: Object.fromEntries(
      Object.entries(incoming.headersDistinct).map(([name, values = []]) => [
        name,
        values.join(", "),
      ]),
    ),
    body: Buffer.concat(chunks),
  };
}

/** With a length, unless the service named one (as it does in answer to HEAD). */
function headersOf({ headers, body }: Response): Record<string, string> {
  return { "content-length": String(body.length), ...headers };
}

function tear(outgoing: ServerResponse, response: Response, share: number): void {
  if (share <= 0) {
    outgoing.destroy();
    return;
  }
  outgoing.writeHead(response.status, {
    ...headersOf(response),
    // An empty body cannot be cut short: it promises a byte that does not come.
    ...(response.body.length === 0 ? { "content-length": "1" } : {}),
  });
  outgoing.flushHeaders();
  const part = response.body.subarray(0, Math.floor(response.body.length * Math.min(share, 0.99)));
  outgoing.write(part.length === 0 ? "" : part, () => outgoing.destroy());
}
