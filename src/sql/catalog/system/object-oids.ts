import { sha256Bytes } from "../../../base/hash.ts";
import { TEMPORARY_RELATION } from "../../../rows/index.ts";

/**
 * OIDs of what a catalog holds. Row tables count from 100,000 on, by their relation. Everything
 * else has 30 bits of a hash of what never changes of it, above all others.
 */
export const FIRST_TABLE_OID = 100_000;
const HASHED = 0x4000_0000;
/** Temporary tables, by the number of their relation in their session. */
const TEMPORARY = 0x2000_0000;

export function tableOid(relation: number): number {
  const isTemporary = relation >= TEMPORARY_RELATION;
  return FIRST_TABLE_OID + (isTemporary ? relation - TEMPORARY_RELATION + TEMPORARY : relation);
}

/** @param parts what tells the object from all others, for as long as it exists. */
export function hashedOid(...parts: readonly (string | number)[]): number {
  const digest = Buffer.from(sha256Bytes(parts.join("\0")));
  return HASHED + (digest.readUInt32BE(0) >>> 2);
}
