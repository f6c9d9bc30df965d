import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { inject } from "light-my-request";
import type { Logger } from "pino";
import type { Clock } from "../base/clock.ts";
import { CatalogError } from "../base/error.ts";
import { LIMITS } from "../base/limits.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Prng } from "../base/prng.ts";
import type { Answer } from "../http/answer.ts";
import { expectsBody, type IdleWatch, readBody } from "../http/body.ts";
import { Compressor } from "../http/compress.ts";
import { routeNotFound } from "../http/failure.ts";
import { IcebergAdapter, isConfig, type ReadBody } from "../http/iceberg/adapter.ts";
import { overloadedAnswer } from "../http/iceberg/errors.ts";
import { everyMs, idleTimer, settlesWithin, threadCpuMs } from "../runtime/clock.ts";
import { isLoopbackHost } from "../runtime/loopback.ts";
import type { Settings } from "../runtime/settings.ts";
import type { ShardDesk } from "../runtime/shard-desk.ts";
import type { IcebergService } from "../service/requests.ts";
import { Admission } from "./admission.ts";
import { answerClientError, refuseExpectations, refuseTunnels } from "./client-error.ts";
import { type ConnectionLimits, Connections } from "./connections.ts";
import type { Exchange } from "./exchange.ts";
import { Exchanges } from "./exchanges.ts";
import { addFrontPage, addProbes, Framework } from "./framework.ts";
import { HostGuard } from "./guard.ts";
import { listenOn } from "./listen.ts";
import { errorFields } from "./log.ts";
import { LOOK_MS, LoopDelays } from "./loop-delays.ts";
import { addOperatorRoutes } from "./operator.ts";
import { OperatorAccess } from "./operator-access.ts";
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

/** What of the settings bounds who is let in. */
export type Edge = ConnectionLimits &
  Pick<Settings, "allowHost"> & {
    /** Where operators find socket and token; absent: they are not served. */
    readonly dir?: string;
  };

