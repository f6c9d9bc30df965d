import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { BlobEntry, ListOptions } from "../../../src/blob/port.ts";

/** Looks the name of the last page up, and starts again where it is gone. */
export class ListAfterMustExist extends MemoryBlobStore {
  override async list(prefix: string, options: ListOptions = {}): Promise<readonly BlobEntry[]> {
    const known = options.after !== undefined && (await this.head(options.after)) !== undefined;
    return super.list(prefix, { limit: options.limit ?? 1_000, ...(known ? options : {}) });
  }
}
