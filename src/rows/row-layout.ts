import { corruptRow } from "./errors.ts";
import { HAS_APART, idsAt, KNOWN_FLAGS, setBytes, WIDE } from "./row-format.ts";

/** What stands where in a row: see `row-format.ts`. */
export interface Layout {
  readonly flags: number;
  readonly ids: readonly number[];
  /** Where each value ends, counted from `values`. */
  readonly ends: readonly number[];
  /** Places in the bytes: of the null set, of the set of values apart, of the first value. */
  readonly nulls: number;
  readonly apart: number;
  readonly values: number;
}

/** Checks a row as a whole. @throws FirnError `Corrupt`, code `ROW_CORRUPT`. */
export function layoutOf(bytes: Uint8Array, from: number, to: number): Layout {
  const flags = bytes[from + 1] as number;
  const count = (bytes[from + 2] as number) | ((bytes[from + 3] as number) << 8);
  if ((flags & ~KNOWN_FLAGS) !== 0) throw corruptRow("unknown flags", { flags });
  const size = flags & WIDE ? 2 : 1;
  const first = from + idsAt(flags);
  const nulls = first + size * count;
  const apart = nulls + setBytes(count);
  const places = flags & HAS_APART ? apart + setBytes(count) : apart;
  const values = places + 2 * size * count;
  if (values > to) throw corruptRow("it ends early", { bytes: to - from });
  const ids: number[] = [];
  const ends: number[] = [];
  let end = 0;
  for (let i = 0; i < count; i++) {
    const low = bytes[first + size * i] as number;
    const id = size === 1 ? low : low | ((bytes[first + 2 * i + 1] as number) << 8);
    if (id <= (ids[i - 1] ?? 0)) throw corruptRow("column ids out of order", { id });
    ids.push(id);
    const at = places + 2 * size * i;
    const next = size === 1 ? uint4(bytes, at) & 0xffff : uint4(bytes, at);
    if (next < end) throw corruptRow("a value that ends before it begins", { id });
    ends.push(next);
    end = next;
  }
  if (values + end !== to) throw corruptRow("it has another length", { bytes: to - from });
  return { flags, ids, ends, nulls, apart, values };
}

export function uint4(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
  // Behind the end is nothing, which counts as 0.
  return (low | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)) >>> 0;
}
