import { assert } from "../../base/assert.ts";
import { transactionsFull } from "../errors.ts";
import { BlockCache } from "../read/cache.ts";
import { type MergeRoom, MergeRooms } from "./merge-room.ts";
import type { Gauge } from "./pressure.ts";

/**
 * A shard's memory outside the block cache: the memtable that is written, those that are being
 * flushed, those that find conflicts of transactions, writes that wait, and what open transactions
 * have written and read.
 */
export type ShardPart = "active" | "frozen" | "recent" | "waiting" | "transactions";

/** What a budget may ask of a shard. Done in the same turn, and told by the shard's share. */
export interface BudgetedShard {
  /** Freezes the active memtable, so that it is flushed. */
  freeze(): void;
  /** Lets go of the oldest memtable that is kept for transactions alone. */
  forget(): void;
}

/** Bytes, of all shards of the process. */
export interface BudgetFigures {
  readonly limitBytes: number;
  readonly usedBytes: number;
  /** Active and frozen ones, and writes that wait. */
  readonly memtableBytes: number;
  readonly recentBytes: number;
  readonly transactionBytes: number;
  /** Blocks of data; indexes, filters and tails of tables. */
  readonly dataBytes: number;
  readonly metadataBytes: number;
  /** Windows of merges that run. */
  readonly workBytes: number;
  /** Shards that share it; memtables that were flushed before they were full, to make room. */
  readonly shards: number;
  readonly relieved: number;
}

/**
 * What writers of all shards have applied since the event loop last had a turn, as far as is known:
 * without one no flush gets on, and room could end before any writer is slowed down.
 */
export interface EventLoopTurn {
  bytes: number;
  readonly mostBytes: number;
}

const MIB = 1_048_576;
const DEFAULT_BYTES = 256 * MIB;
const MAX_WORK_BYTES = 32 * MIB;
/** A merge of so much input need not wait for one that is larger. */
const SMALL_MERGE_BYTES = 4 * MIB;

/**
 * Memory of an engine's process that the budget does not count: heap, the thread that merges,
 * arrays in flight, fragmentation (`docs/performance.md`). A small budget cannot hold it.
 */
const UNCOUNTED_BYTES = 128 * MIB;
const UNCOUNTED_MOST = 3 / 4;
const LEAST_BYTES = 16 * MIB;

const NOTHING = { active: 0, frozen: 0, recent: 0, waiting: 0, transactions: 0 } as const;

/** How the limit is shared out: writes slow down from the first on, and end at the second. */
const WRITES_SHARE = 1 / 2;
const WRITES_MOST = 11 / 16;
/** What open transactions have of it: what is left lets memtables take what these bring. */
const TRANSACTIONS_MOST = 7 / 16;
/** What the cache keeps, however much is written; merges have the rest at least. */
const CACHE_LEAST = 3 / 16;
const WORK_MOST = 1 / 8;
const TURN_MOST = 1 / 64;

/**
 * One limit for the memory of all shards of a process. The cache has what nothing else needs, and
 * at least three sixteenths. Memtables are flushed before they are full where together they take
 * more than a quarter: the largest first, of similar ones the oldest. Beyond half of the limit what
 * is kept for transactions alone goes, and writes slow down; at eleven sixteenths they are refused.
 * Memtables grow by steps of some mebibytes, which must not carry a writer from one to the other.
 *
 * Not counted: blocks that a read waits for and the cache could not keep, and the objects of each
 * open shard, some tens of kilobytes.
 */
export class MemoryBudget {
  readonly cache: BlockCache;
  readonly turn: EventLoopTurn;
  readonly #limitBytes: number;
  readonly #mostCacheBytes: number;
  readonly #shares = new Set<MemoryShare>();
  readonly #bytes: Record<ShardPart, number> = { ...NOTHING };
  readonly #merges: MergeRooms;
  /** Shards that hold anything. */
  #holders = 0;
  #begun = 0;
  #relieved = 0;
  #relieving = false;

