import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "../../base/json.ts";
import type { NamespaceRef, RequestContext, TableRef, ViewRef } from "../../service/requests.ts";
import { decodeUrlPart, splitNamespace } from "./path.ts";
import type { Query } from "./query.ts";
import { decodeBody } from "./requests.ts";

/** The catalog of the routes without a prefix. */
export const DEFAULT_CATALOG = "default";

/** Raw path segments of one request, still percent-encoded, by the names of the template. */
export interface PathParams {
  readonly prefix?: string;
  readonly namespace?: string;
  readonly table?: string;
  readonly view?: string;
  readonly function?: string;
}

/** One matched request: decodes what its operation asks for, when it asks. */
export class Call {
  readonly ctx: RequestContext;
  readonly query: Query;
  readonly headers: IncomingHttpHeaders;
  readonly #params: PathParams;
  readonly #body: Uint8Array | undefined;

  constructor(
    ctx: RequestContext,
    params: PathParams,
    query: Query,
    headers: IncomingHttpHeaders,
    body: Uint8Array | undefined,
  ) {
    this.ctx = ctx;
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

  /** @throws CatalogError `Invalid`: no body, not JSON, or not an object. */
  json(): JsonObject {
    return decodeBody(this.#body);
  }
}
