import type { Clock } from "../../base/clock.ts";
import type { IdSource } from "../../base/ids.ts";
import type { Prng } from "../../base/prng.ts";
import type { BlobStore } from "../../blob/port.ts";
import type { PointerStore } from "../../pointer/port.ts";
import type { RowEngines } from "./rows.ts";

/** The stores that are backed up, and where to. */
export interface BackupParts {
  readonly pointers: PointerStore;
  /** Without a cache. */
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly ids: IdSource;
  readonly target: BlobStore;
  /** Where what does not fit the memory is sorted. Empty. */
  readonly scratch: BlobStore;
  readonly historyRetentionMs: number;
  /** Absent: the profile has no row tables. */
  readonly rows?: RowEngines | undefined;
}
