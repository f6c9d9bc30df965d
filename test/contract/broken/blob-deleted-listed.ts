import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { BlobEntry, ListOptions } from "../../../src/blob/port.ts";

/** A list from before the last delete: eventual consistency. */
export class DeletedStillListed extends MemoryBlobStore {
  #stale: readonly BlobEntry[] = [];
  override async delete(path: string): Promise<void> {
    this.#stale = await super.list(path);
    await super.delete(path);
  }
  override async list(prefix: string, options?: ListOptions): Promise<readonly BlobEntry[]> {
    const stale = this.#stale.filter((entry) => entry.path.startsWith(prefix));
    return [...stale, ...(await super.list(prefix, options))];
  }
}
