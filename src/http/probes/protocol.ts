import type { FastifyInstance } from "fastify";
import type { FirnError } from "../../base/error.ts";
import type { Metrics } from "../../base/metrics.ts";
import { asFirnError } from "../failure.ts";
import type { Framework } from "../framework.ts";
import type { Protocol } from "../protocol.ts";
import { FrontPage } from "./front-page.ts";

export interface ProbesOptions {
  /** Of this process: any caller that asks at its address learns whether it is still the one. */
  readonly nodeId: string;
  readonly version: string;
  readonly metrics: Metrics;
  /** Rejects while the stores cannot be reached. */
  readonly ready: () => Promise<void>;
  readonly onUnready: (error: FirnError) => void;
}

/**
 * What the operator of a server asks it: does it live, can it serve, what has it done; and
 * `GET /`, which people meet first. It owns every path that no other protocol does.
 */
export function probesProtocol(framework: Framework, options: ProbesOptions): Protocol {
  let isStopping = false;
  const frontPage = new FrontPage(options.version);
  const routes = async (app: FastifyInstance): Promise<void> => {
    app.route({
      method: ["GET", "HEAD"],
      url: "/",
      handler: async (request, reply) => {
        const { status, headers, body } = frontPage.answer(request.method, request.headers);
        return reply.code(status).headers(headers).send(body);
      },
    });
    addProbes(app, options, () => isStopping);
  };
  const drain = (): void => {
    isStopping = true;
  };
  return { ...framework.protocol(routes, /^/), drain };
}

function addProbes(
  app: FastifyInstance,
  { nodeId: node, metrics, ready, onUnready }: ProbesOptions,
  isStopping: () => boolean,
): void {
  app.get("/livez", async () => ({ status: "live", node }));
  app.get("/readyz", async (_request, reply) => {
    if (isStopping()) return reply.code(503).send({ status: "draining" });
    try {
      await ready();
      return { status: "ready" };
    } catch (error) {
      onUnready(asFirnError(error));
      return reply.code(503).send({ status: "unavailable" });
    }
  });
  app.get("/metrics", async (_request, reply) => {
    reply.type(metrics.contentType);
    return metrics.print();
  });
}
