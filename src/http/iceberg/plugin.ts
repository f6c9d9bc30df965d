import type { FastifyInstance, FastifyRequest } from "fastify";
import type { CatalogError } from "../../base/error.ts";
import type { IcebergService } from "../../service/requests.ts";
import type { Answer } from "../answer.ts";
import { sendAnswer } from "../send.ts";
import { parseTarget } from "../target.ts";
import { type Accepted, ICEBERG_MOUNT, IcebergAdapter } from "./adapter.ts";

/** What the server needs of an adapter to log, count and answer a request that it serves. */
export interface IcebergRoutes {
  /** The route's label, or undefined where the request matched none. */
  routeOf(request: FastifyRequest): string | undefined;
  fail(thrown: unknown, request: FastifyRequest): Answer;
  /** Why a request with a method that no router knows is not served. */
  refusal(request: FastifyRequest): CatalogError;
}

/** Who asks while there is no authentication. */
const ANONYMOUS = "anonymous";

/**
 * Serves the adapter at its mount point. The framework's router sees that one path only (see
 * `server/`), because it would decode parameters before they are split, and bound their length.
 * `hold` notes that work is under way for a request, until what it answers is called.
 */
export function registerIceberg(
  app: FastifyInstance,
  service: IcebergService,
  hold: (request: FastifyRequest) => () => void,
): IcebergRoutes {
  const adapter = new IcebergAdapter(service);
  const accepted = new WeakMap<FastifyRequest, Accepted>();
  app.all(ICEBERG_MOUNT, {
    onRequest: async (request, reply) => {
      const target = parseTarget(request.originalUrl);
      const head = adapter.accept(request.method, target, request.headers);
      if ("status" in head) return sendAnswer(reply, head);
      accepted.set(request, head);
      return undefined;
    },
    handler: async (request, reply) => {
      const head = accepted.get(request);
      const body = request.body instanceof Uint8Array ? request.body : undefined;
      const ctx = { requestId: request.id, principal: ANONYMOUS };
      const done = hold(request);
      try {
        const answer = await head?.run(ctx, body);
        return answer === undefined ? reply : sendAnswer(reply, answer);
      } finally {
        done();
      }
    },
  });
  return {
    routeOf: (request) => accepted.get(request)?.route,
    refusal: (request) => adapter.refusal(parseTarget(request.originalUrl)),
    fail: (thrown, request) => adapter.fail(thrown, request.method, accepted.get(request)),
  };
}
