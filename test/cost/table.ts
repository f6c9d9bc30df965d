import type { Cost, Kept } from "./measure.ts";
import type { CostOperation } from "./operations.ts";

const reads = (readUnits: number, dynamo: Cost["dynamo"], s3: Cost["s3"] = {}): Cost => ({
  dynamo,
  readUnits,
  writeUnits: 0,
  s3,
});
const writes = (
  readUnits: number,
  writeUnits: number,
  dynamo: Cost["dynamo"],
  puts: number,
): Cost => ({ dynamo, readUnits, writeUnits, s3: { PutObject: puts } });

/**
 * What each operation costs on profile `aws`, where names and metadata are at hand: a test measures
 * it, `docs/cost.md` is made of it.
 */
export const COSTS: Readonly<Record<CostOperation, Cost>> = {
  "load table, warm": reads(3, { BatchGetItem: 1 }),
  "load table, cold": reads(5, { BatchGetItem: 1, GetItem: 2 }, { GetObject: 1 }),
  "commit one table, one new snapshot": writes(
    3,
    8,
    { BatchGetItem: 1, PutItem: 2, TransactWriteItems: 1 },
    3,
  ),
  "the same, under an Idempotency-Key": writes(
    4,
    8,
    { BatchGetItem: 1, GetItem: 1, PutItem: 2, TransactWriteItems: 1 },
    3,
  ),
  "create table": writes(5, 22, { BatchGetItem: 1, TransactWriteItems: 1 }, 2),
  "create table, staged": writes(
    13,
    25,
    { BatchGetItem: 2, GetItem: 1, PutItem: 1, Query: 2, TransactWriteItems: 1 },
    2,
  ),
  "rename table": writes(11, 18, { BatchGetItem: 3, TransactWriteItems: 1 }, 1),
  "drop table": writes(10, 18, { BatchGetItem: 2, GetItem: 1, TransactWriteItems: 1 }, 1),
  "purge table without data, of 1,000": {
    dynamo: { BatchGetItem: 5, GetItem: 6, PutItem: 16, Query: 16, TransactWriteItems: 2 },
    readUnits: 43,
    writeUnits: 44,
    s3: { DeleteObjects: 3, GetObject: 7, PutObject: 1 },
  },
  "create namespace": writes(6, 26, { BatchGetItem: 2, TransactWriteItems: 1 }, 1),
  "list 1,000 tables": reads(77, { BatchGetItem: 1, Query: 2 }),
  "transaction over 10 tables": writes(
    12,
    46,
    { BatchGetItem: 1, PutItem: 20, TransactWriteItems: 1 },
    30,
  ),
  "idle node, a month": reads(0, {}),
  "one look for due jobs": reads(4, { Query: 4 }),
};

/** How many appends a minute a month is told for, and how many of each are measured. */
export const RATES: readonly (readonly [aMinute: number, measured: number])[] = [
  [1, 10],
  [100, 40],
  [10_000, 200],
];

/** Requests to S3 of profile `bucket`, of one append after one load, at each of `RATES`. */
export const BUCKET: readonly Cost["s3"][] = [
  { PutObject: 5, GetObject: 0.9 },
  { PutObject: 5, GetObject: 0.25 },
  { PutObject: 3.42, GetObject: 0.01 },
];

/** Requests to S3 of a node of profile `bucket` that nobody uses for a day. */
export const BUCKET_IDLE: Cost["s3"] = {};

/** Bytes that an append leaves, to the next hundred: its metadata file aside. */
export const KEPT: Kept = { dynamo: 1_800, s3: 500 };
