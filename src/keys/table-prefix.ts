import { invalid } from "../base/error.ts";
import { malformed } from "./errors.ts";
import { type KeyRange, rangeOfPrefix } from "./prefix.ts";

/*
 * The first 7 bytes of every key of a row table, highest byte first:
 *
 *   bytes  what
 *   1      space: what kind of key it is
 *   4      relation: a dense number, new for each incarnation of a table
 *   2      index: 0 the rows, the others its indexes
 *
 * All prefixes have one length, so one prefix filter serves all tables. Relations below 16 belong
 * to the system.
 *
 *   space  relation  index  bytes
 *   1      16        0      01000000100000
 *   1      70000     3      01000111700003
 */

export const TABLE_PREFIX_BYTES = 7;
/** The first relation that a table may have. */
export const FIRST_RELATION = 16;

/** Where the keys of one index of one table lie. */
export interface TablePrefix {
  readonly space: number;
  readonly relation: number;
  readonly index: number;
}

/** @throws FirnError `Invalid` `KEY_PREFIX_INVALID`. */
export function encodeTablePrefix({ space, relation, index }: TablePrefix): Uint8Array {
  const prefix = Buffer.alloc(TABLE_PREFIX_BYTES);
  prefix.writeUInt8(checked("space", space, 0xff), 0);
  prefix.writeUInt32BE(checked("relation", relation, 0xffff_ffff), 1);
  prefix.writeUInt16BE(checked("index", index, 0xffff), 5);
  return prefix;
}

/** @throws FirnError `Corrupt` `KEY_MALFORMED`. */
export function decodeTablePrefix(key: Uint8Array): TablePrefix {
  if (key.length < TABLE_PREFIX_BYTES) throw malformed("shorter than its prefix", 0);
  const bytes = Buffer.from(key.buffer, key.byteOffset, TABLE_PREFIX_BYTES);
  return {
    space: bytes.readUInt8(0),
    relation: bytes.readUInt32BE(1),
    index: bytes.readUInt16BE(5),
  };
}

/** All keys of a table, rows and indexes: one range delete drops it. */
export function rangeOfRelation(space: number, relation: number): KeyRange {
  return rangeOfPrefix(encodeTablePrefix({ space, relation, index: 0 }).subarray(0, 5));
}

function checked(name: string, value: number, most: number): number {
  if (Number.isInteger(value) && value >= 0 && value <= most) return value;
  throw invalid("KEY_PREFIX_INVALID", `${name} must be a whole number from 0 to ${most}`, {
    [name]: value,
  });
}
