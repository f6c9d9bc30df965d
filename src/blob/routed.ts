import type {
  Blob,
  BlobEntry,
  BlobInfo,
  BlobStore,
  ListOptions,
  PutCondition,
  PutResult,
} from "./port.ts";

/** A store whose paths lie in several stores: each request goes to the one of its path. */
export class RoutedBlobStore implements BlobStore {
  readonly #storeOf: (path: string) => Promise<BlobStore>;

  /** @param storeOf throws where no store may serve the path. */
  constructor(storeOf: (path: string) => Promise<BlobStore>) {
    this.#storeOf = storeOf;
  }

  async get(path: string): Promise<Blob | undefined> {
    return (await this.#storeOf(path)).get(path);
  }

  async getRange(path: string, offset: number, length: number): Promise<Blob | undefined> {
    return (await this.#storeOf(path)).getRange(path, offset, length);
  }

  async getSuffix(path: string, length: number): Promise<Blob | undefined> {
    return (await this.#storeOf(path)).getSuffix(path, length);
  }

  async head(path: string): Promise<BlobInfo | undefined> {
    return (await this.#storeOf(path)).head(path);
  }

  async put(path: string, bytes: Uint8Array, condition?: PutCondition): Promise<PutResult> {
    return (await this.#storeOf(path)).put(path, bytes, condition);
  }

  async putStream(path: string, source: AsyncIterable<Uint8Array>): Promise<PutResult> {
    return (await this.#storeOf(path)).putStream(path, source);
  }

  async delete(path: string): Promise<void> {
    await (await this.#storeOf(path)).delete(path);
  }

  async deleteMany(paths: readonly string[]): Promise<void> {
    const byStore = new Map<BlobStore, string[]>();
    for (const path of paths) {
      const store = await this.#storeOf(path);
      const own = byStore.get(store);
      if (own === undefined) byStore.set(store, [path]);
      else own.push(path);
    }
    for (const [store, own] of byStore) await store.deleteMany(own);
  }

  /** Of the store that holds the prefix: what lies deeper in another store is not listed. */
  async list(prefix: string, options?: ListOptions): Promise<readonly BlobEntry[]> {
    return (await this.#storeOf(prefix)).list(prefix, options);
  }
}
