import { join } from "node:path";
import { type Contender, type Database, type Dataset, SUMMED_BYTE } from "./contender.ts";
import { loadPeer } from "./peers.ts";

interface Lmdb {
  putSync(key: Uint8Array, value: Uint8Array): unknown;
  removeSync(key: Uint8Array): unknown;
  transactionSync(work: () => void): void;
  getBinary(key: Uint8Array): Uint8Array | undefined;
  getRange(options: object): Iterable<{ key: Uint8Array; value: Uint8Array }>;
  getKeys(options: object): Iterable<Uint8Array>;
  close(): Promise<void>;
}
interface Package {
  open(options: object): Lmdb;
}

/** LMDB, in C: a copy-on-write B+tree in a memory map. */
export async function lmdb(): Promise<Contender | undefined> {
  const loaded = await loadPeer<Package>("lmdb");
  if (loaded === undefined) return undefined;
  return {
    name: "lmdb",
    options: (durability) => {
      const sync = durability === "none" ? "noSync" : "overlappingSync false";
      return `${sync}; synchronous calls, a transaction a batch; binary keys and values`;
    },
    async open(directory, durability) {
      const sync = durability === "none" ? { noSync: true } : { overlappingSync: false };
      const options = { keyEncoding: "binary", encoding: "binary", ...sync };
      return new LmdbDatabase(loaded.open({ path: join(directory, "db"), ...options }));
    },
  };
}

class LmdbDatabase implements Database {
  readonly #db: Lmdb;

  constructor(db: Lmdb) {
    this.#db = db;
  }

  put(data: Dataset, from: number, to: number): unknown {
    return this.#db.transactionSync(() => {
      for (let i = from; i < to; i++) this.#db.putSync(data.key(i), data.value(i));
    });
  }

  remove(data: Dataset, from: number, to: number): unknown {
    return this.#db.transactionSync(() => {
      for (let i = from; i < to; i++) this.#db.removeSync(data.key(i));
    });
  }

  removeRange(from: Uint8Array, to: Uint8Array): unknown {
    const keys = [...this.#db.getKeys({ start: from, end: to })];
    return this.#db.transactionSync(() => {
      for (const key of keys) this.#db.removeSync(key);
    });
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#db.getBinary(key);
  }

  scan(from: Uint8Array | undefined, limit: number, reverse: boolean): number {
    const most = limit === Number.POSITIVE_INFINITY ? {} : { limit };
    let count = 0;
    for (const { key, value } of this.#db.getRange({
      ...(from && { start: from }),
      reverse,
      ...most,
    })) {
      if (key.length + value.length > 0) count++;
    }
    return count;
  }

  getMany(keys: readonly Uint8Array[]): unknown {
    return keys.map((key) => this.#db.getBinary(key));
  }

  sum(): number {
    let count = 0;
    let sum = 0;
    for (const { value } of this.#db.getRange({})) {
      sum += value[SUMMED_BYTE] as number;
      count++;
    }
    return sum >= 0 ? count : 0;
  }

  keys(): number {
    let count = 0;
    for (const key of this.#db.getKeys({})) if (key.length > 0) count++;
    return count;
  }

  async settle(): Promise<void> {}

  async close(): Promise<void> {
    await this.#db.close();
  }
}
