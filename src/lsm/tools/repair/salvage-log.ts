import { assert } from "../../../base/assert.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Prng } from "../../../base/prng.ts";
import type { Sequence } from "../../format/entry.ts";
import type { SstMeta } from "../../format/sst-meta.ts";
import { LogReplay } from "../../memtable/log-replay.ts";
import { isIngest } from "../../wal/batch.ts";
import type { WalBatch, WalMark, WalReader } from "../../wal/port.ts";
import { type TableTarget, writeTables } from "../../write/memtable-table.ts";
import { type Loss, ofAnyKey } from "./loss.ts";

/** What the log still held beyond a state. */
export interface SalvagedLog {
  /** In the place of the repaired shard, until they are merged. */
  readonly tables: readonly SstMeta[];
  readonly batches: number;
  readonly lastSequence: Sequence;
  /** Of the last writer that began a file. */
  readonly epoch: number;
  /** No operation behind the state is missing, up to the last one. */
  readonly isGapless: boolean;
  /** Operations that stand for an ingest, whose rows no log holds. */
  readonly ingests: readonly Sequence[];
}

/** Brings what a log holds beyond a mark into tables, a memtable at a time. */
export async function salvageLog(
  wal: WalReader,
  mark: WalMark,
  target: TableTarget & { readonly clock: Clock; readonly prng: Prng },
  onLoss: (loss: Loss) => void,
): Promise<SalvagedLog> {
  const log = new LogSalvage(wal, mark, target, onLoss);
  return await log.run();
}

class LogSalvage {
  readonly #wal: WalReader;
  readonly #mark: WalMark;
  readonly #target: TableTarget & { readonly clock: Clock; readonly prng: Prng };
  readonly #onLoss: (loss: Loss) => void;
  readonly #tables: SstMeta[] = [];
  readonly #ingests: Sequence[] = [];
  #replay: LogReplay;
  #due: Sequence;
  #batches = 0;
  #epoch = 0;
  #isGapless = true;
  #isBegun = false;

  constructor(
    wal: WalReader,
    mark: WalMark,
    target: TableTarget & { readonly clock: Clock; readonly prng: Prng },
    onLoss: (loss: Loss) => void,
  ) {
    this.#wal = wal;
    this.#mark = mark;
    this.#target = target;
    this.#onLoss = onLoss;
    this.#due = mark.sequence + 1;
    this.#replay = this.#empty(mark.sequence);
  }

  async run(): Promise<SalvagedLog> {
    for await (const found of this.#wal.salvage(this.#mark)) {
      if ("what" in found) {
        this.#isGapless = false;
        this.#onLoss(ofAnyKey(found.file, found.what, found.offset));
      } else if ("begins" in found) {
        this.#isBegun = true;
        this.#epoch = Math.max(this.#epoch, found.epoch);
        this.#reach(found.begins);
      } else {
        for (const batch of found.batches) this.#take(batch);
        if (this.#replay.memtables.length > 1) await this.#spill();
      }
    }
    await this.#spill();
    return {
      tables: this.#tables,
      batches: this.#batches,
      lastSequence: this.#due - 1,
      epoch: this.#epoch,
      isGapless: this.#isGapless && this.#isBegun,
      ingests: this.#ingests,
    };
  }

  #take(batch: WalBatch): void {
    const { firstSequence, count, payload } = batch;
    const last = firstSequence + count - 1;
    if (last < this.#due) return;
    this.#reach(firstSequence);
    if (isIngest(payload)) this.#ingests.push(firstSequence);
    assert(firstSequence >= this.#due, "a repair takes the operations of a log in order");
    this.#replay.add({ epoch: this.#epoch, batches: [batch] });
    this.#due = last + 1;
    this.#batches++;
  }

  /** What lies between the last operation and this one is in no file. */
  #reach(sequence: Sequence): void {
    if (sequence <= this.#due) return;
    this.#isGapless = false;
    const what = `no readable file of the log holds operations ${this.#due} to ${sequence - 1}`;
    this.#onLoss({ ...ofAnyKey(this.#wal.pathOf(this.#mark.file), what), newest: sequence });
    this.#due = sequence;
  }

  async #spill(): Promise<void> {
    const filled = this.#replay.memtables.filter(({ isEmpty }) => !isEmpty);
    this.#tables.push(...(await writeTables(this.#target, filled)));
    this.#replay = this.#empty(this.#due - 1);
  }

  #empty(sequence: Sequence): LogReplay {
    return new LogReplay(this.#target.options.memtableBytes, sequence);
  }
}
