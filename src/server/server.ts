import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  type HTTPMethods,
} from "fastify";
import type { Logger } from "pino";
import type { Clock } from "../base/clock.ts";
import { CatalogError } from "../base/error.ts";
import { IdSource, type WriterId } from "../base/ids.ts";
import { LIMITS } from "../base/limits.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Prng } from "../base/prng.ts";
import { type Answer, problemAnswer } from "../http/answer.ts";
import { asCatalogError, methodNotAllowed, routeNotFound } from "../http/failure.ts";
import { ICEBERG_MOUNT, isConfig, isIceberg } from "../http/iceberg/adapter.ts";
import { type IcebergRoutes, registerIceberg } from "../http/iceberg/plugin.ts";
import { sendAnswer } from "../http/send.ts";
import { parseTarget } from "../http/target.ts";
import { afterTurn, settlesWithin } from "../runtime/clock.ts";
import type { IcebergService } from "../service/requests.ts";
import { Admission, type Ticket } from "./admission.ts";
import { answerClientError, refuseExpectations, refuseTunnels } from "./client-error.ts";
import { Connections } from "./connections.ts";
import { guardAnonymous } from "./guard.ts";
import { errorFields } from "./log.ts";
import { createHttpMetrics, type Observation } from "./observe.ts";

/** How long a stop waits for requests that are under way. */
const DRAIN_MS = 10_000;
/** A whole request, body included, arrives within this, or is refused. */
const REQUEST_MS = 29_000;
const HEAD_MS = 10_000;
/** How often the two are looked at: no request stays open over 30 s for want of bytes. */
const CHECK_MS = 1_000;
/** The longest path that names may make: 32 levels of 255 bytes, each byte escaped, and a table. */
const HEADER_BYTES = 65_536;
const PROBES: ReadonlySet<string> = new Set(["/livez", "/readyz", "/metrics"]);

export interface ServerOptions {
  readonly iceberg: IcebergService;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly log: Logger;
  /** Rejects while the stores cannot be reached. */
  readonly ready: () => Promise<void>;
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

/** The HTTP server: limits, guards, logs and figures around the protocol adapters. */
export class FirnServer {
  readonly app: FastifyInstance;
  readonly #options: ServerOptions;
  readonly #connections: Connections;
  readonly #iceberg: IcebergRoutes;
  readonly #admission: Admission;
  readonly #tickets = new WeakMap<FastifyRequest, Ticket>();
  readonly #observe: (observation: Observation) => void;
  readonly #startedMs = new WeakMap<FastifyRequest, number>();
  #stopping: Promise<void> | undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
    const limits = { inFlight: options.maxInFlight, bodyBytes: LIMITS.bodyBytesInFlight };
    this.#admission = new Admission(limits, options.metrics);
    this.#observe = createHttpMetrics(options.metrics);
    const fail: Fail = (thrown, request, reply) => this.#fail(thrown, request, reply);
    const { app, connections } = createApp(options, fail);
    this.app = app;
    this.#connections = connections;
    this.#addHooks();
    this.#addProbes();
    const hold = (request: FastifyRequest) => this.#tickets.get(request)?.hold() ?? nothing;
    this.#iceberg = registerIceberg(this.app, options.iceberg, hold);
  }

  /**
   * Starts to listen.
   *
   * @returns the URL, with the port that was taken.
   * @throws CatalogError `Unavailable`, code `LISTEN_FAILED`: port in use, no such address.
   */
  async listen(host: string, port: number): Promise<string> {
    try {
      await this.app.listen({ host, port });
    } catch (error) {
      const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown";
      const context = { host, port, reason };
      throw new CatalogError("Unavailable", "LISTEN_FAILED", "cannot listen", context, error);
    }
    const address = this.app.server.address();
    const taken = typeof address === "object" && address !== null ? address.port : port;
    return `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${taken}`;
  }

