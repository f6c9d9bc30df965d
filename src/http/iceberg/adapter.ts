import type { IncomingHttpHeaders } from "node:http";
import { invalid } from "../../base/error.ts";
import type { IcebergService, RequestContext } from "../../service/requests.ts";
import type { Answer } from "../answer.ts";
import { asCatalogError, methodNotAllowed, routeNotFound } from "../failure.ts";
import { below, type Target } from "../target.ts";
import { Call, type PathParams } from "./call.ts";
import { errorAnswer } from "./errors.ts";
import { idempotencyOf, markReplayed, parseIdempotencyKey } from "./idempotency.ts";
import { OPERATIONS, type Operation } from "./operations.ts";
import { parseQuery, type Query, refuseDryRun } from "./query.ts";
import { type Match, matchPath } from "./router.ts";
import { notServed } from "./unserved.ts";

/** Where the Iceberg REST catalog is served. */
export const ICEBERG_MOUNT = "/iceberg";

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

/** Labels of logs and metrics: mount points and templates, of which there are few. */
const LABELS: ReadonlyMap<Operation, string> = new Map(
  OPERATIONS.map((operation) => [operation, `${ICEBERG_MOUNT}${operation.template}`]),
);

/** A request whose head has been accepted, so that its body is worth reading. */
export class Accepted {
  readonly operation: Operation;
  /** Its label in logs and metrics. */
  readonly route: string;
  readonly #service: IcebergService;
  readonly #target: Target;
  readonly #params: PathParams;
  readonly #query: Query;
  readonly #headers: IncomingHttpHeaders;
  readonly #key: string | undefined;

  /** @throws CatalogError as `IcebergAdapter.accept`. */
  constructor(
    service: IcebergService,
    operation: Operation,
    params: PathParams,
    target: Target,
    headers: IncomingHttpHeaders,
  ) {
    this.operation = operation;
    this.route = LABELS.get(operation) ?? ICEBERG_MOUNT;
    this.#service = service;
    this.#target = target;
    this.#params = params;
    this.#headers = headers;
    this.#query = parseQuery(target.query);
    if (operation.writes && !operation.dryRuns) refuseDryRun(this.#query);
    this.#key = operation.writes ? parseIdempotencyKey(headers) : undefined;
  }

  /** Does what was asked for. */
  run(ctx: RequestContext, body: Uint8Array | undefined): Promise<Answer> {
    return this.#key === undefined ? this.#handle(ctx, body) : this.#once(this.#key, ctx, body);
  }

  #handle(ctx: RequestContext, body: Uint8Array | undefined): Promise<Answer> {
    const call = new Call(ctx, this.#params, this.#query, this.#headers, body);
    return this.operation.handle(this.#service, call);
  }

  /** What was done under the key before is answered again, refusals too. */
  async #once(key: string, ctx: RequestContext, body: Uint8Array | undefined): Promise<Answer> {
    const { method, writes } = this.operation;
    const idempotency = idempotencyOf(key, this.operation, this.#target, body);
    const answer = await this.#handle({ ...ctx, idempotency }, body).catch((error: unknown) => {
      if (!idempotency.replayed) throw error;
      return errorAnswer(asCatalogError(error), method, writes);
    });
    return idempotency.replayed ? markReplayed(answer) : answer;
  }
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
    const { operation, params } = found(matchPath(method, path));
    return new Accepted(this.#service, operation, params, target, headers);
  }
}

function found(match: Match): Extract<Match, { found: "operation" }> {
  if (match.found === "operation") return match;
  if (match.found === "unserved") throw notServed(match.endpoint);
  throw match.found === "path" ? methodNotAllowed(match.allow) : routeNotFound();
}
