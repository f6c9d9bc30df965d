import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "../../base/clock.ts";
import { FirnError, invalid } from "../../base/error.ts";
import type { Metrics } from "../../base/metrics.ts";
import { asFirnError } from "../../http/failure.ts";
import { errorHeaders, httpStatus } from "../../http/status.ts";
import { shardClosing } from "../../service/shards/shard-elsewhere.ts";
import type { ShardNode } from "../../service/shards/shared-shard.ts";
import type { SharedShards } from "../../service/shards/shared-shards.ts";
import { createHttpServer } from "../http-server.ts";
import { listenOn } from "../listen.ts";
import type { ServerTls } from "../tls.ts";
import { Forwarder } from "./forwarder.ts";
import { bodyOf, PeerClient } from "./peer-client.ts";
import { assertBody, type PeerClaims, PeerMac } from "./peer-mac.ts";

/** Where a node says that it lives, to any process that asks. */
const LIVEZ = "/livez";
/** What nodes ask each other, beside the requests of clients. */
const INTERNAL = "/internal/v1/";
/** Of what nodes ask each other. */
const BODY_BYTES = 65_536;

export interface PeersParts {
  readonly shards: SharedShards;
  /** The first signs, all are taken. */
  readonly keys: readonly Uint8Array[];
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly tls?: ServerTls | undefined;
}

/** Serves what another node asks; its claims and its body are known to be right. */
export type PeerCall = (asked: unknown) => Promise<object>;

/**
 * Takes over a connection that another node asks for. Where it rejects, the connection is refused,
 * and nothing has happened.
 */
export type PeerSession = (asked: unknown) => Promise<(socket: Duplex, head: Buffer) => void>;

/**
 * The other nodes of the deployment: the listener that they call, and the client that calls theirs.
 * A request of a client that was sent here goes through the server as any other, as that client's.
 */
export class Peers {
  readonly forwarder: Forwarder;
  readonly client: PeerClient;
  readonly shards: SharedShards;
  readonly #mac: PeerMac;
  readonly #server: Server;
  readonly #claims = new WeakMap<IncomingMessage, PeerClaims>();
  readonly #calls = new Map<string, PeerCall>();
  readonly #sessions = new Map<string, PeerSession>();
  readonly #sockets = new Set<Duplex>();
  #closeOthers: () => void = () => {};
  /** Takes the requests of clients. */
  onRequest: (request: IncomingMessage, response: ServerResponse) => void = () => {};

