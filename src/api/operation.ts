import type { Privilege } from "./privileges.ts";

/** JSON Schema (2020-12) as plain data: no library is loaded to read the table. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Query parameters by name. A value is a text, a whole number or a boolean, never a list. */
export interface Parameters {
  readonly [name: string]: Schema;
}

/** One operation of the native API, as data. */
export interface ApiOperation {
  readonly method: Method;
  /** Below `/api/v1`. `{name}` is one segment; what follows the last `:` of a path is a verb. */
  readonly template: string;
  readonly tag: string;
  readonly summary: string;
  /** What its actor needs. */
  readonly needs: readonly [Privilege, ...Privilege[]];
  readonly query?: Parameters;
  /** Parameters that must be there. */
  readonly required?: readonly string[];
  readonly body?: Schema;
  /** Body and answer are lines of JSON (`application/x-ndjson`), each as its schema says. */
  readonly lines?: boolean;
  readonly status: 200 | 201 | 202 | 204;
  /** Absent with status 204. */
  readonly answer?: Schema;
  /** What it answers with 202 in place of `status` where a background job does the rest. */
  readonly job?: Schema;
  /**
   * What a request may say of the version that it means: `read` answers `If-None-Match` with 304,
   * `write` refuses a stale `If-Match` with 412.
   */
  readonly conditional?: "read" | "write";
  /** What `Accept: text/event-stream` answers in place of `answer`: the data of each event. */
  readonly events?: Schema;
  /** What `Accept: application/x-ndjson` answers in place of `answer`: each line. */
  readonly answerLines?: Schema;
  /** `Idempotency-Key` and `?dryRun=true` hold for whatever changes the catalog by a batch. */
  readonly once?: boolean;
}

/** The largest body of an operation: a resource with all its properties. */
export const BODY_BYTES = 1_048_576;

/** Whether an operation can change anything, which decides how failures are answered. */
export function writes({ method }: Pick<ApiOperation, "method">): boolean {
  return method !== "GET";
}
