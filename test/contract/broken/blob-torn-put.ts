import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { PutCondition, PutResult } from "../../../src/blob/port.ts";

/** Writes in place: a reader in between sees a half. */
export class TornPut extends MemoryBlobStore {
  override async put(
    path: string,
    bytes: Uint8Array,
    condition?: PutCondition,
  ): Promise<PutResult> {
    if (condition !== undefined) return super.put(path, bytes, condition);
    await super.put(path, bytes.subarray(0, bytes.length / 2));
    await new Promise((resolve) => setImmediate(resolve));
    return super.put(path, bytes);
  }
}
