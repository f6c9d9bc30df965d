import type { Asks } from "./asks.ts";
import type { ApiOperation, Schema } from "./operation.ts";
import {
  type At,
  createPattern,
  FENCE,
  KEY_TEXT,
  type NewPattern,
  patternPath,
  spanMs,
} from "./pattern-schema.ts";
import { FLAG, object, TIME } from "./schema.ts";

export interface Lease {
  readonly name: string;
  readonly owner: string;
  /** A 64-bit integer, as all fences here. */
  readonly fence: string;
  readonly expiresAt: string;
}

export interface LeaseOperations {
  createLeases: Asks<"catalog" | "namespace", object, NewPattern, NewPattern>;
  acquireLease: Asks<
    At,
    object,
    { readonly name: string; readonly owner: string; readonly ttlMs: number },
    Lease
  >;
  renewLease: Asks<
    At,
    object,
    { readonly name: string; readonly fence: string; readonly ttlMs: number },
    Lease
  >;
  releaseLease: Asks<
    At,
    object,
    { readonly name: string; readonly fence: string },
    { readonly released: boolean }
  >;
  getLease: Asks<At, object, { readonly name: string }, { readonly lease: Lease | null }>;
}

const LEASES = patternPath("leases");
const tag = "patterns";
const TTL = spanMs("When it expires, in milliseconds from now");
const LEASE: Schema = object({ name: KEY_TEXT, owner: KEY_TEXT, fence: FENCE, expiresAt: TIME });

export const LEASE_OPERATIONS: Readonly<Record<keyof LeaseOperations, ApiOperation>> = {
  createLeases: createPattern("leases", "Create a table of leases"),
  acquireLease: {
    method: "POST",
    template: `${LEASES}:acquire`,
    tag,
    summary: "Acquire a lease that is free, has expired or is the owner's; its fence only grows",
    needs: ["write-data"],
    body: object({ name: KEY_TEXT, owner: KEY_TEXT, ttlMs: TTL }),
    status: 200,
    answer: LEASE,
  },
  renewLease: {
    method: "POST",
    template: `${LEASES}:renew`,
    tag,
    summary: "Renew a lease; 410 where another has taken it",
    needs: ["write-data"],
    body: object({ name: KEY_TEXT, fence: FENCE, ttlMs: TTL }),
    status: 200,
    answer: LEASE,
  },
  releaseLease: {
    method: "POST",
    template: `${LEASES}:release`,
    tag,
    summary: "Release a lease; false where it was released or lost before",
    needs: ["write-data"],
    body: object({ name: KEY_TEXT, fence: FENCE }),
    status: 200,
    answer: object({ released: FLAG }),
  },
  getLease: {
    method: "POST",
    template: `${LEASES}:get`,
    tag,
    summary: "Get a lease and its holder; null where it is free or has expired",
    needs: ["read-data"],
    body: object({ name: KEY_TEXT }),
    status: 200,
    answer: object({ lease: { anyOf: [LEASE, { type: "null" }] } }),
  },
};