  constructor({ shards, keys, clock, metrics, tls }: PeersParts) {
    this.shards = shards;
    this.#mac = new PeerMac(keys, shards.self.node, clock);
    this.client = new PeerClient(this.#mac);
    this.forwarder = new Forwarder({ shards, client: this.client, clock, metrics });
    this.#server = createHttpServer(undefined, tls);
    this.#server.on("request", (request, response) => this.#receive(request, response));
    this.#server.on("upgrade", (request, socket, head) => {
      void this.#upgrade(request, socket, head);
    });
    this.#server.on("clientError", (_error, socket) => socket.destroy());
    this.serve("shards/drain", async (asked) => {
      const { shard, next } = drainIn(asked);
      await shards.of(shard).drain(next);
      return {};
    });
  }

  /** Serves a call of other nodes. */
  serve(name: string, call: PeerCall): void {
    this.#calls.set(`${INTERNAL}${name}`, call);
  }

  /** Serves connections that other nodes ask for. */
  serveSessions(name: string, session: PeerSession): void {
    this.#sessions.set(`${INTERNAL}${name}`, session);
  }

  /** @returns the URL. @throws FirnError as `listenOn`. */
  async listen(host: string, port: number): Promise<string> {
    const { url, closeOthers } = await listenOn(this.#server, host, port);
    this.#closeOthers = closeOthers;
    return url;
  }

  /** What another node says of a request; undefined of one that a client sent here. */
  claimsOf(request: IncomingMessage): PeerClaims | undefined {
    return this.#claims.get(request);
  }

  /**
   * Calls another node.
   *
   * @throws FirnError `Unavailable`, code `PEER_UNREACHABLE`; `Unknown`, code `PEER_LOST`; what the
   *   other node answers.
   */
  async call(
    { node, url }: Pick<ShardNode, "node" | "url">,
    name: string,
    asked: object,
  ): Promise<unknown> {
    const body = Buffer.from(JSON.stringify(asked));
    const target = `${INTERNAL}${name}`;
    const sent = await this.client.send(url, {
      to: node,
      method: "POST",
      target,
      headers: { "content-type": "application/json" },
      body,
    });
    if (sent.sent === "answered") {
      const text = (await bodyOf(sent.response)).toString();
      if (sent.response.statusCode === 200) return JSON.parse(text) as unknown;
      const code = String(sent.response.headers["x-firn-error"] ?? "PEER_FAILED");
      throw new FirnError("Unavailable", code, text.slice(0, 500), { node });
    }
    const message = "another node did not answer";
    if (sent.sent === "never") throw new FirnError("Unavailable", "PEER_UNREACHABLE", message);
    throw new FirnError("Unknown", "PEER_LOST", message, { node });
  }

  /**
   * Asks another node to go on with a session: `never` where it was not reached or refuses, `moved`
   * where it does not own what the session needs.
   *
   * @throws FirnError `Unavailable`, code `PEER_REFUSED`.
   */
  async open(
    { node, url }: Pick<ShardNode, "node" | "url">,
    name: string,
    asked: object,
    given: AbortSignal,
  ): Promise<{ readonly tunnel: Duplex; readonly head: Buffer } | "never" | "moved"> {
    if (url === "") return "never";
    const text = Buffer.from(JSON.stringify(asked)).toString("base64url");
    const target = `${INTERNAL}${name}?${text}`;
    const request = { to: node, method: "GET", target, headers: {}, body: undefined };
    const opened = await this.client.upgrade(url, "firn", request, given);
    if (opened.sent === "opened") {
      this.#sockets.add(opened.socket);
      opened.socket.once("close", () => this.#sockets.delete(opened.socket));
      return { tunnel: opened.socket, head: opened.head };
    }
    if (opened.sent === "never") return "never";
    opened.response.resume();
    const code = String(opened.response.headers["x-firn-error"] ?? "");
    if (code !== "PEER_REFUSED") return "moved";
    const message = "the node that owns the rows refuses this node: check secrets and clocks";
    throw new FirnError("Unavailable", "PEER_REFUSED", message, { node });
  }

  /** Ends the listener and every connection to other nodes. Idempotent. */
  async close(): Promise<void> {
    this.#closeOthers();
    this.client.close();
    const closed = new Promise<void>((resolve) => {
      if (this.#server.listening) this.#server.close(() => resolve());
      else resolve();
    });
    this.#server.closeAllConnections();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const { method = "", url = "" } = request;
    if (method === "GET" && url === LIVEZ) {
      send(response, 200, { status: "live", node: this.shards.self.node });
      return;
    }
    try {
      const claims = this.#mac.verify(method, url, request.headers);
      const call = this.#calls.get(url);
      if (call !== undefined) {
        void this.#call(call, claims, request, response);
        return;
      }
      this.#claims.set(request, claims);
    } catch (error) {
      fail(response, error);
      return;
    }
    this.onRequest(request, response);
  }

  async #call(
    call: PeerCall,
    claims: PeerClaims,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    try {
      const chunks: Buffer[] = [];
      let length = 0;
      for await (const chunk of request) {
        length += (chunk as Buffer).length;
        if (length > BODY_BYTES) throw invalid("BODY_TOO_LARGE", "request body too large");
        chunks.push(chunk as Buffer);
      }
      const body = Buffer.concat(chunks);
      assertBody(claims, body);
      send(response, 200, await call(JSON.parse(body.toString())));
    } catch (error) {
      fail(response, error);
    }
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on("error", () => socket.destroy());
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    const { method = "", url = "", headers } = request;
    const [path = "", asked = ""] = url.split("?");
    const session = this.#sessions.get(path);
    try {
      assertBody(this.#mac.verify(method, url, headers), undefined);
      if (session === undefined) throw shardClosing("");
      const begin = await session(JSON.parse(Buffer.from(asked, "base64url").toString()));
      (socket as Socket).setNoDelay(true);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${UPGRADED}\r\n\r\n`);
      begin(socket, head);
    } catch (error) {
      const { code } = asFirnError(error);
      const lines = ["HTTP/1.1 503 Refused", `X-Firn-Error: ${code}`, "Content-Length: 0"];
      socket.end([...lines, "Connection: close", "", ""].join("\r\n"));
    }
  }
}

const UPGRADED = "Connection: Upgrade\r\nUpgrade: firn";

function drainIn(asked: unknown): { readonly shard: string; readonly next?: ShardNode } {
  // A node of ours wrote it.
  return asked as { shard: string; next?: ShardNode };
}

function send(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": length });
  response.end(text);
}

function fail(response: ServerResponse, thrown: unknown): void {
  const error = asFirnError(thrown);
  const { code, message } = error;
  const text = JSON.stringify({ code, message, why: error.context["why"] });
  const length = Buffer.byteLength(text);
  const headers = { ...errorHeaders(error), "Content-Length": length, Connection: "close" };
  response.writeHead(httpStatus(error, false), headers);
  response.end(text);
}
