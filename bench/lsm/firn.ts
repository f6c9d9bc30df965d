import { join } from "node:path";
import { LocalBlobStore } from "../../src/blob/local.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { Merger } from "../../src/lsm/compaction/merger.ts";
import { LocalDisk } from "../../src/lsm/disk/local.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import type { OpenOptions } from "../../src/lsm/engine/open.ts";
import type { LsmTuning } from "../../src/lsm/options.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import { SegmentWalStore } from "../../src/lsm/wal/segments.ts";
import { MemoryBudget } from "../../src/lsm/write/budget.ts";
import type { WriteOp } from "../../src/lsm/write/write-path.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { nodeIdentity } from "../../src/runtime/node-identity.ts";
import { SystemPrng } from "../../src/runtime/prng.ts";
import {
  CACHE_BYTES,
  type Contender,
  type Database,
  type Dataset,
  SUMMED_BYTE,
} from "./contender.ts";

/** Our own engine on a local directory. */
export const firn: Contender = {
  name: "firn",
  options: (durability) => {
    const sync = durability === "none" ? "log and tables never synced" : "log synced in groups";
    return `${sync}; cache 256 MiB; not compressed`;
  },
  async open(directory, durability) {
    const durable = durability === "group";
    return new FirnDatabase(await openEngine(directory, { durable }), durable);
  },
};

const MEMTABLES_BYTES = 192 * 1_048_576;

/** For so much of a cache, and the memtables of one shard. */
export function budgetOf(cacheBytes: number): MemoryBudget {
  return new MemoryBudget(cacheBytes + MEMTABLES_BYTES, cacheBytes);
}

interface EngineChoice {
  /** Whether log and tables are synced. */
  readonly durable: boolean;
  readonly budget?: MemoryBudget;
  /** Where many shards are open: one for all of them, and logs that begin small. */
  readonly merger?: Merger;
  readonly segmentBytes?: number;
  readonly options?: Partial<LsmTuning>;
}

/** An engine over a directory, its garbage gone as soon as nothing refers to it. */
export async function openEngine(directory: string, choice: EngineChoice): Promise<Engine> {
  const ports = portsNow();
  const { durable, segmentBytes } = choice;
  const wal = { ...ports, ...(segmentBytes !== undefined && { segmentBytes }) };
  const disk = new LocalDisk(join(directory, "wal"), ...(durable ? [] : (["never"] as const)));
  const store = new LocalBlobStore(join(directory, "store"), { ...ports, durable });
  return await open({ ...ports, store, wal: new SegmentWalStore(disk, wal) }, choice);
}

/** The same in memory: log and tables are objects of a store that forgets. */
export const firnInMemory: Contender = {
  name: "firn, memory",
  options: () => "store and log in memory; cache 256 MiB; not compressed",
  async open(_directory, durability) {
    const ports = portsNow();
    const store = new MemoryBlobStore(ports.clock);
    const wal = new ObjectWalStore(store, { ...ports, prefix: "wal/" });
    const durable = durability === "group";
    return new FirnDatabase(await open({ ...ports, store, wal }, { durable }), durable);
  },
};

type Ports = Pick<OpenOptions, "clock" | "prng">;

function portsNow(): Ports {
  return { clock: new SystemClock(), prng: new SystemPrng() };
}

async function open(
  parts: Ports & Pick<OpenOptions, "store" | "wal">,
  { budget = budgetOf(CACHE_BYTES), merger, options }: EngineChoice,
): Promise<Engine> {
  return await Engine.open({
    ...parts,
    node: nodeIdentity({ prng: parts.prng, oneHost: true }),
    budget,
    ...(merger && { merger }),
    forTests: { gcMinAgeMs: 0, ...options },
  });
}

class FirnDatabase implements Database {
  readonly #engine: Engine;
  readonly #write: { readonly durable: boolean };

  constructor(engine: Engine, durable: boolean) {
    this.#engine = engine;
    this.#write = { durable };
  }

  put(data: Dataset, from: number, to: number): unknown {
    const ops: WriteOp[] = [];
    for (let i = from; i < to; i++) ops.push({ op: "put", key: data.key(i), value: data.value(i) });
    return this.#engine.write(ops, this.#write);
  }

  remove(data: Dataset, from: number, to: number): unknown {
    const ops: WriteOp[] = [];
    for (let i = from; i < to; i++) ops.push({ op: "delete", key: data.key(i) });
    return this.#engine.write(ops, this.#write);
  }

  removeRange(from: Uint8Array, to: Uint8Array): unknown {
    return this.#engine.deleteRange(from, to, this.#write);
  }

  get(key: Uint8Array): Promise<Uint8Array | undefined> | Uint8Array | undefined {
    return this.#engine.get(key);
  }

  async scan(from: Uint8Array | undefined, limit: number, reverse: boolean): Promise<number> {
    const bound = from && (reverse ? { to: from } : { from });
    const scan = this.#engine.scan({ ...bound, reverse, limit });
    let count = 0;
    for (let rows = await scan.next(); rows !== undefined; rows = await scan.next()) {
      count += rows.length;
    }
    return count;
  }

  getMany(keys: readonly Uint8Array[]): unknown {
    return this.#engine.getMany(keys);
  }

  async sum(): Promise<number> {
    const scan = this.#engine.scan();
    let count = 0;
    let sum = 0;
    for (;;) {
      const answer = scan.nextPacked();
      // What is at hand is answered at once.
      const rows = answer instanceof Promise ? await answer : answer;
      if (rows === undefined) break;
      const { values, valueStarts } = rows;
      for (let i = 0; i < rows.count; i++) {
        sum += values[(valueStarts[i] as number) + SUMMED_BYTE] as number;
      }
      count += rows.count;
    }
    return sum >= 0 ? count : 0;
  }

  async keys(): Promise<number> {
    const scan = this.#engine.scan({ keysOnly: true });
    let count = 0;
    for (;;) {
      const answer = scan.nextPacked();
      const rows = answer instanceof Promise ? await answer : answer;
      if (rows === undefined) return count;
      count += rows.count;
    }
  }

  async settle(): Promise<void> {
    await this.#engine.flush();
  }

  async close(): Promise<void> {
    await this.#engine.close();
  }
}
