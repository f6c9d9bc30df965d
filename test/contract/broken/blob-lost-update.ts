import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { PutCondition, PutResult } from "../../../src/blob/port.ts";

/** Compares etags among its own conditional puts only: a delete or a plain put slips in between. */
export class ConditionNotHeld extends MemoryBlobStore {
  #turn: Promise<unknown> = Promise.resolve();
  override async put(path: string, bytes: Uint8Array, on?: PutCondition): Promise<PutResult> {
    if (typeof on !== "object") return super.put(path, bytes, on);
    const mine = this.#turn.then(async () => {
      const etag = (await this.head(path))?.etag;
      return etag === on.etag ? super.put(path, bytes) : ({ outcome: "failed", etag } as const);
    });
    this.#turn = mine;
    return mine;
  }
}
