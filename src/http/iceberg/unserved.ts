import { type FirnError, invalid } from "../../base/error.ts";
import type { Endpoint, Method } from "./operations.ts";

const TABLE = "/v1/{prefix}/namespaces/{namespace}/tables/{table}";

function endpoint(method: Method, template: string): Endpoint {
  return { method, template };
}

/**
 * Operations of the contract that are not served, and so not advertised. They are known here so
 * that a client which asks all the same hears "not supported", not that its table is missing.
 */
export const UNSERVED: readonly Endpoint[] = [
  endpoint("POST", `${TABLE}/plan`),
  endpoint("GET", `${TABLE}/plan/{plan-id}`),
  endpoint("DELETE", `${TABLE}/plan/{plan-id}`),
  endpoint("POST", `${TABLE}/tasks`),
];

/** The refusal of an operation that is not served. */
export function notServed({ method, template }: Endpoint): FirnError {
  return invalid("OPERATION_NOT_SUPPORTED", "operation not supported", {
    endpoint: `${method} ${template}`,
  });
}
