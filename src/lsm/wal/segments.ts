import { assert } from "../../base/assert.ts";
import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import type { Prng } from "../../base/prng.ts";
import type { Disk, WritableFile } from "../disk/port.ts";
import { fenced, outranked } from "./errors.ts";
import { isSpare, walId, walName } from "./names.ts";
import type { Wal, WalOpenOptions, WalReader, WalStore } from "./port.ts";
import { SegmentReader } from "./reader.ts";
import { BLOCK_BYTES } from "./segment-header.ts";
import { newestHeader, recover } from "./segment-recovery.ts";
import { SegmentWal, type SegmentWorld } from "./segment-wal.ts";

export interface SegmentWalOptions {
  readonly clock: Clock;
  readonly prng: Prng;
  /** Whole blocks of 4 KiB; 64 MiB if absent. */
  readonly segmentBytes?: number;
  /** Zeros written at once, whole blocks; 1 MiB if absent, none where nothing is synced. */
  readonly sliceBytes?: number;
}

const SEGMENT_BYTES = 67_108_864;
const SLICE_BYTES = 1_048_576;
/** Offsets are 32 bits, and a segment is read whole. */
const MAX_SEGMENT_BYTES = 1_073_741_824;
/** Each lost race for the next id means that another process won it. */
const MAX_RACES = 1_000;

/**
 * A log of segment files in a directory of a local disk. Segment N+1 fences the owner of segment N:
 * it is created exclusively before N is read, and the writer of N looks for it between its sync
 * and its acknowledgement. So a group that was acknowledged was on the disk before N+1 existed,
 * hence is read by any process that created it.
 */
export class SegmentWalStore implements WalStore {
  readonly #world: SegmentWorld;

  constructor(disk: Disk, { clock, prng, segmentBytes, sliceBytes }: SegmentWalOptions) {
    const sizes = {
      segmentBytes: segmentBytes ?? SEGMENT_BYTES,
      sliceBytes: disk.syncs ? (sliceBytes ?? SLICE_BYTES) : 0,
    };
    for (const bytes of Object.values(sizes)) assert(bytes % BLOCK_BYTES === 0, "whole blocks");
    assert(sizes.segmentBytes >= 2 * BLOCK_BYTES, "a segment holds a header and a group");
    assert(sizes.segmentBytes <= MAX_SEGMENT_BYTES, "a segment fits its offsets");
    this.#world = { disk, clock, prng, sizes };
  }

  /**
   * A sync of the directory, one of the header; every segment from the mark on is read, whole, and
   * twice behind an opening that failed. The files of spares that other owners left are removed.
   */
  async open(options: WalOpenOptions): Promise<Wal> {
    const { disk } = this.#world;
    const { epoch, from } = options;
    assert(Number.isInteger(epoch) && epoch > 0 && epoch < 2 ** 32, "an epoch is 1 to 2^32 - 1");
    await disk.prepare();
    await this.#assertReadable(options);
    const { id, file, below } = await this.#fence(options);
    try {
      await disk.sync();
      const newest = await newestHeader(
        disk,
        below.filter((older) => older >= from.file),
      );
      const recovery = await recover(disk, newest, options);
      const wal = new SegmentWal(this.#world, epoch, below, from.sequence);
      await wal.begin(id, file, recovery);
      for (const name of await disk.list()) if (isSpare(name)) await disk.remove(name);
      return wal;
    } catch (error) {
      await file.close();
      // Who is overtaken while it reads may miss what its successor has released: no damage.
      const overtaken = (idsOf(await disk.list()).at(-1) ?? 0) > id;
      throw overtaken ? fenced(walName(id), "Unavailable") : error;
    }
  }

  /**
   * Every opening begins a file, which stays until a flush lets go of what it fences: removed
   * sooner, the owner it fenced would acknowledge again. So where an earlier opening ended before
   * its header, one that must fail as well reads the log before it begins its own.
   *
   * @throws FirnError `Corrupt`, as `recover`.
   */
  async #assertReadable({ epoch, from }: WalOpenOptions): Promise<void> {
    const { disk } = this.#world;
    const before = idsOf(await disk.list());
    const ids = before.filter((id) => id >= from.file);
    const newest = await newestHeader(disk, ids);
    if (newest?.id === ids.at(-1) || (newest?.epoch ?? 0) >= epoch) return;
    try {
      await recover(disk, newest, { epoch, from, onGroup: () => undefined });
    } catch (error) {
      const isDamage = error instanceof FirnError && error.kind === "Corrupt";
      // Others that take over meanwhile release what was to be read: no damage.
      const isStill = idsOf(await disk.list()).join() === before.join();
      if (isDamage && isStill) throw error;
    }
  }

  reader(): WalReader {
    return new SegmentReader(this.#world.disk);
  }

  /** Creates the next segment: the owner of the one before can acknowledge nothing any more. */
  async #fence({ epoch, from }: WalOpenOptions): Promise<Fence> {
    const { disk } = this.#world;
    for (let race = 0; race < MAX_RACES; race++) {
      const below = idsOf(await disk.list());
      // A writer that comes late should not fence a newer one. Recovery looks again, for certain.
      const newest = await newestHeader(
        disk,
        below.filter((older) => older >= from.file),
      );
      if (newest !== undefined && newest.epoch >= epoch) {
        throw outranked(walName(newest.id), newest.epoch);
      }
      const id = Math.max(below.at(-1) ?? 0, from.file) + 1;
      const file = await disk.create(walName(id));
      if (file === undefined) continue;
      // Others may have taken this id and released it since the list was read. They go on with
      // higher ones, of which the newest is never released.
      if (idsOf(await disk.list()).at(-1) === id) return { id, file, below };
      await file.close();
    }
    throw fenced(disk.path, "Unavailable");
  }
}

interface Fence {
  readonly id: number;
  readonly file: WritableFile;
  /** Every segment that there was, in order. */
  readonly below: readonly number[];
}

function idsOf(names: readonly string[]): readonly number[] {
  const ids = names.map(walId).filter((id) => id !== undefined);
  return ids.sort((a, b) => a - b);
}
