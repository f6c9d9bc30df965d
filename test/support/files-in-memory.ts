import type { SpillFile } from "../../src/sql/exec/spill.ts";
import { SmallMemory } from "./small-memory.ts";

/**
 * As `SmallMemory`, with files that are no files: thousands of small writes to a disk took longer
 * than the statements. What only files show is tested over `TemporaryFiles`.
 */
export class FilesInMemory extends SmallMemory {
  override async open(): Promise<SpillFile> {
    this.opened++;
    this.files++;
    let kept = Buffer.alloc(1_024);
    let length = 0;
    return {
      write: async (bytes, at) => {
        const end = at + bytes.length;
        if (end > kept.length) {
          const larger = Buffer.alloc(2 * end);
          kept.copy(larger);
          kept = larger;
        }
        kept.set(bytes, at);
        this.bytes += Math.max(0, end - length);
        length = Math.max(length, end);
        await turn();
      },
      read: async (at, wanted) => {
        if (at + wanted > length) throw Object.assign(new Error("cut short"), { code: "EIO" });
        await turn();
        return new Uint8Array(kept.subarray(at, at + wanted));
      },
      close: async () => {
        this.files--;
        this.bytes -= length;
      },
    };
  }
}

/** Others have the event loop meanwhile, as they do while a disk is waited for. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
