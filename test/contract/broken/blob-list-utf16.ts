import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { BlobEntry, ListOptions } from "../../../src/blob/port.ts";

/** Orders by UTF-16 units, as `sort()` does: names above U+FFFF come before U+E000. */
export class ListInUtf16Order extends MemoryBlobStore {
  override async list(prefix: string, options: ListOptions = {}): Promise<readonly BlobEntry[]> {
    const all = await super.list(prefix);
    const { after = "", limit = 1_000 } = options;
    const sorted = all
      .filter(({ path }) => path > after)
      .map((entry) => [entry.path, entry] as const);
    return sorted
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, limit)
      .map(([, entry]) => entry);
  }
}
