import { join } from "node:path";
import { LocalBlobStore } from "../../src/blob/local.ts";
import { BlockCache } from "../../src/lsm/cache.ts";
import { LocalDisk } from "../../src/lsm/disk/local.ts";
import { Engine } from "../../src/lsm/engine.ts";
import { SegmentWalStore } from "../../src/lsm/wal/segments.ts";
import type { WriteOp } from "../../src/lsm/write-path.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { nodeIdentity } from "../../src/runtime/node-identity.ts";
import { SystemPrng } from "../../src/runtime/prng.ts";
import { CACHE_BYTES, type Contender, type Database, type Dataset } from "./contender.ts";

/** Our own engine on a local directory. Its log is synced in the background all the same. */
export const firn: Contender = {
  name: "firn",
  options: "log synced in groups, not waited for; cache 256 MiB; not compressed",
  async open(directory) {
    const ports = { clock: new SystemClock(), prng: new SystemPrng() };
    const engine = await Engine.open({
      ...ports,
      store: new LocalBlobStore(join(directory, "store"), ports),
      wal: new SegmentWalStore(new LocalDisk(join(directory, "wal")), ports),
      node: nodeIdentity({ prng: ports.prng, oneHost: true }),
      cache: new BlockCache(CACHE_BYTES),
      options: { gcMinAgeMs: 0 },
    });
    return new FirnDatabase(engine);
  },
};

class FirnDatabase implements Database {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  put({ keys, values }: Dataset, from: number, to: number): unknown {
    const ops: WriteOp[] = [];
    for (let i = from; i < to; i++) ops.push({ op: "put", key: keys[i]!, value: values[i]! });
    return this.#engine.write(ops);
  }

  remove({ keys }: Dataset, from: number, to: number): unknown {
    const ops: WriteOp[] = [];
    for (let i = from; i < to; i++) ops.push({ op: "delete", key: keys[i]! });
    return this.#engine.write(ops);
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

  async settle(): Promise<void> {
    await this.#engine.flush();
  }

  async close(): Promise<void> {
    await this.#engine.close();
  }
}
