import { createHash } from "node:crypto";
import { bytesEqual } from "../base/bytes.ts";
import { sha256Bytes, sha256OfPieces } from "../base/hash.ts";
import { decodeTablePrefix, encodeTablePrefix, TABLE_PREFIX_BYTES } from "../keys/index.ts";
import type { Maybe } from "../lsm/index.ts";
import { corruptRow } from "./errors.ts";
import { uint4 } from "./row-layout.ts";

/*
 * A value of more than 32 KiB stands beside its row, in entries that have it alone: a scan that
 * does not want it does not pass it, and an update of other columns does not write it again. In
 * the row is a reference:
 *
 *   4    length of the value, lowest byte first
 *   32   its SHA-256
 *
 * The value is cut into pieces of 1 MiB, of which the last may be shorter: so much is hashed,
 * compressed and sent in one turn. The key of a piece, highest byte first, has the index number
 * that no index gets:
 *
 *   7    prefix of the table's keys (`table-prefix.ts`), with index 65535
 *   2    id of the column
 *   …    the row's key behind its prefix: 00 is 00 ff, and 00 01 ends it, so that the order is that
 *        of the rows also where one key begins with another
 *   2    number of the piece, from 0
 *
 * The entry of a piece:
 *
 *   1    format: 1
 *   1    where the piece is: 0 here; others refuse it
 *   32   SHA-256 of the whole value
 *   …    the piece; all of them are the value as it would stand in the row (`value-writer.ts`)
 *
 * Pieces are put and deleted in the transaction that writes their row, so each state of the shard
 * has the pieces of its rows and no others. A reference and a piece that differ are of two states.
 *
 * Example: relation 16, column 5, a row whose key ends with 80000001, the value of the one byte 68:
 *
 *   01 00 00 00 10 ff ff 00 05 80 00 ff 00 ff 01 00 01 00 00
 *   01 00 aa a9 40 26 64 f1 a4 1f 40 eb bc 52 c9 99 3e b6
 *   6a eb 36 66 02 95 8f df aa 28 3b 71 e6 4d b1 23 68
 */

/** The longest value that stands in its row. */
export const APART_BYTES: number = 32 * 1_024;
/** The index number of these entries. */
export const APART_INDEX = 0xffff;
/** The longest value: what the engine takes as one, whatever the pieces are. */
export const MOST_APART_BYTES = 16_777_216;
/** All pieces but the last have so many bytes. */
export const PIECE_BYTES = 1_048_576;
const SHA_BYTES = 32;
export const REFERENCE_BYTES: number = 4 + SHA_BYTES;
const FORMAT = 1;
const HERE = 0;
const HEAD_BYTES = 2 + SHA_BYTES;
const COLUMN_BYTES = 2;
const PIECE_NUMBER_BYTES = 2;
/** Behind a byte 00 of a row's key, and behind all of it. */
const ESCAPED = 0xff;
const END = 0x0001;
const END_BYTES = 2;
/** Of a piece's key, beyond those of its row's. */
const OWN_BYTES: number = COLUMN_BYTES + END_BYTES + PIECE_NUMBER_BYTES;
const MOST_KEY_BYTES = 0xffff;

/** What reads pieces: of the state that the rows are of. */
export interface ApartHost {
  readonly getMany: (keys: readonly Uint8Array[]) => Maybe<readonly (Uint8Array | undefined)[]>;
}

/** A value that is stored beside its row. */
export interface ApartValue {
  readonly columnId: number;
  readonly reference: Uint8Array;
  readonly bytes: Uint8Array;
  /** The entries of its pieces, where they are made already: then it has no bytes. */
  readonly entries?: readonly Uint8Array[];
}

/** A row's reference to a value that is stored apart. */
export interface Reference {
  readonly columnId: number;
  readonly reference: Uint8Array;
}

export function referenceTo(value: Uint8Array): Uint8Array {
  return referenceOf(value.length, sha256Bytes(value));
}

/** The same by the length and the SHA-256 of a value. */
export function referenceOf(length: number, sha: Uint8Array): Uint8Array {
  const reference = Buffer.alloc(REFERENCE_BYTES);
  reference.writeUInt32LE(length, 0);
  reference.set(sha, 4);
  return reference;
}

/** As `referenceTo`, of a value that lies in pieces. */
export function referenceOfPieces(pieces: readonly Uint8Array[]): Uint8Array {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return referenceOf(length, sha256OfPieces(pieces));
}

/** How long the value of a reference is. */
export function lengthOf(reference: Uint8Array): number {
  return uint4(reference, 0);
}

export function piecesOf(reference: Uint8Array): number {
  return Math.ceil(lengthOf(reference) / PIECE_BYTES);
}

/** Whether pieces of a row's values have room in a key: else its values stand in the row. */
export function mayBeApart(rowKey: Uint8Array): boolean {
  // Each byte may have to be two.
  if (2 * rowKey.length + OWN_BYTES <= MOST_KEY_BYTES) return true;
  return rowKey.length + zerosIn(rowKey) + OWN_BYTES <= MOST_KEY_BYTES;
}

function zerosIn(rowKey: Uint8Array): number {
  let zeros = 0;
  for (let at = TABLE_PREFIX_BYTES; at < rowKey.length; at++) if (rowKey[at] === 0) zeros++;
  return zeros;
}

