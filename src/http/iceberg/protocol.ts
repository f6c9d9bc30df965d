import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Actor } from "../../service/actor.ts";
import type { IcebergService } from "../../service/requests.ts";
import type { Answer } from "../answer.ts";
import { asFirnError, baseUrlWrong, methodNotAllowed, routeNotFound } from "../failure.ts";
import { idempotencyOf, markReplayed } from "../idempotency.ts";
import { ICEBERG_MOUNT } from "../mounts.ts";
import type { Accepted, ErrorForm, Head, Protocol, Target } from "../protocol.ts";
import { Call, type NamedInPath, namedIn, type PathParams } from "./call.ts";
import { errorAnswer, overloadedAnswer } from "./errors.ts";
import { parseIdempotencyKey } from "./idempotency-key.ts";
import { belowMount, ICEBERG_PATHS, repeatsBase } from "./mount.ts";
import { OPERATIONS, type Operation } from "./operations.ts";
import { parseQuery, type Query, refuseDryRun } from "./query.ts";
import { decodeBody } from "./requests.ts";
import { type Match, matchPath } from "./router.ts";
import { noTokens, TOKENS_PATH, TokenEndpoint, type TokenService } from "./tokens.ts";
import { notServed } from "./unserved.ts";

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

/** Paths of what overload protection does not count; none of them has parameters. */
const UNLIMITED: RegExp = new RegExp(
  `^(?:${[...LABELS]
    .filter(([{ limits }]) => !limits.counted)
    .map(([, label]) => label)
    .concat(`${ICEBERG_MOUNT}${TOKENS_PATH}`)
    .join("|")})$`,
);

/** A request whose head has been accepted, so that its body is worth reading. */
class AcceptedOperation implements Accepted {
  readonly route: string;
  readonly operation: string;
  readonly writes: boolean;
  readonly bodyBytes: number;
  readonly named: NamedInPath;
  readonly #operation: Operation;
  readonly #behind: Behind;
  readonly #target: Target;
  readonly #params: PathParams;
  readonly #query: Query;
  readonly #headers: IncomingHttpHeaders;
  readonly #key: string | undefined;

  /** @throws FirnError as `IcebergProtocol.accept`. */
  constructor(behind: Behind, operation: Operation, params: PathParams, { target, headers }: Head) {
    this.#operation = operation;
    this.route = LABELS.get(operation) ?? ICEBERG_MOUNT;
    this.operation = NAMES.get(operation) ?? ICEBERG_MOUNT;
    this.writes = operation.writes;
    this.bodyBytes = operation.limits.bodyBytes;
    this.#behind = behind;
    this.#target = target;
    this.#params = params;
    this.named = namedIn(params);
    this.#headers = headers;
    this.#query = parseQuery(target.query);
    if (operation.writes && !operation.dryRuns) refuseDryRun(this.#query);
    this.#key = operation.idempotency === "none" ? undefined : parseIdempotencyKey(headers);
  }

  /** Does what was asked for. */
  run(actor: Actor, body: Uint8Array | undefined): Promise<Answer> {
    return this.#key === undefined || this.#operation.idempotency === "checked"
      ? this.#handle(actor, body)
      : this.#once(this.#key, actor, body);
  }

  #handle(actor: Actor, body: Uint8Array | undefined): Promise<Answer> {
    if (body !== undefined && body.length > LIMITS.turnBytes) return this.#handleLarge(actor, body);
    const call = new Call(actor, this.#params, this.#query, this.#headers, this.#behind.clock, () =>
      decodeBody(body),
    );
    return this.#operation.handle(this.#behind.service, call);
  }

  async #handleLarge(actor: Actor, body: Uint8Array): Promise<Answer> {
    const json = await this.#behind.readBody(body);
    const call = new Call(
      actor,
      this.#params,
      this.#query,
      this.#headers,
      this.#behind.clock,
      () => json,
    );
    return this.#operation.handle(this.#behind.service, call);
  }

  /** What was done under the key before is answered again, refusals too. */
  async #once(key: string, actor: Actor, body: Uint8Array | undefined): Promise<Answer> {
    const { method, writes } = this.#operation;
    const idempotency = idempotencyOf(key, this.#operation, this.#target, body);
    const answer = await this.#handle({ ...actor, idempotency }, body).catch((error: unknown) => {
      if (!idempotency.replayed) throw error;
      return errorAnswer(asFirnError(error), method, writes);
    });
    return idempotency.replayed ? markReplayed(answer) : answer;
  }
}

/** The Iceberg REST catalog. */
export class IcebergProtocol implements Protocol {
  readonly owns: RegExp = ICEBERG_PATHS;
  readonly unlimited: RegExp = UNLIMITED;
  readonly forOperators: boolean = true;
  readonly logLevel = "info";
  readonly refuse: Protocol["refuse"] = errorAnswer;
  readonly overloaded: Protocol["overloaded"] = overloadedAnswer;
  readonly publicPaths: RegExp = new RegExp(`^${ICEBERG_MOUNT}${TOKENS_PATH}$`);
  readonly #behind: Behind;
  readonly #tokens: TokenEndpoint | undefined;

  /** @param tokens issues them; absent: there are none to be had. */
  constructor(
    service: IcebergService,
    clock: Clock,
    readBody: ReadBody = async (bytes) => decodeBody(bytes),
    tokens?: TokenService,
  ) {
    this.#behind = { service, clock, readBody };
    this.#tokens = tokens && new TokenEndpoint(tokens);
  }

  /**
   * Judges a request by its head.
   *
   * @throws FirnError `ROUTE_NOT_FOUND`, `BASE_URL_WRONG`, `METHOD_NOT_ALLOWED`,
   * `OPERATION_NOT_SUPPORTED`, `URL_INVALID`, `PARAMETER_INVALID`, `IDEMPOTENCY_KEY_INVALID`.
   */
  accept(head: Head): Accepted | Answer {
    const { method, target } = head;
    const path = belowMount(target.path);
    if (path === undefined) throw baseUrlWrong(target.path);
    if (path === TOKENS_PATH && method === "POST") return this.#tokens?.accept(head) ?? noTokens();
    const { operation, params } = found(matchPath(method, path), target.path, path);
    return new AcceptedOperation(this.#behind, operation, params, head);
  }
}

/** How errors of its paths are worded, also where there is no service yet. */
export const ICEBERG_ERRORS: ErrorForm = { owns: ICEBERG_PATHS, refuse: errorAnswer };

function found(match: Match, path: string, rest: string): Extract<Match, { found: "operation" }> {
  if (match.found === "operation") return match;
  if (match.found === "unserved") throw notServed(match.endpoint);
  if (match.found === "path") throw methodNotAllowed(match.allow);
  throw repeatsBase(rest) ? baseUrlWrong(path) : routeNotFound(path);
}
