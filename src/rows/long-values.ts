import { utf8 } from "../base/bytes.ts";
import type { Clock } from "../base/clock.ts";
import { MOST_APART_BYTES, PieceEntries } from "./apart-format.ts";
import type { CompiledTable } from "./compiled-table.ts";
import type { Datum } from "./datum.ts";
import type { ColumnDescriptor } from "./descriptor.ts";
import type { EncodedValue } from "./row-writer.ts";

/** Longer values are encoded and hashed in several turns of the event loop. */
const LONG_LENGTH = 524_288;
/** So much is encoded and hashed in one turn: about 2 ms. */
const TURN_LENGTH = 1_048_576;

const NO_BYTES = new Uint8Array(0);

const encoded = new WeakMap<readonly Datum[], readonly EncodedValue[]>();

/** What `encodeAhead` made of a row. */
export function encodedAhead(row: readonly Datum[]): readonly EncodedValue[] | undefined {
  return encoded.get(row);
}

/**
 * Encodes the long values of a row that is written next, piece by piece: others have the event loop
 * between them. What writes the row then finds them by it. There is nothing to wait for where the
 * row has none.
 *
 * @param old a row whose values stay stored where they are the same.
 */
export function encodeAhead(
  clock: Clock,
  compiled: CompiledTable,
  row: readonly Datum[],
  old?: readonly Datum[],
): Promise<void> | undefined {
  if (!compiled.mayBeApart) return undefined;
  let found: number[] | undefined;
  for (const place of compiled.longPlaces) {
    const value = row[place];
    if (!isLong(value) || value === old?.[place]) continue;
    found ??= [];
    found.push(place);
  }
  return found && encodeAll(clock, compiled, row, found);
}

function isLong(value: Datum | undefined): value is string | Uint8Array {
  const isOf = typeof value === "string" || value instanceof Uint8Array;
  // One that is too long is refused where it is written.
  return isOf && value.length > LONG_LENGTH && value.length <= MOST_APART_BYTES;
}

async function encodeAll(
  clock: Clock,
  { live }: CompiledTable,
  row: readonly Datum[],
  places: readonly number[],
): Promise<void> {
  const made: EncodedValue[] = [];
  for (const place of places) {
    const value = row[place] as string | Uint8Array;
    const pieces = new PieceEntries();
    for (let from = 0; from < value.length; ) {
      const to = endOf(value, from + TURN_LENGTH);
      pieces.add(
        typeof value === "string" ? utf8(value.slice(from, to)) : value.subarray(from, to),
      );
      from = to;
      await clock.sleep(0);
    }
    const { id: columnId } = live[place] as ColumnDescriptor;
    made.push({ columnId, value, bytes: NO_BYTES, ...pieces.end() });
  }
  encoded.set(row, made);
}

/** No character is cut in two: it may have two UTF-16 units. */
function endOf(value: string | Uint8Array, end: number): number {
  if (typeof value !== "string" || end >= value.length) return end;
  const unit = value.charCodeAt(end - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? end + 1 : end;
}
