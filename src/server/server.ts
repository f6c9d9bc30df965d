import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { inject } from "light-my-request";
import type { Logger } from "pino";
import type { Clock } from "../base/clock.ts";
import { CatalogError } from "../base/error.ts";
import { LIMITS } from "../base/limits.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Prng } from "../base/prng.ts";
import type { Answer } from "../http/answer.ts";
import { expectsBody, readBody } from "../http/body.ts";
import { IcebergAdapter, isConfig } from "../http/iceberg/adapter.ts";
import { overloadedAnswer } from "../http/iceberg/errors.ts";
import { settlesWithin } from "../runtime/clock.ts";
import type { ShardDesk } from "../runtime/shard-desk.ts";
import type { IcebergService } from "../service/requests.ts";
import { Admission } from "./admission.ts";
import { answerClientError, refuseExpectations, refuseTunnels } from "./client-error.ts";
import { Connections } from "./connections.ts";
import type { Exchange } from "./exchange.ts";
import { Exchanges } from "./exchanges.ts";
import { addProbes, Framework } from "./framework.ts";
import { AnonymousGuard } from "./guard.ts";
import { listenOn } from "./listen.ts";
import { errorFields } from "./log.ts";
import { addOperatorRoutes } from "./operator.ts";
import { Slices } from "./slices.ts";

/** How long a stop waits for requests that are under way. */
const DRAIN_MS = 10_000;
/** A whole request, body included, arrives within this, or is refused. */
const REQUEST_MS = 29_000;
const HEAD_MS = 10_000;
/** How often the two are looked at: no request stays open over 30 s for want of bytes. */
const CHECK_MS = 1_000;
/** Longer than the minute after which most load balancers let go of an idle connection. */
const KEEP_ALIVE_MS = 72_000;
/** The longest path that names may make: 32 levels of 255 bytes, each byte escaped, and a table. */
const HEADER_BYTES = 65_536;
/** Who asks while there is no authentication. */
const ANONYMOUS = "anonymous";

export interface ServerOptions {
  /** As `/livez` answers it; empty where nobody is to ask for it. */
  readonly nodeId?: string;
  readonly iceberg: IcebergService;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly log: Logger;
  /** Rejects while the stores cannot be reached. */
  readonly ready: () => Promise<void>;
  /** Of the shards that this process owns. */
  readonly desks?: readonly ShardDesk[];
  /** Serve under any `Host`: for those who put it on a network without authentication. */
  readonly allowAnonymous: boolean;
  /** Requests under way at once, reads and writes apart; more are answered 429. */
  readonly maxInFlight: number;
  /** Test only: shorter times than production's. */
  readonly requestMs?: number;
  readonly drainMs?: number;
}

/** The parts of a `Response`. */
export interface InjectedAnswer {
  readonly status: number;
  readonly headers: [string, string][];
  readonly body: Uint8Array<ArrayBuffer> | null;
}

/**
 * The HTTP server: limits, guards, logs and figures around the protocol adapters. What engines ask
 * all the time is served straight from here, the rest through the framework.
 */
export class FirnServer {
  readonly #options: ServerOptions;
  readonly #server: Server;
  readonly #framework: Framework;
  readonly #connections: Connections;
  readonly #exchanges: Exchanges;
  readonly #admission: Admission;
  readonly #slices: Slices;
  readonly #guard: AnonymousGuard;
  readonly #iceberg: IcebergAdapter;
  #closeOthers: () => void = () => {};
  #stopping: Promise<void> | undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
    const limits = { inFlight: options.maxInFlight, bodyBytes: LIMITS.bodyBytesInFlight };
    this.#admission = new Admission(limits, options.metrics);
    this.#slices = new Slices(options.clock);
    this.#guard = new AnonymousGuard(options.allowAnonymous);
    this.#exchanges = new Exchanges(options);
    this.#iceberg = new IcebergAdapter(options.iceberg);
    this.#server = createHttpServer(options.requestMs ?? REQUEST_MS);
    this.#connections = new Connections(this.#server);
    this.#server.on("request", (request, response) => this.#receive(request, response, false));
    this.#server.on("checkContinue", (request, response) => this.#receive(request, response, true));
    refuseExpectations(this.#server);
    refuseTunnels(this.#server);
    this.#framework = new Framework({
      server: this.#server,
      exchanges: this.#exchanges,
      onClientError: (error, socket) => answerClientError(error, socket, this.#connections),
    });
    addProbes(this.#framework.app, {
      ...{ nodeId: options.nodeId ?? "", metrics: options.metrics, ready: options.ready },
      isStopping: () => this.#stopping !== undefined,
      onUnready: (error) => options.log.warn(errorFields(error), "not ready"),
    });
    addOperatorRoutes(this.#framework.app, options.desks ?? []);
  }

