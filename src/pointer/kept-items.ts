import { assert } from "../base/assert.ts";
import { splitKey } from "../base/key-text.ts";
import { LruMap } from "../base/lru.ts";
import type { Live } from "./port.ts";

/*
 * Live pointers of a store of rows as reads found them, and pages of its lists: to read a row again
 * costs a look-up and a decoding, and what others keep beside an item is found by the same object.
 *
 * Invariant: what is kept of a key is what a durable read finds now. Each write is announced before
 * it can be in any state of the engine, and until it is certain what became of it: from then on
 * nothing is kept of its key, and nothing is kept of a read that it may have overtaken.
 */

/** Of the items kept, and of the pages. */
const KEPT_BYTES = 16_777_216;
/** Of an item beside its texts and bytes: objects, its place here, what others keep beside it. */
const ITEM_BYTES = 700;
const PAGE_BYTES = 300;

/** The pages of a directory, by where each begins and how many were asked for. */
interface Pages {
  readonly pages: Map<string, readonly Live[]>;
  bytes: number;
}

/** A list that is under way. */
export interface KeptListing {
  readonly directory: string;
  /** Something in the directory was written meanwhile, or was being written when it began. */
  isOvertaken: boolean;
}

/** What is kept of one engine. All of its writers announce what they write here. */
export class KeptItems {
  readonly #items: LruMap<string, Live>;
  readonly #pages: LruMap<string, Pages>;
  /** Keys that are being written, by how many. */
  readonly #writing = new Map<string, number>();
  /** Directories of these keys, by how many of them. */
  readonly #writingIn = new Map<string, number>();
  readonly #listings = new Map<string, Set<KeptListing>>();
  /** A directory with more pages than this begins anew. */
  readonly #directoryBytes: number;
  #steps = 0;

  constructor(keptBytes: number = KEPT_BYTES) {
    this.#items = new LruMap(keptBytes, weightOf);
    this.#pages = new LruMap(keptBytes, ({ bytes }) => bytes);
    this.#directoryBytes = keptBytes >> 2;
  }

  /** Before a write, whatever comes of it. */
  beginWrite(key: string): void {
    const { directory } = splitKey(key);
    this.#steps++;
    addTo(this.#writing, key, 1);
    addTo(this.#writingIn, directory, 1);
    this.#items.delete(key);
    this.#pages.delete(directory);
    for (const listing of this.#listings.get(directory) ?? []) listing.isOvertaken = true;
  }

  /** Once it is durable, or certainly was not applied. Never, where that is not known. */
  endWrite(key: string): void {
    this.#steps++;
    addTo(this.#writing, key, -1);
    addTo(this.#writingIn, splitKey(key).directory, -1);
  }

  /** The live pointer of a key, where it is kept. */
  get(key: string): Live | undefined {
    return this.#items.get(key);
  }

  /** Writes begun and ended so far: nothing is kept of a read during which there is another. */
  get steps(): number {
    return this.#steps;
  }

  /** Keeps what a durable read found. `steps`: as the read began. */
  keep(item: Live, steps: number): void {
    if (this.#steps === steps && !this.#writing.has(item.key)) this.#items.set(item.key, item);
  }

  /** A page of a list, where it is kept. */
  page(directory: string, after: string, limit: number): readonly Live[] | undefined {
    return this.#pages.get(directory)?.pages.get(placeOf(after, limit));
  }

  /** With the state that the list is of, in the same turn. */
  beginList(directory: string): KeptListing {
    const listing = { directory, isOvertaken: this.#writingIn.has(directory) };
    const others = this.#listings.get(directory);
    if (others === undefined) this.#listings.set(directory, new Set([listing]));
    else others.add(listing);
    return listing;
  }

  endList(listing: KeptListing): void {
    const listings = this.#listings.get(listing.directory);
    assert(listings?.has(listing) === true, "a list ends once, and is told of writes until then");
    listings.delete(listing);
    if (listings.size === 0) this.#listings.delete(listing.directory);
  }

  /** Keeps what a list found, before it ends. */
  keepPage(
    { directory, isOvertaken }: KeptListing,
    after: string,
    limit: number,
    page: readonly Live[],
  ): void {
    if (isOvertaken) return;
    const bytes = page.reduce((sum, item) => sum + weightOf(item), PAGE_BYTES + after.length);
    const known = this.#pages.get(directory);
    const hasRoom = known !== undefined && known.bytes + bytes <= this.#directoryBytes;
    const kept = hasRoom ? known : { pages: new Map(), bytes: 0 };
    kept.pages.set(placeOf(after, limit), page);
    kept.bytes += bytes;
    this.#pages.set(directory, kept);
  }
}

function placeOf(after: string, limit: number): string {
  return `${limit} ${after}`;
}

/** A summary is decoded beside its bytes, and rendered. */
function weightOf({ key, blobPath, summary }: Live): number {
  return ITEM_BYTES + key.length + (blobPath?.length ?? 0) + 4 * (summary?.length ?? 0);
}

function addTo(counts: Map<string, number>, key: string, more: 1 | -1): void {
  const left = (counts.get(key) ?? 0) + more;
  assert(left >= 0, "a write ends once: something would be kept while another one goes on");
  if (left > 0) counts.set(key, left);
  else counts.delete(key);
}
