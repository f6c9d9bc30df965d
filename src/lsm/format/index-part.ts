import { assert } from "../../base/assert.ts";
import { BloomFilter } from "./bloom.ts";
import { corrupt } from "./corrupt.ts";
import { type IndexBlock, readIndexBlock } from "./index-block.ts";
import { readU32, writeU32 } from "./varint.ts";

/*
 * Content of a part of an index, where the table has filters in parts (`filterParts` of the
 * statistics): the filter of a stretch of keys and the index of the data blocks that they lie in,
 * so that one request brings both. Where it has none, the content is the index alone.
 *
 *   bytes  what
 *   4      bytes of the filter
 *   n      a Bloom filter (`bloom.ts`) of each key of these blocks: a key whose versions go on in
 *          the next part is in the filters of both
 *   n      an index of level 0 (`index-block.ts`)
 *
 * Integers have their lowest byte first.
 *
 * Example: the filter of "a" and "b", and the index of two blocks up to "b" and "ca", 34 bytes:
 *
 *   10000000
 *   01 07 0000 40000000 480091040308a230
 *   00 02 00 00 01 00 ac02 62 00 02 00 2d 6361
 */

const HEAD_BYTES = 4;

export function encodeIndexPart(filter: Uint8Array, index: Uint8Array): Uint8Array {
  assert(filter.length > 0 && index.length > 0, "a part has an index and a filter");
  const out = new Uint8Array(HEAD_BYTES + filter.length + index.length);
  writeU32(out, 0, filter.length);
  out.set(filter, HEAD_BYTES);
  out.set(index, HEAD_BYTES + filter.length);
  return out;
}

/**
 * @param name in errors.
 * @throws FirnError `Corrupt`, code `LSM_FILE_CORRUPT`.
 */
export function readIndexPart(content: Uint8Array, name: string, hasFilter: boolean): IndexBlock {
  if (!hasFilter) return readIndexBlock(content, name, { level: 0 });
  const end = content.length < HEAD_BYTES ? 0 : HEAD_BYTES + readU32(content, 0);
  if (end < HEAD_BYTES || end > content.length)
    throw corrupt("sst", name, 0, "filter ends outside");
  const filter = new BloomFilter(content.subarray(HEAD_BYTES, end));
  return readIndexBlock(content.subarray(end), name, { level: 0 }, filter);
}
