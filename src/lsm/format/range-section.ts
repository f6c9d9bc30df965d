import { assert } from "../../base/assert.ts";
import { corrupt } from "./corrupt.ts";
import { assertSequence, END_OF_KEYS, type Key, latin1Text, type Sequence } from "./entry.ts";
import type { Fragment } from "./range-map.ts";
import { MAX_VARINT_BYTES, readVarint, writeVarint } from "./varint.ts";

/*
 * Content of the section of range tombstones: stretches of keys [from, to) in order, each with the
 * sequences at which it was deleted.
 *
 *   varint  number of stretches, at least 1
 *   n       stretches
 *
 * A stretch:
 *
 *   varint  bytes that `from` shares with the `to` before it
 *   varint  bytes of `from` that follow
 *   varint  bytes that `to` shares with `from`
 *   varint  bytes of `to` that follow; with nothing shared and nothing following it has no end
 *   varint  number of sequences, at least 1
 *   varint  the newest of them; then each one's distance from the one before
 *   n       rest of `from`
 *   n       rest of `to`
 *
 * Invariant: stretches do not overlap, and sequences descend.
 *
 * Example: "ape" up to "bee" deleted at 9 and at 5, "bee" to the end at 12, 21 bytes:
 *
 *   02
 *   00 03 00 03 02 09 04 617065 626565
 *   03 00 00 00 01 0c
 */

/** Of a stretch, but its keys and all sequences but one. */
const HEAD_BYTES = 6 * MAX_VARINT_BYTES;

/** What a stretch takes in the section, at most. */
export function rangeBytes({ from, to, sequences }: Fragment): number {
  const toBytes = to === END_OF_KEYS ? 0 : to.length;
  return HEAD_BYTES + sequences.length * MAX_VARINT_BYTES + from.length + toBytes;
}

/** Encodes stretches, of which there is one at least. */
export function encodeRanges(fragments: readonly Fragment[]): Uint8Array {
  const most = fragments.reduce((sum, fragment) => sum + rangeBytes(fragment), MAX_VARINT_BYTES);
  const out = Buffer.allocUnsafe(most);
  let at = writeVarint(out, 0, fragments.length);
  let before = "";
  assert(fragments.length > 0, "a table without range tombstones has no section of them");
  for (const { from, to, sequences } of fragments) {
    assert(from !== "" && from >= before && from < to, "stretches come in order, apart");
    assert(sequences.length > 0, "a stretch is covered by a tombstone");
    const end = to === END_OF_KEYS ? "" : to;
    const [fromShared, toShared] = [sharedUnits(before, from), sharedUnits(from, end)];
    for (const length of [fromShared, from.length - fromShared, toShared, end.length - toShared]) {
      at = writeVarint(out, at, length);
    }
    at = writeVarint(out, at, sequences.length);
    let newer: Sequence | undefined;
    for (const sequence of sequences) {
      assert(newer === undefined || sequence < newer, "tombstones of a stretch come newest first");
      at = writeVarint(out, at, newer === undefined ? sequence : newer - sequence);
      newer = sequence;
    }
    at += out.write(from.slice(fromShared), at, "latin1");
    at += out.write(end.slice(toShared), at, "latin1");
    before = end;
  }
  return out.subarray(0, at);
}

/** @throws FirnError `Corrupt`, code `LSM_FILE_CORRUPT`: anything that breaks the invariant. */
export function decodeRanges(bytes: Uint8Array): readonly Fragment[] {
  return new RangeReader(bytes).read();
}

class RangeReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  read(): readonly Fragment[] {
    const count = this.#number();
    // A stretch has seven bytes at least but for the last, so no count makes it read for long.
    if (count === 0 || count > this.#bytes.length) throw this.#corrupt("number of stretches");
    const fragments: Fragment[] = [];
    let before = "";
    for (let i = 0; i < count; i++) {
      const fragment = this.#fragment(before);
      const { from, to } = fragment;
      if (from === "" || from < before || from >= to) throw this.#corrupt("out of order");
      fragments.push(fragment);
      before = to;
    }
    if (this.#at !== this.#bytes.length) throw this.#corrupt("more than its stretches");
    return fragments;
  }

  #fragment(before: Key): Fragment {
    const [fromShared, fromFresh] = [this.#number(), this.#number()];
    const [toShared, toFresh] = [this.#number(), this.#number()];
    const sequences = this.#sequences();
    const from = this.#key(before, fromShared, fromFresh);
    const to = this.#key(from, toShared, toFresh);
    return { from, to: to === "" ? END_OF_KEYS : to, sequences };
  }

  #sequences(): readonly Sequence[] {
    const count = this.#number();
    if (count === 0 || count > this.#bytes.length) throw this.#corrupt("number of sequences");
    const sequences: Sequence[] = [];
    for (let i = 0; i < count; i++) {
      const read = this.#number();
      const sequence = i === 0 ? read : (sequences[i - 1] as Sequence) - read;
      // 0 is the state before every write.
      if (sequence < 1 || (i > 0 && read === 0)) throw this.#corrupt("sequence out of range");
      try {
        assertSequence(sequence);
      } catch {
        throw this.#corrupt("sequence out of range");
      }
      sequences.push(sequence);
    }
    return sequences;
  }

  #key(before: Key, shared: number, fresh: number): Key {
    const end = this.#at + fresh;
    if (shared > before.length || end > this.#bytes.length)
      throw this.#corrupt("bound ends outside");
    const key = before.slice(0, shared) + latin1Text(this.#bytes, this.#at, end);
    if (key.length >= END_OF_KEYS.length) throw this.#corrupt("bound too long");
    this.#at = end;
    return key;
  }

  #number(): number {
    const read = readVarint(this.#bytes, this.#at, this.#bytes.length);
    if (read === undefined) throw this.#corrupt("malformed number");
    this.#at = read.after;
    return read.value;
  }

  #corrupt(what: string): Error {
    return corrupt("sst", "range tombstones", this.#at, what);
  }
}

function sharedUnits(a: Key, b: Key): number {
  let i = 0;
  while (i < a.length && i < b.length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  return i;
}
