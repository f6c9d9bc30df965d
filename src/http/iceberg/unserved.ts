import { CatalogError, invalid } from "../../base/error.ts";
import { dotted } from "../../catalog/names.ts";
import type { PathParams } from "./call.ts";
import type { Endpoint, Method } from "./operations.ts";
import { decodeUrlPart, splitNamespace } from "./path.ts";

const NAMESPACE = "/v1/{prefix}/namespaces/{namespace}";
const TABLE = `${NAMESPACE}/tables/{table}`;
const VIEW = `${NAMESPACE}/views/{view}`;

function endpoint(method: Method, template: string): Endpoint {
  return { method, template };
}

/**
 * Operations of the contract that are not served, and so not advertised. They are known here so
 * that a client which asks all the same hears "not supported", not that its table is missing.
 */
export const UNSERVED: readonly Endpoint[] = [
  endpoint("POST", `${TABLE}/unregister`),
  endpoint("GET", `${TABLE}/credentials`),
  endpoint("POST", `${TABLE}/sign`),
  endpoint("POST", `${TABLE}/plan`),
  endpoint("GET", `${TABLE}/plan/{plan-id}`),
  endpoint("DELETE", `${TABLE}/plan/{plan-id}`),
  endpoint("POST", `${TABLE}/tasks`),
  endpoint("POST", "/v1/{prefix}/transactions/commit"),
  endpoint("GET", `${NAMESPACE}/views`),
  endpoint("POST", `${NAMESPACE}/views`),
  endpoint("GET", VIEW),
  endpoint("HEAD", VIEW),
  endpoint("POST", VIEW),
  endpoint("DELETE", VIEW),
  endpoint("POST", "/v1/{prefix}/views/rename"),
  endpoint("POST", `${NAMESPACE}/register-view`),
  endpoint("GET", `${NAMESPACE}/functions`),
  endpoint("GET", `${NAMESPACE}/functions/{function}`),
];

/**
 * The refusal of an operation that is not served. Looking for a view is answered for what it is:
 * there is none, and engines look for one under every name before they load the table.
 *
 * @throws CatalogError `URL_INVALID`, `NAMESPACE_INVALID`.
 */
export function notServed({ method, template }: Endpoint, params: PathParams): CatalogError {
  if (template === VIEW && (method === "GET" || method === "HEAD")) {
    const namespace = splitNamespace(decodeUrlPart(params.namespace ?? ""));
    const view = dotted([...namespace, decodeUrlPart(params.view ?? "")]);
    return new CatalogError("NotFound", "VIEW_NOT_FOUND", "no such view", { view });
  }
  return invalid("OPERATION_NOT_SUPPORTED", "not supported", { endpoint: `${method} ${template}` });
}
