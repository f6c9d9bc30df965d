import { bytesEqual } from "../../../src/base/bytes.ts";
import { sha256Hex } from "../../../src/base/hash.ts";
import type { SeededPrng } from "../../../src/base/prng.ts";
import {
  type Cursor,
  END,
  ENTRY,
  type EntryBytes,
  type MissingBlock,
  type Step,
} from "../../../src/lsm/format/cursor.ts";
import { DataBlockWriter } from "../../../src/lsm/format/data-block-writer.ts";
import {
  DELETE,
  isBefore,
  type Key,
  type Kind,
  MAX_SEQUENCE,
  PUT,
  type Sequence,
} from "../../../src/lsm/format/entry.ts";

export interface Entry {
  readonly key: Key;
  readonly sequence: Sequence;
  readonly kind: Kind;
  readonly value: Uint8Array;
}

/** Into the engine's order: keys ascending by bytes, newest version first. */
export function inOrder(entries: readonly Entry[]): readonly Entry[] {
  return entries.toSorted((a, b) => {
    const keys = Buffer.compare(Buffer.from(a.key, "latin1"), Buffer.from(b.key, "latin1"));
    return keys === 0 ? b.sequence - a.sequence : keys;
  });
}

/** An entry as bytes, each in an array of its own. */
export function bytesOf({ key, sequence, kind, value }: Entry): EntryBytes {
  const keyBytes = { keySource: Buffer.from(key, "latin1"), keyStart: 0, keyEnd: key.length };
  return { ...keyBytes, sequence, kind, valueSource: value, valueStart: 0, valueEnd: value.length };
}

/** One data block of entries that are in order. */
export function blockOf(entries: readonly Entry[], targetBytes: number): Uint8Array {
  const writer = new DataBlockWriter(targetBytes);
  let before = "";
  for (const entry of entries) {
    let shared = 0;
    while (shared < before.length && before[shared] === entry.key[shared]) shared++;
    writer.add(bytesOf(entry), shared);
    before = entry.key;
  }
  return new Uint8Array(writer.finish());
}

/** The reference: a sorted list, searched from its start. */
export class ModelCursor implements Cursor {
  readonly #entries: readonly Entry[];
  #at = 0;

  constructor(entries: readonly Entry[]) {
    this.#entries = inOrder(entries);
  }

  get #entry(): Entry {
    return this.#entries[this.#at]!;
  }

  get key(): Key {
    return this.#entry.key;
  }

  get sequence(): Sequence {
    return this.#entry.sequence;
  }

  get kind(): Kind {
    return this.#entry.kind;
  }

  get entry(): EntryBytes {
    return bytesOf(this.#entry);
  }

  get valueSource(): Uint8Array {
    return this.#entry.value;
  }

  get valueStart(): number {
    return 0;
  }

  get valueEnd(): number {
    return this.#entry.value.length;
  }

  value(): Uint8Array {
    return this.#entry.value;
  }

  first(): Step {
    return this.#go(0);
  }

  last(): Step {
    return this.#go(this.#entries.length - 1);
  }

  seek(key: Key, sequence: Sequence = MAX_SEQUENCE): Step {
    return this.#go(this.#notBefore(key, sequence));
  }

  seekBefore(key: Key, sequence: Sequence = MAX_SEQUENCE): Step {
    return this.#go(this.#notBefore(key, sequence) - 1);
  }

  next(): Step {
    return this.#go(this.#at + 1);
  }

  prev(): Step {
    return this.#go(this.#at - 1);
  }

  missing(_into: MissingBlock[]): void {}

  #notBefore(key: Key, sequence: Sequence): number {
    const found = this.#entries.findIndex((e) => !isBefore(e.key, e.sequence, key, sequence));
    return found < 0 ? this.#entries.length : found;
  }

  #go(at: number): Step {
    this.#at = at;
    return at >= 0 && at < this.#entries.length ? ENTRY : END;
  }
}

/** What is visible at a snapshot, in order of keys: the obvious way. */
export function visibleAt(entries: readonly Entry[], snapshot: Sequence): readonly Entry[] {
  const best = new Map<Key, Entry>();
  for (const entry of inOrder(entries)) {
    if (entry.sequence <= snapshot && !best.has(entry.key)) best.set(entry.key, entry);
  }
  return [...best.values()].filter((entry) => entry.kind !== DELETE);
}

