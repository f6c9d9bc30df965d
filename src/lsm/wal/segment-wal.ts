import { assert } from "../../base/assert.ts";
import { giveBack } from "../../base/bytes.ts";
import type { Clock } from "../../base/clock.ts";
import { invalid } from "../../base/error.ts";
import type { Prng } from "../../base/prng.ts";
import type { Disk, WritableFile } from "../disk/port.ts";
import { AppendStats } from "./append-stats.ts";
import { dead, fenced, unwritten, writeUnknown } from "./errors.ts";
import { FRAME_BYTES, framesBytes, writeFrames } from "./frame.ts";
import { spareName, walName } from "./names.ts";
import type { Wal, WalBatch, WalStats } from "./port.ts";
import { keptFrom, NO_RETENTION, ReplayStarts, type WalRetention } from "./retention.ts";
import { SegmentFile, type SegmentSizes } from "./segment-file.ts";
import {
  BLOCK_BYTES,
  encodeSegmentHeader,
  type SegmentHeader,
  wholeBlocks,
} from "./segment-header.ts";
import type { Recovery } from "./segment-recovery.ts";
import { lastOf } from "./sequences.ts";

/** What the logs of one directory share. */
export interface SegmentWorld {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly sizes: SegmentSizes;
}

interface Current {
  readonly header: SegmentHeader;
  readonly file: SegmentFile;
  /** Where the next group goes: all before it is on the disk. */
  end: number;
}

const GROUP_BYTES = 8_388_608;
/** More than this is not written on the calling thread. */
const ALONE_BYTES = 65_536;
/** A buffer up to this size is kept from group to group. */
const KEPT_BYTES = 1_048_576;
const MAX_SPARES = 2;

/**
 * The log of one owner. It writes to files that it created itself and to no others, also when it
 * recycles one: a writer that was fenced and does not know it may hold any other file open.
 */
export class SegmentWal implements Wal {
  readonly maxBatchBytes: number;
  readonly maxInFlight: number = 1;
  readonly maxGroupBytes: number;
  readonly #world: SegmentWorld;
  readonly #epoch: number;
  readonly #stats: AppendStats;
  /** Every segment below the current one that was not released, in order. */
  #files: readonly number[];
  /** Segments below `#files`, in order, that no replay needs and subscribers may read. */
  #retained: readonly number[] = [];
  /** Sequences above it are known to lie in what has one of `#lastSequences`, or later. */
  #knownFrom: number;
  readonly #starts = new ReplayStarts();
  /** Of those that hold something: their last sequences. */
  readonly #lastSequences = new Map<number, number>();
  /** Of those that this owner wrote: its own handles, for recycling. */
  readonly #own = new Map<number, SegmentFile>();
  #spares: { readonly name: string; readonly file: SegmentFile }[] = [];
  #sparesMade = 0;
  #current: Current | undefined;
  #lastSequence = 0;
  #writtenBytes = 0;
  #buffer: Buffer = Buffer.alloc(0);
  #busy = false;
  #fault: unknown;
  /** Given up and still there, oldest first. */
  readonly #released: number[] = [];
  #releasing: Promise<void> = Promise.resolve();

  /**
   * @param below ids of every segment that there is, in order.
   * @param knownFrom all that was recovered has higher sequences.
   */
  constructor(world: SegmentWorld, epoch: number, below: readonly number[], knownFrom: number) {
    this.#world = world;
    this.#epoch = epoch;
    this.#stats = new AppendStats(world.clock);
    this.#files = below;
    this.#knownFrom = knownFrom;
    const room = world.sizes.segmentBytes - BLOCK_BYTES;
    this.maxBatchBytes = room - FRAME_BYTES;
    this.maxGroupBytes = Math.min(GROUP_BYTES, room);
  }

  /**
   * Writes the header of a segment that this owner has just created: from here on it serves. Unless
   * it is overtaken already: then a rival may not have seen what was recovered here.
   */
  async begin(id: number, file: WritableFile, recovery: Recovery): Promise<void> {
    this.#lastSequence = recovery.lastSequence;
    for (const segment of recovery.segments) {
      this.#lastSequences.set(segment.id, segment.lastSequence);
    }
    await this.#begin(id, this.#ownFile(file), recovery.previous);
    this.#assertOwned(id, "Unavailable");
  }

