import { assert } from "../../base/assert.ts";
import { type Clock, Stopwatch } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Prng } from "../../base/prng.ts";
import type { BlobStore } from "../../blob/port.ts";
import { LSM_LIMITS } from "../limits.ts";
import { corrupt, fenced, inLogFile, outranked } from "./errors.ts";
import { walName } from "./names.ts";
import type { WalObject } from "./object-format.ts";
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
 * The fence is an object too: it takes the number that the writer before would have used next.
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

  /** A list for each thousand objects, two reads, the fence's put, and a read for each object. */
  async open(options: WalOpenOptions): Promise<Wal> {
    const { epoch, from } = options;
    assert(Number.isInteger(epoch) && epoch > 0 && epoch < 2 ** 32, "an epoch is 1 to 2^32 - 1");
    const fence = await this.#fence(epoch, from.file);
    const replay = new ObjectReplay(options);
    try {
      await this.#replay(fence.below, replay);
    } catch (error) {
      // Who is overtaken while it reads may miss what its successor has released: no damage.
      for await (const later of this.#log.list(fence.id)) {
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
      fenceId: fence.id,
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
      const id = Math.max(newestId ?? 0, oldest - 1) + 1;
      // A fence need not know the next sequence, which is unknown before the log was read.
      const put = await this.#log.put({ id, epoch, firstSequence: 0, batches: [] });
      if (put.outcome !== "ours" || (await this.#log.isOvertaken(id, known))) continue;
      return { id, known, below: found.filter((older) => older >= oldest) };
    }
    throw fenced(this.#log.pathOf(oldest), "Unavailable");
  }
}

interface Fence {
  readonly id: number;
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
  #epoch = 0;

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
    if (object.epoch < this.#epoch) throw corrupt(name, 16, "the epoch falls");
    if (object.epoch >= epoch) throw outranked(name, object.epoch);
    this.#epoch = object.epoch;
    const last = object.batches.at(-1);
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
