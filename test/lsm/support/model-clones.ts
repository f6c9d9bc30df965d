import { expect } from "vitest";
import { Engine } from "../../../src/lsm/engine/engine.ts";
import { ManifestObjects } from "../../../src/lsm/manifest/objects.ts";
import type { LsmTuning } from "../../../src/lsm/options.ts";
import type { Moment } from "../../../src/lsm/states/resolve.ts";
import { cloneShard } from "../../../src/lsm/tools/clone.ts";
import { ObjectWalStore } from "../../../src/lsm/wal/objects.ts";
import { ObjectReader } from "../../../src/lsm/wal/reader.ts";
import { InlineMerger } from "../../support/inline-merger.ts";
import { type ModelOp, sorted, texts, toWriteOp, type VersionMap } from "./version-map.ts";
import type { World } from "./worlds.ts";

/** A shard that was cloned, and what its model says of it. */
interface Cloned {
  /** Above that of the one it was made of. */
  readonly number: number;
  readonly prefix: string;
  readonly model: VersionMap;
  engine: Engine | undefined;
}

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");
const text = (value: Uint8Array): string => Buffer.from(value).toString("latin1");

/** Clones of one shard, and of each other: each goes its own way from the state it was made of. */
export class ModelClones {
  readonly #world: World;
  readonly #options: Partial<LsmTuning>;
  readonly #all: Cloned[] = [];
  #made = 0;

  constructor(world: World, options: Partial<LsmTuning>) {
    this.#world = world;
    this.#options = options;
  }

  /**
   * Makes one of the shard.
   *
   * @param least what it has to hold where no moment is given.
   */
  async make(model: VersionMap, least: number, moment?: Moment): Promise<void> {
    const { log } = this.#world;
    await this.#clone({ wal: log }, model, least, moment);
  }

  /** Makes one of the last clone, whether that is open or not. */
  async makeAgain(): Promise<void> {
    const last = this.#all.at(-1);
    if (last === undefined) return;
    const { prefix, model, engine } = last;
    const wal = new ObjectReader(this.#world.store, `${prefix}wal/`);
    const least = engine?.stats().durableSequence ?? 0;
    await this.#clone({ wal, prefix }, model, least);
  }

  /** Writes to the first of them, which is the next one's turn then. */
  async write(ops: readonly ModelOp[], nowMs: number): Promise<void> {
    const one = this.#turn();
    if (one === undefined) return;
    const engine = await this.#open(one);
    await engine.write(ops.map(toWriteOp), { durable: true });
    one.model.write(ops);
    await this.#compare(one, nowMs);
  }

  async compact(): Promise<void> {
    const one = this.#turn();
    if (one === undefined) return;
    const engine = await this.#open(one);
    await engine.compact();
    await engine.collectGarbage();
  }

  async reopen(nowMs: number): Promise<void> {
    const one = this.#turn();
    if (one === undefined) return;
    await one.engine?.close();
    one.engine = undefined;
    await this.#compare(one, nowMs);
  }

  async compareAll(nowMs: number): Promise<void> {
    for (const one of this.#all) await this.#compare(one, nowMs);
  }

  /** All are as they should be, and let go of those that they were made of: the last one first. */
  async end(nowMs: number): Promise<void> {
    for (const one of this.#all.toSorted((a, b) => b.number - a.number)) {
      await this.#compare(one, nowMs);
      const engine = await this.#open(one);
      await engine.compact();
      // One that ran already may have looked before.
      await engine.collectGarbage();
      await engine.collectGarbage();
      expect(engine.stats().tree.foreignTables).toBe(0);
      await this.#compare(one, nowMs);
      await engine.close();
      const newest = await this.#manifests(one.prefix).latest();
      expect(newest?.parent).toBeUndefined();
      expect(newest?.checkpoints).toEqual([]);
    }
  }

  #turn(): Cloned | undefined {
    const one = this.#all.shift();
    if (one !== undefined) this.#all.push(one);
    return one;
  }

  async #clone(
    from: { wal: World["log"]; prefix?: string },
    model: VersionMap,
    least: number,
    moment?: Moment,
  ): Promise<void> {
    const { store, clock, prng } = this.#world;
    const prefix = `clones/${++this.#made}/`;
    const parts = { store, clock, prng, ...from, forTests: this.#options };
    const { sequence } = await cloneShard(parts, prefix, moment);
    if (moment === undefined) expect(sequence).toBeGreaterThanOrEqual(least);
    expect(model.isEnd(sequence)).toBe(true);
    const number = this.#made;
    this.#all.push({ number, prefix, model: model.upTo(sequence), engine: undefined });
  }

  async #open(one: Cloned): Promise<Engine> {
    if (one.engine !== undefined) return one.engine;
    const { store, clock, prng, processes } = this.#world;
    const { prefix } = one;
    one.engine = await Engine.open({
      store,
      prefix,
      clock,
      prng,
      merger: new InlineMerger(clock),
      forTests: this.#options,
      wal: new ObjectWalStore(store, { clock, prng, prefix: `${prefix}wal/` }),
      node: processes.start({ sight: () => "dead" }),
    });
    expect(one.engine.lastSequence).toBe(one.model.lastSequence);
    return one.engine;
  }

  async #compare(one: Cloned, nowMs: number): Promise<void> {
    const engine = await this.#open(one);
    const rows = sorted(texts(one.model.rowsAt(one.model.lastSequence), nowMs));
    const found: (readonly [string, string])[] = [];
    for await (const batch of engine.scan()) {
      for (const { key, value } of batch) found.push([text(key), text(value)]);
    }
    expect(found).toEqual(rows);
    const values = await engine.getMany(rows.map(([key]) => bytes(key)));
    expect(values.map((value) => value && text(value))).toEqual(rows.map(([, value]) => value));
  }

  #manifests(prefix: string): ManifestObjects {
    const { store, clock } = this.#world;
    return new ManifestObjects({ store, clock, prefix, gcMinAgeMs: 0 });
  }
}