  append(group: readonly WalBatch[], isAlone = false): Promise<void> {
    return this.#alone(async () => {
      const startMs = this.#stats.nowMs();
      const bytes = framesBytes(group);
      const size = wholeBlocks(bytes);
      if (size > this.#world.sizes.segmentBytes - BLOCK_BYTES) {
        throw invalid("WAL_GROUP_TOO_LARGE", "the log group exceeds the size of a segment", {
          bytes,
        });
      }
      const lastSequence = lastOf(group, this.#lastSequence + 1);
      const { end, file, header } = await this.#roomFor(size);
      const encoded = this.#encode(group, size, header, end);
      try {
        await file.write(end, encoded, isAlone && size <= ALONE_BYTES && this.#stats.isFast);
      } catch (error) {
        throw this.#die(writeUnknown(walName(header.id), error));
      } finally {
        if (encoded.buffer !== this.#buffer.buffer) giveBack(encoded);
      }
      this.#assertOwned(header.id, "Unknown");
      this.#serving().end = end + size;
      this.#lastSequence = lastSequence;
      this.#stats.acknowledged(group, startMs);
    });
  }

  roll(): Promise<void> {
    return this.#alone(async () => {
      if (this.#serving().end > BLOCK_BYTES) await this.#roll();
    });
  }

  get begun(): number {
    return this.#serving().header.id;
  }

  lowWater(sequence: number): number {
    const found = this.#files.find((id) => (this.#lastSequences.get(id) ?? 0) > sequence);
    return found ?? this.#serving().header.id;
  }

