import { assert } from "../../base/assert.ts";
import { type Clock, Stopwatch } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Prng } from "../../base/prng.ts";
import type { BlobStore } from "../../blob/port.ts";
import { LSM_LIMITS } from "../limits.ts";
import { corrupt, fenced, inLogFile, outranked } from "./errors.ts";
import { walName } from "./names.ts";
import { isStray, type ObjectBefore, type WalObject } from "./object-format.ts";
import { ObjectLog } from "./object-log.ts";
import { ObjectWal } from "./object-wal.ts";
import type { Wal, WalOpenOptions, WalReader, WalStore } from "./port.ts";
import { ObjectReader } from "./reader.ts";

export interface ObjectWalOptions {
  readonly clock: Clock;
  readonly prng: Prng;
  /** Of the log's objects: relative, ending with `/`. */
  readonly prefix: string;
  /** No object younger than this is deleted; `LSM_LIMITS.gcMinAgeMs` if absent. */
  readonly minAgeMs?: number;
  /** How long a put is tried; `attemptMs` if absent. */
  readonly attemptMs?: number;
}

/** Objects that are fetched at once during replay. */
const READ_AHEAD = 8;
/** Each lost race for the next number means that another process won it. */
const MAX_RACES = 1_000;

/**
 * A log of numbered objects, one for each group, in any store that can put where nothing stands.
 * The fence is two objects: they take the numbers that the writer before has under way, or would
 * have used next. Where it put the second before the fence could, that one is a stray.
 */
export class ObjectWalStore implements WalStore {
  readonly #log: ObjectLog;
  readonly #reader: WalReader;
  readonly #clock: Clock;
  readonly #minAgeMs: number;

  constructor(blobs: BlobStore, options: ObjectWalOptions) {
    const { clock, prng, prefix } = options;
    const { attemptMs = LIMITS.attemptMs, minAgeMs = LSM_LIMITS.gcMinAgeMs } = options;
    this.#log = new ObjectLog({ blobs, prefix, clock, prng, attemptMs, minAgeMs });
    this.#reader = new ObjectReader(blobs, prefix);
    this.#clock = clock;
    this.#minAgeMs = minAgeMs;
  }

  reader(): WalReader {
    return this.#reader;
  }

  /** A list for each thousand objects, two reads, the fence's puts, and a read for each object. */
  async open(options: WalOpenOptions): Promise<Wal> {
    const { epoch, from } = options;
    assert(Number.isInteger(epoch) && epoch > 0 && epoch < 2 ** 32, "an epoch is 1 to 2^32 - 1");
    const fence = await this.#fence(epoch, from.file);
    const replay = new ObjectReplay(options);
    try {
      await this.#replay(fence.below, replay);
    } catch (error) {
      // Who is overtaken while it reads may miss what its successor has released: no damage.
      for await (const later of this.#log.list(fence.nextId - 1)) {
        throw fenced(walName(later.id), "Unavailable");
      }
      throw error;
    }
    return new ObjectWal({
      log: this.#log,
      clock: this.#clock,
      minAgeMs: this.#minAgeMs,
      epoch,
      known: fence.known,
      nextId: fence.nextId,
      recovered: replay.recovered,
      lastSequence: replay.lastSequence,
      knownFrom: options.from.sequence,
    });
  }

