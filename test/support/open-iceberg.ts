import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { JsonValue } from "../../src/base/json.ts";
import { createMetrics, type Metrics } from "../../src/base/metrics.ts";
import { type LocationScheme, Locations } from "../../src/blob/locations.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import type { AccountStores } from "../../src/catalog/accounts.ts";
import { OWN_ACTOR } from "../../src/service/actor.ts";
import { type CatalogNode, type NodeParts, openNode } from "../../src/service/node.ts";
import type { CommitTable } from "../../src/service/requests.ts";
import { testStores } from "./open-catalog.ts";

/** One node of the service over some stores, with catalog `c` in a directory of its own. */
export interface TestIceberg extends Omit<CatalogNode, "jobs" | "close"> {
  readonly locations: Locations;
  readonly metrics: Metrics;
  /** Not started: a test says when it looks. */
  readonly runner: CatalogNode["jobs"];
  /** The warehouse as a path; its URI is `file://` and this. */
  readonly directory: string;
}

/** A directory that goes with the test. */
export function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "firn-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Opens a node. A second node over the same stores and directory sees what the first one made. */
export async function openTestIceberg(
  stores: AccountStores = testStores(),
  directory: string = scratchDirectory(),
  more: Pick<
    NodeParts,
    "reading" | "onUnreadable" | "openRowShard" | "removeRowShard" | "writesAlone"
  > = {},
): Promise<TestIceberg> {
  const { clock, prng } = stores;
  const root = `file://${directory}`;
  const locations = new Locations({ allowedRoots: [root], clock, prng, durable: false });
  return { ...(await openOver(stores, locations, root, more)), directory };
}

/**
 * Opens a node whose metadata files lie in a blob store too, so that nothing touches a disk.
 * `unwatched`: as in a bucket, they are taken to stay.
 */
export async function openInMemory(
  stores: AccountStores,
  files: BlobStore,
  {
    unwatched = false,
    ...more
  }: Pick<NodeParts, "pointersExpire" | "gc"> & {
    readonly unwatched?: boolean;
    /** Made where it is absent; absent: `c`. */
    readonly catalog?: string;
  } = {},
): Promise<Omit<TestIceberg, "directory">> {
  const { clock, prng } = stores;
  const root = "mem://w";
  const scheme: LocationScheme = {
    normalize: (uri) => uri.replace(/(?<!\/)\/+$/, ""),
    open: (at) => ({
      store: files,
      unwatched,
      pathOf: (location) => location.slice(at.length + 1),
    }),
  };
  const schemes = new Map([["mem", scheme]]);
  const locations = new Locations({ allowedRoots: [root], clock, prng, schemes });
  return openOver(stores, locations, root, more);
}

async function openOver(
  stores: AccountStores,
  locations: Locations,
  root: string,
  {
    catalog = "c",
    ...more
  }: Omit<Partial<NodeParts>, "stores" | "locations"> & { readonly catalog?: string } = {},
): Promise<Omit<TestIceberg, "directory">> {
  const metrics = createMetrics();
  const secret = new Uint8Array(32);
  const parts = { stores, locations, metrics, secret, warehouse: root, sharedRoots: [], ...more };
  const { jobs: runner, ...node } = await openNode(parts);
  await node.catalogs.ensure(OWN_ACTOR, catalog, catalog === "c" ? root : `${root}-${catalog}`);
  return { ...node, runner, metrics, locations };
}

/** A commit as it arrives. */
export function commitOf(updates: JsonValue, requirements: JsonValue = []): CommitTable {
  return { requirements, updates };
}

/** A schema of one column. */
export const SCHEMA = {
  type: "struct",
  fields: [{ id: 1, name: "id", type: "long", required: false }],
} as const;

/** Content of a view named `v` over no table. */
export const VIEW = {
  name: "v",
  schema: SCHEMA as typeof SCHEMA,
  version: {
    "version-id": 1,
    "schema-id": 0,
    "timestamp-ms": 1_700_000_000_000,
    summary: {},
    "default-namespace": ["a"],
    representations: [{ type: "sql", sql: "select 1", dialect: "spark" }],
  },
  properties: {},
} as const;
