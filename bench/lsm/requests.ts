import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import type { LsmOptions } from "../../src/lsm/options.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { nodeIdentity } from "../../src/runtime/node-identity.ts";
import { rowsOf } from "./workloads.ts";

/** What one operation asks of the store: log, tables and manifests together. */
export interface RequestCell {
  readonly operation: string;
  readonly requests: number;
  /** At most so many, where there is a goal. */
  readonly goal?: number;
}

const ROWS = 20_000;
const BATCH = 1_000;
const IDLE_MS = 2_500;
/** Tables that never end, and a lease that outlives the run: what is counted is what is named. */
const OPTIONS: Partial<LsmOptions> = { compaction: "manual" };

/** Every request to a store, of whatever kind. */
class Counter {
  requests = 0;

  over(store: BlobStore): BlobStore {
    return new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => {
          this.requests++;
          return Reflect.apply(member, target, args) as unknown;
        };
      },
    });
  }

  async during(work: () => unknown): Promise<number> {
    const before = this.requests;
    await work();
    return this.requests - before;
  }
}

/** A shard whose log, tables and manifests are objects of one store, as in a bucket. */
export async function benchRequests(smoke: boolean): Promise<readonly RequestCell[]> {
  const counter = new Counter();
  const clock = new SystemClock();
  const prng = new SeededPrng(3);
  const store = counter.over(new MemoryBlobStore(clock));
  const open = (): Promise<Engine> =>
    Engine.open({
      clock,
      prng,
      store,
      options: OPTIONS,
      wal: new ObjectWalStore(store, { clock, prng, prefix: "wal/" }),
      node: nodeIdentity({ prng, oneHost: true }),
    });
  const cells: RequestCell[] = [];
  const count = async (operation: string, goal: number | undefined, work: () => unknown) => {
    const requests = await counter.during(work);
    cells.push({ operation, requests, ...(goal !== undefined && { goal }) });
  };
  const data = rowsOf({ rows: ROWS, keyBytes: 16, valueBytes: 100 });
  const put = (row: number) => ({ op: "put" as const, key: data.key(row), value: data.value(row) });
  let engine = await open();
  for (let at = 0; at < ROWS; at += BATCH) {
    await engine.write(Array.from({ length: BATCH }, (_, i) => put(at + i)));
  }
  await count("a flush of one memtable", undefined, () => engine.flush());
  const durable = { durable: true };
  await count("a durable put", 1, () => engine.write([put(0)], durable));
  await count("128 durable puts at once", 2, () =>
    Promise.all(Array.from({ length: 128 }, (_, i) => engine.write([put(i)], durable))),
  );
  await count("a close", undefined, () => engine.close());
  await count("an open after a close", undefined, async () => {
    engine = await open();
  });
  await count("the first get of a table", 2, () => engine.get(data.key(ROWS / 2)));
  await count("a get, cold", 1, () => engine.get(data.key(ROWS / 4)));
  await count("a get, warm", 0, () => engine.get(data.key(ROWS / 4)));
  await count("a scan of 10 rows, cold", 1, () =>
    engine.scan({ from: data.key((ROWS * 3) / 4), limit: 10 }).next(),
  );
  const idleMs = smoke ? IDLE_MS / 10 : IDLE_MS;
  await count(`idle for ${idleMs} ms`, 0, () => clock.sleep(idleMs));
  await engine.close();
  return cells;
}