/** Entries of a seed: few distinct bytes, so that keys share prefixes; versions; all lengths. */
export function randomEntries(prng: SeededPrng, count: number): readonly Entry[] {
  const below = (bound: number): number => Math.floor(prng.float() * bound);
  const alphabet = "\0\x01ab\xfe\xff";
  const keys: Key[] = [];
  const randomKey = (): Key => {
    if (keys.length > 0 && prng.float() < 0.3) return keys[below(keys.length)]!;
    const unit = (): string => alphabet[below(alphabet.length)]!;
    const long = prng.float() < 0.02 ? "k".repeat(below(600)) : "";
    return long + Array.from({ length: 1 + below(6) }, unit).join("");
  };
  const far = prng.float() < 0.1 ? MAX_SEQUENCE - count : 0;
  return Array.from({ length: count }, (_, i): Entry => {
    const key = randomKey();
    keys.push(key);
    const kind = prng.float() < 0.2 ? DELETE : PUT;
    const size = kind === DELETE ? 0 : prng.float() < 0.03 ? below(3_000) : below(20);
    return { key, sequence: far + i + 1, kind, value: prng.bytes(size) };
  });
}

/** A cursor's entry, comparable. */
export function shown(cursor: Cursor): string {
  // Now and then, as asking for the bytes may move what a way back has kept.
  if (cursor.sequence % 2 === 0) {
    const { keySource, keyStart, keyEnd } = cursor.entry;
    const bytes = Buffer.from(keySource.subarray(keyStart, keyEnd));
    if (bytes.toString("latin1") !== cursor.key) return `other bytes than ${cursor.key}`;
  }
  const value = cursor.value();
  const { key, sequence, kind, valueSource, valueStart, valueEnd } = cursor;
  const same = bytesEqual(value, valueSource.subarray(valueStart, valueEnd));
  const text = value.length > 64 ? sha256Hex(value) : Buffer.from(value).toString("hex");
  return [key.length > 64 ? sha256Hex(key) : JSON.stringify(key), sequence, kind, text, same].join(
    " ",
  );
}

/**
 * Makes the same random moves on both cursors; answers the moves that were made and, last, where
 * they first differed, if they did.
 */
export function compareMoves(
  cursor: Cursor,
  model: Cursor,
  entries: readonly Entry[],
  prng: SeededPrng,
  moves: number,
): string | undefined {
  const below = (bound: number): number => Math.floor(prng.float() * bound);
  let step: Step = END;
  const log: string[] = [];
  for (let i = 0; i < moves; i++) {
    const { name, move } = nextMove(entries, step, prng.float(), below);
    log.push(name);
    const expected = move(model);
    const found = move(cursor);
    const same = found === expected && (expected !== ENTRY || shown(cursor) === shown(model));
    if (!same) {
      const what = expected === ENTRY ? shown(model) : "end";
      const got = found === ENTRY ? shown(cursor) : "end";
      return `${log.slice(-6).join(", ")}: expected ${what}, found ${got}`;
    }
    step = expected;
  }
  return undefined;
}

interface Move {
  readonly name: string;
  readonly move: (cursor: Cursor) => Step;
}

/** Mostly steps in one direction, so that runs are long; seeks to keys and around them. */
function nextMove(
  entries: readonly Entry[],
  step: Step,
  chance: number,
  below: (bound: number) => number,
): Move {
  if (step === ENTRY && chance < 0.4) return { name: "next", move: (c) => c.next() };
  if (step === ENTRY && chance < 0.8) return { name: "prev", move: (c) => c.prev() };
  if (chance < 0.82) return { name: "first", move: (c) => c.first() };
  if (chance < 0.84) return { name: "last", move: (c) => c.last() };
  const entry = entries[below(entries.length)]!;
  const turns = ["", "\0", "\xff"];
  const cut = below(3) === 0 ? entry.key.slice(0, below(entry.key.length + 1)) : entry.key;
  const key = cut + turns[below(3)]!;
  const sequence = below(2) === 0 ? undefined : Math.max(0, entry.sequence + below(3) - 1);
  const name = `${JSON.stringify(key)} ${sequence}`;
  return below(2) === 0
    ? { name: `seek ${name}`, move: (c) => c.seek(key, sequence) }
    : { name: `seekBefore ${name}`, move: (c) => c.seekBefore(key, sequence) };
}