  /** Answers one request without a socket. */
  async inject(
    method: string,
    url: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array | undefined,
  ): Promise<InjectedAnswer> {
    const response = await this.app.inject({
      ...{ method: method as HTTPMethods, url, headers },
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
    const closed = this.app.close();
    this.#connections.windDown();
    if (!(await settlesWithin(closed, this.#options.drainMs ?? DRAIN_MS))) {
      this.#options.log.warn("requests were still under way at the end of the drain");
      this.app.server.closeAllConnections();
    }
    await closed;
  }

  #addHooks(): void {
    const { app } = this;
    app.addHook("onRequest", async (request, reply) => {
      this.#startedMs.set(request, this.#options.clock.monotonicMs());
      reply.raw.setHeader("X-Request-Id", request.id);
      this.#admit(request, reply);
      guardAnonymous(request.headers, this.#options.allowAnonymous);
    });
    app.addHook("preParsing", async (request, _reply, payload) => {
      const ticket = this.#tickets.get(request);
      const told = request.headers["content-length"] !== undefined;
      return told || ticket === undefined ? payload : payload.pipe(ticket.counting());
    });
    app.addHook("onResponse", async (request, reply) => this.#finished(request, reply));
    app.setErrorHandler(async (thrown, request, reply) => this.#fail(thrown, request, reply));
    app.setNotFoundHandler(async (request, reply) =>
      this.#fail(this.#noHandler(request), request, reply),
    );
  }

  /**
   * Before anything else is done for a request, its place is taken or refused. Probes always have
   * one, and the config, without which no client starts.
   */
  #admit(request: FastifyRequest, reply: FastifyReply): void {
    const target = parseTarget(request.originalUrl);
    if (!isIceberg(target) || isConfig(target)) return;
    const { method, headers } = request;
    const length = headers["content-length"];
    const ticket = this.#admission.enter(
      method === "GET" || method === "HEAD" ? "read" : "write",
      length === undefined ? undefined : Number(length),
    );
    this.#tickets.set(request, ticket);
    const answered = ticket.hold();
    reply.raw.once("finish", answered);
    reply.raw.once("close", answered);
    // Some work ends before the next request is even looked at, however many are ready: their
    // number shows only over a whole turn of the event loop.
    afterTurn(ticket.hold());
  }

  #addProbes(): void {
    const { app } = this;
    app.get("/livez", async () => ({ status: "live" }));
    app.get("/readyz", async (_request, reply) => {
      if (this.#stopping !== undefined) return reply.code(503).send({ status: "draining" });
      try {
        await this.#options.ready();
        return { status: "ready" };
      } catch (error) {
        this.#options.log.warn(errorFields(asCatalogError(error)), "not ready");
        return reply.code(503).send({ status: "unavailable" });
      }
    });
    app.get("/metrics", async (_request, reply) => {
      reply.type(this.#options.metrics.contentType);
      return this.#options.metrics.metrics();
    });
  }

  /** A path that only other methods have is told from one that does not exist. */
  #noHandler(request: FastifyRequest): CatalogError {
    const target = parseTarget(request.originalUrl);
    if (isIceberg(target)) return this.#iceberg.refusal(request);
    return PROBES.has(target.path) ? methodNotAllowed(["GET"]) : routeNotFound();
  }

  #fail(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const answer = this.#errorAnswer(thrown, request);
    const error = asCatalogError(thrown);
    // A 501 is the fault of who asks, and nobody may fill this log from outside.
    if (answer.status >= 500 && error.kind !== "Invalid") {
      const fields = errorFields(error);
      this.#options.log.error({ requestId: request.id, ...fields }, "request failed");
    }
    return sendAnswer(reply, answer);
  }

  #errorAnswer(thrown: unknown, request: FastifyRequest): Answer {
    if (isIceberg(parseTarget(request.originalUrl))) return this.#iceberg.fail(thrown, request);
    return problemAnswer(asCatalogError(thrown), false);
  }

  #finished(request: FastifyRequest, reply: FastifyReply): void {
    const nowMs = this.#options.clock.monotonicMs();
    const durationMs = nowMs - (this.#startedMs.get(request) ?? nowMs);
    const template = request.is404 ? undefined : request.routeOptions.url;
    const route =
      (template === ICEBERG_MOUNT ? this.#iceberg.routeOf(request) : template) ?? "unmatched";
    const { method } = request;
    const { statusCode: status } = reply;
    this.#observe({ route, method, status, durationMs });
    const logged = (template === ICEBERG_MOUNT || status >= 400) && status !== 429;
    // What is shed is counted: a line each would cost more than the refusal.
    const level = logged ? "info" : "debug";
    const ms = Math.round(durationMs * 100) / 100;
    this.#options.log[level]({ requestId: request.id, method, route, status, ms }, "request");
  }
}

/**
 * No route has a schema of the framework's: adapters check input themselves, for errors of their
 * own. Its compilers, loaded otherwise, are most of the time that it takes to open a server.
 */
const NO_COMPILERS = {
  buildValidator: () => () => {
    throw new CatalogError("Internal", "ASSERTION_FAILED", "a route has a validation schema");
  },
  buildSerializer: () => () => {
    throw new CatalogError("Internal", "ASSERTION_FAILED", "a route has a response schema");
  },
};

function nothing(): void {}

type Fail = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

function createApp(
  options: ServerOptions,
  fail: Fail,
): { readonly app: FastifyInstance; readonly connections: Connections } {
  const requestMs = options.requestMs ?? REQUEST_MS;
  const app = fastify({
    bodyLimit: LIMITS.bodyBytes,
    requestTimeout: requestMs,
    forceCloseConnections: "idle",
    // A request that still comes in is served: a 503 would leave a committer in doubt.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    genReqId: requestIds(options),
    // The adapters split the raw path themselves, so the router sees no more than a mount point.
    rewriteUrl: ({ url = "/" }) => {
      const target = parseTarget(url);
      return isIceberg(target) ? ICEBERG_MOUNT : target.path;
    },
    frameworkErrors: (error, request, reply) => {
      fail(error, request, reply);
    },
    clientErrorHandler: (error, socket) => answerClientError(error, socket, connections),
    schemaController: { compilersFactory: NO_COMPILERS },
    http: {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: Math.min(HEAD_MS, requestMs),
      connectionsCheckingInterval: Math.min(CHECK_MS, requestMs),
      // A missing host is answered by `guard.ts`, in the form of every other refusal.
      requireHostHeader: false,
    },
  });
  const connections = new Connections(app.server);
  refuseExpectations(app.server);
  refuseTunnels(app.server);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
    done(null, body);
  });
  return { app, connections };
}

/** The caller's own id where it is fit for a log line, else a new one. */
function requestIds(
  options: ServerOptions,
): (request: { readonly headers: NodeJS.Dict<string | string[]> }) => string {
  const ids = new IdSource(options.clock, options.prng);
  return ({ headers }) => {
    const sent = headers["x-request-id"];
    return typeof sent === "string" && /^[A-Za-z0-9._:-]{1,128}$/.test(sent)
      ? sent
      : ids.mint<WriterId>();
  };
}
