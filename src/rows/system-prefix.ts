import { encodeTablePrefix } from "../keys/index.ts";
import { ROW_SPACE } from "./key-codec.ts";

/**
 * The relations of a shard that hold what it knows of its tables. Stored: a number keeps its
 * meaning for good. Tables begin at `FIRST_RELATION`.
 */
const SYSTEM_RELATIONS = {
  descriptors: 1,
  counters: 2,
  sequences: 3,
  unpublished: 4,
  objects: 5,
  indexBuilds: 6,
} as const;

/** What the keys of one index of such a relation begin with. */
export function systemPrefix(of: keyof typeof SYSTEM_RELATIONS, index = 0): Uint8Array {
  return encodeTablePrefix({ space: ROW_SPACE, relation: SYSTEM_RELATIONS[of], index });
}
