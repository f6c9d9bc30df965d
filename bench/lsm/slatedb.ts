import { mkdirSync } from "node:fs";
import type { Contender, Database, Dataset } from "./contender.ts";
import { loadPeer } from "./peers.ts";

interface Row {
  readonly key: Uint8Array;
}
interface Batch {
  put(key: Uint8Array, value: Uint8Array): void;
  delete(key: Uint8Array): void;
}
interface Slate {
  get(key: Uint8Array): Promise<Uint8Array | undefined>;
  write_with_options(batch: Batch, options: { await_durable: boolean }): Promise<unknown>;
  scan(range: object): Promise<{ next(): Promise<Row | undefined>; dispose?(): void }>;
  scan_with_options(range: object, options: object): ReturnType<Slate["scan"]>;
  flush(): Promise<void>;
  shutdown(): Promise<void>;
}
interface Package {
  readonly ObjectStore: { resolve(url: string): object };
  readonly DbBuilder: new (path: string, store: object) => { build(): Promise<Slate> };
  readonly WriteBatch: new () => Batch;
  readonly IterationOrder: { readonly Descending: unknown };
  readonly DurabilityLevel: { readonly Memory: unknown };
}

const REMOVED_AT_ONCE = 1_000;

/** SlateDB's binding for Node, over its store for local files. */
export async function slatedb(): Promise<Contender | undefined> {
  const loaded = await loadPeer<Package>("@slatedb/uniffi");
  if (loaded === undefined) return undefined;
  return {
    name: "@slatedb/uniffi",
    options: (durability) => `await_durable ${durability === "group"}; all else by default`,
    async open(directory, durability) {
      mkdirSync(`${directory}/db`);
      const store = loaded.ObjectStore.resolve(`file://${directory}/db`);
      const db = await new loaded.DbBuilder("db", store).build();
      return new SlateDatabase(loaded, db, durability === "group");
    },
  };
}

class SlateDatabase implements Database {
  readonly #package: Package;
  readonly #db: Slate;
  readonly #write: { readonly await_durable: boolean };

  constructor(loaded: Package, db: Slate, durable: boolean) {
    this.#package = loaded;
    this.#db = db;
    this.#write = { await_durable: durable };
  }

  put(data: Dataset, from: number, to: number): unknown {
    const batch = new this.#package.WriteBatch();
    for (let i = from; i < to; i++) batch.put(data.key(i), data.value(i));
    return this.#db.write_with_options(batch, this.#write);
  }

  remove(data: Dataset, from: number, to: number): unknown {
    const batch = new this.#package.WriteBatch();
    for (let i = from; i < to; i++) batch.delete(data.key(i));
    return this.#db.write_with_options(batch, this.#write);
  }

  /** It has nothing for a range: a scan and a batch for each thousand rows. */
  async removeRange(from: Uint8Array, to: Uint8Array): Promise<void> {
    const range = { start: from, start_inclusive: true, end: to, end_inclusive: false };
    const rows = await this.#db.scan(range);
    let batch = new this.#package.WriteBatch();
    let count = 0;
    for (let row = await rows.next(); row !== undefined; row = await rows.next()) {
      batch.delete(row.key);
      if (++count % REMOVED_AT_ONCE > 0) continue;
      await this.#db.write_with_options(batch, this.#write);
      batch = new this.#package.WriteBatch();
    }
    rows.dispose?.();
    if (count % REMOVED_AT_ONCE > 0) await this.#db.write_with_options(batch, this.#write);
  }

  get(key: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#db.get(key);
  }

  async scan(from: Uint8Array | undefined, limit: number, reverse: boolean): Promise<number> {
    const range = {
      start: reverse ? undefined : from,
      start_inclusive: true,
      end: reverse ? from : undefined,
      end_inclusive: false,
    };
    const rows = reverse
      ? await this.#db.scan_with_options(range, {
          durability_filter: this.#package.DurabilityLevel.Memory,
          dirty: false,
          read_ahead_bytes: 1,
          cache_blocks: true,
          max_fetch_tasks: 1,
          order: this.#package.IterationOrder.Descending,
        })
      : await this.#db.scan(range);
    let count = 0;
    while (count < limit && (await rows.next()) !== undefined) count++;
    rows.dispose?.();
    return count;
  }

  getMany(keys: readonly Uint8Array[]): Promise<unknown> {
    return Promise.all(keys.map((key) => this.#db.get(key)));
  }

  /** Row by row is all that it has. */
  sum(): Promise<number> {
    return this.scan(undefined, Number.POSITIVE_INFINITY, false);
  }

  keys(): Promise<number> {
    return this.scan(undefined, Number.POSITIVE_INFINITY, false);
  }

  async settle(): Promise<void> {
    await this.#db.flush();
  }

  async close(): Promise<void> {
    await this.#db.shutdown();
  }
}
