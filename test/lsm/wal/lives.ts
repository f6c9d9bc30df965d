import { type Prng, randomBelow, SeededPrng } from "../../../src/base/prng.ts";
import type { Wal, WalGroup, WalMark } from "../../../src/lsm/wal/port.ts";
import { batch, openWal, START } from "./support.ts";
import { type Cut, PowerCut, type World } from "./worlds.ts";

/** A group as the history knows it: its last sequence, and its texts. */
interface Past {
  readonly lastSequence: number;
  readonly text: string;
}

/**
 * What must be true of a log: every group that was acknowledged, or that an owner has read, stays,
 * in order. One that was under way when the power went is there whole or not at all, and from the
 * next reading on always or never; the second of two only behind the first.
 */
export class History {
  #certain: Past[] = [];
  #underWay: Past[] = [];
  mark: WalMark = START;
  epoch = 0;

  begin(lastSequence: number, texts: readonly string[]): void {
    this.#underWay.push({ lastSequence, text: JSON.stringify(texts) });
  }

  acknowledged(): void {
    this.#certain.push(...this.#underWay.splice(0, 1));
  }

  /** Judges a replay, and takes what it read for certain. */
  replayed(groups: readonly WalGroup[]): void {
    const found = groups.map(pastOf);
    const due = this.#certain.filter(({ lastSequence }) => lastSequence > this.mark.sequence);
    const more = this.#underWay;
    const same = (expected: readonly Past[]): boolean =>
      JSON.stringify(found) === JSON.stringify(expected);
    const there = [0, 1, 2].find((count) => same([...due, ...more.slice(0, count)]));
    if (there !== undefined) this.#certain.push(...more.slice(0, there));
    else {
      const show = (list: readonly Past[]) => list.map(({ text }) => text).join(" ");
      const read = `read ${show(found)}`;
      throw new Error(`${read}; acknowledged ${show(due)}; under way ${show(more)}`);
    }
    this.#underWay = [];
  }
}

function pastOf({ batches }: WalGroup): Past {
  const last = batches.at(-1);
  const lastSequence = (last?.firstSequence ?? 0) + (last?.count ?? 0) - 1;
  const texts = batches.map(({ payload }) => Buffer.from(payload).toString("latin1"));
  return { lastSequence, text: JSON.stringify(texts) };
}

/** One owner: takes over, writes, rolls, moves the mark and releases, by seed. */
async function live(world: World, history: History, prng: Prng, cut?: Cut): Promise<void> {
  const { wal, groups } = await openWal(world.store(prng, cut), ++history.epoch, history.mark);
  history.replayed(groups);
  const steps = 5 + randomBelow(prng, 4);
  for (let step = 0; step < steps; step++) await act(wal, history, prng);
  await wal.close();
}

async function act(wal: Wal, history: History, prng: Prng): Promise<void> {
  const { lastSequence } = wal.stats();
  const choice = prng.float();
  if (choice < 0.1) await wal.roll();
  else if (choice < 0.3) {
    const sequence = Math.max(history.mark.sequence, lastSequence - randomBelow(prng, 3));
    history.mark = { file: wal.lowWater(sequence), sequence };
    await wal.release(history.mark.file);
  } else {
    let next = lastSequence + 1;
    const groups = Array.from({ length: 1 + randomBelow(prng, wal.maxInFlight) }, () => {
      const texts = Array.from({ length: 1 + randomBelow(prng, 3) }, () => textOf(next++, prng));
      history.begin(next - 1, texts);
      return texts;
    });
    next = lastSequence + 1;
    const appends = groups.map((texts) => wal.append(texts.map((text) => batch(next++, text))));
    // Each is heard of, though the power goes.
    for (const { status } of await Promise.allSettled(appends)) {
      if (status === "fulfilled") history.acknowledged();
    }
    await Promise.all(appends);
  }
}

function textOf(sequence: number, prng: Prng): string {
  const length = prng.float() < 0.3 ? 1 + randomBelow(prng, 3_000) : randomBelow(prng, 40);
  return `${sequence}-${"x".repeat(length)}`;
}

const MOMENTS: readonly Cut["when"][] = ["before", "during", "overtaken", "after"];

/** Lives until the power goes, or to the end. @returns whether it went. */
async function liveUntilCut(...args: Parameters<typeof live>): Promise<boolean> {
  try {
    await live(...args);
    return false;
  } catch (error) {
    if (hasCut(error)) return true;
    throw error;
  }
}

function hasCut(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof PowerCut) return true;
  }
  return false;
}

export interface Matrix {
  readonly makeWorld: () => World;
  readonly seeds: readonly number[];
}

/**
 * Cuts the power at every call of a life, before it, in it and after it; then at a random call of
 * the next life, its take-over included, and once more; then reads. @returns the cuts.
 */
export async function crashMatrix({ makeWorld, seeds }: Matrix): Promise<number> {
  let cuts = 0;
  for (const seed of seeds) {
    for (let call = 0; ; call++) {
      let reached = false;
      for (const when of MOMENTS) {
        const lost = await liveAndDie(makeWorld(), { call, when }, seed);
        cuts += lost;
        reached ||= lost > 0;
      }
      if (!reached) break;
    }
  }
  return cuts;
}

async function liveAndDie(first: World, cut: Cut, seed: number): Promise<number> {
  const history = new History();
  const luck = new SeededPrng(
    seed * 1_000_003 + cut.call * MOMENTS.length + MOMENTS.indexOf(cut.when),
  );
  try {
    // The first owner has no luck of its own, so that the calls of every cut are the same ones.
    if (!(await liveUntilCut(first, history, new SeededPrng(seed), cut))) return 0;
    let world = first.afterCut(luck);
    let cuts = 1;
    for (let life = 0; life < 2; life++) {
      const when = MOMENTS[randomBelow(luck, MOMENTS.length)] ?? "after";
      const again = { call: randomBelow(luck, 40), when };
      if (await liveUntilCut(world, history, luck, again)) cuts++;
      world = world.afterCut(luck);
    }
    await live(world, history, luck);
    await live(world, history, luck);
    return cuts;
  } catch (error) {
    throw new Error(`seed ${seed}, call ${cut.call}, ${cut.when}: ${error}`, { cause: error });
  }
}
