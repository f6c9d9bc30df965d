import { assert } from "../base/assert.ts";
import type { Clock } from "../base/clock.ts";
import { splitKey } from "../base/key-text.ts";
import {
  assertBatch,
  conditionHolds,
  isWriting,
  itemAfter,
  mayForget,
  pageLimit,
} from "./batch.ts";
import { KeyFamilies } from "./families.ts";
import type { KeyFamily } from "./key.ts";
import type {
  Batch,
  CommitOutcome,
  Item,
  Live,
  PageOptions,
  PointerOp,
  PointerStore,
  SweepOptions,
  Version,
} from "./port.ts";
import { SortedMap } from "./sorted-map.ts";

const SWEEP_PAGE = 1_000;

/**
 * The reference model of a pointer store, and the store of profile `memory`. Every call takes
 * effect at one instant, before its promise is returned, so it is linearizable by construction; it
 * never answers *overloaded* or *unknown*. What it hands out is what it keeps: items are immutable.
 */
export class MemoryPointerStore implements PointerStore {
  readonly #clock: Clock;
  readonly #families: KeyFamilies;
  readonly #items = new Map<string, Item>();
  readonly #keys = new SortedMap<true>();
  /** Keys that are not among the sorted ones yet: only a sweep asks for those, and it is rare. */
  readonly #newKeys = new Set<string>();
  /** Per listed directory, its live children. */
  readonly #children = new Map<string, SortedMap<Live>>();

  constructor(options: { readonly families: readonly KeyFamily[]; readonly clock: Clock }) {
    this.#families = new KeyFamilies(options.families);
    this.#clock = options.clock;
  }

  async get(key: string): Promise<Item> {
    return this.#read(key);
  }

  async getMany(keys: readonly string[]): Promise<readonly Item[]> {
    return keys.map((key) => this.#read(key));
  }

  async commit(batch: Batch): Promise<CommitOutcome> {
    assertBatch(batch, this.#families);
    const failed: Item[] = [];
    for (const op of batch.ops) {
      const item = this.#stored(op.key);
      if (!conditionHolds(op, item)) failed.push(item);
    }
    if (failed.length > 0) return { outcome: "conflict", failed };
    const versions = new Map<string, Version>();
    for (const op of batch.ops) this.#apply(op, batch.writerId, versions);
    return { outcome: "committed", versions };
  }

  async list(directory: string, options: PageOptions = {}): Promise<readonly Live[]> {
    this.#families.assertListed(directory);
    const limit = pageLimit(options);
    const after = `${directory}/${options.after ?? ""}`;
    return this.#children.get(directory)?.values(after, false, limit) ?? [];
  }

  async *sweep(prefix: string, { after = "" }: SweepOptions = {}): AsyncIterable<Item> {
    const isInside = after > prefix;
    let page = this.#sorted().keys(isInside ? after : prefix, !isInside, SWEEP_PAGE);
    for (;;) {
      for (const key of page) {
        if (!key.startsWith(prefix)) return;
        const item = this.#items.get(key);
        if (item !== undefined) yield item;
      }
      const last = page.at(-1);
      if (last === undefined) return;
      page = this.#sorted().keys(last, false, SWEEP_PAGE);
    }
  }

  async forget(key: string, version: Version): Promise<boolean> {
    const item = this.#read(key);
    if (!mayForget(item, version, this.#clock.nowMs())) return false;
    this.#unlist(key);
    this.#items.delete(key);
    if (!this.#newKeys.delete(key)) this.#keys.delete(key);
    return true;
  }

  #sorted(): SortedMap<true> {
    for (const key of this.#newKeys) this.#keys.set(key, true);
    this.#newKeys.clear();
    return this.#keys;
  }

  /** @throws FirnError `Internal` for a key that no family has. */
  #read(key: string): Item {
    const item = this.#items.get(key);
    if (item !== undefined) return item;
    this.#families.of(key);
    return { state: "absent", key, version: 0n };
  }

  /** The same of a key that is known to be one. */
  #stored(key: string): Item {
    return this.#items.get(key) ?? { state: "absent", key, version: 0n };
  }

  #apply(op: PointerOp, writerId: string, versions: Map<string, Version>): void {
    if (!isWriting(op)) return;
    const before = this.#stored(op.key);
    const after = itemAfter(op, before, writerId, this.#clock.nowMs());
    assert(after.version > before.version, "each write of a pointer is a new version");
    versions.set(op.key, after.version);
    if (before.version === 0n) this.#newKeys.add(op.key);
    if (after.state === "live") this.#list(after);
    else if (before.state === "live") this.#unlist(op.key);
    this.#items.set(op.key, after);
  }

  #list(item: Live): void {
    const { key } = item;
    if (!this.#families.of(key).listed) return;
    const { directory } = splitKey(key);
    let children = this.#children.get(directory);
    if (children === undefined) {
      children = new SortedMap();
      this.#children.set(directory, children);
    }
    children.set(key, item);
  }

  #unlist(key: string): void {
    if (!this.#families.of(key).listed) return;
    const { directory } = splitKey(key);
    const children = this.#children.get(directory);
    children?.delete(key);
    if (children?.size === 0) this.#children.delete(directory);
  }
}
