import { compareUtf8, utf8Length } from "../../../src/base/bytes.ts";
import { sha256Hex } from "../../../src/base/hash.ts";
import { OrderedList } from "./ordered-list.ts";
import { invalid } from "./refusal.ts";
import type { Item, Value } from "./value-types.ts";
import { itemBytes } from "./values.ts";

export interface KeySchema {
  readonly partition: string;
  readonly sort: string | undefined;
}

/** Where an item stands: its partition, and its place in it. */
export interface Place {
  readonly partition: string;
  readonly sort: string;
}

/** What one page of a query or scan has read, before any filter. */
export interface Page {
  readonly items: readonly Item[];
  readonly bytes: number;
  readonly last: Place | undefined;
}

interface Stored {
  readonly sort: string;
  item: Item;
}

interface Partition {
  readonly name: string;
  /** Partitions are scanned in the order of a hash, which says nothing of their names. */
  readonly hash: string;
  readonly items: OrderedList<Stored>;
}

const NONE: Pick<Partition, "items"> = { items: new OrderedList() };

export const MAX_ITEM_BYTES = 409_600;
const MAX_PARTITION_BYTES = 2_048;
const MAX_SORT_BYTES = 1_024;
const PAGE_BYTES = 1_048_576;

/** Items of one table, in the order that queries and scans answer. Keys are texts. */
export class Table {
  readonly schema: KeySchema;
  /** Sees every item that is written: what truly happened, whatever was answered. */
  onPut: ((item: Item) => void) | undefined;
  readonly #partitions = new Map<string, Partition>();
  readonly #scanOrder = new OrderedList<Partition>();

  constructor(schema: KeySchema) {
    this.schema = schema;
  }

  get(place: Place): Item | undefined {
    return this.#find(place)?.item;
  }

  put(place: Place, item: Item): void {
    this.onPut?.(item);
    const found = this.#find(place);
    if (found !== undefined) {
      found.item = item;
      return;
    }
    const { items } = this.#partition(place.partition);
    const { sort } = place;
    items.insert({ sort, item }, (each) => compareUtf8(each.sort, sort) > 0);
  }

  delete({ partition, sort }: Place): void {
    const found = this.#partitions.get(partition);
    if (found === undefined) return;
    const { items } = found;
    const isAfter = (each: Stored): boolean => compareUtf8(each.sort, sort) >= 0;
    if (items.first(isAfter)?.sort !== sort) return;
    items.remove(isAfter);
    if (!items.isEmpty) return;
    this.#partitions.delete(partition);
    this.#scanOrder.remove((each) => compareHashes(each, found) >= 0);
  }

  /** Items of one partition that are within a range, forwards, after a place of it. */
  query(partition: string, inRange: (sort: string) => boolean, bounds: PageBounds): Page {
    const { items } = this.#partitions.get(partition) ?? NONE;
    return this.#page(inOrder(items, bounds.after, inRange), bounds.limit);
  }

  scan({ after, limit }: PageBounds): Page {
    return this.#page(this.#scanned(after), limit);
  }

  *#scanned(after: Place | undefined): Generator<Stored> {
    const order = this.#scanOrder;
    if (after === undefined) {
      for (const { items } of order) yield* items;
      return;
    }
    const from = { hash: sha256Hex(after.partition), name: after.partition };
    for (const { name, items } of order.from((each) => compareHashes(each, from) >= 0)) {
      yield* name === after.partition ? inOrder(items, after) : items;
    }
  }

  all(): readonly Item[] {
    return [...this.#scanOrder].flatMap(({ items }) => [...items].map(({ item }) => item));
  }

  /** The place that a primary key names. @throws Refused `ValidationException` */
  placeOf(key: Item): Place {
    const { partition, sort } = this.schema;
    const names = [partition, ...(sort === undefined ? [] : [sort])];
    const given = Object.keys(key);
    if (given.length !== names.length || !names.every((name) => given.includes(name))) {
      throw invalid("The provided key element does not match the schema");
    }
    return this.placeOfItem(key);
  }

  /** The place of a whole item. @throws Refused `ValidationException` */
  placeOfItem(item: Item): Place {
    const { partition, sort } = this.schema;
    return {
      partition: keyText(item[partition], partition, MAX_PARTITION_BYTES),
      sort: sort === undefined ? "" : keyText(item[sort], sort, MAX_SORT_BYTES),
    };
  }

  /** The primary key of an item. */
  keyOf(item: Item): Item {
    const { partition, sort } = this.schema;
    const names = [partition, ...(sort === undefined ? [] : [sort])];
    return Object.fromEntries(names.map((name) => [name, item[name] as Value]));
  }

  /** As far as a page goes: an item over its end is not in it, but for the first. */
  #page(due: Iterable<Stored>, limit: number): Page {
    const items: Item[] = [];
    let bytes = 0;
    // A full page names its last key, also where nothing comes after it.
    let goesOn = false;
    for (const { item } of due) {
      const size = itemBytes(item);
      goesOn = items.length > 0 && bytes + size > PAGE_BYTES;
      if (goesOn) break;
      bytes += size;
      items.push(item);
      goesOn = items.length === limit;
      if (goesOn) break;
    }
    const last = items.at(-1);
    return { items, bytes, last: goesOn && last ? this.placeOfItem(last) : undefined };
  }

  #find({ partition, sort }: Place): Stored | undefined {
    const { items } = this.#partitions.get(partition) ?? NONE;
    const found = items.first((each) => compareUtf8(each.sort, sort) >= 0);
    return found?.sort === sort ? found : undefined;
  }

  #partition(name: string): Partition {
    let partition = this.#partitions.get(name);
    if (partition === undefined) {
      partition = { name, hash: sha256Hex(name), items: new OrderedList() };
      this.#partitions.set(name, partition);
      const next = partition;
      this.#scanOrder.insert(next, (each) => compareHashes(each, next) > 0);
    }
    return partition;
  }
}

export interface PageBounds {
  readonly after: Place | undefined;
  readonly limit: number;
}

/** Items of a partition behind a place, one at a time: a page looks at no more than it answers. */
function* inOrder(
  items: OrderedList<Stored>,
  after: Place | undefined,
  inRange: (sort: string) => boolean = () => true,
): Generator<Stored> {
  const from = after?.sort;
  const due = from === undefined ? items : items.from((each) => compareUtf8(each.sort, from) > 0);
  for (const item of due) if (inRange(item.sort)) yield item;
}

interface Hashed {
  readonly hash: string;
  readonly name: string;
}

function compareHashes(a: Hashed, b: Hashed): number {
  return compareUtf8(a.hash, b.hash) || compareUtf8(a.name, b.name);
}

function keyText(value: Value | undefined, name: string, maxBytes: number): string {
  if (value === undefined) {
    throw invalid(`One or more parameter values were invalid: Missing the key ${name} in the item`);
  }
  if (!("S" in value)) {
    throw invalid(`One or more parameter values were invalid: Type mismatch for key ${name}`);
  }
  if (value.S === "") {
    throw invalid(
      "One or more parameter values are not valid. The AttributeValue for a key attribute " +
        `cannot contain an empty string value. Key: ${name}`,
    );
  }
  if (utf8Length(value.S) > maxBytes) {
    throw invalid(
      `One or more parameter values were invalid: Size of ${name} has exceeded the maximum size ` +
        `limit of ${maxBytes} bytes`,
    );
  }
  return value.S;
}
