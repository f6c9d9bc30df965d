import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { Blob, PutCondition, PutResult } from "../../../src/blob/port.ts";

/** Keeps the caller's array itself. */
export class SharedBytes extends MemoryBlobStore {
  readonly #arrays = new Map<string, Uint8Array>();
  override async put(
    path: string,
    bytes: Uint8Array,
    condition?: PutCondition,
  ): Promise<PutResult> {
    const put = await super.put(path, bytes, condition);
    if (put.outcome === "stored") this.#arrays.set(path, bytes);
    return put;
  }
  override async get(path: string): Promise<Blob | undefined> {
    const blob = await super.get(path);
    return blob && { ...blob, bytes: this.#arrays.get(path) ?? blob.bytes };
  }
}
