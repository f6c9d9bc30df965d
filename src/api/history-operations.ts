import type { ApiOperation, Parameters } from "./operation.ts";
import { DIFF, VERSION } from "./resources.ts";
import { INT64, PAGE, pageOf, TIME } from "./schema.ts";

/** Parameters of a read: the resource as it was. */
export const AT: Parameters = {
  at: { ...TIME, description: "The resource as it was: a time (RFC 3339) or a version number" },
};

const DIFF_QUERY: Parameters = {
  from: { ...INT64, description: "The earlier version" },
  to: { ...INT64, description: "The later version; absent: the current one" },
};

/** The operations on the history of a resource. `one`: the template of its path. */
export function historyOperations(
  one: string,
  what: string,
): { readonly versions: ApiOperation; readonly diff: ApiOperation } {
  return {
    versions: {
      method: "GET",
      template: `${one}/versions`,
      tag: "history",
      summary: `List the versions of a ${what}, newest first`,
      needs: ["read-metadata"],
      query: PAGE,
      status: 200,
      answer: pageOf(VERSION),
    },
    diff: {
      method: "GET",
      template: `${one}:diff`,
      tag: "history",
      summary: `Compare two versions of a ${what}`,
      needs: ["read-metadata"],
      query: DIFF_QUERY,
      required: ["from"],
      status: 200,
      answer: DIFF,
    },
  };
}
