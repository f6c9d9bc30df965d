import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { PutCondition, PutResult } from "../../../src/blob/port.ts";

/** Sends a put again whose answer was lost, and takes its own bytes for another's. */
export class LostAnswerCalledFailure extends MemoryBlobStore {
  override async put(
    path: string,
    bytes: Uint8Array,
    condition?: PutCondition,
  ): Promise<PutResult> {
    if (bytes.length > 0) await super.put(path, bytes, condition);
    return super.put(path, bytes, condition);
  }
}
