/*
 * A row's value, lowest byte first. The columns of its primary key are in its key, and here only
 * where the key's form loses something of them.
 *
 *   bytes       what
 *   1           format: 1
 *   1           flags: 1 wide · 2 updated-at · 4 command · 8 row version · 16 values apart; others
 *               refuse the row
 *   2           n, the number of columns
 *   4           schema version that wrote it
 *   4           owner: of the account and the table, compared on every read
 *   [6]         updated-at, ms since the epoch
 *   [16]        id of the command that wrote it
 *   [6]         row version
 *   n or 2n     column ids, ascending; 2 bytes each where it is wide
 *   (n + 7)/8   null set: bit i of byte i/8 is column i's
 *   [(n + 7)/8] the same of the values that are stored apart (`apart-format.ts`)
 *   2n or 4n    where each value ends, counted from the first; 4 bytes where it is wide
 *   …           values (`value-writer.ts`); a NULL has no bytes
 *
 * Wide: more than 65,535 bytes of values, or an id above 255. A reader skips ids that it does not
 * know; a column that is missing has its default.
 *
 * Example: schema version 3, owner 7; column 2, int4 5; column 3, text "hi"; column 4, NULL:
 *
 *   01 00 03 00 03 00 00 00 07 00 00 00
 *   02 03 04
 *   04
 *   04 00 06 00 06 00
 *   05 00 00 00 68 69
 */

export const ROW_FORMAT = 1;
export const HEADER_BYTES = 12;

export const WIDE = 1;
export const HAS_UPDATED_AT = 2;
export const HAS_COMMAND = 4;
export const HAS_ROW_VERSION = 8;
export const HAS_APART = 16;
export const KNOWN_FLAGS = 31;

export const UPDATED_AT_BYTES = 6;
export const COMMAND_BYTES = 16;
export const ROW_VERSION_BYTES = 6;

/** Where the column ids begin. */
export function idsAt(flags: number): number {
  let at = HEADER_BYTES;
  if (flags & HAS_UPDATED_AT) at += UPDATED_AT_BYTES;
  if (flags & HAS_COMMAND) at += COMMAND_BYTES;
  if (flags & HAS_ROW_VERSION) at += ROW_VERSION_BYTES;
  return at;
}

/** Bytes of a set of so many columns. */
export function setBytes(count: number): number {
  return (count + 7) >> 3;
}
