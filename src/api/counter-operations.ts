import type { Asks } from "./asks.ts";
import type { ApiOperation } from "./operation.ts";
import {
  type At,
  createPattern,
  KEY_TEXT,
  type NewPattern,
  patternPath,
  spanMs,
} from "./pattern-schema.ts";
import { INT64, object } from "./schema.ts";

export interface CounterOperations {
  createCounters: Asks<"catalog" | "namespace", object, NewPattern, NewPattern>;
  addToCounter: Asks<At, object, { readonly name: string; readonly n?: string }, undefined>;
  getCounter: Asks<
    At,
    object,
    { readonly name: string; readonly maxAgeMs?: number },
    { readonly value: string }
  >;
  foldCounter: Asks<At, object, { readonly name: string }, undefined>;
}

const COUNTERS = patternPath("counters");
const tag = "patterns";

export const COUNTER_OPERATIONS: Readonly<Record<keyof CounterOperations, ApiOperation>> = {
  createCounters: createPattern("counters", "Create a table of counters"),
  addToCounter: {
    method: "POST",
    template: `${COUNTERS}:add`,
    tag,
    summary: "Add to a counter; requests that arrive together share a commit",
    needs: ["write-data"],
    body: object({ name: KEY_TEXT }, { n: { ...INT64, description: "1 if absent" } }),
    status: 204,
  },
  getCounter: {
    method: "POST",
    template: `${COUNTERS}:get`,
    tag,
    summary: "Get the sum of a counter; 0 for one that was never added to",
    needs: ["read-data"],
    body: object(
      { name: KEY_TEXT },
      { maxAgeMs: spanMs("A sum that was read as long ago will do; 0 if absent: exact", 0) },
    ),
    status: 200,
    answer: object({ value: INT64 }),
  },
  foldCounter: {
    method: "POST",
    template: `${COUNTERS}:fold`,
    tag,
    summary: "Bring the cells of a counter into one, once few clients add to it",
    needs: ["write-data"],
    body: object({ name: KEY_TEXT }),
    status: 204,
  },
};
