import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request as plainRequest,
} from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import type { Duplex } from "node:stream";
import { idleTimer } from "../../runtime/clock.ts";
import type { PeerMac, PeerRequest } from "./peer-mac.ts";

/** A node that does not take a connection within this is not there. */
const CONNECT_MS = 2_000;
/** Shorter than a server keeps an idle connection, so that none closes under a request. */
const KEEP_MS = 20_000;
const MOST_SOCKETS = 256;

/** What became of a request to another node. */
export type Sent =
  | { readonly sent: "answered"; readonly response: IncomingMessage }
  /** No connection came about: the node has not seen the request. */
  | { readonly sent: "never" }
  /** It may have been carried out, or may be yet. */
  | { readonly sent: "lost" };

export type Upgraded =
  | { readonly sent: "opened"; readonly socket: Duplex; readonly head: Buffer }
  | Exclude<Sent, { readonly sent: "lost" }>;

/** Asks other nodes of the deployment. */
export class PeerClient {
  readonly #mac: PeerMac;
  readonly #agents: { readonly plain: Agent; readonly secure: SecureAgent };

  constructor(mac: PeerMac) {
    this.#mac = mac;
    const options = { keepAlive: true, timeout: KEEP_MS, maxSockets: MOST_SOCKETS };
    // Nodes know each other by their key, whatever name their certificate has.
    const secure = new SecureAgent({ ...options, rejectUnauthorized: false });
    this.#agents = { plain: new Agent(options), secure };
  }

  /** Sends a request, once. Never rejects. `ended` gives up on its answer. */
  send(url: string, asked: PeerRequest, ended?: AbortSignal): Promise<Sent> {
    return new Promise((resolve) => {
      const request = this.#begin(url, asked, {});
      const isConnected = watchConnection(request);
      const giveUp = (): void => void request.destroy();
      ended?.addEventListener("abort", giveUp, { once: true });
      request.on("response", (response) => {
        ended?.removeEventListener("abort", giveUp);
        resolve({ sent: "answered", response });
      });
      request.on("error", () => resolve({ sent: isConnected() ? "lost" : "never" }));
      request.on("close", () => resolve({ sent: isConnected() ? "lost" : "never" }));
      request.end(asked.body);
      if (ended?.aborted === true) giveUp();
    });
  }

  /** Asks for a connection that stays. Never rejects; nothing has happened unless it opens. */
  upgrade(
    url: string,
    protocol: string,
    asked: PeerRequest,
    ended: AbortSignal,
  ): Promise<Upgraded> {
    return new Promise((resolve) => {
      const more = { Connection: "Upgrade", Upgrade: protocol };
      const request = this.#begin(url, asked, more);
      watchConnection(request);
      const giveUp = (): void => void request.destroy();
      ended.addEventListener("abort", giveUp, { once: true });
      request.on("upgrade", (_response, socket, head) => {
        ended.removeEventListener("abort", giveUp);
        resolve({ sent: "opened", socket, head });
      });
      request.on("response", (response) => resolve({ sent: "answered", response }));
      request.on("error", () => resolve({ sent: "never" }));
      request.on("close", () => resolve({ sent: "never" }));
      request.end();
    });
  }

  close(): void {
    this.#agents.plain.destroy();
    this.#agents.secure.destroy();
  }

  #begin(url: string, asked: PeerRequest, more: Readonly<Record<string, string>>): ClientRequest {
    const { method, target, body } = asked;
    const length = { "Content-Length": String(body?.length ?? 0) };
    const headers = { ...this.#mac.sign(asked), ...(body && length), ...more };
    const base = new URL(url);
    const { hostname, port } = base;
    const where = { hostname: hostname.replace(/^\[|\]$/g, ""), port, path: target };
    return base.protocol === "https:"
      ? secureRequest({ ...where, method, headers, agent: this.#agents.secure })
      : plainRequest({ ...where, method, headers, agent: this.#agents.plain });
  }
}

/** Whether a request had a connection, after which no failure proves that it was not read. */
function watchConnection(request: ClientRequest): () => boolean {
  let isConnected = false;
  request.on("socket", (socket) => {
    const connected = (): void => {
      isConnected = true;
      waiting.stop();
    };
    const waiting = idleTimer(CONNECT_MS, () => {
      if (!isConnected) request.destroy();
    });
    request.once("close", () => waiting.stop());
    if (socket.connecting) socket.once("connect", connected);
    else connected();
  });
  return () => isConnected;
}

/** The body of an answer, whole. @throws Error where the connection breaks. */
export async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
