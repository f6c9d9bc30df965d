import type { Asks } from "./asks.ts";
import type { ApiOperation, Schema } from "./operation.ts";
import {
  ANY_JSON,
  type At,
  createPattern,
  FENCE,
  KEY_TEXT,
  type NewPattern,
  patternPath,
  spanMs,
} from "./pattern-schema.ts";
import { FLAG, listOf, object, oneOf } from "./schema.ts";

/** What a command is known by. */
export interface CommandKey {
  readonly scope: string;
  readonly key: string;
  readonly hash: string;
}

export interface Reservation {
  readonly state: "reserved" | "done";
  /** Of a reservation. */
  readonly fence?: string;
  readonly isTakenOver?: boolean;
  /** Of a command that is done. */
  readonly reply?: unknown;
}

interface Window {
  readonly ttlMs: number;
  readonly bucketMs: number;
}

export interface CommandOperations {
  createCommands: Asks<"catalog" | "namespace", object, NewPattern, NewPattern>;
  reserveCommand: Asks<At, object, CommandKey & { readonly leaseMs: number }, Reservation>;
  completeCommand: Asks<
    At,
    object,
    CommandKey & { readonly fence: string; readonly reply: unknown },
    undefined
  >;
  abandonCommand: Asks<At, object, CommandKey & { readonly fence: string }, undefined>;
  forgetCommand: Asks<
    At,
    object,
    { readonly scope: string; readonly key: string },
    { readonly forgotten: boolean }
  >;
  createDeduplication: Asks<"catalog" | "namespace", object, NewPattern, NewPattern>;
  findNewKeys: Asks<
    At,
    object,
    Window & { readonly keys: readonly string[] },
    { readonly isNew: readonly boolean[] }
  >;
  dropExpiredKeys: Asks<At, object, Window, undefined>;
}

const COMMANDS = patternPath("idempotency");
const SEEN = patternPath("deduplication");
const tag = "patterns";
const COMMAND = {
  scope: KEY_TEXT,
  key: KEY_TEXT,
  hash: { ...KEY_TEXT, description: "Hash of the command's content" },
};
const WINDOW: Readonly<Record<string, Schema>> = {
  ttlMs: spanMs("How long a key counts as seen"),
  bucketMs: spanMs("Keys of one bucket expire together; fixed once the table has keys"),
};

export const COMMAND_OPERATIONS: Readonly<Record<keyof CommandOperations, ApiOperation>> = {
  createCommands: createPattern("idempotency", "Create an idempotency store"),
  reserveCommand: {
    method: "POST",
    template: `${COMMANDS}:reserve`,
    tag,
    summary: "Reserve a command, or get the reply that it has had; 409 while it is in progress",
    needs: ["read-data", "write-data"],
    body: object({ ...COMMAND, leaseMs: spanMs("When another caller may take it over") }),
    status: 200,
    answer: object(
      { state: oneOf("reserved", "done") },
      {
        fence: FENCE,
        isTakenOver: { ...FLAG, description: "True: its effect may have happened already" },
        reply: ANY_JSON,
      },
    ),
  },
  completeCommand: {
    method: "POST",
    template: `${COMMANDS}:complete`,
    tag,
    summary: "Store the reply of a reserved command; 410 where another caller has taken it over",
    needs: ["write-data"],
    body: object({ ...COMMAND, fence: FENCE, reply: ANY_JSON }),
    status: 204,
  },
  abandonCommand: {
    method: "POST",
    template: `${COMMANDS}:abandon`,
    tag,
    summary: "End a reservation whose effect did not happen",
    needs: ["write-data"],
    body: object({ ...COMMAND, fence: FENCE }),
    status: 204,
  },
  forgetCommand: {
    method: "POST",
    template: `${COMMANDS}:forget`,
    tag,
    summary: "Forget a command that is done: the same key has its effect again",
    needs: ["write-data"],
    body: object({ scope: KEY_TEXT, key: KEY_TEXT }),
    status: 200,
    answer: object({ forgotten: FLAG }),
  },
  createDeduplication: createPattern("deduplication", "Create a table of seen keys"),
  findNewKeys: {
    method: "POST",
    template: `${SEEN}:find-new`,
    tag,
    summary: "Note keys and tell which of them are new",
    needs: ["read-data", "write-data"],
    body: object({
      keys: { type: "array", items: KEY_TEXT, minItems: 1, maxItems: 1_000 },
      ...WINDOW,
    }),
    status: 200,
    answer: object({ isNew: listOf(FLAG) }),
  },
  dropExpiredKeys: {
    method: "POST",
    template: `${SEEN}:drop-expired`,
    tag,
    summary: "Drop the buckets that have expired, without reading them",
    needs: ["write-data"],
    body: object(WINDOW),
    status: 204,
  },
};
