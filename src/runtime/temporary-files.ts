import { randomBytes } from "node:crypto";
import { unlinkSync } from "node:fs";
import { type FileHandle, open, readdir, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { identityOf, isAlive } from "../blob/local-process.ts";
import type { SpillFile, SpillSpace } from "../sql/exec/spill.ts";

const PREFIX = "firn-sql-";
/** Of all statements of a server together. */
const MOST_BYTES = 17_179_869_184;

/**
 * Temporary files of SQL statements, in the system's directory for them. A file has no name as soon
 * as it is open: the system removes it with its process, however that ends. What a process leaves
 * that was killed between the two is removed before the first file is opened.
 */
export class TemporaryFiles implements SpillSpace {
  readonly #directory: string;
  readonly #mostBytes: number;
  #swept: Promise<void> | undefined;
  /** Bytes of the files that are open. */
  bytes = 0;
  /** Files that are open. */
  files = 0;

  constructor(directory: string = tmpdir(), mostBytes: number = MOST_BYTES) {
    this.#directory = directory;
    this.#mostBytes = mostBytes;
  }

  async open(): Promise<SpillFile> {
    this.#swept ??= this.#sweep();
    await this.#swept;
    const owner = identityOf(process.pid) ?? `0-${process.pid}-0`;
    const path = join(this.#directory, `${PREFIX}${owner}-${randomBytes(8).toString("hex")}`);
    const handle = await open(path, "wx+", 0o600);
    try {
      unlinkSync(path);
    } catch (error) {
      await handle.close();
      throw error;
    }
    this.files++;
    return this.#file(handle);
  }

  #file(handle: FileHandle): SpillFile {
    let length = 0;
    return {
      write: async (bytes, at) => {
        const more = Math.max(0, at + bytes.length - length);
        if (this.bytes + more > this.#mostBytes) {
          throw Object.assign(new Error("too many temporary files"), { code: "EDQUOT" });
        }
        this.bytes += more;
        length += more;
        for (let done = 0; done < bytes.length; ) {
          const written = await handle.write(bytes, done, bytes.length - done, at + done);
          done += written.bytesWritten;
        }
      },
      read: async (at, wanted) => {
        const bytes = new Uint8Array(wanted);
        for (let done = 0; done < wanted; ) {
          const { bytesRead } = await handle.read(bytes, done, wanted - done, at + done);
          if (bytesRead === 0) throw Object.assign(new Error("cut short"), { code: "EIO" });
          done += bytesRead;
        }
        return bytes;
      },
      close: async () => {
        this.files--;
        this.bytes -= length;
        await handle.close();
      },
    };
  }

  async #sweep(): Promise<void> {
    for (const name of await readdir(this.#directory).catch(() => [])) {
      if (!name.startsWith(PREFIX) || isAlive(name.slice(PREFIX.length))) continue;
      await unlink(join(this.#directory, name)).catch(() => undefined);
    }
  }
}

/** One for the process: all its nodes share the disk. */
export const SQL_FILES: TemporaryFiles = new TemporaryFiles();
