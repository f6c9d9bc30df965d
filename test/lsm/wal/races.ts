import { type Prng, randomBelow, SeededPrng } from "../../../src/base/prng.ts";
import type { Wal, WalGroup, WalMark, WalStore } from "../../../src/lsm/wal/port.ts";
import type { ModelledDisk } from "../../support/modelled-disk.ts";
import { appendAtOnce, openWal, START } from "./support.ts";

/** Owners take turns at every call to the medium: one goes on, the others stand still. */
export class CommitQueue {
  readonly #prng: Prng;
  /** An owner may have several calls under way. */
  readonly #waiting = new Map<number, (() => void)[]>();
  #running = -1;
  #burst = 0;

  constructor(prng: Prng) {
    this.#prng = prng;
  }

  /** Waits until it is this owner's turn. */
  take(owner: number): Promise<void> {
    return new Promise((go) => {
      this.#waiting.set(owner, [...(this.#waiting.get(owner) ?? []), go]);
    });
  }

  /** Gives turns until the work is done. */
  async run(work: Promise<unknown>): Promise<void> {
    let done = false;
    const finish = (): void => {
      done = true;
    };
    work.then(finish, finish);
    while (!done) {
      await new Promise((settled) => setImmediate(settled));
      if (this.#burst-- <= 0 || !this.#waiting.has(this.#running)) this.#choose();
      const calls = this.#waiting.get(this.#running) ?? [];
      const [go] = calls.splice(randomBelow(this.#prng, calls.length), 1);
      if (calls.length === 0) this.#waiting.delete(this.#running);
      go?.();
    }
    await work;
  }

  #choose(): void {
    const owners = [...this.#waiting.keys()];
    this.#running = owners[randomBelow(this.#prng, owners.length)] ?? -1;
    // Short bursts interleave finely; long ones let a rival do all it can meanwhile.
    this.#burst = this.#prng.float() < 0.5 ? randomBelow(this.#prng, 4) : 100;
  }
}

/** What owners share besides the log: its mark, which only the newest of them moves. */
class Manifest {
  epoch = 0;
  mark: WalMark = START;
}

/** What must stay once somebody was told of it, by last sequence. */
class Told {
  readonly #groups = new Map<number, string>();

  add(lastSequence: number, text: string): void {
    const before = this.#groups.get(lastSequence) ?? text;
    if (before !== text)
      throw new Error(`sequence ${lastSequence}: ${short(before)}, then ${short(text)}`);
    this.#groups.set(lastSequence, text);
  }

  /** What an owner read when it took over: no sequence is missing, and none is there twice. */
  addAll(groups: readonly WalGroup[]): void {
    for (const [index, group] of groups.entries()) {
      const sequence = lastOf(group);
      if (sequence !== lastOf(groups[0] ?? group) + index) throw new Error(`${sequence} is odd`);
      this.add(sequence, textOf(group));
    }
  }

  /** Everything past the mark that somebody was told of is there, and nothing else follows it. */
  judge(groups: readonly WalGroup[], after: number): void {
    this.addAll(groups);
    const found = new Map(groups.map((group) => [lastOf(group), textOf(group)]));
    for (const [sequence, text] of this.#groups) {
      if (sequence > after && found.get(sequence) !== text) {
        const read = short(found.get(sequence) ?? "nothing");
        throw new Error(`sequence ${sequence} told as ${short(text)}, read as ${read}`);
      }
    }
  }
}

const short = (text: string): string => text.slice(0, 12);
const lastOf = ({ batches }: WalGroup): number => batches[0]?.firstSequence ?? 0;
const textOf = ({ batches }: WalGroup): string =>
  Buffer.from(batches[0]?.payload ?? []).toString("utf8");

export interface Race {
  readonly owners: number;
  readonly store: (owner: number, turns: CommitQueue, prng: Prng) => WalStore;
}

/**
 * Owners that take over from each other while all go on writing, rolling and releasing. Afterwards
 * one more reads the log. @returns acknowledgements, and how many owners were fenced.
 */
export async function race(seed: number, { owners, store }: Race): Promise<[number, number]> {
  const prng = new SeededPrng(seed);
  const turns = new CommitQueue(prng);
  const manifest = new Manifest();
  const told = new Told();
  let acknowledged = 0;
  let fenced = 0;
  const own = async (owner: number): Promise<void> => {
    const luck = new SeededPrng(seed * 64 + owner);
    for (let pause = randomBelow(luck, 12) * owner; pause > 0; pause--) await turns.take(owner);
    const epoch = ++manifest.epoch;
    try {
      const { wal, groups } = await openWal(store(owner, turns, luck), epoch, manifest.mark);
      told.addAll(groups);
      for (let step = 0; step < 10; step++) {
        if (luck.float() < 0.25) await moveMark(wal, manifest, epoch, luck);
        else {
          const sequence = wal.stats().lastSequence + 1;
          const count = 1 + randomBelow(luck, wal.maxInFlight);
          const texts = Array.from(
            { length: count },
            (_, i) => `${owner}:${sequence + i}${"y".repeat(randomBelow(luck, 5_000))}`,
          );
          const done = await appendAtOnce(wal, texts);
          for (const [i, text] of texts.slice(0, done.acknowledged).entries()) {
            told.add(sequence + i, text);
          }
          acknowledged += done.acknowledged;
          if (done.error !== undefined) throw done.error;
        }
      }
      await wal.close();
    } catch (error) {
      if ((error as { code?: string }).code !== "WAL_FENCED") throw error;
      fenced++;
    }
  };
  await turns.run(Promise.all(Array.from({ length: owners }, (_, owner) => own(owner))));
  const { mark } = manifest;
  const last = openWal(store(owners, turns, new SeededPrng(seed)), manifest.epoch + 1, mark);
  await turns.run(last);
  told.judge((await last).groups, mark.sequence);
  return [acknowledged, fenced];
}

/** As a manifest's compare-and-set: whoever was overtaken moves nothing, and releases nothing. */
async function moveMark(wal: Wal, manifest: Manifest, epoch: number, prng: Prng): Promise<void> {
  await wal.roll();
  const { lastSequence } = wal.stats();
  const sequence = Math.max(manifest.mark.sequence, lastSequence - randomBelow(prng, 2));
  const mark = { file: wal.lowWater(sequence), sequence };
  if (manifest.epoch !== epoch) return;
  manifest.mark = mark;
  await wal.release(mark.file);
}

/** A disk on which every call waits for its owner's turn, writes also once they are synced. */
export function inTurns(disk: ModelledDisk, owner: number, turns: CommitQueue): ModelledDisk {
  return disk.view(async ({ method, when }) => {
    if (when === "before" || method === "write") await turns.take(owner);
  });
}