  /**
   * Starts to listen.
   *
   * @returns the URL, with the port that was taken.
   * @throws CatalogError as `listenOn`.
   */
  async listen(host: string, port: number): Promise<string> {
    await this.#framework.app.ready();
    const { url, closeOthers } = await listenOn(this.#server, host, port);
    this.#closeOthers = closeOthers;
    return url;
  }

  /**
   * Answers one request without a socket.
   *
   * @throws CatalogError `Unavailable`, code `SERVER_STOPPED`: not after a stop.
   */
  async inject(
    method: string,
    url: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array | undefined,
  ): Promise<InjectedAnswer> {
    if (this.#stopping !== undefined) {
      throw new CatalogError("Unavailable", "SERVER_STOPPED", "server is stopped");
    }
    await this.#framework.app.ready();
    const receive = (request: unknown, response: unknown) =>
      this.#receive(request as IncomingMessage, response as ServerResponse, false);
    const response = await inject(receive, {
      ...{ method: method as "GET", url, headers },
      ...(body === undefined ? {} : { payload: Buffer.from(body) }),
    });
    const { statusCode: status, rawPayload } = response;
    const bodyless = status === 204 || status === 304 || method === "HEAD";
    const pairs = Object.entries(response.headers).flatMap(([name, value]): [string, string][] =>
      [value ?? []].flat().map((each) => [name, String(each)]),
    );
    return { status, headers: pairs, body: bodyless ? null : new Uint8Array(rawPayload) };
  }

  /** Stops to accept, lets what is under way finish, for at most 10 s, then closes. Idempotent. */
  stop(): Promise<void> {
    this.#stopping ??= this.#drain();
    return this.#stopping;
  }

  async #drain(): Promise<void> {
    this.#closeOthers();
    for (const desk of this.#options.desks ?? []) desk.stop();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#connections.windDown();
    if (!(await settlesWithin(closed, this.#options.drainMs ?? DRAIN_MS))) {
      this.#options.log.warn("requests were still under way at the end of the drain");
      this.#server.closeAllConnections();
    }
    await closed;
    await this.#framework.app.close();
  }

  /**
   * Every request comes in here. Before anything else is done for it, its place is taken or
   * refused; probes always have one, and the config, without which no client starts.
   */
  #receive(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void {
    const exchange = this.#exchanges.begin(request, response, awaitsContinue);
    this.#connections.answering(request.socket, response);
    if (this.#stopping !== undefined) response.setHeader("Connection", "close");
    try {
      if (exchange.iceberg && !isConfig(exchange.target)) {
        exchange.ticket = this.#admission.enter(request);
        if (exchange.ticket === undefined) {
          this.#exchanges.send(exchange, overloadedAnswer(request.method ?? ""));
          return;
        }
      }
      this.#guard.check(request.headers);
      if (exchange.iceberg) void this.#serveIceberg(exchange);
      else {
        goOn(exchange);
        this.#framework.serve(exchange);
      }
    } catch (thrown) {
      this.#exchanges.fail(exchange, thrown);
    }
  }

  /** What was begun keeps its place to its end. */
  async #serveIceberg(exchange: Exchange): Promise<void> {
    const { ticket } = exchange;
    ticket?.hold();
    try {
      this.#exchanges.send(exchange, await this.#answerIceberg(exchange));
    } catch (thrown) {
      this.#exchanges.fail(exchange, thrown);
    } finally {
      ticket?.release();
    }
  }

  /** The head is judged before the body is read. */
  async #answerIceberg(exchange: Exchange): Promise<Answer> {
    const { request, target, requestId } = exchange;
    const head = this.#iceberg.accept(request.method ?? "", target, request.headers);
    if ("status" in head) return head;
    exchange.route = head.route;
    exchange.writes = head.operation.writes;
    let body: Uint8Array | undefined;
    if (expectsBody(request)) {
      goOn(exchange);
      body = await readBody(request, (bytes) => exchange.ticket?.count(bytes));
    }
    const turn = this.#slices.enter();
    if (turn !== undefined) await turn;
    return head.run({ requestId, principal: ANONYMOUS }, body);
  }
}

function createHttpServer(requestMs: number): Server {
  return createServer({
    requestTimeout: requestMs,
    headersTimeout: Math.min(HEAD_MS, requestMs),
    connectionsCheckingInterval: Math.min(CHECK_MS, requestMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: HEADER_BYTES,
    // Most requests have no body: no stream is set up that only ends.
    optimizeEmptyRequests: true,
    // A missing host is answered by `guard.ts`, in the form of every other refusal.
    requireHostHeader: false,
  });
}

/** Asks for the body of a client that waits to be asked. */
function goOn(exchange: Exchange): void {
  if (!exchange.awaitsContinue) return;
  exchange.awaitsContinue = false;
  exchange.response.writeContinue();
}
