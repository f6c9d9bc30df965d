import { FirnError } from "../../base/error.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Locations } from "../../blob/locations.ts";
import type { BlobStore } from "../../blob/port.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import type { TableMetadata } from "../../iceberg/model.ts";
import type { ViewMetadata } from "../../iceberg/view-metadata.ts";
import type { MetadataFiles } from "../metadata-files.ts";
import type { TableLocations } from "../table-locations.ts";
import type { GarbageKind, GarbageReport } from "./report.ts";

/** A store for what a run sorts, gone with it. */
export interface Scratch {
  readonly store: BlobStore;
  close(): Promise<void>;
}

/** Works with scratch space, which goes with it. */
export async function withScratch<T>(
  open: () => Promise<Scratch>,
  work: (scratch: BlobStore) => Promise<T>,
): Promise<T> {
  const { store, close } = await open();
  try {
    return await work(store);
  } finally {
    await close();
  }
}

/** Told of every batch that was deleted. */
export type OnGarbageDeleted = (facts: {
  readonly run: string;
  readonly kind: GarbageKind;
  readonly paths: readonly string[];
  readonly bytes: number;
}) => void;

/** Told of a run that stopped, and why: it deletes nothing more. */
export type OnGcStopped = (facts: {
  readonly run: string;
  readonly code: string;
  readonly message: string;
}) => void;

/** Told of a run that has come to its end. */
export type OnGcDone = (facts: { readonly run: string; readonly report: GarbageReport }) => void;

export interface GcSettings {
  /** Milliseconds; absent: those of `LIMITS`. */
  readonly historyRetentionMs?: number | undefined;
  readonly gcGraceMs?: number | undefined;
}

/** What a collection works with. */
export interface GcParts {
  readonly catalog: AccountCatalog;
  /** The payloads of the account lie here, without a cache before them. */
  readonly blobs: BlobStore;
  readonly locations: Locations;
  readonly files: MetadataFiles<TableMetadata>;
  readonly viewFiles: MetadataFiles<ViewMetadata>;
  readonly places: TableLocations;
  readonly metrics: Metrics;
  readonly scratch: () => Promise<Scratch>;
  /** The store removes receipts without a client's key by itself. */
  readonly expires: boolean;
  readonly settings: GcSettings;
  readonly onDeleted?: OnGarbageDeleted | undefined;
  readonly onStopped?: OnGcStopped | undefined;
  readonly onDone?: OnGcDone | undefined;
}

/** What must not be guessed at: the run ends here, and says so. */
export function stopped(message: string, facts: Record<string, string>): FirnError {
  return new FirnError("Corrupt", "GC_STOPPED", `garbage collection stopped: ${message}`, facts);
}

/** A run that is to go on elsewhere, or later: it starts its step anew. */
export class Interrupted extends Error {}

/** The hold of a run on its job. A dry run holds none. */
export interface RunLease {
  /** Holds the lease. @throws Interrupted; FirnError `JOB_LEASE_LOST`. */
  keep(): Promise<void>;
  /** Before what no batch can fence. @throws FirnError `JOB_LEASE_LOST`. */
  assertHeld(): void;
}
