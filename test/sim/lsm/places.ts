import type { Sites } from "../harness/coverage.ts";
import { DISK_SITES } from "../harness/disk-faults.ts";
import type { BlobPlaces, StoreFault } from "../harness/faults.ts";
import { SUBRANGE_FAULTS, SUBRANGES } from "./sim-merger.ts";

const READ: readonly StoreFault[] = ["refused", "stalled", "stalledBeyond"];
const WRITE: readonly StoreFault[] = ["notSent", "answerLost", "late", "duplicated", ...READ];

/**
 * Half a log object or manifest is damage, which no store that keeps its contract does, and which
 * the engine refuses; of a table, half may be left by whoever ends while it streams.
 */
const BLOB_SITES: Readonly<Record<string, readonly StoreFault[]>> = {
  "wal read": READ,
  "wal list": [...READ, "stale"],
  "wal write": WRITE,
  "wal delete": WRITE,
  "manifest read": READ,
  "manifest list": [...READ, "stale"],
  "manifest write": WRITE,
  "manifest delete": WRITE,
  "boundary list": READ,
  "boundary read": READ,
  "boundary write": WRITE,
  "table list": [...READ, "stale"],
  "table delete": WRITE,
  "table read": READ,
  "table write": [...WRITE, "torn"],
  "value list": [...READ, "stale"],
  "value delete": WRITE,
  "value read": READ,
  "value write": WRITE,
};

/** What happens once in some seeds: what is old enough is released, or collected. */
const WEIGHTS: Readonly<Record<string, number>> = { "wal delete": 8, "boundary write": 8 };

export const LSM_SITES: Sites = {
  ...BLOB_SITES,
  ...DISK_SITES,
  process: ["crash", "powerCut", "clockJump", "freeze", "sleep"],
  [SUBRANGES]: SUBRANGE_FAULTS,
};

const FOLDERS: readonly (readonly [folder: string, name: string])[] = [
  ["wal/", "wal"],
  ["manifest/", "manifest"],
  ["gc/", "boundary"],
  ["sst/", "table"],
  ["values/", "value"],
];

/** Where the clones of the shard lie, each below a name of its own. */
export const CLONE_OF: RegExp = /^clones\/[^/]+\//;

/** By kind of file and of call. */
export const lsmPlaces: BlobPlaces = (method, at) => {
  const path = at.replace(CLONE_OF, "");
  const name = FOLDERS.find(([folder]) => path.startsWith(folder))?.[1] ?? "other";
  const site = `${name} ${verbOf(method)}`;
  return { site, faults: BLOB_SITES[site] ?? [], weight: WEIGHTS[site] ?? 1 };
};

function verbOf(method: Parameters<BlobPlaces>[0]): string {
  switch (method) {
    case "get":
    case "getRange":
    case "getSuffix":
    case "head":
      return "read";
    case "list":
      return "list";
    case "put":
    case "putStream":
      return "write";
    case "delete":
    case "deleteMany":
      return "delete";
  }
}