  /**
   * Renames or removes a file each, oldest first. A fence goes after the segment it fences, or who
   * was fenced would find neither gone nor followed what it writes to: so what cannot be released
   * holds up all that follow it, until the next release tries again.
   */
  release(file: number, keep: WalRetention = NO_RETENTION): Promise<void> {
    assert(file <= this.#serving().header.id, "the current segment stays");
    if (this.#fault !== undefined) return Promise.reject(dead(this.#fault));
    this.#starts.begin(file, this.#world.clock.monotonicMs());
    const over = [...this.#retained, ...this.#files.filter((id) => id < file)];
    this.#files = this.#files.filter((id) => id >= file);
    const kept = this.#keptFrom(over, keep);
    this.#retained = over.filter((id) => id >= kept);
    this.#released.push(...over.filter((id) => id < kept));
    this.#releasing = this.#releasing.then(() => this.#releaseAll());
    // Any caller that waits learns of a fault; what is still there in the end, a later owner
    // releases.
    const done = this.#releasing;
    this.#releasing = done.catch(() => undefined);
    return done;
  }

  fileOf(sequence: number): { readonly file: number } | { readonly below: number } {
    const known = [...this.#retained, ...this.#files].filter((id) => this.#lastSequences.has(id));
    const { id: current } = this.#serving().header;
    const at = known.findIndex((id) => (this.#lastSequences.get(id) as number) >= sequence);
    if (sequence > this.#knownFrom) return { file: known[at] ?? current };
    return { below: (at < 0 ? undefined : known[at + 1]) ?? current };
  }

  stats(): WalStats {
    return {
      epoch: this.#epoch,
      lastSequence: this.#lastSequence,
      files: this.#files.length + 1,
      // As the retention counts them.
      retainedBytes: this.#retained.length * this.#world.sizes.segmentBytes,
      writtenBytes: this.#writtenBytes,
      ...this.#stats.figures(),
    };
  }

  async close(): Promise<void> {
    assert(!this.#busy, "nothing is under way when a log is closed");
    this.#fault ??= "closed";
    await this.#releasing;
    const spares = this.#spares.splice(0);
    for (const { name } of spares) await this.#world.disk.remove(name);
    const own = [...this.#own.values(), ...spares.map(({ file }) => file)];
    this.#own.clear();
    for (const file of own) await file.close();
  }

  /** Of segments that no replay needs. */
  #keptFrom(ids: readonly number[], keep: WalRetention): number {
    const { clock, sizes } = this.#world;
    const bytes = sizes.segmentBytes;
    const files = ids.map((id) => ({ id, bytes, releasedMs: this.#starts.releasedMs(id) }));
    const from = keptFrom(files, keep, clock.monotonicMs());
    this.#starts.forget(from);
    for (const id of ids) {
      if (id >= from) continue;
      this.#knownFrom = Math.max(this.#knownFrom, this.#lastSequences.get(id) ?? 0);
    }
    return from;
  }

  #ownFile(file: WritableFile): SegmentFile {
    return new SegmentFile(file, this.#world.sizes, (bytes) => {
      this.#writtenBytes += bytes;
    });
  }

  #serving(): Current {
    assert(this.#current !== undefined, "a log serves once its header is written");
    return this.#current;
  }

  async #alone(work: () => Promise<void>): Promise<void> {
    assert(!this.#busy, "one write is in flight");
    if (this.#fault !== undefined) throw dead(this.#fault);
    this.#busy = true;
    try {
      await work();
    } finally {
      this.#busy = false;
    }
  }

  #die(error: Error): Error {
    this.#fault = error;
    return error;
  }

  /** The segment that the next group goes to: a new one where the current one has no room. */
  async #roomFor(size: number): Promise<Current> {
    const { end, header } = this.#serving();
    if (end + size > this.#world.sizes.segmentBytes) await this.#roll();
    const current = this.#serving();
    try {
      await current.file.reserve(current.end + size);
    } catch (error) {
      throw this.#die(unwritten(walName(header.id), error));
    }
    return current;
  }

  #encode(group: readonly WalBatch[], size: number, header: SegmentHeader, end: number): Buffer {
    if (size > KEPT_BYTES) return fill(Buffer.allocUnsafeSlow(size), group, header, end);
    if (this.#buffer.length < size) {
      const room = Math.min(KEPT_BYTES, Math.max(size, 2 * this.#buffer.length));
      this.#buffer = Buffer.allocUnsafeSlow(room);
    }
    return fill(this.#buffer.subarray(0, size), group, header, end);
  }

  /**
   * No process has taken over. The successor first, then the segment itself: a new owner may have
   * released both by now, and they vanish in the opposite order.
   */
  #assertOwned(id: number, kind: "Unknown" | "Unavailable"): void {
    const { disk } = this.#world;
    if (disk.exists(walName(id + 1)) || !this.#serving().file.isNamed()) {
      throw this.#die(fenced(walName(id), kind));
    }
  }

  async #roll(): Promise<void> {
    const { header, end } = this.#serving();
    const id = header.id + 1;
    try {
      const file = await this.#claim(id);
      // A rival that created this id and released it by now has removed the one before it first.
      if (file === undefined || !this.#serving().file.isNamed()) {
        throw fenced(walName(header.id), "Unavailable");
      }
      // First: once it is the current one a mark may name it, which a power cut must not take away.
      await this.#world.disk.sync();
      const previous = { id: header.id, end, lastSequence: this.#lastSequence };
      await this.#begin(id, file, previous);
    } catch (error) {
      throw this.#die(unwritten(walName(id), error));
    }
  }

  async #begin(id: number, file: SegmentFile, previous: SegmentHeader["previous"]): Promise<void> {
    const header: SegmentHeader = {
      id,
      epoch: this.#epoch,
      salt: Buffer.from(this.#world.prng.bytes(4)).readUInt32LE(0),
      firstSequence: this.#lastSequence + 1,
      previous,
    };
    this.#own.set(id, file);
    await file.begin(encodeSegmentHeader(header));
    // In one step: at no moment is a segment with groups neither the current one nor below it, or a
    // mark that is taken then would leave it out.
    if (this.#current !== undefined) {
      this.#files = [...this.#files, previous.id];
      this.#lastSequences.set(previous.id, previous.lastSequence);
    }
    this.#current = { header, file, end: BLOCK_BYTES };
  }

  /**
   * A file under the name of a segment that no other process has created; undefined where one has.
   */
  async #claim(id: number): Promise<SegmentFile | undefined> {
    const { disk } = this.#world;
    for (let spare = this.#spares.pop(); spare !== undefined; spare = this.#spares.pop()) {
      const linked = await disk.link(spare.name, walName(id));
      if (linked === "linked") {
        await disk.remove(spare.name);
        await spare.file.renamed(walName(id));
        return spare.file;
      }
      await disk.remove(spare.name);
      await spare.file.close();
      if (linked === "taken") return undefined;
    }
    const made = await disk.create(walName(id));
    return made && this.#ownFile(made);
  }

  async #releaseAll(): Promise<void> {
    for (let id = this.#released[0]; id !== undefined; id = this.#released[0]) {
      await this.#releaseOne(id);
      this.#released.shift();
      this.#lastSequences.delete(id);
    }
  }

  async #releaseOne(id: number): Promise<void> {
    const { disk } = this.#world;
    const file = this.#own.get(id);
    let spare: string | undefined;
    if (file !== undefined && this.#spares.length < MAX_SPARES && this.#fault === undefined) {
      const name = spareName(this.#epoch, this.#sparesMade++);
      if (await disk.rename(walName(id), name)) spare = name;
    } else await disk.remove(walName(id));
    this.#own.delete(id);
    if (file === undefined) return;
    if (spare === undefined) await file.close();
    else this.#spares.push({ name: spare, file });
  }
}

/** Frames, and zeros up to the end of the last block. */
function fill(out: Buffer, group: readonly WalBatch[], header: SegmentHeader, end: number): Buffer {
  return out.fill(0, writeFrames(out, 0, group, header, end));
}
