import type { Asks } from "./asks.ts";
import type { ApiOperation, Schema } from "./operation.ts";
import { PRIVILEGES, type Privilege } from "./privileges.ts";
import { INFO, type Info, JOB, type Job } from "./resources.ts";
import { COUNT, FLAG, INT64, listOf, NAME, object, oneOf, TEXT, TIME } from "./schema.ts";

/** Who asks, and what that may do. */
export interface Me {
  readonly account: string;
  readonly principal: string;
  readonly privileges: readonly Privilege[];
}

/** One level of an LSM tree: level 0 first, then the sorted runs, newest first. */
export interface ShardLevel {
  readonly level: number;
  readonly tables: number;
  readonly bytes: string;
  readonly entries: string;
  readonly tombstones: string;
}

/** Which of several nodes owns a shard of row tables. */
export interface ShardOwner {
  readonly state: "OPEN" | "DRAINING" | "FREE";
  /** Of a free shard: the node that it is kept for, or empty. */
  readonly node: string;
  readonly host: string;
  /** Where other nodes reach it; empty where none can. */
  readonly url: string;
  /** When this state began. */
  readonly since: string;
  /** Whether the node that answers has the shard open; the figures are 0 where it has not. */
  readonly isHere: boolean;
}

/** An LSM tree: of the node that answers, or of row tables, whose owner may be another node. */
export interface Shard {
  readonly name: string;
  /** Of row tables. */
  readonly catalog?: string;
  /** Of row tables: the name that `WITH (shard = …)` takes; `default` is the first of a catalog. */
  readonly shard?: string;
  readonly owner?: ShardOwner;
  /** Of the owner, where there is one; else of the engine's writer. */
  readonly epoch: string;
  readonly lastSequence: string;
  readonly durableSequence: string;
  readonly memtableBytes: string;
  /** Bytes that compaction has yet to rewrite. */
  readonly compactionDebtBytes: string;
  /** Bytes of files that no state needs any more. */
  readonly obsoleteBytes: string;
  readonly levels: readonly ShardLevel[];
}

/** Requests of clients, what they asked of the stores by class, and what that costs. */
export interface UsageCounts {
  readonly requests: number;
  readonly blobReads: number;
  readonly blobWrites: number;
  readonly blobLists: number;
  readonly blobDeletes: number;
  readonly pointerReads: number;
  readonly pointerLists: number;
  readonly pointerWrites: number;
  /** By the list prices below; 0 where the stores are this machine's. */
  readonly dollars: number;
}

/** What was asked for within an hour or a day, which begins at `start`. */
export interface UsagePeriod {
  readonly start: string;
  readonly requests: number;
  /** Those of them that have written to the catalog. */
  readonly commits: number;
  readonly dollars: number;
}

/** What the account has used on this node since it was started. */
export interface Usage {
  readonly account: string;
  readonly since: string;
  /** Dollars for a million: units of DynamoDB, requests to S3. */
  readonly prices: {
    readonly source: string;
    readonly asOf: string;
    readonly readUnits: number;
    readonly writeUnits: number;
    readonly s3Puts: number;
    readonly s3Gets: number;
  };
  readonly total: UsageCounts;
  /** The last 24, oldest first; those without a request too. */
  readonly hours: readonly UsagePeriod[];
  /** The last 30, of UTC. */
  readonly days: readonly UsagePeriod[];
  readonly operations: readonly (UsageCounts & { readonly operation: string })[];
  /** The most expensive first. */
  readonly tables: readonly (UsageCounts & {
    readonly catalog: string;
    readonly namespace: string;
    readonly table: string;
  })[];
  /** Of tables that are no longer counted one by one. */
  readonly otherTables: UsageCounts;
}

/** A setting of this node. */
export interface NodeSetting {
  /** Its flag, or its variable. */
  readonly name: string;
  /** Of a secret: whether there is one. */
  readonly value: string;
  readonly given: boolean;
  readonly doc: string;
}

/** What one page shows of a node. */
export interface NodePage {
  readonly info: Info;
  readonly me: Me;
  /** For those alone who may read the metadata of the account. */
  readonly usage?: Usage;
  /** Without secrets; for administrators of the default account alone. */
  readonly settings?: readonly NodeSetting[];
}

/** One shard of a catalog; its first one without. */
export interface ShardQuery {
  readonly shard?: string;
}

export interface StatusOperations {
  getMe: Asks<never, object, undefined, Me>;
  listShards: Asks<never, object, undefined, { readonly items: readonly Shard[] }>;
  createShard: Asks<"catalog", object, { readonly name: string }, Shard>;
  dropShard: Asks<"catalog", ShardQuery, undefined, Job>;
  moveShard: Asks<"catalog", ShardQuery, undefined, Shard>;
  drainShard: Asks<"catalog", ShardQuery, undefined, Shard>;
  releaseShard: Asks<"catalog", ShardQuery, undefined, Shard>;
  getUsage: Asks<never, object, undefined, Usage>;
  getNode: Asks<never, object, undefined, NodePage>;
}

