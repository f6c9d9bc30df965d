import { assert } from "../../base/assert.ts";

/** Of the bytes for merges: what one gets at most, and what large ones leave to small ones. */
const ONE_MOST = 1 / 2;
const SMALL_SHARE = 1 / 4;
/** A small merge gets this share at most. */
const SMALL_MOST = 1 / 8;
/** A large merge with less than this share would read blocks one by one. */
const LARGE_LEAST = 1 / 4;

interface Waiting {
  readonly room: MergeRoom;
  readonly isSmall: boolean;
  readonly wantBytes: number;
  readonly grant: (bytes: number) => void;
}

/** What a shard holds and waits for. */
interface ShardQueue {
  heldBytes: number;
  /** When it was last given room: ascends over all shards. */
  served: number;
  readonly waiting: Waiting[];
}

/**
 * The memory of merges, shared out so that no shard waits for the long merge of another one. Each
 * shard has a queue. Room goes to the shard that holds least, and among those to the one that was
 * served longest ago. Large merges leave a quarter to small ones, and one gets half at most.
 */
export class MergeRooms {
  readonly #mostBytes: number;
  readonly #smallBytes: number;
  readonly #onChange: () => void;
  readonly #queues = new Map<object, ShardQueue>();
  /** What merges hold now. */
  readonly #held = { large: 0, small: 0 };
  #served = 0;

  /**
   * @param smallBytes a merge of no more input is a small one.
   * @param onChange called when `bytes` has changed.
   */
  constructor(mostBytes: number, smallBytes: number, onChange: () => void) {
    assert(mostBytes > 0, "merges need room");
    this.#mostBytes = mostBytes;
    this.#smallBytes = smallBytes;
    this.#onChange = onChange;
  }

  /** Bytes that merges hold now. */
  get bytes(): number {
    return this.#held.large + this.#held.small;
  }

  /**
   * @param shard whose queue it waits in: any object that stands for it.
   * @param wantBytes what the merge has use for, which is its input; it may get less.
   */
  ask(shard: object, wantBytes: number): MergeRoom {
    assert(wantBytes > 0, "a merge needs room: without, one more would always fit");
    const queue = this.#queues.get(shard) ?? { heldBytes: 0, served: 0, waiting: [] };
    this.#queues.set(shard, queue);
    const isSmall = wantBytes <= this.#smallBytes;
    const { room, grant } = MergeRoom.waiting(() => this.#ended(shard, queue, room, isSmall));
    queue.waiting.push({ room, isSmall, wantBytes, grant });
    this.#admit();
    return room;
  }

  #ended(shard: object, queue: ShardQueue, room: MergeRoom, isSmall: boolean): void {
    const waits = queue.waiting.findIndex((one) => one.room === room);
    if (waits >= 0) queue.waiting.splice(waits, 1);
    else {
      queue.heldBytes -= room.bytes;
      this.#held[isSmall ? "small" : "large"] -= room.bytes;
    }
    const { small, large } = this.#held;
    const isBalanced = queue.heldBytes >= 0 && small >= 0 && large >= 0;
    assert(isBalanced, "room to merge is given back once");
    if (queue.heldBytes === 0 && queue.waiting.length === 0) this.#queues.delete(shard);
    this.#admit();
  }

  #admit(): void {
    const before = this.bytes;
    let admitted = true;
    while (admitted) admitted = this.#admitOne(true) || this.#admitOne(false);
    const isIdle = this.bytes === 0;
    const waits = [...this.#queues.values()].some(({ waiting }) => waiting.length > 0);
    assert(!isIdle || !waits, "no work waits for room while none is in use");
    if (this.bytes !== before || isIdle) this.#onChange();
  }

  /** The first in turn of the small or of the large merges, if there is room. */
  #admitOne(small: boolean): boolean {
    const next = this.#nextOf(small);
    if (next === undefined) return false;
    const { queue, one } = next;
    const bytes = small ? this.#forSmall(one.wantBytes) : this.#forLarge(one.wantBytes);
    if (bytes === undefined) return false;
    queue.waiting.splice(queue.waiting.indexOf(one), 1);
    queue.heldBytes += bytes;
    queue.served = ++this.#served;
    this.#held[small ? "small" : "large"] += bytes;
    one.grant(bytes);
    return true;
  }

  #nextOf(small: boolean): { queue: ShardQueue; one: Waiting } | undefined {
    let best: { queue: ShardQueue; one: Waiting } | undefined;
    for (const queue of this.#queues.values()) {
      // Within a shard nothing overtakes.
      const [one] = queue.waiting;
      if (one === undefined || one.isSmall !== small) continue;
      if (best === undefined || comesFirst(queue, best.queue)) best = { queue, one };
    }
    return best;
  }

  /** The quarter that large merges leave; more where no large one waits. */
  #forSmall(wantBytes: number): number | undefined {
    const bytes = Math.min(wantBytes, Math.max(1, Math.floor(this.#mostBytes * SMALL_MOST)));
    const mostBytes = this.#nextOf(false) === undefined ? this.#mostBytes : this.#smallMost;
    const fits = this.bytes + bytes <= this.#mostBytes && this.#held.small + bytes <= mostBytes;
    return fits || this.bytes === 0 ? bytes : undefined;
  }

  #forLarge(wantBytes: number): number | undefined {
    const most = Math.min(wantBytes, Math.max(1, Math.floor(this.#mostBytes * ONE_MOST)));
    if (this.bytes === 0) return most;
    const left = this.#mostBytes - this.#smallMost - this.#held.large;
    const bytes = Math.floor(Math.min(most, left, this.#mostBytes - this.bytes));
    return bytes >= Math.min(most, this.#mostBytes * LARGE_LEAST) ? bytes : undefined;
  }

  get #smallMost(): number {
    return this.#mostBytes * SMALL_SHARE;
  }
}

function comesFirst(a: ShardQueue, b: ShardQueue): boolean {
  if (a.heldBytes !== b.heldBytes) return a.heldBytes < b.heldBytes;
  return a.served < b.served;
}

/** Room that a merge has, or waits for. */
export class MergeRoom {
  readonly #granted = Promise.withResolvers<void>();
  readonly #onEnd: () => void;
  #bytes = 0;
  #ended = false;

  private constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  /** One that waits, and what grants it so many bytes. */
  static waiting(onEnd: () => void): {
    readonly room: MergeRoom;
    readonly grant: (bytes: number) => void;
  } {
    const room = new MergeRoom(onEnd);
    return { room, grant: (bytes) => room.#grant(bytes) };
  }

  /** What it holds; 0 while it waits. */
  get bytes(): number {
    return this.#bytes;
  }

  get granted(): Promise<void> {
    return this.#granted.promise;
  }

  get isGranted(): boolean {
    return this.#bytes > 0;
  }

  /** Gives it back, or waits no longer. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd();
  }

  #grant(bytes: number): void {
    assert(!this.isGranted && !this.#ended, "room is granted once, to one that still waits");
    assert(bytes > 0, "room has bytes");
    this.#bytes = bytes;
    this.#granted.resolve();
  }
}
