import { join } from "node:path";
import {
  CACHE_BYTES,
  type Contender,
  type Database,
  type Dataset,
  SUMMED_BYTE,
} from "./contender.ts";
import { loadPeer } from "./peers.ts";

/** The part of the package that is used here. */
interface Level {
  open(): Promise<void>;
  close(): Promise<void>;
  put(key: Uint8Array, value: Uint8Array, options: object): Promise<void>;
  batch(ops: readonly object[], options: object): Promise<void>;
  clear(range: object): Promise<void>;
  get(key: Uint8Array): Promise<Uint8Array | undefined>;
  getMany(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]>;
  iterator(options: object): { nextv(count: number): Promise<unknown[]>; close(): Promise<void> };
}
interface Package {
  readonly ClassicLevel: new (path: string, options: object) => Level;
}

type Entry = readonly [key: Uint8Array | undefined, value: Uint8Array | undefined];

const VIEW = "view";

/** LevelDB, in C++. */
export async function classicLevel(): Promise<Contender | undefined> {
  const loaded = await loadPeer<Package>("classic-level");
  if (loaded === undefined) return undefined;
  return {
    name: "classic-level",
    options: (durability) =>
      `sync ${durability === "group"}; cache 256 MiB; compression false; writeBufferSize 4 MiB`,
    async open(directory, durability) {
      const db = new loaded.ClassicLevel(join(directory, "db"), {
        keyEncoding: VIEW,
        valueEncoding: VIEW,
        cacheSize: CACHE_BYTES,
        compression: false,
      });
      await db.open();
      return new LevelDatabase(db, durability === "group");
    },
  };
}

class LevelDatabase implements Database {
  readonly #db: Level;
  readonly #write: { readonly sync: boolean };

  constructor(db: Level, sync: boolean) {
    this.#db = db;
    this.#write = { sync };
  }

  put(data: Dataset, from: number, to: number): unknown {
    if (to - from === 1) return this.#db.put(data.key(from), data.value(from), this.#write);
    const ops: object[] = [];
    for (let i = from; i < to; i++)
      ops.push({ type: "put", key: data.key(i), value: data.value(i) });
    return this.#db.batch(ops, this.#write);
  }

  remove(data: Dataset, from: number, to: number): unknown {
    const ops: object[] = [];
    for (let i = from; i < to; i++) ops.push({ type: "del", key: data.key(i) });
    return this.#db.batch(ops, this.#write);
  }

  removeRange(from: Uint8Array, to: Uint8Array): unknown {
    return this.#db.clear({ gte: from, lt: to });
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

  getMany(keys: readonly Uint8Array[]): Promise<unknown> {
    return this.#db.getMany(keys);
  }

  async sum(): Promise<number> {
    let sum = 0;
    const count = await this.#each({ keys: false }, ([, value]) => {
      sum += value?.[SUMMED_BYTE] ?? 0;
    });
    return sum >= 0 ? count : 0;
  }

  keys(): Promise<number> {
    return this.#each({ values: false }, () => undefined);
  }

  /** Of all rows. */
  async #each(options: object, visit: (row: Entry) => void): Promise<number> {
    const iterator = this.#db.iterator({ ...options, highWaterMarkBytes: 1_048_576 });
    let count = 0;
    for (;;) {
      const rows = (await iterator.nextv(1_000)) as Entry[];
      for (const row of rows) visit(row);
      count += rows.length;
      if (rows.length === 0) break;
    }
    await iterator.close();
    return count;
  }

  async settle(): Promise<void> {}

  async close(): Promise<void> {
    await this.#db.close();
  }
}
