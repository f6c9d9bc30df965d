import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { PutCondition, PutResult } from "../../../src/blob/port.ts";

/** Looks first and writes then: racers that looked together all win. */
export class TwoWinners extends MemoryBlobStore {
  override async put(
    path: string,
    bytes: Uint8Array,
    condition?: PutCondition,
  ): Promise<PutResult> {
    const etag = (await this.head(path))?.etag;
    if (condition === "absent" && etag !== undefined) return { outcome: "failed", etag };
    if (typeof condition === "object" && condition.etag !== etag)
      return { outcome: "failed", etag };
    return super.put(path, bytes);
  }
}
