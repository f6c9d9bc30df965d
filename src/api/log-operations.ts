import type { Asks } from "./asks.ts";
import type { ApiOperation, Schema } from "./operation.ts";
import {
  ANY_JSON,
  type At,
  createPattern,
  KEY_TEXT,
  LIMIT,
  type NewPattern,
  patternPath,
} from "./pattern-schema.ts";
import { INT64, listOf, object, TIME } from "./schema.ts";

export interface LogEvent {
  readonly position: string;
  readonly stream: string;
  readonly version: string;
  readonly at: string;
  readonly event: unknown;
}

export interface LogOperations {
  createLog: Asks<"catalog" | "namespace", object, NewPattern, NewPattern>;
  appendEvents: Asks<
    At,
    object,
    {
      readonly stream: string;
      readonly events: readonly unknown[];
      readonly expectedVersion?: string;
    },
    { readonly version: string; readonly position: string }
  >;
  readEvents: Asks<
    At,
    { readonly stream?: string; readonly after?: string; readonly max?: number },
    undefined,
    { readonly events: readonly LogEvent[] }
  >;
}

const LOGS = patternPath("logs");
const tag = "patterns";
const EVENT: Schema = object({
  position: INT64,
  stream: KEY_TEXT,
  version: INT64,
  at: TIME,
  event: ANY_JSON,
});

export const LOG_OPERATIONS: Readonly<Record<keyof LogOperations, ApiOperation>> = {
  createLog: createPattern("logs", "Create an event log"),
  appendEvents: {
    method: "POST",
    template: `${LOGS}:append`,
    tag,
    summary: "Append events to a stream, all or none; versions and positions have no gaps",
    needs: ["write-data"],
    body: object(
      {
        stream: KEY_TEXT,
        events: { type: "array", items: ANY_JSON, minItems: 1, maxItems: 1_000 },
      },
      {
        expectedVersion: {
          ...INT64,
          description: "Version of the stream's last event, 0 for none; 409 if it has another",
        },
      },
    ),
    status: 200,
    answer: object({ version: INT64, position: INT64 }),
  },
  readEvents: {
    method: "GET",
    template: `${LOGS}/events`,
    tag,
    summary: "Read events of one stream, or of the whole log in the order of its commits",
    needs: ["read-data"],
    query: {
      stream: { ...KEY_TEXT, description: "Events of this stream; absent: of all streams" },
      after: {
        ...INT64,
        description: "Behind this version of the stream, or behind this position of the log",
      },
      max: LIMIT,
    },
    status: 200,
    answer: object({ events: listOf(EVENT) }),
    events: EVENT,
  },
};
