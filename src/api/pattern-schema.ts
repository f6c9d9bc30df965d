import type { ApiOperation, Schema } from "./operation.ts";
import { NAME, object } from "./schema.ts";

/** Where the table of a pattern lies. */
export type At = "catalog" | "namespace" | "table";

/** A pattern's table that is to be made. */
export interface NewPattern {
  readonly name: string;
  /** Of the catalog; its first one unless told otherwise. */
  readonly shard?: string;
}

const NAMESPACE = "/catalogs/{catalog}/namespaces/{namespace}";

/** The table of a pattern: `/leases/{table}`, say. */
export function patternPath(collection: string): string {
  return `${NAMESPACE}/${collection}/{table}`;
}

/** Makes the table of a pattern. */
export function createPattern(collection: string, summary: string): ApiOperation {
  return {
    method: "POST",
    template: `${NAMESPACE}/${collection}`,
    tag: "patterns",
    summary,
    needs: ["create"],
    body: object({ name: NAME }, { shard: NAME }),
    status: 201,
    answer: object({ name: NAME }),
  };
}

/** A name, key or stream of a pattern. */
export const KEY_TEXT: Schema = {
  type: "string",
  minLength: 1,
  maxLength: 1_024,
  description: "A text of 1 to 1,024 characters without NUL",
};

export const FENCE: Schema = {
  type: "string",
  pattern: "^-?(0|[1-9][0-9]{0,18})$",
  description: "The fencing token that the server answered: a 64-bit integer in decimal digits",
};

export const ANY_JSON: Schema = { description: "A JSON value of at most 1,048,576 characters" };

/** The longest time to live: about a year. */
const MOST_MS = 31_622_400_000;

/** A time span that begins now. */
export function spanMs(description: string, minimum = 1): Schema {
  return { type: "integer", minimum, maximum: MOST_MS, description };
}

export const LIMIT: Schema = {
  type: "integer",
  minimum: 1,
  maximum: 1_000,
  description: "The most entries of the answer; 100 if absent",
};
