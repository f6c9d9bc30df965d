import type { IncomingHttpHeaders } from "node:http";
import { type ApiOperation, BODY_BYTES, writes } from "../../api/operation.ts";
import { JOB } from "../../api/resources.ts";
import { parseJsonBytes } from "../../base/json.ts";
import type { Actor } from "../../service/actor.ts";
import { asDryRun } from "../../service/dry-run.ts";
import { ANY_TAG } from "../../service/requests.ts";
import type { ModelService } from "../../service/resources/service.ts";
import { acceptsByName, acceptsEvents } from "../accept.ts";
import type { Answer, StreamedAnswer } from "../answer.ts";
import { parseEntityTags } from "../etags.ts";
import { asFirnError, methodNotAllowed, routeNotFound } from "../failure.ts";
import { idempotencyOf, markReplayed } from "../idempotency.ts";
import { NATIVE_MOUNT } from "../mounts.ts";
import type { Accepted, ErrorForm, Head, Protocol, Target } from "../protocol.ts";
import { loadChecks } from "./check.ts";
import { docsPage, keepDocs, type ReadDocsFile } from "./docs-page.ts";
import { HANDLERS } from "./handlers.ts";
import { JsonBytes, JsonText } from "./json-text.ts";
import { checkLines, LINES_TYPE, parseLines, renderLines } from "./lines.ts";
import type { NodeStatus } from "./node-status.ts";
import { overloadedProblem, problemOf, RequestInvalid, type RequestProblem } from "./problems.ts";
import { decodePart, parseQuery, type RawQuery, typedQuery } from "./query.ts";
import { parametersOf, querySchema } from "./request-schemas.ts";
import { matchPath, type RawParams, type Route } from "./router.ts";
import { staticAnswer } from "./statics.ts";
import { STREAMS } from "./streams.ts";

/** What requests are handed on to. */
export interface NativeParts {
  readonly service: ModelService;
  readonly node: NodeStatus;
  readonly readDocs: ReadDocsFile;
}

const JSON_TYPE = "application/json";
const EVENTS_TYPE = "text/event-stream";
const SHOWN_CHARS = 256;
const KEY_CHARS = 128;
/** Paths of `/api`: whatever else lies there is answered in the same form. */
const API_PATHS = /^\/api(?:\/|$)/;

/** What a path names; nothing where a name cannot be decoded. */
function namedIn(params: RawParams): object {
  try {
    const named: Record<string, string> = {};
    for (const name in params) named[name] = decodePart(params[name] ?? "").slice(0, SHOWN_CHARS);
    return named;
  } catch {
    return {};
  }
}

/** A request whose head has been accepted. */
class AcceptedRoute implements Accepted {
  readonly route: string;
  readonly operation: string;
  readonly writes: boolean;
  readonly bodyBytes: number;
  readonly bodyType: string | undefined;
  readonly named: object;
  readonly #parts: NativeParts;
  readonly #found: Route;
  readonly #params: RawParams;
  readonly #head: Head;
  readonly #query: RawQuery;
  readonly stream: Accepted["stream"];

  /** @throws FirnError `URL_INVALID`, `PARAMETER_INVALID`. */
  constructor(parts: NativeParts, found: Route, params: RawParams, head: Head) {
    const { operation, name } = found;
    this.route = `${NATIVE_MOUNT}${operation.template}`;
    this.operation = name;
    this.writes = writes(operation);
    this.bodyBytes = operation.body === undefined ? 0 : BODY_BYTES;
    this.bodyType = operation.lines === true ? LINES_TYPE : undefined;
    this.#parts = parts;
    this.#found = found;
    this.#params = params;
    this.named = namedIn(params);
    this.#head = head;
    this.#query = parseQuery(head.target.query);
    const streamed = streamTypeOf(operation, head);
    this.stream =
      streamed === undefined ? undefined : (...asked) => this.#stream(streamed, ...asked);
  }

