import type {
  Blob,
  BlobEntry,
  BlobInfo,
  BlobStore,
  ListOptions,
  PutCondition,
  PutResult,
} from "./port.ts";

/** A store that is opened when it is first asked for something; tried anew where that failed. */
export class DeferredBlobStore implements BlobStore {
  readonly #open: () => Promise<BlobStore>;
  #opened: Promise<BlobStore> | undefined;

  constructor(open: () => Promise<BlobStore>) {
    this.#open = open;
  }

  async get(path: string): Promise<Blob | undefined> {
    return (await this.#store()).get(path);
  }

  async getRange(path: string, offset: number, length: number): Promise<Blob | undefined> {
    return (await this.#store()).getRange(path, offset, length);
  }

  async getSuffix(path: string, length: number): Promise<Blob | undefined> {
    return (await this.#store()).getSuffix(path, length);
  }

  async head(path: string): Promise<BlobInfo | undefined> {
    return (await this.#store()).head(path);
  }

  async put(path: string, bytes: Uint8Array, condition?: PutCondition): Promise<PutResult> {
    return (await this.#store()).put(path, bytes, condition);
  }

  async putStream(path: string, source: AsyncIterable<Uint8Array>): Promise<PutResult> {
    return (await this.#store()).putStream(path, source);
  }

  async delete(path: string): Promise<void> {
    await (await this.#store()).delete(path);
  }

  async deleteMany(paths: readonly string[]): Promise<void> {
    await (await this.#store()).deleteMany(paths);
  }

  async list(prefix: string, options?: ListOptions): Promise<readonly BlobEntry[]> {
    return (await this.#store()).list(prefix, options);
  }

  #store(): Promise<BlobStore> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }
}
