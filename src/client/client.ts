import { OPERATIONS, type OperationName, type Operations } from "../api/operations.ts";
import type { Change, Problem } from "../api/resources.ts";
import { readEvents } from "./events.ts";
import { pause } from "./pause.ts";

/** Sends one request, as the platform's `fetch` does. */
export type Fetch = (request: Request) => Promise<Response>;

export interface ClientOptions {
  /** Of the server, such as `http://127.0.0.1:8181`. */
  readonly url: string;
  /** `Firn.fetch`, say; absent: the platform's own. */
  readonly fetch?: Fetch;
  /** Sent with every request, such as credentials. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Options of a call that every operation shares. */
export interface CallOptions {
  /** The entity tag of the version that is meant. */
  readonly ifMatch?: string;
  /** Repeated calls with one key are one call. */
  readonly idempotencyKey?: string;
  /** Checks everything and changes nothing. */
  readonly dryRun?: boolean;
}

type Member<Name extends string, T> = [T] extends [undefined]
  ? object
  : { readonly [N in Name]: T };
type Segments<Path> = [keyof Path] extends [never] ? object : { readonly path: Path };

/** What a call of an operation takes: segments of its path, parameters, its body. */
export type Arguments<Name extends OperationName> = Segments<Operations[Name]["path"]> &
  Member<"body", Operations[Name]["body"]> & { readonly query?: Operations[Name]["query"] };

/** A request that the server refused. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(`${problem.code}: ${problem.detail}`);
    this.problem = problem;
  }
}

/** Where `watch` begins; absent: now. */
export interface WatchOptions {
  /** A cursor of an earlier watch or page. */
  readonly after?: string;
  /** A time (RFC 3339). */
  readonly since?: string;
  /** Ends the watch. */
  readonly signal?: AbortSignal;
}

/** A change, and the cursor of a later watch that has handled it: it may be told of it again. */
export interface Watched {
  readonly change: Change;
  readonly cursor: string;
}

/** Ids that a watch remembers, since it may be told of a change again after a reconnect. */
const REMEMBERED = 10_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;
const JSON_TYPE = "application/json";
const LINES_TYPE = "application/x-ndjson";

interface Given {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** The native API as typed calls. It runs in a browser too. */
export class FirnClient {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /**
   * Calls an operation of the table by its name. Names in `path` are percent-encoded; a namespace
   * is what `namespaceName` makes of its levels; `id:` and an id stand for any name.
   *
   * @throws ApiError what the server refuses; what `fetch` throws.
   */
  async call<Name extends OperationName>(
    name: Name,
    given: Arguments<Name>,
    options: CallOptions = {},
  ): Promise<Operations[Name]["answer"]> {
    const { fetch = (request) => globalThis.fetch(request), url, headers } = this.#options;
    const { path = {}, query = {}, body } = given as Given;
    const { method, template, lines } = OPERATIONS[name];
    const target = template.replaceAll(/\{(\w+)\}/g, (_whole, part: string) =>
      segment(part, path[part] ?? ""),
    );
    const all = { ...query, ...(options.dryRun === true && { dryRun: true }) };
    const response = await fetch(
      new Request(`${url}/api/v1${target}${searchOf(all)}`, {
        method,
        headers: {
          ...headers,
          ...(body !== undefined && { "Content-Type": lines === true ? LINES_TYPE : JSON_TYPE }),
          ...(options.ifMatch !== undefined && { "If-Match": options.ifMatch }),
          ...(options.idempotencyKey !== undefined && {
            "Idempotency-Key": options.idempotencyKey,
          }),
        },
        ...(body !== undefined && { body: textOf(body, lines) }),
      }),
    );
    const text = await response.text();
    if (!response.ok) throw new ApiError(problemIn(response.status, text));
    if (lines === true) return linesOf(text) as Operations[Name]["answer"];
    return (text === "" ? undefined : JSON.parse(text)) as Operations[Name]["answer"];
  }

