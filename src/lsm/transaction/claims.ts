import { conflict } from "../errors.ts";
import type { Key, Sequence } from "../format/entry.ts";
import type { Bounds } from "../range.ts";

/** What a transaction rests on: no other may have written to it since the transaction began. */
export interface Claims {
  /** Those it wrote, those it read or locked: in any order, some perhaps twice. */
  keys(): Iterable<Key>;
  /** At least as many as there are keys and ranges. */
  readonly size: number;
  /** Whether a key, bytes [from, to) of an array, is one of them, or lies in one of the ranges. */
  holds(source: Uint8Array, from: number, to: number): boolean;
  /** In the order of their keys; no two of them meet. */
  readonly ranges: readonly Bounds[];
}

/** A write of another to what is claimed; of a deleted range, its first key that is. */
export interface Clash {
  readonly sequence: Sequence;
  readonly key: Key;
}

/** @throws FirnError `Conflict`, code `LSM_CONFLICT`, naming the key in hexadecimal. */
export function refuse({ sequence, key }: Clash, snapshot: Sequence): never {
  throw conflict(sequence, snapshot, Buffer.from(key, "latin1").toString("hex"));
}
