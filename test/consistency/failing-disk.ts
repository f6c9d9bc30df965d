import { FirnError } from "../../src/base/error.ts";
import { LocalDisk } from "../../src/lsm/disk/local.ts";
import type { WritableFile } from "../../src/lsm/disk/port.ts";

/** A directory whose disk fails a write that it may have carried out, in part or whole. */
export class FailingDisk extends LocalDisk {
  /** The share of the next write that gets to the disk before it fails; undefined: it does not. */
  failing: number | undefined;

  override async create(name: string): Promise<WritableFile | undefined> {
    const file = await super.create(name);
    if (file === undefined) return undefined;
    return {
      isNamed: () => file.isNamed(),
      renamed: (to) => file.renamed(to),
      close: () => file.close(),
      write: async (offset, bytes) => {
        const share = this.failing;
        if (share === undefined) return file.write(offset, bytes);
        this.failing = undefined;
        await file.write(offset, bytes.subarray(0, Math.floor(bytes.length * share)));
        throw new FirnError("Unavailable", "DISK_FAILED", "a write failed");
      },
    };
  }
}
