import type { IncomingHttpHeaders } from "node:http";
import { invalid } from "../../base/error.ts";
import type { IcebergService, RequestContext } from "../../service/requests.ts";
import type { Answer } from "../answer.ts";
import { asCatalogError, methodNotAllowed, routeNotFound } from "../failure.ts";
import { below, type Target } from "../target.ts";
import { Call } from "./call.ts";
import { errorAnswer } from "./errors.ts";
import { idempotencyOf, markReplayed, parseIdempotencyKey } from "./idempotency.ts";
import type { Operation } from "./operations.ts";
import { parseQuery, refuseDryRun } from "./query.ts";
import { type Match, matchPath } from "./router.ts";
import { notServed } from "./unserved.ts";

/** Where the Iceberg REST catalog is served. */
export const ICEBERG_MOUNT = "/iceberg";

/** A request whose head has been accepted, so that its body is worth reading. */
export interface Accepted {
  readonly operation: Operation;
  /** Mount point and template: the label of logs and metrics, of which there are few. */
  readonly route: string;
  readonly run: (ctx: RequestContext, body: Uint8Array | undefined) => Promise<Answer>;
}

/**
 * Clients with credentials ask for a token here first. There are none to be had, which OAuth has
 * words for; those without credentials never come.
 */
function noTokens(): Answer {
  const { code, message } = invalid(
    "OAUTH_NOT_SUPPORTED",
    "this server issues no tokens: connect without credential and token",
  );
  const error = { error: "unsupported_grant_type", error_description: message };
  return {
    status: 400,
    headers: { "Content-Type": "application/json", "X-Firn-Error": code },
    body: JSON.stringify(error),
  };
}

/** Whether a target belongs to this adapter. */
export function isIceberg(target: Target): boolean {
  return below(ICEBERG_MOUNT, target.path) !== undefined;
}

/** Whether it asks for the config, which costs next to nothing and is where every client begins. */
export function isConfig(target: Target): boolean {
  return target.path === `${ICEBERG_MOUNT}/v1/config`;
}

/**
 * The Iceberg REST protocol over HTTP, apart from any server: heads are judged before bodies are
 * read.
 */
export class IcebergAdapter {
  readonly #service: IcebergService;

  constructor(service: IcebergService) {
    this.#service = service;
  }

  /**
   * Judges a request by its head.
   *
   * @throws CatalogError `ROUTE_NOT_FOUND`, `METHOD_NOT_ALLOWED`, `OPERATION_NOT_SUPPORTED`,
   * `URL_INVALID`, `PARAMETER_INVALID`, `IDEMPOTENCY_KEY_INVALID`.
   */
  accept(method: string, target: Target, headers: IncomingHttpHeaders): Accepted | Answer {
    const path = below(ICEBERG_MOUNT, target.path);
    if (path === undefined) throw routeNotFound();
    if (path === "/v1/oauth/tokens" && method === "POST") return noTokens();
    const match = matchPath(method, path);
    const { operation, params } = found(match);
    const query = parseQuery(target.query);
    if (operation.writes && !operation.dryRuns) refuseDryRun(query);
    const key = operation.writes ? parseIdempotencyKey(headers) : undefined;
    const accepted: Accepted = {
      operation,
      route: `${ICEBERG_MOUNT}${operation.template}`,
      run: async (ctx, body) => {
        if (key === undefined) return handle(new Call(ctx, params, query, headers, body));
        const idempotency = idempotencyOf(key, operation, target, body);
        const keyed = { ...ctx, idempotency };
        const done = handle(new Call(keyed, params, query, headers, body));
        const answer = await done.catch((error: unknown) => {
          if (!idempotency.replayed) throw error;
          return errorAnswer(asCatalogError(error), method, operation.writes);
        });
        return idempotency.replayed ? markReplayed(answer) : answer;
      },
    };
    const handle = (call: Call) => operation.handle(this.#service, call);
    return accepted;
  }
}

function found(match: Match): Extract<Match, { found: "operation" }> {
  if (match.found === "operation") return match;
  if (match.found === "unserved") throw notServed(match.endpoint);
  throw match.found === "path" ? methodNotAllowed(match.allow) : routeNotFound();
}
