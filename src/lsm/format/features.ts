import { FirnError } from "../../base/error.ts";
import type { FileKind } from "./corrupt.ts";

/** The version of every format in this folder; a byte layout that changes is a new one. */
export const FORMAT_VERSION = 1;

/*
 * Every file says in two sets of 32 bits what it uses. Required features are those without which it
 * would be read wrong: an unknown one refuses the file. Optional ones are passed over.
 *
 *   file      required                                   optional
 *   sst       1 merge operands, 2 range tombstones,      1 prefix filter
 *             4 expiry, 8 values apart, 16 lz4,
 *             512 filters in parts
 *   manifest  those of all of its tables;                none yet
 *             32 clones: tables that lie with another
 *             shard, or a state that is kept for one
 *             64 the shard is deleted
 *             128 ingested tables: their entries
 *             have the sequence of the description
 *             256 a compaction under way: tables of
 *             which keys below a bound are not read
 *   boundary  none yet                                   none yet
 *
 * Those that `KNOWN` lacks have their place in the bytes, but nothing writes or reads them yet.
 */

/** Required features, as bits. */
export const MERGES = 1;
export const RANGES = 2;
export const EXPIRY = 4;
/** Who does not know it would answer references for values, and delete what they refer to. */
export const VALUES_APART = 8;
/** Who does not know it would delete what another shard reads, or look for tables in vain. */
export const CLONES = 32;
/** Who does not know it would take what is left for an empty shard, and write to it. */
export const DELETED = 64;
/** Who does not know it would read entries of an ingested table under sequences of the past. */
export const INGESTED = 128;
/** Who does not know it would read, and compact again, what a compaction has taken already. */
export const UNFINISHED = 256;
/** Who does not know it would take a filter for the beginning of an index. */
export const FILTER_PARTS = 512;
/** The one optional feature. */
export const PREFIX_FILTER = 1;
const OF_TABLES = MERGES | RANGES | EXPIRY | VALUES_APART | FILTER_PARTS;

const KNOWN: Readonly<Record<FileKind, number>> = {
  sst: OF_TABLES,
  manifest: OF_TABLES | CLONES | DELETED | INGESTED | UNFINISHED,
  boundary: 0,
};

/**
 * Refuses what this version cannot read right. `Unavailable`, because another, newer node can:
 * nothing is wrong with the file or the request.
 *
 * @throws FirnError `Unavailable`, code `LSM_FORMAT_UNSUPPORTED`.
 */
export function assertReadable(file: FileKind, version: number, required: number): void {
  const unknown = required & ~KNOWN[file];
  if (version === FORMAT_VERSION && unknown === 0) return;
  throw new FirnError(
    "Unavailable",
    "LSM_FORMAT_UNSUPPORTED",
    "the file was written by a newer version: upgrade Firn",
    {
      file,
      version,
      features: unknown >>> 0,
    },
  );
}