export interface ServerOptions {
  /** As `/livez` answers it; empty where nobody is to ask for it. */
  readonly nodeId?: string;
  readonly iceberg: IcebergService;
  /** Parses large bodies elsewhere; in place where it is absent. */
  readonly readBody?: ReadBody;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly log: Logger;
  /** Rejects while the stores cannot be reached. */
  readonly ready: () => Promise<void>;
  /** Of the shards that this process owns. */
  readonly desks?: readonly ShardDesk[];
  /** Who is let in from the network. */
  readonly edge: Edge;
  /** Requests under way at once, reads and writes apart; more are answered 429. */
  readonly maxInFlight: number;
  /** Test only: shorter times than production's. */
  readonly requestMs?: number;
  readonly bodyIdleMs?: number;
  readonly drainMs?: number;
  /** Test only: which addresses are this machine's, where there is but one machine. */
  readonly isLoopback?: (address: string) => boolean;
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
  readonly #guard: HostGuard;
  readonly #iceberg: IcebergAdapter;
  readonly #operators: OperatorAccess;
  readonly #loop: LoopDelays;
  readonly #compressor: Compressor = new Compressor();
  #unwatchLoop: () => void = () => {};
  #closeOthers: () => void = () => {};
  #stopping: Promise<void> | undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
    const limits = { inFlight: options.maxInFlight, bodyBytes: LIMITS.bodyBytesInFlight };
    this.#admission = new Admission(limits, options.metrics);
    this.#slices = new Slices(options.clock);
    const monotonicMs = () => options.clock.monotonicMs();
    this.#loop = new LoopDelays({ monotonicMs, threadCpuMs }, options.metrics);
    this.#guard = new HostGuard(options.edge.allowHost);
    this.#exchanges = new Exchanges(options);
    this.#iceberg = new IcebergAdapter(options.iceberg, options.clock, options.readBody);
    const requestMs = options.requestMs ?? REQUEST_MS;
    this.#server = createHttpServer(requestMs);
    this.#connections = new Connections(this.#server, options.edge, options.metrics);
    this.#server.on("request", (request, response) => this.#receive(request, response, false));
    this.#server.on("checkContinue", (request, response) => this.#receive(request, response, true));
    refuseExpectations(this.#server);
    refuseTunnels(this.#server);
    this.#framework = new Framework({
      server: this.#server,
      exchanges: this.#exchanges,
      onClientError: (error, socket) => answerClientError(error, socket, this.#connections),
    });
    addFrontPage(this.#framework.app);
    addProbes(this.#framework.app, {
      ...{ nodeId: options.nodeId ?? "", metrics: options.metrics, ready: options.ready },
      isStopping: () => this.#stopping !== undefined,
      onUnready: (error) => options.log.warn(errorFields(error), "not ready"),
    });
    const { desks = [], log, prng } = options;
    this.#operators = new OperatorAccess(createHttpServer(requestMs), { log, prng });
    this.#operators.server.on("request", (request, response) => {
      this.#operators.trust(request);
      this.#receive(request, response, false);
    });
    const authorize = (request: IncomingMessage) => this.#operators.authorize(request);
    addOperatorRoutes(this.#framework.app, { desks, authorize });
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
    this.#unwatchLoop = everyMs(LOOK_MS, () => this.#loop.look());
    const { dir } = this.#options.edge;
    // Without shards there is nothing to operate.
    if (dir !== undefined && this.#options.desks?.length) await this.#operators.open(dir);
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
    this.#unwatchLoop();
    for (const desk of this.#options.desks ?? []) desk.stop();
    const closing = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const closed = Promise.all([closing, this.#operators.close()]);
    this.#connections.windDown();
    if (!(await settlesWithin(closed, this.#options.drainMs ?? DRAIN_MS))) {
      this.#options.log.warn("requests were still under way at the end of the drain");
      this.#server.closeAllConnections();
      this.#operators.server.closeAllConnections();
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
      // No web page reaches the socket of operators, and nothing but them is served there.
      if (this.#operators.isTrusted(request)) {
        if (exchange.iceberg) throw routeNotFound(exchange.target.path);
      } else this.#guard.check(request);
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
    const { ticket, request } = exchange;
    ticket?.hold();
    try {
      const answer = await this.#answerIceberg(exchange);
      this.#exchanges.send(
        exchange,
        this.#isFar(request) ? await this.#fit(request, answer) : answer,
      );
    } catch (thrown) {
      this.#exchanges.fail(exchange, thrown);
    } finally {
      if (exchange.operation !== undefined) this.#loop.end(exchange.operation);
      ticket?.release();
    }
  }

  /** Whether bytes on the way to the client cost more than the time to compress them. */
  #isFar({ socket }: IncomingMessage): boolean {
    const { isLoopback = isLoopbackHost } = this.#options;
    return socket.remoteAddress !== undefined && !isLoopback(socket.remoteAddress);
  }

  #fit({ headers }: IncomingMessage, answer: Answer): Answer | Promise<Answer> {
    return this.#compressor.fit(answer, headers["accept-encoding"]?.toString());
  }

  /** The head is judged before the body is read. */
  async #answerIceberg(exchange: Exchange): Promise<Answer> {
    const { request, target, requestId } = exchange;
    const head = this.#iceberg.accept(request.method ?? "", target, request.headers);
    if ("status" in head) return head;
    exchange.route = head.route;
    exchange.accepted = head;
    exchange.writes = head.operation.writes;
    let body: Uint8Array | undefined;
    if (expectsBody(request)) {
      goOn(exchange);
      body = await readBody(request, {
        counts: (bytes) => exchange.ticket?.count(bytes),
        watch: (onIdle) => this.#watchBody(exchange, onIdle),
      });
    }
    exchange.ticket?.begin();
    const turn = this.#slices.enter();
    if (turn !== undefined) await turn;
    exchange.operation = head.name;
    this.#loop.begin(head.name);
    return head.run({ requestId, principal: ANONYMOUS }, body);
  }

  /** A connection whose body stands still ends with the answer that says so. */
  #watchBody({ response }: Exchange, onIdle: () => void): IdleWatch {
    return idleTimer(this.#options.bodyIdleMs ?? LIMITS.bodyIdleMs, () => {
      response.setHeader("Connection", "close");
      onIdle();
    });
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
