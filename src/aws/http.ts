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
  /** Whole; empty where it is cut. */
  readonly body: Uint8Array;
  /** There is more of the body than was wanted. */
  readonly isCut: boolean;
}

export interface HttpCall {
  /** Ends the exchange, which is then in doubt, unless it waits for a connection still. */
  readonly signal: AbortSignal;
  /** Hears the head before the body; answers how many bytes of the body are wanted at most. */
  readonly onHead?: (head: HttpHead) => number;
}

/** How often a request goes out that met closed connections before it was sent whole. */
const MAX_SENDS = 3;
/**
 * The most that is read of a body where the caller sets no limit: no service answers with as much.
 */
const MAX_BODY_BYTES = 64 * 1_024 * 1_024;
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
   * all of the request was handed to it: no service can have acted on that. Whatever else goes
   * wrong is the caller's to judge.
   *
   * It settles with its signal at the latest, whatever the connection does.
   *
   * @throws Node's errors; those of `connect` and `getaddrinfo` say in `syscall` that nothing was
   *   sent. `AbortError`, `TimeoutError` by name.
   */
  async exchange(origin: Origin, sent: HttpRequest, call: HttpCall): Promise<HttpAnswer> {
    for (let sends = 1; ; sends++) {
      const attempt = await this.#once(origin, sent, call);
      if (!(attempt instanceof IncompleteSend)) return attempt;
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
  ): Promise<HttpAnswer | IncompleteSend> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(unsentAbort());
        return;
      }
      const out = (secure ? secureRequest : request)({
        method,
        path,
        headers,
        host: hostname,
        timeout: this.#options.idleMs,
        ...(port !== undefined && { port }),
        agent: secure ? this.httpsAgent : this.httpAgent,
      });
      const isConnecting = boundConnecting(out, secure, this.#options);
      const fail = (error: unknown): void => {
        signal.removeEventListener("abort", abort);
        if (isIncompleteSend(out, secure, error)) resolve(new IncompleteSend(error));
        else reject(error);
      };
      // Whatever the connection says afterwards, or does not.
      const abort = (): void => {
        reject(isConnecting() ? unsentAbort() : named("AbortError", "not answered in time"));
        out.destroy();
      };
      signal.addEventListener("abort", abort);
      out.once("timeout", () => {
        const error = named("TimeoutError", "no sign of life");
        out.destroy(isConnecting() ? unsent(error) : error);
      });
      out.on("error", fail);
      // Some ends are not errors to Node, such as that of a connection that changed its protocol.
      const closed = (): void => fail(named("NoAnswer", "closed without an answer"));
      out.once("close", closed);
      out.once("response", (response) => {
        out.off("close", closed);
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
class IncompleteSend {
  readonly cause: unknown;

  constructor(cause: unknown) {
    this.cause = cause;
  }
}

/**
 * Whether a request that failed with this error certainly did not arrive whole. Over TLS, Node
 * counts what it has written only a turn later, so there a write alone that failed says so.
 */
function isIncompleteSend(out: ClientRequest, secure: boolean, error: unknown): boolean {
  if (!out.reusedSocket || out.writableFinished) return false;
  return !secure || (error as { readonly syscall?: unknown }).syscall === "write";
}

/**
 * A connection that is being made has less time than one that stands.
 *
 * @returns whether there is none yet that stands.
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

/** What was given up, and nothing of it sent. */
export function unsentAbort(): Error {
  return unsent(named("AbortError", "given up before it was sent"));
}

/** As the system's own errors say that nothing was sent. */
function unsent(error: Error): Error {
  return Object.assign(error, { code: "ETIMEDOUT", syscall: "connect" });
}

function collect(response: IncomingMessage, onHead: HttpCall["onHead"]): Promise<HttpAnswer> {
  const { statusCode: status = 0, headers } = response;
  const head: HttpHead = { status, headers: headers as HttpHead["headers"] };
  return new Promise((resolve, reject) => {
    const wanted = onHead?.(head) ?? MAX_BODY_BYTES;
    const cut = (): void => {
      response.destroy();
      resolve({ ...head, body: NOTHING, isCut: true });
    };
    response.on("error", reject);
    if (onHead !== undefined && Number(headers["content-length"] ?? 0) > wanted) {
      cut();
      return;
    }
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    response.on("data", (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes > wanted) cut();
      else chunks.push(chunk);
    });
    response.once("end", () => {
      // Without a length it is impossible to tell an end from a break.
      if (isBounded(response, bytes)) {
        resolve({ ...head, body: inOnePiece(chunks), isCut: false });
      } else reject(named("UnboundedAnswer", "an answer without a length"));
    });
  });
}

function isBounded({ headers, complete }: IncomingMessage, bytes: number): boolean {
  const hasLength =
    headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  return complete && (hasLength || bytes === 0);
}

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}