const AMOUNT: Schema = { type: "number", minimum: 0 };
const COUNTS: Readonly<Record<keyof UsageCounts, Schema>> = {
  requests: COUNT,
  blobReads: COUNT,
  blobWrites: COUNT,
  blobLists: COUNT,
  blobDeletes: COUNT,
  pointerReads: COUNT,
  pointerLists: COUNT,
  pointerWrites: COUNT,
  dollars: AMOUNT,
};

const ME: Schema = object({
  account: TEXT,
  principal: TEXT,
  privileges: listOf(oneOf(...PRIVILEGES)),
});

const SHARD: Schema = object(
  {
    name: NAME,
    epoch: INT64,
    lastSequence: INT64,
    durableSequence: INT64,
    memtableBytes: INT64,
    compactionDebtBytes: INT64,
    obsoleteBytes: INT64,
    levels: listOf(
      object({ level: COUNT, tables: COUNT, bytes: INT64, entries: INT64, tombstones: INT64 }),
    ),
  },
  {
    catalog: NAME,
    shard: NAME,
    owner: object({
      state: oneOf("OPEN", "DRAINING", "FREE"),
      node: TEXT,
      host: TEXT,
      url: TEXT,
      since: TIME,
      isHere: { type: "boolean" },
    }),
  },
);

export const USAGE_PERIOD: Schema = object({
  start: TIME,
  requests: COUNT,
  commits: COUNT,
  dollars: AMOUNT,
});

const USAGE: Schema = object({
  account: TEXT,
  since: TIME,
  prices: object({
    source: TEXT,
    asOf: TEXT,
    readUnits: AMOUNT,
    writeUnits: AMOUNT,
    s3Puts: AMOUNT,
    s3Gets: AMOUNT,
  }),
  total: object(COUNTS),
  hours: listOf(USAGE_PERIOD),
  days: listOf(USAGE_PERIOD),
  operations: listOf(object({ operation: TEXT, ...COUNTS })),
  tables: listOf(object({ catalog: TEXT, namespace: TEXT, table: TEXT, ...COUNTS })),
  otherTables: object(COUNTS),
});

export const STATUS_OPERATIONS: Readonly<Record<keyof StatusOperations, ApiOperation>> = {
  getMe: {
    method: "GET",
    template: "/me",
    tag: "node",
    summary: "Get the account, principal and privileges of the caller",
    needs: ["see"],
    status: 200,
    answer: ME,
  },
  listShards: {
    method: "GET",
    template: "/shards",
    tag: "node",
    summary: "List LSM trees: those of this node with their levels, and who owns row shards",
    needs: ["read-metadata"],
    status: 200,
    answer: object({ items: listOf(SHARD) }),
  },
  createShard: {
    method: "POST",
    template: "/shards/{catalog}:create",
    tag: "node",
    summary: "Make another row shard in a catalog, for tables that name it",
    needs: ["admin"],
    body: object({ name: NAME }),
    status: 201,
    answer: SHARD,
  },
  dropShard: {
    method: "DELETE",
    template: "/shards/{catalog}",
    tag: "node",
    summary: "Delete an empty row shard of a catalog, but for its first one",
    needs: ["admin"],
    query: { shard: NAME },
    status: 202,
    answer: JOB,
  },
  moveShard: {
    method: "POST",
    template: "/shards/{catalog}:move",
    tag: "node",
    summary: "Move a row shard of a catalog to the node that answers",
    needs: ["admin"],
    query: { shard: NAME },
    status: 200,
    answer: SHARD,
  },
  drainShard: {
    method: "POST",
    template: "/shards/{catalog}:drain",
    tag: "node",
    summary: "Flush a row shard of a catalog and free it, for the next node that needs it",
    needs: ["admin"],
    query: { shard: NAME },
    status: 200,
    answer: SHARD,
  },
  releaseShard: {
    method: "POST",
    template: "/shards/{catalog}:release",
    tag: "node",
    summary: "Free a row shard of a catalog whose owner is gone",
    needs: ["admin"],
    query: { shard: NAME },
    status: 200,
    answer: SHARD,
  },
  getUsage: {
    method: "GET",
    template: "/usage",
    tag: "node",
    summary: "Get what the account has used on this node, by operation and by table",
    needs: ["read-metadata"],
    status: 200,
    answer: USAGE,
  },
  getNode: {
    method: "GET",
    template: "/node",
    tag: "node",
    summary: "Get this node: its version, settings and usage, as far as the caller may know them",
    needs: ["see"],
    status: 200,
    answer: object(
      { info: INFO, me: ME },
      {
        usage: USAGE,
        settings: listOf(object({ name: TEXT, value: TEXT, given: FLAG, doc: TEXT })),
      },
    ),
  },
};
