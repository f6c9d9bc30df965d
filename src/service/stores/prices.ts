/** What a request, a unit of capacity and a stored byte cost. */
export interface Prices {
  /** Which public list these are of, and the months they stood there. They change: read it anew. */
  readonly source: string;
  readonly asOf: string;
  /** DynamoDB on demand, dollars for a million units. */
  readonly readUnits: number;
  readonly writeUnits: number;
  /** S3 Standard, dollars for a million requests: puts, lists and parts; gets and heads. */
  readonly s3Puts: number;
  readonly s3Gets: number;
  /** Dollars for a month of a gigabyte. */
  readonly dynamoStorage: number;
  readonly s3Storage: number;
}

/**
 * List prices without free tiers or discounts: DynamoDB after its on-demand units were halved in
 * November 2024. Its units and the storage of S3 are as guides of the months named quote them; the
 * others have stood there unchanged for years and were not read anew. Deletes, and what a table's
 * time to live removes, are free; so is traffic within the region.
 */
export const US_EAST_1: Prices = {
  source: "AWS list prices, us-east-1",
  asOf: "units of DynamoDB 2025-07, storage of S3 2026-03",
  readUnits: 0.125,
  writeUnits: 0.625,
  s3Puts: 5,
  s3Gets: 0.4,
  dynamoStorage: 0.25,
  s3Storage: 0.023,
};

/** Prices that a deployment may have agreed on, by their names in `Prices`. */
export const OWN_PRICES = ["readUnits", "writeUnits", "s3Puts", "s3Gets"] as const;

/** One of them, in dollars for a million. */
export interface OwnPrice {
  readonly name: (typeof OWN_PRICES)[number];
  readonly dollars: number;
}

/** The list prices, but for those that were agreed on, which the source names. */
export function pricesWith(own: readonly OwnPrice[]): Prices {
  if (own.length === 0) return US_EAST_1;
  const named = Object.fromEntries(own.map(({ name, dollars }) => [name, dollars]));
  const source = `${US_EAST_1.source}; as set: ${Object.keys(named).sort().join(", ")}`;
  return { ...US_EAST_1, ...named, source };
}

export const MILLION = 1_000_000;

const FREE: ReadonlySet<string> = new Set([
  "DeleteObject",
  "DeleteObjects",
  "AbortMultipartUpload",
]);
const READS: ReadonlySet<string> = new Set(["GetObject", "HeadObject", "HeadBucket"]);

/** Dollars of one request to S3, by the name of its operation. */
export function s3RequestDollars(prices: Prices, operation: string): number {
  if (FREE.has(operation)) return 0;
  return (READS.has(operation) ? prices.s3Gets : prices.s3Puts) / MILLION;
}

/** Dollars of units of capacity. */
export function unitDollars(
  prices: Prices,
  { readUnits, writeUnits }: { readonly readUnits: number; readonly writeUnits: number },
): number {
  return (readUnits * prices.readUnits + writeUnits * prices.writeUnits) / MILLION;
}
