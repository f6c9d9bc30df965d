import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { inTurns, type Steps } from "../../base/steps.ts";
import type { Actor } from "../../service/actor.ts";
import {
  DEFAULT_CATALOG,
  type NamespaceRef,
  type TableRef,
  type ViewRef,
} from "../../service/requests.ts";
import { decodeUrlPart, splitNamespace } from "./path.ts";
import type { Query } from "./query.ts";

/** Raw path segments of one request, still percent-encoded, by the names of the template. */
export interface PathParams {
  readonly prefix?: string;
  readonly namespace?: string;
  readonly table?: string;
  readonly view?: string;
  readonly function?: string;
}

/** What a path names, for the log. */
export interface NamedInPath {
  /** Absent where the path has no prefix: the default catalog. */
  readonly catalog?: string;
  /** Levels are joined by dots. */
  readonly namespace?: string;
  readonly table?: string;
  readonly view?: string;
}

/** A log line shows at most so much of a name: paths come from outside. */
const SHOWN_CHARS = 256;

/** The names in a path; none where they cannot be decoded. */
export function namedIn({ prefix, namespace, table, view }: PathParams): NamedInPath {
  const text = (raw: string) => decodeUrlPart(raw).slice(0, SHOWN_CHARS);
  try {
    return {
      ...(prefix !== undefined && { catalog: text(prefix) }),
      ...(namespace !== undefined && { namespace: text(namespace).replaceAll("\x1f", ".") }),
      ...(table !== undefined && { table: text(table) }),
      ...(view !== undefined && { view: text(view) }),
    };
  } catch {
    return {};
  }
}

/** One matched request: decodes what its operation asks for, when it asks. */
export class Call {
  readonly actor: Actor;
  readonly query: Query;
  readonly headers: IncomingHttpHeaders;
  readonly #params: PathParams;
  readonly #body: () => JsonObject;
  readonly #clock: Clock;

  constructor(
    actor: Actor,
    params: PathParams,
    query: Query,
    headers: IncomingHttpHeaders,
    clock: Clock,
    body: () => JsonObject,
  ) {
    this.#clock = clock;
    this.actor = actor;
    this.query = query;
    this.headers = headers;
    this.#params = params;
    this.#body = body;
  }

  get catalog(): string {
    const { prefix } = this.#params;
    return prefix === undefined ? DEFAULT_CATALOG : decodeUrlPart(prefix);
  }

  get namespaceRef(): NamespaceRef {
    const namespace = splitNamespace(decodeUrlPart(this.#params.namespace ?? ""));
    return { catalog: this.catalog, namespace };
  }

  get viewRef(): ViewRef {
    return { ...this.namespaceRef, view: decodeUrlPart(this.#params.view ?? "") };
  }

  get functionName(): string {
    return decodeUrlPart(this.#params.function ?? "");
  }

  get tableRef(): TableRef {
    return { ...this.namespaceRef, table: decodeUrlPart(this.#params.table ?? "") };
  }

  /** @throws FirnError `Invalid`: no body, not JSON, or not an object. */
  json(): JsonObject {
    return this.#body();
  }

  /** What a body that may be large holds, while others have the event loop now and then. */
  inTurns<T>(read: (body: JsonObject) => Steps<T>): Promise<T> {
    return inTurns(this.#clock, read(this.json()));
  }
}