  /**
   * The budget with which engines make a process grow by so many bytes, about: from 256 MiB on
   * within a fifth of it, below 128 by more than they are told.
   */
  static within(processBytes: number): MemoryBudget {
    const uncounted = Math.min(UNCOUNTED_BYTES, processBytes * UNCOUNTED_MOST);
    return new MemoryBudget(Math.max(LEAST_BYTES, Math.floor(processBytes - uncounted)));
  }

  /** @param mostCacheBytes what the cache takes at most, where there is more. */
  constructor(limitBytes: number = DEFAULT_BYTES, mostCacheBytes: number = limitBytes) {
    assert(Number.isSafeInteger(limitBytes) && limitBytes > 0, "a budget has bytes");
    this.#limitBytes = limitBytes;
    this.#mostCacheBytes = mostCacheBytes;
    this.turn = { bytes: 0, mostBytes: limitBytes * TURN_MOST };
    this.#merges = new MergeRooms(this.mergeBytes, SMALL_MERGE_BYTES, () =>
      this.cache.resize(this.#cacheBytes),
    );
    this.cache = new BlockCache(this.#cacheBytes);
  }

  /** Takes a shard in; its share is to be left when it closes. */
  join(shard: BudgetedShard): MemoryShare {
    const share: MemoryShare = new MemoryShare(shard, {
      changed: (part, by, was) => this.#changed(share, part, by, was),
      left: () => void this.#shares.delete(share),
      felt: (own) => this.#felt(own),
      assertTransactionRoom: () => this.#assertTransactionRoom(),
      limits: [this.#limitBytes * WRITES_SHARE, this.#limitBytes * WRITES_MOST],
    });
    this.#shares.add(share);
    return share;
  }

  /** What all merges together may hold of their inputs. */
  get mergeBytes(): number {
    return Math.max(1, Math.min(MAX_WORK_BYTES, Math.floor(this.#limitBytes * WORK_MOST)));
  }

  /**
   * Asks for room to merge in, fairly among shards (`MergeRooms`).
   *
   * @param wantBytes what the merge has use for; it may get less.
   */
  work(shard: object, wantBytes: number): MergeRoom {
    return this.#merges.ask(shard, wantBytes);
  }

  get figures(): BudgetFigures {
    const { active, frozen, recent, waiting, transactions } = this.#bytes;
    const { bytes, metadataBytes } = this.cache.figures;
    const memtableBytes = active + frozen + waiting;
    return {
      limitBytes: this.#limitBytes,
      usedBytes: memtableBytes + recent + bytes + this.#merges.bytes,
      memtableBytes,
      recentBytes: recent,
      transactionBytes: transactions,
      dataBytes: bytes - metadataBytes,
      metadataBytes,
      workBytes: this.#merges.bytes,
      shards: this.#shares.size,
      relieved: this.#relieved,
    };
  }

  get #writeBytes(): number {
    const { active, frozen, recent, waiting, transactions } = this.#bytes;
    return active + frozen + recent + waiting + transactions;
  }

  get #cacheBytes(): number {
    const limit = this.#limitBytes;
    const left = limit - this.#writeBytes - this.#merges.bytes;
    return Math.min(this.#mostCacheBytes, Math.max(limit * CACHE_LEAST, left));
  }

  #changed(share: MemoryShare, part: ShardPart, by: number, was: number): void {
    this.#bytes[part] += by;
    if (was === 0) this.#holders++;
    else if (share.bytes === 0) this.#holders--;
    assert(this.#bytes[part] >= 0, "the whole is at least what a share gives back");
    assert(this.#holders >= 0, "a shard that gives its last byte back held some");
    if (part === "active" && share.of("active") === by) share.begun = ++this.#begun;
    this.cache.resize(this.#cacheBytes);
    if (by > 0) this.#relieve();
  }

  /** What it asks of a shard changes its share, which comes back here. */
  #relieve(): void {
    if (this.#relieving) return;
    this.#relieving = true;
    const soft = this.#limitBytes * WRITES_SHARE;
    this.#shed("active", () => this.#bytes.active > soft / 2);
    this.#shed("recent", () => this.#writeBytes > soft);
    this.#relieving = false;
  }

  #shed(part: "active" | "recent", isTooMuch: () => boolean): void {
    while (isTooMuch()) {
      const before = this.#bytes[part];
      const victim = this.#largest(part);
      if (part === "active") victim?.shard.freeze();
      else victim?.shard.forget();
      if (this.#bytes[part] >= before) return;
      if (part === "active") this.#relieved++;
    }
  }

  /** Within a factor of two sizes count as equal: then the oldest. */
  #largest(part: "active" | "recent"): MemoryShare | undefined {
    let best: MemoryShare | undefined;
    let bestClass = 0;
    for (const share of this.#shares) {
      const bytes = share.of(part);
      if (bytes === 0) continue;
      const sizeClass = Math.floor(Math.log2(bytes));
      const wins =
        best === undefined ||
        sizeClass > bestClass ||
        (sizeClass === bestClass && share.begun < best.begun);
      if (wins) [best, bestClass] = [share, sizeClass];
    }
    return best;
  }

  #assertTransactionRoom(): void {
    const { transactions } = this.#bytes;
    if (transactions > this.#limitBytes * TRANSACTIONS_MOST) throw transactionsFull(transactions);
  }

  /** Of a shard that has less than its part, only what comes when room is about to end. */
  #felt(own: number): number {
    const all = this.#writeBytes;
    const isModest = own * Math.max(1, this.#holders) < all;
    return isModest ? Math.min(all, 2 * all - this.#limitBytes * WRITES_MOST) : all;
  }
}

/** What a share tells the whole, and asks of it. */
interface Whole {
  changed(part: ShardPart, by: number, was: number): void;
  left(): void;
  felt(own: number): number;
  assertTransactionRoom(): void;
  readonly limits: readonly [number, number];
}

/** One shard's part of a budget. */
export class MemoryShare {
  readonly shard: BudgetedShard;
  /** Ascends with the time at which active memtables took their first write. */
  begun = 0;
  /** Slows the shard's writes down as the room of all shards ends. */
  readonly gauge: Gauge;
  readonly #whole: Whole;
  readonly #bytes: Record<ShardPart, number> = { ...NOTHING };
  #total = 0;
  #hasLeft = false;

  /** Made by `MemoryBudget.join`. */
  constructor(shard: BudgetedShard, whole: Whole) {
    this.shard = shard;
    this.#whole = whole;
    const [soft, hard] = whole.limits;
    this.gauge = { name: "memoryBytes", soft, hard, read: () => whole.felt(this.#total) };
  }

  /** Of all parts. */
  get bytes(): number {
    return this.#total;
  }

  /** @throws FirnError `Overloaded`, code `LSM_TRANSACTIONS_FULL`: those of all shards. */
  assertTransactionRoom(): void {
    this.#whole.assertTransactionRoom();
  }

  of(part: ShardPart): number {
    return this.#bytes[part];
  }

  /** Says what a part takes now; an active memtable without a write takes 0. */
  set(part: ShardPart, bytes: number): void {
    // Ingests and reads that were open end after their shard: it has given all back by then.
    if (this.#hasLeft) return;
    assert(bytes >= 0, "a part never gives back more than it took");
    const by = bytes - this.#bytes[part];
    if (by === 0) return;
    const was = this.#total;
    this.#bytes[part] = bytes;
    this.#total += by;
    assert(this.#total >= 0, "the total of a share is that of its parts");
    this.#whole.changed(part, by, was);
  }

  add(part: ShardPart, bytes: number): void {
    this.set(part, this.#bytes[part] + bytes);
  }

  /** The shard is closed. */
  leave(): void {
    for (const part of Object.keys(this.#bytes) as ShardPart[]) this.set(part, 0);
    assert(this.#total === 0, "a shard that is closed holds nothing");
    this.#hasLeft = true;
    this.#whole.left();
  }
}
