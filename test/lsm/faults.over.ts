import { describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../src/base/bytes.ts";
import { FirnError } from "../../src/base/error.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import type { Fault, Method } from "../support/faulty-blob-store.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";
import { everyCall, type FaultAt, runTo, runWith, type Scenario } from "./support/every-call.ts";
import { Processes } from "./support/worlds.ts";

const WRITES: ReadonlySet<Method> = new Set(["put", "putStream", "delete", "deleteMany"]);

/** What may happen to any call, and to writes alone. */
const FAULTS: Readonly<Record<string, FaultAt>> = {
  "not sent": () => ({ fault: "notSent" }),
  "answer lost": () => ({ fault: "answerLost" }),
  refused: () => ({ fault: "refused" }),
  "late by one call": toWrites((index) => ({ fault: "late", lands: { beforeCall: index + 2 } })),
  "late to the end": toWrites(() => ({ fault: "late", lands: "release" })),
  duplicated: toWrites((index) => ({ fault: "duplicated", lands: { beforeCall: index + 3 } })),
};

function toWrites(fault: (index: number) => Fault): FaultAt {
  return (index, method) => (WRITES.has(method) ? fault(index) : undefined);
}

interface Batch {
  readonly value: string;
  acknowledged: boolean;
}

/** Processes that write batches of two keys, flush, close and open again. */
class Writers implements Scenario {
  readonly clock: SleepIsTime = new SleepIsTime();
  readonly batches: Batch[] = [];
  readonly #processes = new Processes();
  #last: ReturnType<Processes["start"]> | undefined;

  open(store: BlobStore): Promise<Engine> {
    const { clock } = this;
    const prng = new SeededPrng(this.#processes.count);
    if (this.#last !== undefined) this.#processes.kill(this.#last);
    const node = this.#processes.start();
    this.#last = node;
    const wal = new ObjectWalStore(store, { clock, prng, prefix: "wal/" });
    return Engine.open({ store, wal, clock, prng, node, forTests: { inlineValueBytes: 4 } });
  }

  /**
   * Two lives; the second one closes. Every failure ends the process, as far as it can, and the
   * next one goes on.
   *
   * @param died resolves when the process is no more, whatever it was at.
   */
  async run(store: BlobStore, died: Promise<void> = new Promise(() => undefined)): Promise<void> {
    for (let life = 0; life < 2; life++) {
      try {
        await Promise.race([this.#live(store, life), died]);
      } catch (error) {
        if (!(error instanceof FirnError)) throw error;
        expect(["Unavailable", "Unknown"]).toContain(error.kind);
      }
    }
  }

  async #live(store: BlobStore, life: number): Promise<void> {
    const engine = await this.open(store);
    await this.#write(engine);
    await engine.flush();
    await this.#write(engine);
    await this.check(engine);
    if (life === 1) await engine.close();
  }

  async check(engine: Engine): Promise<void> {
    const rows = new Map<string, string>();
    for await (const batch of engine.scan()) {
      for (const { key, value } of batch) rows.set(utf8Text(key), utf8Text(value));
    }
    for (const { value, acknowledged } of this.batches) {
      const [left, right] = [rows.get(`a${value}`), rows.get(`b${value}`)];
      expect(left).toBe(right);
      if (acknowledged) expect(left).toBe(value);
      else expect([undefined, value]).toContain(left);
    }
    expect(rows.size % 2).toBe(0);
  }

  async verify(store: BlobStore): Promise<void> {
    const engine = await this.open(store);
    await this.check(engine);
    await engine.flush();
    await this.check(engine);
    await engine.close();
  }

  async #write(engine: Engine): Promise<void> {
    for (let i = 0; i < 2; i++) {
      const value = String(this.batches.length).padStart(6, "0");
      const batch: Batch = { value, acknowledged: false };
      this.batches.push(batch);
      const ops = ["a", "b"].map((half) => ({
        op: "put" as const,
        key: utf8(`${half}${value}`),
        value: utf8(value),
      }));
      await engine.write(ops, { durable: true });
      batch.acknowledged = true;
    }
  }
}

const make = (): Scenario => new Writers();

describe("every store call of taking over, writing, flushing and closing", () => {
  it.each(Object.keys(FAULTS))("%s: what was acknowledged stands, whole", async (name) => {
    const faultAt = FAULTS[name]!;
    const calls = await everyCall((at) => runWith(make, faultAt, at));
    expect(calls).toBeGreaterThan(25);
  });

  it.each(["before", "after"] as const)("the process ends, applied %s that", async (applied) => {
    const calls = await everyCall((at) => runTo(make, at, applied));
    expect(calls).toBeGreaterThan(25);
  });
});
