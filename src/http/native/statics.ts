import type { Answer } from "../answer.ts";
import { openApiText } from "./openapi.ts";

const OPENAPI = "/api/openapi.json";

/** What lies beside the operations; undefined for every other path. */
export function staticAnswer(method: string, path: string, version: string): Answer | undefined {
  if (path !== OPENAPI || (method !== "GET" && method !== "HEAD")) return undefined;
  return {
    status: 200,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-cache" },
    body: method === "HEAD" ? undefined : openApiText(version),
  };
}