  async run(actor: Actor, bytes: Uint8Array | undefined): Promise<Answer> {
    const { operation } = this.#found;
    const { headers, target } = this.#head;
    const asked = await this.#check(bytes);
    const { dryRun, ...query } = asked.query;
    const key = keyOf(headers, operation.once === true);
    if (dryRun === true) return this.#handle(asDryRun(actor), { ...asked, query });
    if (key === undefined) return this.#handle(actor, { ...asked, query });
    const idempotency = idempotencyOf(key, operation, target, bytes);
    const call = this.#handle({ ...actor, idempotency }, { ...asked, query });
    const answer = await call.catch((error: unknown) => {
      if (!idempotency.replayed) throw error;
      return problemOf(asFirnError(error), operation.method, true);
    });
    return idempotency.replayed ? markReplayed(answer) : answer;
  }

  /** @throws RequestInvalid everything that is wrong with query, headers and body. */
  async #check(bytes: Uint8Array | undefined): Promise<{
    readonly query: Readonly<Record<string, unknown>>;
    readonly body: unknown;
  }> {
    const checks = await loadChecks();
    const { operation } = this.#found;
    const { body: bodySchema } = operation;
    const query = typedQuery(this.#query, parametersOf(operation));
    const found = checks(querySchema(operation))(query);
    const problems: RequestProblem[] = found.map(({ pointer = "", ...rest }) => ({
      parameter: pointer.slice(1),
      ...rest,
      ...(rest.code === "MEMBER_UNKNOWN" && { detail: "is not a parameter of this operation" }),
    }));
    if (keyInvalid(this.#head.headers)) {
      const detail = `must be 1 to ${KEY_CHARS} printable characters of ASCII`;
      problems.push({ parameter: "Idempotency-Key", code: "VALUE_INVALID", detail });
    }
    if (bodySchema === undefined) {
      if (problems.length > 0) throw new RequestInvalid(problems);
      return { query, body: undefined };
    }
    const check = checks(bodySchema);
    const lines = operation.lines === true ? parseLines(bytes) : undefined;
    const body = lines ?? bodyOf(bytes);
    problems.push(...(lines === undefined ? check(body) : checkLines(check, lines)));
    if (problems.length > 0) throw new RequestInvalid(problems);
    return { query, body };
  }

  async #stream(
    type: string,
    actor: Actor,
    ended: AbortSignal,
    bytes: Uint8Array | undefined,
  ): Promise<StreamedAnswer> {
    // The table ties its types together; what it says of them was checked.
    const handler = STREAMS[this.#found.name as keyof typeof STREAMS] as unknown as (
      call: object,
    ) => Promise<AsyncIterable<string>>;
    const lastEventId = this.#head.headers["last-event-id"]?.toString();
    const call = { ...this.#callOf(actor, await this.#check(bytes)), lastEventId, ended };
    const pieces = await handler(call);
    const headers = { "Content-Type": type, "Cache-Control": "no-cache" };
    return { status: 200, headers, pieces };
  }

  #callOf(actor: Actor, { query, body }: { readonly query: object; readonly body: unknown }) {
    const { operation } = this.#found;
    const { headers } = this.#head;
    const { service, node } = this.#parts;
    const ifMatch = operation.conditional === "write" ? tagsOf(headers["if-match"]) : undefined;
    return { actor, service, params: this.#params, query, body, ifMatch, node };
  }

  async #handle(
    actor: Actor,
    asked: { readonly query: object; readonly body: unknown },
  ): Promise<Answer> {
    const { name, operation } = this.#found;
    const { headers, method } = this.#head;
    // The table ties its types together; what it says of them was checked.
    const handler = HANDLERS[name] as unknown as (call: object) => Promise<unknown>;
    const answer = await handler(this.#callOf(actor, asked));
    if (answer === undefined) return { status: operation.status, headers: {}, body: undefined };
    const etag = operation.conditional === undefined ? undefined : etagIn(answer);
    if (operation.conditional === "read" && etag !== undefined) {
      const known = tagsOf(headers["if-none-match"]);
      if (known?.some((tag) => tag === etag || tag === ANY_TAG) === true) {
        return { status: 304, headers: { ETag: etag }, body: undefined };
      }
    }
    const isJob = operation.job !== undefined || operation.answer === JOB;
    return {
      status: operation.job === undefined ? operation.status : 202,
      headers: {
        ...(isJob && method !== "GET" && { Location: `${NATIVE_MOUNT}/jobs/${idIn(answer)}` }),
        "Content-Type": operation.lines === true ? LINES_TYPE : JSON_TYPE,
        "Cache-Control": "no-cache",
        ...(etag !== undefined && { ETag: etag }),
      },
      body: method === "HEAD" ? undefined : bodyText(operation, answer),
      asIs: true,
    };
  }
}

/** The media type of the stream that a request asks for, if it asks for one. */
function streamTypeOf(
  { events, answerLines }: ApiOperation,
  { method, headers }: Head,
): string | undefined {
  if (method === "HEAD") return undefined;
  if (events !== undefined && acceptsEvents(headers.accept)) return EVENTS_TYPE;
  const isLines = answerLines !== undefined && acceptsByName(headers.accept, LINES_TYPE);
  return isLines ? LINES_TYPE : undefined;
}

function bodyText({ lines }: ApiOperation, answer: unknown): string | Uint8Array {
  if (answer instanceof JsonBytes) return answer.bytes;
  if (answer instanceof JsonText) return answer.text;
  return lines === true ? renderLines(answer as readonly unknown[]) : JSON.stringify(answer);
}

/** No body is an empty one: what must be in it is then named. */
function bodyOf(bytes: Uint8Array | undefined): unknown {
  return bytes === undefined || bytes.length === 0 ? {} : parseJsonBytes(bytes);
}

/** A key where the operation takes one; its form was checked. */
function keyOf(headers: IncomingHttpHeaders, once: boolean): string | undefined {
  const sent = headers["idempotency-key"];
  return once && typeof sent === "string" ? sent : undefined;
}

function keyInvalid(headers: IncomingHttpHeaders): boolean {
  const sent = headers["idempotency-key"];
  if (sent === undefined) return false;
  return typeof sent !== "string" || sent.length > KEY_CHARS || !/^[\x21-\x7e]+$/.test(sent);
}

function tagsOf(header: string | undefined): readonly string[] | undefined {
  // A header that cannot be read matches no version: it must not stand for every one.
  return header === undefined ? undefined : (parseEntityTags(header) ?? []);
}

function idIn(answer: unknown): string {
  return String((answer as { readonly id?: unknown }).id);
}

function etagIn(answer: unknown): string | undefined {
  const { etag } = answer as { readonly etag?: unknown };
  return typeof etag === "string" ? etag : undefined;
}

/** The native API: `/api/v1` by the table of its operations, and its documents beside it. */
export class NativeProtocol implements Protocol {
  readonly owns: RegExp = API_PATHS;
  readonly unlimited: RegExp = /^\/api\/openapi\.json$/;
  readonly takesSessions = true;
  readonly publicPaths: RegExp = /^\/api\/(?:openapi\.json$|docs(?:\/|$))/;
  readonly forOperators: boolean = true;
  readonly logLevel = "info";
  readonly refuse: Protocol["refuse"] = problemOf;
  readonly overloaded: Protocol["overloaded"] = overloadedProblem;
  readonly #parts: NativeParts;
  readonly #readDocs: ReadDocsFile;

  constructor(parts: NativeParts) {
    this.#parts = parts;
    this.#readDocs = keepDocs(parts.readDocs);
  }

  /**
   * Judges a request by its head.
   *
   * @throws FirnError `ROUTE_NOT_FOUND`, `METHOD_NOT_ALLOWED`, `URL_INVALID`, `PARAMETER_INVALID`.
   */
  accept(head: Head): Accepted | Answer {
    const { method, target } = head;
    const beside = staticAnswer(method, target.path, this.#parts.node.version);
    if (beside !== undefined) return beside;
    const docs = docsPage(head, this.#readDocs);
    if (docs !== undefined) return docs;
    const { route, params } = found(method, target);
    return new AcceptedRoute(this.#parts, route, params, head);
  }
}

/** How errors of its paths are worded, also where there is no service yet. */
export const NATIVE_ERRORS: ErrorForm = { owns: API_PATHS, refuse: problemOf };

function found(
  method: string,
  { path }: Target,
): { readonly route: Route; readonly params: RawParams } {
  if (!path.startsWith(`${NATIVE_MOUNT}/`)) throw routeNotFound(path);
  const match = matchPath(method, path.slice(NATIVE_MOUNT.length));
  if (match.found === "route") return match;
  throw match.found === "path" ? methodNotAllowed(match.allow) : routeNotFound(path);
}
