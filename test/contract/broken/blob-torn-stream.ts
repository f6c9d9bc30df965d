import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { PutResult } from "../../../src/blob/port.ts";

/** Stores what came so far: a source that fails leaves its beginning behind. */
export class TornStream extends MemoryBlobStore {
  override async putStream(path: string, source: AsyncIterable<Uint8Array>): Promise<PutResult> {
    let last = await this.put(path, new Uint8Array(0));
    const chunks: Uint8Array[] = [];
    for await (const chunk of source) {
      chunks.push(chunk);
      last = await this.put(path, Buffer.concat(chunks));
    }
    return last;
  }
}
