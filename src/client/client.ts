import { OPERATIONS, type OperationName, type Operations } from "../api/operations.ts";
import type { Problem } from "../api/resources.ts";

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
    const { method, template } = OPERATIONS[name];
    const target = template.replaceAll(/\{(\w+)\}/g, (_whole, part: string) =>
      segment(part, path[part] ?? ""),
    );
    const all = { ...query, ...(options.dryRun === true && { dryRun: true }) };
    const response = await fetch(
      new Request(`${url}/api/v1${target}${searchOf(all)}`, {
        method,
        headers: {
          ...headers,
          ...(body !== undefined && { "Content-Type": "application/json" }),
          ...(options.ifMatch !== undefined && { "If-Match": options.ifMatch }),
          ...(options.idempotencyKey !== undefined && {
            "Idempotency-Key": options.idempotencyKey,
          }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    if (!response.ok) throw new ApiError(problemIn(response.status, text));
    return (text === "" ? undefined : JSON.parse(text)) as Operations[Name]["answer"];
  }
}

/** A namespace as a path or a parameter has it: levels joined by dots, dots within them escaped. */
export function namespaceName(levels: readonly string[]): string {
  return levels.map((level) => encodeURIComponent(level).replaceAll(".", "%2E")).join(".");
}

/** A namespace comes encoded, since its dots tell levels apart; an id is not a name. */
function segment(part: string, value: string): string {
  return part === "namespace" || value.startsWith("id:") ? value : encodeURIComponent(value);
}

function searchOf(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  if (pairs.length === 0) return "";
  const texts = pairs.map(([name, value]): [string, string] => [name, String(value)]);
  return `?${new URLSearchParams(texts)}`;
}

/** What is not a problem document came from something else than Firn, on the way to it. */
function problemIn(status: number, text: string): Problem {
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
