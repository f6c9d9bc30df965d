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
  EXPIRES,
  isBefore,
  type Key,
  type Kind,
  MAX_SEQUENCE,
  MERGE,
  PUT,
  plainKind,
  type Sequence,
} from "../../../src/lsm/format/entry.ts";
import type { EntrySemantics } from "../../../src/lsm/read/entry-semantics.ts";
import { int64Bytes, Operators } from "../../../src/lsm/read/operators.ts";

export interface Entry {
  readonly key: Key;
  readonly sequence: Sequence;
  readonly kind: Kind;
  readonly value: Uint8Array;
  readonly operator?: number;
  readonly expiresAtMs?: number;
}

/** Into the engine's order: keys ascending by bytes, newest version first. */
export function inOrder(entries: readonly Entry[]): readonly Entry[] {
  return entries.toSorted((a, b) => {
    const keys = Buffer.compare(Buffer.from(a.key, "latin1"), Buffer.from(b.key, "latin1"));
    return keys === 0 ? b.sequence - a.sequence : keys;
  });
}

/** An entry as bytes, each in an array of its own. */
export function bytesOf(entry: Entry): EntryBytes {
  const { key, sequence, kind, value, operator = 0, expiresAtMs = 0 } = entry;
  const keyBytes = { keySource: Buffer.from(key, "latin1"), keyStart: 0, keyEnd: key.length };
  const valueBytes = { valueSource: value, valueStart: 0, valueEnd: value.length };
  return { ...keyBytes, sequence, kind, operator, expiresAtMs, ...valueBytes };
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

  get operator(): number {
    return this.#entry.operator ?? 0;
  }

  get expiresAtMs(): number {
    return this.#entry.expiresAtMs ?? 0;
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

/** The operators of the tests, by number. */
export const OPERATORS: Operators = new Operators(["add", "set-union", "max"]);

/** What a reader of entries takes the time to be. */
export const NOW_MS = 1_000;

export const MEANING: EntrySemantics = { operators: OPERATORS, nowMs: () => NOW_MS };

/** What is visible at a snapshot, in order of keys: the obvious way, from the oldest version up. */
export function visibleAt(entries: readonly Entry[], snapshot: Sequence): readonly Entry[] {
  const rows = new Map<Key, Entry>();
  for (const entry of inOrder(entries).toReversed()) {
    if (entry.sequence > snapshot) continue;
    const { key, value, operator = 0 } = entry;
    const isOver = (entry.kind & EXPIRES) !== 0 && (entry.expiresAtMs ?? 0) <= NOW_MS;
    if (plainKind(entry.kind) === MERGE) {
      const base = rows.get(key)?.value;
      const merged = isOver ? base : OPERATORS.fold(base, [{ operator, value }]);
      if (merged !== undefined) rows.set(key, { ...entry, value: merged });
    } else if (plainKind(entry.kind) === DELETE || isOver) rows.delete(key);
    else rows.set(key, entry);
  }
  return inOrder([...rows.values()]);
}

/**
 * Entries of a seed: few distinct bytes, so that keys share prefixes; versions; all lengths.
 *
 * @param others the share of those that are operands, or expire; then values are integers.
 */
export function randomEntries(prng: SeededPrng, count: number, others = 0): readonly Entry[] {
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
    if (others > 0 && prng.float() < others) return otherEntry(prng, key, far + i + 1);
    const kind = prng.float() < 0.2 ? DELETE : PUT;
    if (others > 0 && kind === PUT) {
      return { key, sequence: far + i + 1, kind, value: int64Bytes(BigInt(below(100))) };
    }
    const size = kind === DELETE ? 0 : prng.float() < 0.03 ? below(3_000) : below(20);
    return { key, sequence: far + i + 1, kind, value: prng.bytes(size) };
  });
}

/** An operand or a put, that may have expired by `NOW_MS`, or may not, or never does. */
function otherEntry(prng: SeededPrng, key: Key, sequence: Sequence): Entry {
  const value = int64Bytes(BigInt(Math.floor(prng.float() * 1_000)) - 500n);
  const isMerge = prng.float() < 0.7;
  const expires = !isMerge || prng.float() < 0.3;
  const kind = ((isMerge ? MERGE : PUT) | (expires ? EXPIRES : 0)) as Kind;
  const operator = isMerge && prng.float() < 0.2 ? 2 : 0;
  const expiresAtMs = expires ? NOW_MS + Math.floor(prng.float() * 3) - 1 : 0;
  return { key, sequence, kind, value, operator, expiresAtMs };
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
  const { key, sequence, valueSource, valueStart, valueEnd } = cursor;
  const { expiresAtMs, operator } = cursor;
  const kind = cursor.kind > PUT ? [cursor.kind, expiresAtMs, operator].join(":") : cursor.kind;
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
