import { sha256Hex } from "../base/hash.ts";
import type { Steps } from "../base/steps.ts";

/**
 * Longer keys stand for their digest, since V8 hashes texts over 16,383 characters by their length
 * alone; and digits alone without a seed, hence the prefix.
 */
const KEY_CHARS = 1_024;

/** How the parts of one list are told apart and compared. */
export interface DraftListRules<T> {
  /** The number that a part has in its list, where parts have one. */
  readonly idOf?: (part: T) => number;
  /** The same for parts that stand for each other, such as those of one id. */
  readonly keyOf: (part: T) => string;
  /** The same for parts that may be equal, cheaper to say than the digest. */
  readonly likenessOf?: (part: T) => string;
  /** The same for parts that are equal, whatever their ids. */
  readonly digestOf?: (part: T) => Steps<string>;
}

/**
 * A list of metadata while the updates of one request are applied to it, so that each update costs
 * what it changes and not the list: parts are found by key, by what they equal, and the highest id
 * is known. What the list was made of stays as it is.
 *
 * The indexes forget nothing when a part goes. A look-up passes over what has gone, and drops it.
 */
export class DraftList<T extends object> {
  readonly #base: readonly T[];
  readonly #rules: DraftListRules<T>;
  #items: Set<T> | undefined;
  #byKey: Map<string, T[]> | undefined;
  #alike: Map<string, Alike<T>> | undefined;
  /** Parts by id, each higher than those before it: the last one that is there has the highest. */
  #rising: T[] | undefined;
  #changed = false;

  constructor(base: readonly T[], rules: DraftListRules<T>) {
    this.#base = base;
    this.#rules = rules;
  }

  get length(): number {
    return this.#items?.size ?? this.#base.length;
  }

  /** The parts in their order: what the list was made of, where nothing has changed. */
  toArray(): readonly T[] {
    return this.#changed ? [...this.#all()] : this.#base;
  }

  /** The first part with a key. */
  get(key: string): T | undefined {
    return this.#present(this.#keys().get(mapKey(key)));
  }

  /** The first part that equals another one, ids aside. */
  *equalTo(part: T): Steps<T | undefined> {
    const alike = this.#likenesses().get(this.#likenessOf(part));
    if (alike === undefined) return undefined;
    for (const one of alike.undigested.splice(0)) {
      push(alike.byDigest, yield* this.#digestOf(one), one);
      yield;
    }
    return this.#present(alike.byDigest.get(yield* this.#digestOf(part)));
  }

  /** The highest id, or the least that is asked for. */
  highestId(least: number): number {
    const { idOf } = this.#rules;
    if (idOf === undefined) return least;
    this.#rising ??= [...this.#all()].sort((a, b) => idOf(a) - idOf(b));
    for (;;) {
      const last = this.#rising.at(-1);
      if (last === undefined) return least;
      if (this.#all().has(last)) return Math.max(least, idOf(last));
      this.#rising.pop();
    }
  }

  append(part: T): void {
    const { idOf, keyOf } = this.#rules;
    const highest = idOf && this.highestId(Number.NEGATIVE_INFINITY);
    push(this.#keys(), mapKey(keyOf(part)), part);
    if (this.#alike !== undefined) this.#addAlike(this.#alike, part);
    // One that is lower has no say in which id is next, and never will: see `nextOrderId`.
    if (idOf && idOf(part) >= (highest ?? 0)) this.#rising?.push(part);
    this.#all().add(part);
    this.#changed = true;
  }

  /** Removes every part with a key; says whether there was one. */
  remove(key: string): boolean {
    const found = this.#keys().get(mapKey(key))?.splice(0) ?? [];
    const items = this.#all();
    let removed = false;
    for (const part of found) removed = items.delete(part) || removed;
    this.#changed ||= removed;
    return removed;
  }

  has(part: T): boolean {
    return this.#all().has(part);
  }

  #all(): Set<T> {
    this.#items ??= new Set(this.#base);
    return this.#items;
  }

  #keys(): Map<string, T[]> {
    if (this.#byKey === undefined) {
      this.#byKey = new Map();
      for (const part of this.#all()) push(this.#byKey, mapKey(this.#rules.keyOf(part)), part);
    }
    return this.#byKey;
  }

  #likenesses(): Map<string, Alike<T>> {
    if (this.#alike === undefined) {
      this.#alike = new Map();
      for (const part of this.#all()) this.#addAlike(this.#alike, part);
    }
    return this.#alike;
  }

  #addAlike(all: Map<string, Alike<T>>, part: T): void {
    const likeness = this.#likenessOf(part);
    const alike = all.get(likeness);
    if (alike === undefined) all.set(likeness, { undigested: [part], byDigest: new Map() });
    else alike.undigested.push(part);
  }

  #likenessOf(part: T): string {
    return this.#rules.likenessOf?.(part) ?? "";
  }

  *#digestOf(part: T): Steps<string> {
    return this.#rules.digestOf === undefined ? "" : yield* this.#rules.digestOf(part);
  }

  #present(found: T[] | undefined): T | undefined {
    if (found === undefined) return undefined;
    const items = this.#all();
    const at = found.findIndex((part) => items.has(part));
    found.splice(0, at < 0 ? found.length : at);
    return found[0];
  }
}

/** Parts that may be equal, and those of them by digest that had to be compared. */
interface Alike<T> {
  readonly undigested: T[];
  readonly byDigest: Map<string, T[]>;
}

function push<T>(map: Map<string, T[]>, key: string, part: T): void {
  const there = map.get(key);
  if (there === undefined) map.set(key, [part]);
  else there.push(part);
}

function mapKey(key: string): string {
  return `#${key.length <= KEY_CHARS ? key : sha256Hex(key)}`;
}