  /**
   * Follows the change feed as it happens, until `signal` or the end of the loop. It connects again
   * when the connection is lost and goes on where it was; a change that the server repeats is told
   * once, unless 10,000 others came between.
   *
   * @throws ApiError what no later attempt mends, such as `HISTORY_GONE`: the reader was away for
   *   longer than the history retention, and must read everything anew.
   */
  async *watch(options: WatchOptions = {}): AsyncGenerator<Watched> {
    const { after, since, signal } = options;
    const state: WatchState = { cursor: after, retryMs: FIRST_RETRY_MS, known: new Set() };
    while (!hasEnded(signal)) {
      let leastMs = 0;
      try {
        yield* this.#connection(state, since, signal);
      } catch (error) {
        if (hasEnded(signal)) return;
        if (error instanceof ApiError) {
          if (!isPassing(error)) throw error;
          leastMs = error.problem.retryAfterMs ?? 0;
        }
      }
      await pause(Math.max(state.retryMs, leastMs), signal);
      state.retryMs = Math.min(state.retryMs * 2, LAST_RETRY_MS);
    }
  }

  /** One connection of a watch, to its end. */
  async *#connection(
    state: WatchState,
    since: string | undefined,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Watched> {
    const { fetch = (request) => globalThis.fetch(request), url, headers } = this.#options;
    const { cursor } = state;
    const query = cursor === undefined ? searchOf({ since }) : "";
    const response = await fetch(
      new Request(`${url}/api/v1${OPERATIONS.listChanges.template}${query}`, {
        headers: {
          ...headers,
          Accept: "text/event-stream",
          ...(cursor !== undefined && { "Last-Event-ID": cursor }),
        },
        ...(signal !== undefined && { signal }),
      }),
    );
    const { ok, status, body } = response;
    if (!ok || body === null) throw new ApiError(problemIn(status, await response.text()));
    for await (const { id, data, retryMs } of readEvents(body, signal)) {
      state.retryMs = retryMs ?? FIRST_RETRY_MS;
      state.cursor = id ?? state.cursor;
      if (data === undefined) continue;
      const change = JSON.parse(data) as Change;
      if (state.known.has(change.id)) continue;
      state.known.add(change.id);
      for (const oldest of state.known) {
        if (state.known.size <= REMEMBERED) break;
        state.known.delete(oldest);
      }
      yield { change, cursor: state.cursor ?? "" };
    }
  }
}

/** What a watch knows across its connections. */
interface WatchState {
  cursor: string | undefined;
  retryMs: number;
  readonly known: Set<string>;
}

function hasEnded(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** Whether an answer says that the same request may succeed later. */
function isPassing({ problem }: ApiError): boolean {
  return problem.status === 429 || problem.status >= 500;
}

/** A namespace as a path or a parameter has it: levels joined by dots, dots within them escaped. */
export function namespaceName(levels: readonly string[]): string {
  return levels.map((level) => encodeURIComponent(level).replaceAll(".", "%2E")).join(".");
}

/** A list as lines, anything else as one value. */
function textOf(body: unknown, lines: boolean | undefined): string {
  if (lines !== true) return JSON.stringify(body);
  return (body as readonly unknown[]).map((line) => JSON.stringify(line)).join("\n");
}

function linesOf(text: string): readonly unknown[] {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line));
}

/**
 * A namespace comes encoded, since its dots tell levels apart; an id is not a name.
 *
 * @throws ApiError `NAME_INVALID`: `fetch` takes dot segments out of a URL, encoded or not, so the
 *   request would reach something else.
 */
function segment(part: string, value: string): string {
  const isReady = part === "namespace" || value.startsWith("id:");
  const text = isReady ? value : encodeURIComponent(value);
  if (/^(?:\.|%2e){1,2}$/i.test(text)) throw dotSegment(part);
  return text;
}

function dotSegment(what: string): ApiError {
  const [type, title] = ["/api/errors/NAME_INVALID", "Invalid"];
  const detail = `invalid ${what} name: a dot segment`;
  const context = { why: "a dot segment" };
  return new ApiError({
    type,
    title,
    status: 400,
    detail,
    code: "NAME_INVALID",
    kind: title,
    context,
  });
}

function searchOf(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  if (pairs.length === 0) return "";
  const texts = pairs.map(([name, value]): [string, string] => [name, String(value)]);
  return `?${new URLSearchParams(texts)}`;
}

/** What is not a problem document came from something else than Firn, on the way to it. */
export function problemIn(status: number, text: string): Problem {
  try {
    const problem = JSON.parse(text) as Partial<Problem>;
    if (typeof problem.code === "string") return problem as Problem;
  } catch {
    // Not JSON.
  }
  const detail = `HTTP status ${status} without a problem document`;
  const [type, title] = ["about:blank", "Unexpected answer"];
  return { type, title, status, detail, code: "ANSWER_UNKNOWN", kind: "Unknown", context: {} };
}
