import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { BlockList, isIP, isIPv4, type Socket } from "node:net";
import { canonicalHost } from "../base/loopback.ts";
import { Counts, type Metrics, readWhenPrinted } from "../base/metrics.ts";

/** How many connections there may be at once. */
export interface ConnectionLimits {
  readonly maxConnections: number;
  /** From one address, unless it is a trusted proxy's: that one has many clients. */
  readonly maxConnectionsPerAddress: number;
  /** Addresses, or networks as `10.0.0.0/8`. */
  readonly trustedProxy: readonly string[];
}

/**
 * Every open connection, and the answer that was begun last on it. Under TLS there are two sockets
 * of one: the limits count the outer, from before its handshake; requests come by the inner.
 */
export class Connections {
  readonly #admitted: Set<Socket> = new Set();
  readonly #sockets = new Map<Socket, ServerResponse | undefined>();
  readonly #limits: ConnectionLimits;
  readonly #proxies: BlockList;
  readonly #byAddress = new Map<string, number>();
  readonly #refused: Counts;

  constructor(server: Server, limits: ConnectionLimits, metrics: Metrics) {
    this.#limits = limits;
    this.#proxies = networksOf(limits.trustedProxy);
    this.#refused = new Counts(metrics, {
      name: "firn_http_connections_refused_total",
      help: "Connections closed at once because there were too many, in all or of their address",
      labels: ["limit"],
    });
    const open = { name: "firn_http_connections", help: "Open connections" };
    readWhenPrinted(metrics, "gauge", open, () => [[this.#admitted.size]]);
    server.on("connection", (socket: Socket) => this.#accept(socket));
    server.on("secureConnection", (socket: Socket) => this.#watch(socket));
  }

  #isProxy(address: string): boolean {
    return this.#proxies.check(address, isIPv4(address) ? "ipv4" : "ipv6");
  }

  /**
   * The address of a request's client: what a trusted proxy appended to `X-Forwarded-For`, else the
   * connection's own. Undefined where no socket brought it.
   */
  clientOf({ socket, headers }: Pick<IncomingMessage, "socket" | "headers">): string | undefined {
    const { remoteAddress } = socket;
    const forwarded = headers["x-forwarded-for"];
    if (forwarded === undefined || remoteAddress === undefined) return remoteAddress;
    if (!this.#isProxy(canonicalHost(remoteAddress) ?? "")) return remoteAddress;
    // What stands before it came from the client, who may write anything.
    const last = String(forwarded).split(",").at(-1)?.trim() ?? "";
    return isIP(last) === 0 ? remoteAddress : last;
  }

  #accept(socket: Socket): void {
    const address = canonicalHost(socket.remoteAddress ?? "") ?? "";
    const ofAddress = this.#byAddress.get(address) ?? 0;
    const full = this.#fullLimit(address, ofAddress);
    if (full !== undefined) {
      this.#refused.add(1, full);
      socket.destroy();
      return;
    }
    this.#watch(socket);
    this.#admitted.add(socket);
    this.#byAddress.set(address, ofAddress + 1);
    socket.once("close", () => {
      this.#admitted.delete(socket);
      const left = (this.#byAddress.get(address) ?? 1) - 1;
      if (left > 0) this.#byAddress.set(address, left);
      else this.#byAddress.delete(address);
    });
  }

  #watch(socket: Socket): void {
    this.#sockets.set(socket, undefined);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  /** Which limit another connection of an address exceeds. */
  #fullLimit(address: string, ofAddress: number): "all" | "address" | undefined {
    if (this.#admitted.size >= this.#limits.maxConnections) return "all";
    if (ofAddress < this.#limits.maxConnectionsPerAddress) return undefined;
    const isProxy = this.#isProxy(address);
    return isProxy ? undefined : "address";
  }

  /** Whether requests can come by this socket: not while its handshake is under way. */
  has(socket: Socket): boolean {
    return this.#sockets.has(socket);
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

/** @param networks as `parseNetwork` takes them. */
function networksOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}
