import type { Asks, PageQuery } from "./asks.ts";
import type { ApiOperation, Schema } from "./operation.ts";
import type { Page } from "./resources.ts";
import { COUNT, FLAG, listOf, object, oneOf, PAGE, TEXT, TIME } from "./schema.ts";

export const DECISIONS = ["allowed", "denied", "failed", "unauthenticated"] as const;

export type AuditDecision = (typeof DECISIONS)[number];

/** An entry of the audit log, or how many are missing before the next one. */
export interface AuditRecord {
  readonly time: string;
  readonly requestId?: string;
  readonly account?: string;
  readonly accountId?: string;
  readonly principal?: string;
  readonly keyId?: string;
  readonly issuer?: string;
  readonly address?: string;
  readonly operation?: string;
  readonly object?: Readonly<Record<string, string>>;
  readonly mode?: string;
  readonly reads?: number;
  readonly writes?: number;
  readonly decision?: AuditDecision;
  readonly status?: number;
  readonly code?: string;
  readonly missing?: number;
}

export interface AuditFilter {
  readonly principal?: string;
  readonly operation?: string;
  readonly decision?: AuditDecision;
  readonly object?: string;
}

export interface AuditQuery extends AuditFilter, PageQuery {
  readonly since?: string;
  readonly until?: string;
  readonly follow?: boolean;
}

export interface AuditPage extends Page<AuditRecord> {
  readonly hasMore: boolean;
}

export interface AuditOperations {
  listAudit: Asks<never, AuditQuery, undefined, AuditPage>;
}

const SHOWN: Schema = { type: "string", minLength: 1, maxLength: 1_024 };
const RECORD = object(
  { time: TEXT },
  {
    decision: oneOf(...DECISIONS),
    operation: TEXT,
    object: { type: "object", additionalProperties: TEXT },
    account: TEXT,
    accountId: TEXT,
    principal: TEXT,
    keyId: TEXT,
    issuer: TEXT,
    address: TEXT,
    mode: TEXT,
    reads: COUNT,
    writes: COUNT,
    status: COUNT,
    code: TEXT,
    requestId: TEXT,
    missing: COUNT,
  },
);

export const AUDIT_OPERATIONS: Readonly<Record<keyof AuditOperations, ApiOperation>> = {
  listAudit: {
    method: "GET",
    template: "/audit",
    tag: "audit",
    summary: "Read the audit log of this node, newest entry first; a page may end early",
    needs: ["admin"],
    query: {
      ...PAGE,
      principal: { ...SHOWN, description: "Entries of this principal alone" },
      operation: { ...SHOWN, description: "Entries of this operation alone, such as vend" },
      decision: { ...oneOf(...DECISIONS), description: "Entries that were decided so" },
      object: {
        ...SHOWN,
        description: "Names joined by dots: entries of that, and of what is in it",
      },
      since: { ...TIME, description: "No entry before this time" },
      until: { ...TIME, description: "No entry after this time" },
      follow: {
        ...FLAG,
        description:
          "Oldest entry first, from `since`, or from now; the last page has a token, too, for " +
          "entries that come later",
      },
    },
    status: 200,
    answer: object(
      { items: listOf(RECORD), hasMore: FLAG },
      {
        nextPageToken: {
          type: "string",
          description: "Asks for the next page; absent on the last one, unless it follows",
        },
      },
    ),
  },
};
