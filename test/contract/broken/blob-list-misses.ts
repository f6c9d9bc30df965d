import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { BlobEntry, ListOptions } from "../../../src/blob/port.ts";

/** Resumes one name too late: the first of each further page is missed. */
export class ListMissesLive extends MemoryBlobStore {
  override async list(prefix: string, options: ListOptions = {}): Promise<readonly BlobEntry[]> {
    const { limit = 1_000, after } = options;
    if (after === undefined) return super.list(prefix, options);
    return (await super.list(prefix, { after, limit: Math.min(1_000, limit + 1) })).slice(1);
  }
}
