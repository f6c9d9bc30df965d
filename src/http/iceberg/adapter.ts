import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "../../base/clock.ts";
import { invalid } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import { LIMITS } from "../../base/limits.ts";
import type { IcebergService, RequestContext } from "../../service/requests.ts";
import type { Answer } from "../answer.ts";
import { asCatalogError, baseUrlWrong, methodNotAllowed, routeNotFound } from "../failure.ts";
import { below, type Target } from "../target.ts";
import { Call, type NamedInPath, namedIn, type PathParams } from "./call.ts";
import { errorAnswer } from "./errors.ts";
import { idempotencyOf, markReplayed, parseIdempotencyKey } from "./idempotency.ts";
import { OPERATIONS, type Operation } from "./operations.ts";
import { parseQuery, type Query, refuseDryRun } from "./query.ts";
import { decodeBody } from "./requests.ts";
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

/**
 * Whether a client of this protocol sent it, by the looks of its path: with a base URL that lacks
 * the mount, names another server's, or repeats `/v1`.
 */
export function hasWrongBase({ path }: Target): boolean {
  const served = below(ICEBERG_MOUNT, path);
  if (served === undefined && path.startsWith("/v1/")) return true;
  const rest = served ?? path;
  const version = rest.indexOf("/v1/", served === undefined ? 0 : 1);
  return version >= 0 && FIRST_ASKED.has(rest.slice(version + "/v1/".length));
}

/** What clients ask for first: a prefix that a name of a table could have is not among it. */
const FIRST_ASKED: ReadonlySet<string> = new Set(["config", "oauth/tokens"]);

/** Whether it asks for the config, which costs next to nothing and is where every client begins. */
export function isConfig(target: Target): boolean {
  return target.path === `${ICEBERG_MOUNT}/v1/config`;
}

/** Parses a body that is too large to be parsed within a turn, and may take its memory. */
export type ReadBody = (bytes: Uint8Array) => Promise<JsonObject>;

/** What requests are handed on to. */
interface Behind {
  readonly clock: Clock;
  readonly service: IcebergService;
  readonly readBody: ReadBody;
}

/** Labels of logs and metrics: mount points and templates, of which there are few. */
const LABELS: ReadonlyMap<Operation, string> = new Map(
  OPERATIONS.map((operation) => [operation, `${ICEBERG_MOUNT}${operation.template}`]),
);

/** What operations are called where a path alone would not tell them apart. */
const NAMES: ReadonlyMap<Operation, string> = new Map(
  [...LABELS].map(([operation, label]) => [operation, `${operation.method} ${label}`]),
);

/** A request whose head has been accepted, so that its body is worth reading. */
export class Accepted {
  readonly operation: Operation;
  /** Its label in logs and metrics. */
  readonly route: string;
  /** Its method and its label. */
  readonly name: string;
  readonly #behind: Behind;
  readonly #target: Target;
  readonly #params: PathParams;
  readonly #query: Query;
  readonly #headers: IncomingHttpHeaders;
  readonly #key: string | undefined;

  /** @throws CatalogError as `IcebergAdapter.accept`. */
  constructor(
    behind: Behind,
    operation: Operation,
    params: PathParams,
    target: Target,
    headers: IncomingHttpHeaders,
  ) {
    this.operation = operation;
    this.route = LABELS.get(operation) ?? ICEBERG_MOUNT;
    this.name = NAMES.get(operation) ?? ICEBERG_MOUNT;
    this.#behind = behind;
    this.#target = target;
    this.#params = params;
    this.#headers = headers;
    this.#query = parseQuery(target.query);
    if (operation.writes && !operation.dryRuns) refuseDryRun(this.#query);
    this.#key = operation.writes ? parseIdempotencyKey(headers) : undefined;
  }

  /** What its path names, for the log. */
  named(): NamedInPath {
    return namedIn(this.#params);
  }

  /** Does what was asked for. */
  run(ctx: RequestContext, body: Uint8Array | undefined): Promise<Answer> {
    return this.#key === undefined ? this.#handle(ctx, body) : this.#once(this.#key, ctx, body);
  }

  #handle(ctx: RequestContext, body: Uint8Array | undefined): Promise<Answer> {
    if (body !== undefined && body.length > LIMITS.turnBytes) return this.#handleLarge(ctx, body);
    const call = new Call(ctx, this.#params, this.#query, this.#headers, this.#behind.clock, () =>
      decodeBody(body),
    );
    return this.operation.handle(this.#behind.service, call);
  }

  async #handleLarge(ctx: RequestContext, body: Uint8Array): Promise<Answer> {
    const json = await this.#behind.readBody(body);
    const call = new Call(
      ctx,
      this.#params,
      this.#query,
      this.#headers,
      this.#behind.clock,
      () => json,
    );
    return this.operation.handle(this.#behind.service, call);
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
  readonly #behind: Behind;

  constructor(
    service: IcebergService,
    clock: Clock,
    readBody: ReadBody = async (bytes) => decodeBody(bytes),
  ) {
    this.#behind = { service, clock, readBody };
  }

  /**
   * Judges a request by its head.
   *
   * @throws CatalogError `ROUTE_NOT_FOUND`, `METHOD_NOT_ALLOWED`, `OPERATION_NOT_SUPPORTED`,
   * `URL_INVALID`, `PARAMETER_INVALID`, `IDEMPOTENCY_KEY_INVALID`.
   */
  accept(method: string, target: Target, headers: IncomingHttpHeaders): Accepted | Answer {
    const path = below(ICEBERG_MOUNT, target.path);
    if (path === undefined) throw routeNotFound(target.path);
    if (path === "/v1/oauth/tokens" && method === "POST") return noTokens();
    const { operation, params } = found(matchPath(method, path), target);
    return new Accepted(this.#behind, operation, params, target, headers);
  }
}

function found(match: Match, target: Target): Extract<Match, { found: "operation" }> {
  if (match.found === "operation") return match;
  if (match.found === "unserved") throw notServed(match.endpoint);
  if (match.found === "path") throw methodNotAllowed(match.allow);
  throw hasWrongBase(target) ? baseUrlWrong(target.path) : routeNotFound(target.path);
}
