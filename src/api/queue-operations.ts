import type { Asks } from "./asks.ts";
import type { ApiOperation, Schema } from "./operation.ts";
import {
  ANY_JSON,
  type At,
  createPattern,
  FENCE,
  LIMIT,
  type NewPattern,
  patternPath,
  spanMs,
} from "./pattern-schema.ts";
import { COUNT, FLAG, listOf, object, TEXT, TIME, UUID } from "./schema.ts";

export interface ClaimedTask {
  readonly id: string;
  readonly payload: unknown;
  readonly fence: string;
  readonly attempts: number;
  readonly claimedUntil: string;
}

export interface DeadTask {
  readonly id: string;
  readonly payload: unknown;
  readonly attempts: number;
  readonly diedAt: string;
  readonly reason: string | null;
}

/** Which claim of a task. */
export interface TaskClaim {
  readonly id: string;
  readonly fence: string;
}

interface Attempts {
  readonly maxAttempts?: number;
}

export interface QueueOperations {
  createQueue: Asks<"catalog" | "namespace", object, NewPattern, NewPattern>;
  enqueueTasks: Asks<
    At,
    object,
    { readonly payloads: readonly unknown[]; readonly delayMs?: number },
    { readonly ids: readonly string[] }
  >;
  claimTasks: Asks<
    At,
    object,
    Attempts & { readonly max?: number; readonly visibilityMs?: number },
    { readonly tasks: readonly ClaimedTask[] }
  >;
  ackTask: Asks<At, object, TaskClaim, { readonly acknowledged: boolean }>;
  nackTask: Asks<
    At,
    object,
    TaskClaim & Attempts & { readonly delayMs?: number; readonly reason?: string },
    undefined
  >;
  extendTask: Asks<At, object, TaskClaim & { readonly visibilityMs: number }, undefined>;
  listDeadTasks: Asks<
    At,
    { readonly max?: number },
    undefined,
    { readonly tasks: readonly DeadTask[] }
  >;
  redriveTask: Asks<At, object, { readonly id: string }, { readonly redriven: boolean }>;
  discardTask: Asks<At, object, { readonly id: string }, { readonly discarded: boolean }>;
}

const QUEUES = patternPath("queues");
const tag = "patterns";
const VISIBILITY = spanMs("How long others do not see the task; 30,000 if absent");
const DELAY = spanMs("When the task can be claimed, in milliseconds from now; 0 if absent", 0);
const MAX_ATTEMPTS: Schema = {
  type: "integer",
  minimum: 1,
  maximum: 1_000_000,
  description: "A task that was claimed as often becomes a dead letter; 10 if absent",
};
const CLAIM = { id: UUID, fence: FENCE };

export const QUEUE_OPERATIONS: Readonly<Record<keyof QueueOperations, ApiOperation>> = {
  createQueue: createPattern("queues", "Create a work queue"),
  enqueueTasks: {
    method: "POST",
    template: `${QUEUES}:enqueue`,
    tag,
    summary: "Add tasks to a queue, all or none",
    needs: ["write-data"],
    body: object(
      { payloads: { type: "array", items: ANY_JSON, minItems: 1, maxItems: 1_000 } },
      { delayMs: DELAY },
    ),
    status: 200,
    answer: object({ ids: listOf(UUID) }),
  },
  claimTasks: {
    method: "POST",
    template: `${QUEUES}:claim`,
    tag,
    summary: "Claim visible tasks and hide them from other workers for a time",
    needs: ["read-data", "write-data"],
    body: object(
      {},
      {
        max: {
          type: "integer",
          minimum: 1,
          maximum: 1_000,
          description: "The most tasks; 1 if absent. Large payloads make it fewer",
        },
        visibilityMs: VISIBILITY,
        maxAttempts: MAX_ATTEMPTS,
      },
    ),
    status: 200,
    answer: object({
      tasks: listOf(
        object({
          id: UUID,
          payload: ANY_JSON,
          fence: FENCE,
          attempts: COUNT,
          claimedUntil: TIME,
        }),
      ),
    }),
  },
  ackTask: {
    method: "POST",
    template: `${QUEUES}:ack`,
    tag,
    summary: "Acknowledge a task that is done; 410 where another worker has claimed it",
    needs: ["write-data"],
    body: object(CLAIM),
    status: 200,
    answer: object({ acknowledged: FLAG }),
  },
  nackTask: {
    method: "POST",
    template: `${QUEUES}:nack`,
    tag,
    summary: "Give a task back to the queue; 410 where another worker has claimed it",
    needs: ["write-data"],
    body: object(CLAIM, {
      delayMs: DELAY,
      reason: { type: "string", maxLength: 4_096, description: "Kept with a dead letter" },
      maxAttempts: MAX_ATTEMPTS,
    }),
    status: 204,
  },
  extendTask: {
    method: "POST",
    template: `${QUEUES}:extend`,
    tag,
    summary: "Hide a claimed task for longer; 410 where another worker has claimed it",
    needs: ["write-data"],
    body: object({ ...CLAIM, visibilityMs: VISIBILITY }),
    status: 204,
  },
  listDeadTasks: {
    method: "GET",
    template: `${QUEUES}/dead-tasks`,
    tag,
    summary: "List dead letters, the oldest first",
    needs: ["read-data"],
    query: { max: LIMIT },
    status: 200,
    answer: object({
      tasks: listOf(
        object({
          id: UUID,
          payload: ANY_JSON,
          attempts: COUNT,
          diedAt: TIME,
          reason: { anyOf: [TEXT, { type: "null" }] },
        }),
      ),
    }),
  },
  redriveTask: {
    method: "POST",
    template: `${QUEUES}:redrive`,
    tag,
    summary: "Make a dead letter a task again, with no attempts",
    needs: ["write-data"],
    body: object({ id: UUID }),
    status: 200,
    answer: object({ redriven: FLAG }),
  },
  discardTask: {
    method: "POST",
    template: `${QUEUES}:discard`,
    tag,
    summary: "Remove a dead letter",
    needs: ["write-data"],
    body: object({ id: UUID }),
    status: 200,
    answer: object({ discarded: FLAG }),
  },
};