/** What the keys of a column's pieces begin with. @param rowKey any key of the table. */
export function columnPrefix(rowKey: Uint8Array, columnId: number): Uint8Array {
  const { space, relation } = decodeTablePrefix(rowKey);
  const key = Buffer.alloc(TABLE_PREFIX_BYTES + COLUMN_BYTES);
  key.set(encodeTablePrefix({ space, relation, index: APART_INDEX }));
  key.writeUInt16BE(columnId, TABLE_PREFIX_BYTES);
  return key;
}

/**
 * What the keys of the pieces of a row's value begin with: in the order of the rows.
 *
 * @param rowKey a key of a row, or a bound of such keys.
 */
export function apartPrefix(rowKey: Uint8Array, columnId: number): Uint8Array {
  return pieceKey(rowKey, columnId, 0).subarray(0, -PIECE_NUMBER_BYTES);
}

export function pieceKey(rowKey: Uint8Array, columnId: number, piece: number): Uint8Array {
  const key = Buffer.alloc(rowKey.length + zerosIn(rowKey) + OWN_BYTES);
  key.set(columnPrefix(rowKey, columnId));
  let end = TABLE_PREFIX_BYTES + COLUMN_BYTES;
  for (let at = TABLE_PREFIX_BYTES; at < rowKey.length; at++) {
    const byte = rowKey[at] as number;
    key[end++] = byte;
    if (byte === 0) key[end++] = ESCAPED;
  }
  key.writeUInt16BE(END, end);
  key.writeUInt16BE(piece, end + END_BYTES);
  return key;
}

/** The column of a piece, by its key. */
export function columnIdOf(key: Uint8Array): number {
  return ((key[TABLE_PREFIX_BYTES] ?? 0) << 8) | (key[TABLE_PREFIX_BYTES + 1] ?? 0);
}

/** The key of the row that a piece is of; undefined for a key of something else. */
export function rowKeyOf(key: Uint8Array): Uint8Array | undefined {
  if (key.length < TABLE_PREFIX_BYTES + OWN_BYTES) return undefined;
  const { space, relation, index } = decodeTablePrefix(key);
  if (index !== APART_INDEX) return undefined;
  const rest: number[] = [];
  const end = key.length - PIECE_NUMBER_BYTES - END_BYTES;
  for (let at = TABLE_PREFIX_BYTES + COLUMN_BYTES; at < end; at++) {
    rest.push(key[at] as number);
    if (key[at] === 0) at++;
  }
  return Buffer.concat([encodeTablePrefix({ space, relation, index: 0 }), Buffer.from(rest)]);
}

export function pieceEntry(value: ApartValue, piece: number): Uint8Array {
  const { reference, bytes, entries } = value;
  if (entries !== undefined) return entries[piece] as Uint8Array;
  const part = bytes.subarray(piece * PIECE_BYTES, (piece + 1) * PIECE_BYTES);
  const entry = Buffer.allocUnsafeSlow(HEAD_BYTES + part.length);
  entry[0] = FORMAT;
  entry[1] = HERE;
  entry.set(reference.subarray(4), 2);
  entry.set(part, HEAD_BYTES);
  return entry;
}

/** The pieces of one value, made as its bytes come. */
export class PieceEntries {
  readonly #entries: Uint8Array[] = [];
  readonly #digest = createHash("sha256");
  #length = 0;

  add(bytes: Uint8Array): void {
    this.#digest.update(bytes);
    for (let from = 0; from < bytes.length; ) {
      const at = this.#length % PIECE_BYTES;
      if (at === 0) this.#entries.push(Buffer.allocUnsafeSlow(HEAD_BYTES + PIECE_BYTES));
      const part = bytes.subarray(from, from + PIECE_BYTES - at);
      this.#entries.at(-1)?.set(part, HEAD_BYTES + at);
      this.#length += part.length;
      from += part.length;
    }
  }

  /** The value and its entries; nothing is added behind it. */
  end(): { readonly reference: Uint8Array; readonly entries: readonly Uint8Array[] } {
    const reference = referenceOf(this.#length, this.#digest.digest());
    const last = this.#entries.length - 1;
    const entries = this.#entries.map((entry, i) => {
      entry[0] = FORMAT;
      entry[1] = HERE;
      entry.set(reference.subarray(4), 2);
      return i < last
        ? entry
        : new Uint8Array(entry.subarray(0, HEAD_BYTES + this.#length - last * PIECE_BYTES));
    });
    return { reference, entries };
  }
}

/**
 * The piece that an entry has of the value that a row refers to.
 *
 * @throws FirnError `Corrupt`, code `ROW_CORRUPT`: there is none, or it is of another value.
 */
export function pieceOf(
  entry: Uint8Array | undefined,
  reference: Uint8Array,
  piece: number,
): Uint8Array {
  if (entry === undefined) throw corruptRow("a value that is stored apart is missing");
  if (entry[0] !== FORMAT || entry[1] !== HERE) {
    throw corruptRow("unknown format of a value that is stored apart", { format: entry[0] ?? 0 });
  }
  const length = Math.min(PIECE_BYTES, lengthOf(reference) - piece * PIECE_BYTES);
  const isOf =
    entry.length === HEAD_BYTES + length &&
    bytesEqual(entry.subarray(2, HEAD_BYTES), reference.subarray(4));
  if (!isOf) throw corruptRow("a value that is stored apart is another one");
  return entry.subarray(HEAD_BYTES);
}