  async #replay(below: readonly number[], replay: ObjectReplay): Promise<void> {
    for (let at = 0; at < below.length; at += READ_AHEAD) {
      const ids = below.slice(at, at + READ_AHEAD);
      const objects = await Promise.all(ids.map((id) => this.#log.get(id)));
      for (const [index, object] of objects.entries()) await replay.add(ids[index] ?? 0, object);
    }
  }

  async #fence(epoch: number, oldest: number): Promise<Fence> {
    for (let race = 0; race < MAX_RACES; race++) {
      const known = new Stopwatch(this.#clock);
      const found: number[] = [];
      // One more than is read: where nothing came since the mark, its epoch is the newest.
      for await (const { id } of this.#log.list(Math.max(0, oldest - 2))) found.push(id);
      const newestId = found.at(-1);
      const newest = newestId === undefined ? undefined : await this.#log.get(newestId);
      if (newest !== undefined && newest.epoch >= epoch) {
        throw outranked(walName(newest.id), newest.epoch);
      }
      const id = missing(found, newest, oldest) ?? Math.max(newestId ?? 0, oldest - 1) + 1;
      if ((await this.#take(id, epoch, known)) !== "ours") continue;
      const below = found.filter((older) => older >= oldest && older < id);
      // Any other owner that found no object puts its fence here first.
      if (newest === undefined && oldest === 0) return { nextId: id + 1, known, below };
      if ((await this.#take(id + 1, epoch, known)) === "another's") continue;
      return { nextId: id + 2, known, below };
    }
    throw fenced(this.#log.pathOf(oldest), "Unavailable");
  }

  /** Puts a fence where nothing stands. Whose object stands there now: ours, or who had it. */
  async #take(
    id: number,
    epoch: number,
    known: Stopwatch,
  ): Promise<"ours" | "an older one's" | "another's"> {
    // A fence need not know the next sequence, which is unknown before the log was read.
    const fence = { id, epoch, firstSequence: 0, isOverlapped: false, batches: [] };
    const { outcome } = await this.#log.put(fence);
    const found = outcome === "ours" ? fence : await this.#log.get(id);
    if (found === undefined || (outcome !== "ours" && found.epoch >= epoch)) return "another's";
    if (await this.#log.isOvertaken({ id, epoch }, known)) return "another's";
    return outcome === "ours" ? "ours" : "an older one's";
  }
}

/** The number of an object that is under way while the one behind it is there. */
function missing(
  found: readonly number[],
  newest: WalObject | undefined,
  oldest: number,
): number | undefined {
  if (newest?.isOverlapped !== true) return undefined;
  const id = newest.id - 1;
  return id < oldest || found.includes(id) ? undefined : id;
}

interface Fence {
  /** Behind it. */
  readonly nextId: number;
  /** Begun before the list that the fence rests on. */
  readonly known: Stopwatch;
  /** Numbers of the objects before it, in order. */
  readonly below: readonly number[];
}

/** An object that holds a group. */
export interface RecoveredObject {
  readonly id: number;
  readonly lastSequence: number;
}

/** Hands on the groups of the objects, and sees that none is missing. */
class ObjectReplay {
  readonly recovered: RecoveredObject[] = [];
  lastSequence: number;
  readonly #options: WalOpenOptions;
  #due: number | undefined;
  #before: ObjectBefore | undefined;

  constructor(options: WalOpenOptions) {
    this.#options = options;
    this.lastSequence = options.from.sequence;
    this.#due = options.from.file === 0 ? 1 : options.from.file;
  }

  async add(id: number, object: WalObject | undefined): Promise<void> {
    const { from, epoch, onGroup } = this.#options;
    const name = walName(id);
    if (object === undefined || id !== this.#due) throw corrupt(name, 0, "an object is missing");
    this.#due = id + 1;
    if (isStray(object, this.#before)) return;
    if (object.epoch < (this.#before?.epoch ?? 0)) throw corrupt(name, 16, "the epoch falls");
    if (object.epoch >= epoch) throw outranked(name, object.epoch);
    const last = object.batches.at(-1);
    this.#before = { epoch: object.epoch, isFence: last === undefined };
    if (last === undefined) return;
    if (object.firstSequence > this.lastSequence + 1) {
      throw corrupt(name, 40, "a sequence is missing before it");
    }
    const lastSequence = last.firstSequence + last.count - 1;
    this.recovered.push({ id, lastSequence });
    if (lastSequence <= from.sequence) return;
    this.lastSequence = lastSequence;
    try {
      await onGroup({ epoch: object.epoch, batches: object.batches });
    } catch (error) {
      throw inLogFile(name, error);
    }
  }
}
