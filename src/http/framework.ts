import { createServer, type IncomingMessage } from "node:http";
import {
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyRequest,
  fastify,
} from "fastify";
import { FirnError } from "../base/error.ts";
import { methodNotAllowed, overloaded, routeNotFound } from "./failure.ts";
import { HTTP_LIMITS } from "./limits.ts";
import { PROBLEMS, problemAnswer } from "./problem.ts";
import type { HandedOver, HandOver, Protocol } from "./protocol.ts";

/**
 * No route has a schema of the framework's: adapters check input themselves, for errors of their
 * own. Its compilers, loaded otherwise, are most of the time that it takes to open a server.
 */
const NO_COMPILERS = {
  buildValidator: () => () => {
    throw new FirnError("Internal", "ASSERTION_FAILED", "a route has a validation schema");
  },
  buildSerializer: () => () => {
    throw new FirnError("Internal", "ASSERTION_FAILED", "a route has a response schema");
  },
};

/** A request on its way through the framework. */
interface Open {
  readonly exchange: HandedOver;
  readonly fail: (thrown: unknown) => void;
}

/** The methods that routes of a path have. */
interface Methods {
  readonly path: RegExp;
  readonly allow: string[];
}

/**
 * Fastify, for every protocol but the Iceberg catalog: each one is a plugin. Requests come from
 * `server/`, which owns the sockets, so the framework's own server never listens.
 */
export class Framework {
  readonly #app: FastifyInstance;
  readonly #open = new WeakMap<IncomingMessage, Open>();
  readonly #methods = new Map<string, Methods>();

  constructor() {
    this.#app = fastify({
      serverFactory: (handler) => createServer(handler),
      bodyLimit: HTTP_LIMITS.operatorBodyBytes,
      // A request that still comes in is served: a 503 would leave a committer in doubt.
      return503OnClosing: false,
      exposeHeadRoutes: false,
      rewriteUrl: (request) => {
        const { path = "/", query = "" } =
          this.#open.get(request as IncomingMessage)?.exchange.target ?? {};
        return query === "" ? path : `${path}?${query}`;
      },
      frameworkErrors: (error, request, reply) => {
        reply.hijack();
        this.#open.get(request.raw)?.fail(error);
      },
      schemaController: { compilersFactory: NO_COMPILERS },
    });
    this.#addHooks();
  }

  /** The protocol whose routes a plugin adds. */
  protocol(routes: FastifyPluginAsync, owns: RegExp): Protocol {
    this.#app.register(routes);
    const handOver: HandOver = {
      handOver: (exchange, fail) => {
        this.#open.set(exchange.request, { exchange, fail });
        this.#app.routing(exchange.request, exchange.response);
      },
    };
    return {
      owns,
      unlimited: /^/,
      // Operators prove themselves otherwise, and probes tell of no account.
      publicPaths: /^/,
      forOperators: true,
      logLevel: "debug",
      accept: () => handOver,
      refuse: PROBLEMS.refuse,
      overloaded: () => problemAnswer(overloaded(), false),
      open: async () => {
        await this.#app.ready();
      },
      close: async () => {
        await this.#app.close();
      },
    };
  }

  #addHooks(): void {
    const app = this.#app;
    app.addHook("onRoute", ({ url, method }) => {
      const known = this.#methods.get(url);
      const path = new RegExp(`^${url.replaceAll(/:[a-z]+/g, "[^/]+")}$`);
      const allow = [...(known?.allow ?? []), ...[method].flat()];
      this.#methods.set(url, { path, allow });
    });
    app.addHook("onRequest", async (request) => {
      // Before its body is read.
      if (request.is404) throw this.#noHandler(request);
      const open = this.#open.get(request.raw);
      if (open) open.exchange.route = request.routeOptions.url;
    });
    app.setErrorHandler(async (thrown, request, reply) => {
      reply.hijack();
      this.#open.get(request.raw)?.fail(thrown);
      return reply;
    });
    app.setNotFoundHandler(async (request) => {
      throw this.#noHandler(request);
    });
  }

  /** A path that only other methods have is told from one that does not exist. */
  #noHandler({ raw }: FastifyRequest): FirnError {
    const path = this.#open.get(raw)?.exchange.target.path ?? "";
    for (const methods of this.#methods.values()) {
      if (methods.path.test(path)) return methodNotAllowed(methods.allow);
    }
    return routeNotFound(path);
  }
}
