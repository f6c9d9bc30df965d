import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import { CatalogError } from "../base/error.ts";
import { LIMITS } from "../base/limits.ts";
import type { Metrics } from "../base/metrics.ts";
import { asCatalogError, baseUrlWrong, methodNotAllowed, routeNotFound } from "../http/failure.ts";
import { hasWrongBase } from "../http/iceberg/adapter.ts";
import { parseTarget } from "../http/target.ts";
import type { ClientError } from "./client-error.ts";
import type { Exchange } from "./exchange.ts";
import type { Exchanges } from "./exchanges.ts";
import { frontPage } from "./front-page.ts";
import { operatorMethods } from "./operator.ts";

const PROBES: ReadonlySet<string> = new Set(["/livez", "/readyz", "/metrics"]);

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

export interface FrameworkOptions {
  readonly server: Server;
  readonly exchanges: Exchanges;
  readonly onClientError: (error: ClientError, socket: Socket) => void;
}

/**
 * The framework, for what is not asked often enough to be served beside it. Its requests have been
 * let in already (`server.ts`), and end like all others.
 */
export class Framework {
  readonly app: FastifyInstance;
  readonly #exchanges: Exchanges;
  readonly #open = new WeakMap<IncomingMessage, Exchange>();

  constructor({ server, exchanges, onClientError }: FrameworkOptions) {
    this.#exchanges = exchanges;
    this.app = fastify({
      serverFactory: () => server,
      bodyLimit: LIMITS.operatorBodyBytes,
      // A request that still comes in is served: a 503 would leave a committer in doubt.
      return503OnClosing: false,
      exposeHeadRoutes: false,
      rewriteUrl: ({ url = "/" }) => parseTarget(url).path,
      frameworkErrors: (error, request, reply) => {
        this.#fail(error, request, reply);
      },
      clientErrorHandler: onClientError,
      schemaController: { compilersFactory: NO_COMPILERS },
    });
    this.#addHooks();
  }

  /** Serves a request that was let in. */
  serve(exchange: Exchange): void {
    const { request, response } = exchange;
    this.#open.set(request, exchange);
    const headers = this.#exchanges.headersOf(exchange);
    for (let i = 0; i + 1 < headers.length; i += 2) {
      response.setHeader(headers[i] ?? "", headers[i + 1] ?? "");
    }
    this.app.routing(request, response);
  }

  #addHooks(): void {
    const { app } = this;
    app.addHook("onRequest", async (request) => {
      // Before its body is read.
      if (request.is404) throw noHandler(request);
      const exchange = this.#open.get(request.raw);
      if (exchange) exchange.route = request.routeOptions.url;
    });
    app.setErrorHandler(async (thrown, request, reply) => this.#fail(thrown, request, reply));
    app.setNotFoundHandler(async (request, reply) =>
      this.#fail(noHandler(request), request, reply),
    );
  }

  #fail(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const exchange = this.#open.get(request.raw);
    if (exchange) this.#exchanges.fail(exchange, thrown);
    return reply.hijack();
  }
}

/** A path that only other methods have is told from one that does not exist. */
function noHandler(request: FastifyRequest): CatalogError {
  const target = parseTarget(request.originalUrl);
  const { path } = target;
  if (path === "/") return methodNotAllowed(["GET", "HEAD"]);
  const allowed = PROBES.has(path) ? ["GET"] : operatorMethods(path);
  if (allowed !== undefined) return methodNotAllowed(allowed);
  return hasWrongBase(target) ? baseUrlWrong(path) : routeNotFound(path);
}

export interface ProbeOptions {
  /** Of this process: whoever asks at its address learns whether it is still the one. */
  readonly nodeId: string;
  readonly metrics: Metrics;
  /** Rejects while the stores cannot be reached. */
  readonly ready: () => Promise<void>;
  readonly isStopping: () => boolean;
  readonly onUnready: (error: CatalogError) => void;
}

/** `GET /`, which people meet first. */
export function addFrontPage(app: FastifyInstance): void {
  app.route({
    method: ["GET", "HEAD"],
    url: "/",
    handler: async (request, reply) => {
      const { status, headers, body } = frontPage(request.method, request.headers);
      return reply.code(status).headers(headers).send(body);
    },
  });
}

/** What whoever runs a server asks it: does it live, can it serve, what has it done. */
export function addProbes(app: FastifyInstance, options: ProbeOptions): void {
  const { nodeId: node, metrics, ready, isStopping, onUnready } = options;
  app.get("/livez", async () => ({ status: "live", node }));
  app.get("/readyz", async (_request, reply) => {
    if (isStopping()) return reply.code(503).send({ status: "draining" });
    try {
      await ready();
      return { status: "ready" };
    } catch (error) {
      onUnready(asCatalogError(error));
      return reply.code(503).send({ status: "unavailable" });
    }
  });
  app.get("/metrics", async (_request, reply) => {
    reply.type(metrics.contentType);
    return metrics.metrics();
  });
}
