import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request } from "node:http";
import { Agent as HttpsAgent, request as secureRequest } from "node:https";
import { inOnePiece } from "../base/bytes.ts";

export interface HttpPoolOptions {
  /** Connections to one host at most; requests beyond them wait. */
  readonly connections: number;
  /** Until a connection stands, in ms. */
  readonly connectMs: number;
  /** Without a byte either way, in ms. */
  readonly idleMs: number;
}

export interface Origin {
  readonly secure: boolean;
  /** Without brackets. */
  readonly hostname: string;
  readonly port: number | undefined;
}

export interface HttpRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Name and value by turns; `host` and the length of a body among them. */
  readonly headers: readonly string[];
  readonly body?: Uint8Array | string;
}

export interface HttpHead {
  readonly status: number;
  /** Under lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export interface HttpAnswer extends HttpHead {
  /** Whole; empty where it was not wanted. */
  readonly body: Uint8Array;
}

export interface HttpCall {
  /** Ends the exchange, which is then in doubt. */
  readonly signal: AbortSignal;
  /** Hears the head before the body; answers whether the body is wanted. */
  readonly onHead?: (head: HttpHead) => boolean;
}

/** How often a request goes out that met closed connections before it was sent whole. */
const MAX_SENDS = 3;
const NOTHING = new Uint8Array(0);

/** Kept connections, and one exchange at a time over each. */
export class HttpPool {
  /** Shared with the SDK's client, so that both count against one bound. */
  readonly httpAgent: HttpAgent;
  readonly httpsAgent: HttpsAgent;
  readonly #options: HttpPoolOptions;

  constructor(options: HttpPoolOptions) {
    const { connections: maxSockets } = options;
    this.#options = options;
    this.httpAgent = new HttpAgent({ keepAlive: true, maxSockets });
    this.httpsAgent = new HttpsAgent({ keepAlive: true, maxSockets });
  }

  /**
   * Sends a request, and resolves with its answer once that is here whole, by the length that its
   * head names.
   *
   * A request is sent again by itself only where a kept connection turned out to be closed before
   * all of the request was handed to it: nobody can have acted on that. Whatever else goes wrong is
   * the caller's to judge.
   *
   * @throws Node's errors; those of `connect` and `getaddrinfo` say in `syscall` that nothing was
   *   sent. `AbortError`, `TimeoutError` by name.
   */
  async exchange(origin: Origin, sent: HttpRequest, call: HttpCall): Promise<HttpAnswer> {
    for (let sends = 1; ; sends++) {
      const attempt = await this.#once(origin, sent, call);
      if (!(attempt instanceof NeverWhole)) return attempt;
      if (sends >= MAX_SENDS || call.signal.aborted) throw attempt.cause;
    }
  }

  /** Closes every connection. Requests under way fail. */
  close(): void {
    this.httpAgent.destroy();
    this.httpsAgent.destroy();
  }

  #once(
    { secure, hostname, port }: Origin,
    { method, path, headers, body }: HttpRequest,
    { signal, onHead }: HttpCall,
  ): Promise<HttpAnswer | NeverWhole> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(named("AbortError", "given up before it was sent"));
        return;
      }
      const out = (secure ? secureRequest : request)({
        ...{ method, path, headers, host: hostname, timeout: this.#options.idleMs },
        ...(port !== undefined && { port }),
        agent: secure ? this.httpsAgent : this.httpAgent,
      });
      const abort = (): void => void out.destroy();
      const fail = (error: unknown): void => {
        signal.removeEventListener("abort", abort);
        // One that was given up breaks by whatever the connection says first.
        if (signal.aborted) reject(named("AbortError", "not answered in time"));
        else if (out.reusedSocket && !out.writableFinished) resolve(new NeverWhole(error));
        else reject(error);
      };
      signal.addEventListener("abort", abort);
      const isConnecting = boundConnecting(out, secure, this.#options);
      out.once("timeout", () => out.destroy(timeoutOf(isConnecting())));
      out.on("error", fail);
      out.once("response", (response) => {
        collect(response, onHead).then((answer) => {
          signal.removeEventListener("abort", abort);
          resolve(answer);
        }, fail);
      });
      out.end(body);
    });
  }
}

/** A request that a closed connection did not take whole. */
class NeverWhole {
  readonly cause: unknown;

  constructor(cause: unknown) {
    this.cause = cause;
  }
}

/**
 * A connection that is being made has less time than one that stands.
 *
 * @returns whether it is still being made.
 */
function boundConnecting(
  out: ClientRequest,
  secure: boolean,
  { connectMs, idleMs }: HttpPoolOptions,
): () => boolean {
  let connecting = true;
  out.once("socket", (socket) => {
    connecting = socket.connecting;
    if (!connecting) return;
    socket.setTimeout(connectMs);
    socket.once(secure ? "secureConnect" : "connect", () => {
      connecting = false;
      socket.setTimeout(idleMs);
    });
  });
  return () => connecting;
}

function timeoutOf(connecting: boolean): Error {
  const error = named("TimeoutError", "no sign of life");
  // As the system's own: nothing was sent.
  return connecting ? Object.assign(error, { code: "ETIMEDOUT", syscall: "connect" }) : error;
}

function collect(response: IncomingMessage, onHead: HttpCall["onHead"]): Promise<HttpAnswer> {
  const { statusCode: status = 0, headers } = response;
  const head: HttpHead = { status, headers: headers as HttpHead["headers"] };
  return new Promise((resolve, reject) => {
    if (onHead?.(head) === false) {
      response.on("error", () => {});
      response.destroy();
      resolve({ ...head, body: NOTHING });
      return;
    }
    const chunks: Uint8Array[] = [];
    response.on("data", (chunk: Uint8Array) => void chunks.push(chunk));
    response.once("error", reject);
    response.once("end", () => {
      // Without a length nobody can tell an end from a break.
      if (isBounded(response, chunks)) resolve({ ...head, body: inOnePiece(chunks) });
      else reject(named("UnboundedAnswer", "an answer without a length"));
    });
  });
}

function isBounded({ headers, complete }: IncomingMessage, chunks: readonly unknown[]): boolean {
  const hasLength =
    headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  return complete && (hasLength || chunks.length === 0);
}

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}
