import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { PutCondition, PutResult } from "../../../src/blob/port.ts";

/** Counts the writes of a path, from 1 again after a delete. */
export class EtagRestarts extends MemoryBlobStore {
  readonly #writes = new Map<string, number>();
  override async put(
    path: string,
    bytes: Uint8Array,
    condition?: PutCondition,
  ): Promise<PutResult> {
    const put = await super.put(path, bytes, condition);
    this.#writes.set(path, (this.#writes.get(path) ?? 0) + 1);
    return { ...put, etag: `${this.#writes.get(path)}` };
  }
  override async delete(path: string): Promise<void> {
    this.#writes.delete(path);
    await super.delete(path);
  }
}
