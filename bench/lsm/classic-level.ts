import { join } from "node:path";
import { CACHE_BYTES, type Contender, type Database, type Dataset } from "./contender.ts";
import { loadPeer } from "./peers.ts";

/** The part of the package that is used here. */
interface Level {
  open(): Promise<void>;
  close(): Promise<void>;
  put(key: Uint8Array, value: Uint8Array): Promise<void>;
  batch(ops: readonly object[]): Promise<void>;
  get(key: Uint8Array): Promise<Uint8Array | undefined>;
  iterator(options: object): { nextv(count: number): Promise<unknown[]>; close(): Promise<void> };
}
interface Package {
  readonly ClassicLevel: new (path: string, options: object) => Level;
}

const VIEW = "view";

/** LevelDB, in C++. */
export async function classicLevel(): Promise<Contender | undefined> {
  const loaded = await loadPeer<Package>("classic-level");
  if (loaded === undefined) return undefined;
  return {
    name: "classic-level",
    options: "sync false; cache 256 MiB; compression false; writeBufferSize 4 MiB",
    async open(directory) {
      const db = new loaded.ClassicLevel(join(directory, "db"), {
        keyEncoding: VIEW,
        valueEncoding: VIEW,
        cacheSize: CACHE_BYTES,
        compression: false,
      });
      await db.open();
      return new LevelDatabase(db);
    },
  };
}

class LevelDatabase implements Database {
  readonly #db: Level;

  constructor(db: Level) {
    this.#db = db;
  }

  put({ keys, values }: Dataset, from: number, to: number): unknown {
    if (to - from === 1) return this.#db.put(keys[from]!, values[from]!);
    const ops: object[] = [];
    for (let i = from; i < to; i++) ops.push({ type: "put", key: keys[i]!, value: values[i]! });
    return this.#db.batch(ops);
  }

  remove({ keys }: Dataset, from: number, to: number): unknown {
    const ops: object[] = [];
    for (let i = from; i < to; i++) ops.push({ type: "del", key: keys[i]! });
    return this.#db.batch(ops);
  }

  get(key: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#db.get(key);
  }

  async scan(from: Uint8Array | undefined, limit: number, reverse: boolean): Promise<number> {
    const bound = from && (reverse ? { lt: from } : { gte: from });
    const all = limit === Number.POSITIVE_INFINITY ? -1 : limit;
    const iterator = this.#db.iterator({ ...bound, reverse, limit: all });
    let count = 0;
    for (;;) {
      const rows = await iterator.nextv(Math.min(1_000, limit));
      count += rows.length;
      if (rows.length === 0 || count >= limit) break;
    }
    await iterator.close();
    return count;
  }

  async settle(): Promise<void> {}

  async close(): Promise<void> {
    await this.#db.close();
  }
}
