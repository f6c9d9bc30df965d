import {
  close,
  closeSync,
  constants,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsync,
  linkSync,
  openSync,
  read,
  readdirSync,
  readlinkSync,
  renameSync,
  unlinkSync,
  write,
  writeSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { makeDirectories, PRIVATE_FILE, PRIVATE_FOLDER } from "../../blob/directories.ts";
import { diskFault, errnoOf } from "./fault.ts";
import type { Disk, ReadableFile, WritableFile } from "./port.ts";

const readAsync = promisify(read);
const fsyncAsync = promisify(fsync);
const fdatasyncAsync = promisify(fdatasync);
const closeAsync = promisify(close);

/** Windows syncs no file that was not opened for writing. */
const READ_FLAGS =
  (process.platform === "win32" ? constants.O_RDWR : constants.O_RDONLY) | constants.O_NOFOLLOW;

/** Larger reads go through the pool in slices, so that no thread of it is held for long. */
const READ_BYTES = 1_048_576;

/**
 * How a write gets to the disk: by the descriptor's own flag, or by a second system call; or when
 * the operating system likes (`never`), for tests, embedding and comparisons: then what was
 * acknowledged survives the end of the process, but not that of the machine, after which the log
 * may even be refused as `Corrupt`, since its end may have reached the disk before its middle.
 */
export type SyncMode = "dsync" | "fdatasync" | "never";

/**
 * A directory of a local file system (not of a network: the exclusive create of two hosts may both
 * win there). Names change by synchronous calls, which take microseconds and cannot interleave;
 * whatever waits for the disk goes through the thread pool.
 */
export class LocalDisk implements Disk {
  readonly path: string;
  readonly syncs: boolean;
  readonly #mode: SyncMode;

  /** Elsewhere than on Linux, O_DSYNC may not reach through the device's own cache. */
  constructor(path: string, mode: SyncMode = process.platform === "linux" ? "dsync" : "fdatasync") {
    this.path = resolve(path);
    this.#mode = mode;
    this.syncs = mode !== "never";
  }

  async prepare(): Promise<void> {
    await this.#calling("", async () => {
      const made = makeDirectories(this.path, PRIVATE_FOLDER);
      if (this.syncs) for (const each of made.toReversed()) await syncDirectory(dirname(each));
    });
  }

  list(): Promise<readonly string[]> {
    return this.#calling("", async () => readdirSync(this.path));
  }

  exists(name: string): boolean {
    return existsSync(join(this.path, name));
  }

  create(name: string): Promise<WritableFile | undefined> {
    const flags = writeFlags(this.#mode) | constants.O_CREAT | constants.O_EXCL;
    return this.#calling(name, async () => {
      try {
        const file = join(this.path, name);
        return new LocalWritableFile(openSync(file, flags, PRIVATE_FILE), file, this.#mode);
      } catch (error) {
        if (errnoOf(error) === "EEXIST") return undefined;
        throw error;
      }
    });
  }

  open(name: string): Promise<ReadableFile | undefined> {
    return this.#calling(name, async () => {
      try {
        const file = join(this.path, name);
        const fd = openSync(file, READ_FLAGS);
        return new LocalReadableFile(fd, file, fstatSync(fd).size);
      } catch (error) {
        if (errnoOf(error) === "ENOENT") return undefined;
        throw error;
      }
    });
  }

  link(name: string, to: string): Promise<"linked" | "taken" | "gone"> {
    return this.#calling(to, async () => {
      try {
        linkSync(join(this.path, name), join(this.path, to));
        return "linked";
      } catch (error) {
        const errno = errnoOf(error);
        if (errno === "EEXIST") return "taken";
        if (errno === "ENOENT") return "gone";
        throw error;
      }
    });
  }

  rename(name: string, to: string): Promise<boolean> {
    return this.#unlessGone(name, () => renameSync(join(this.path, name), join(this.path, to)));
  }

  async remove(name: string): Promise<void> {
    await this.#unlessGone(name, () => unlinkSync(join(this.path, name)));
  }

  async sync(): Promise<void> {
    if (this.syncs) await this.#calling("", () => syncDirectory(this.path));
  }

  #unlessGone(name: string, call: () => void): Promise<boolean> {
    return this.#calling(name, async () => {
      try {
        call();
        return true;
      } catch (error) {
        if (errnoOf(error) === "ENOENT") return false;
        throw error;
      }
    });
  }

  async #calling<T>(name: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw diskFault(error, join(this.path, name));
    }
  }
}

/** Windows opens no directory; names are durable there with the file system's own log. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const fd = openSync(path, constants.O_RDONLY);
  try {
    await fsyncAsync(fd);
  } finally {
    closeSync(fd);
  }
}

class LocalReadableFile implements ReadableFile {
  readonly size: number;
  readonly #fd: number;
  readonly #path: string;

  constructor(fd: number, path: string, size: number) {
    this.#fd = fd;
    this.#path = path;
    this.size = size;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const out = Buffer.allocUnsafe(Math.max(0, Math.min(length, this.size - offset)));
    let filled = 0;
    try {
      while (filled < out.length) {
        const step = Math.min(READ_BYTES, out.length - filled);
        const { bytesRead } = await readAsync(this.#fd, out, filled, step, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
    } catch (error) {
      throw diskFault(error, this.#path);
    }
    return out.subarray(0, filled);
  }

  async sync(): Promise<void> {
    try {
      await fdatasyncAsync(this.#fd);
    } catch (error) {
      throw diskFault(error, this.#path);
    }
  }

  async close(): Promise<void> {
    closeSync(this.#fd);
  }
}

function writeFlags(mode: SyncMode): number {
  return constants.O_WRONLY | constants.O_NOFOLLOW | (mode === "dsync" ? constants.O_DSYNC : 0);
}

/** Of a descriptor, how Linux ends the name that it had when it was opened, once that is gone. */
const DELETED = " (deleted)";

class LocalWritableFile implements WritableFile {
  #fd: number;
  #path: string;
  readonly #mode: SyncMode;

  constructor(fd: number, path: string, mode: SyncMode) {
    this.#fd = fd;
    this.#path = path;
    this.#mode = mode;
  }

  /** Callbacks rather than a promise a system call: this is the path of every durable write. */
  write(offset: number, bytes: Uint8Array, isAlone = false): Promise<void> {
    if (isAlone) return this.#writeHere(offset, bytes);
    return new Promise((written, failed) => {
      const fail = (error: unknown): void => failed(diskFault(error, this.#path));
      const step = (done: number): void => {
        const left = bytes.length - done;
        write(this.#fd, bytes, done, left, offset + done, (error, count) => {
          if (error !== null) fail(error);
          else if (count < left) step(done + count);
          else if (this.#mode !== "fdatasync") written();
          else fdatasync(this.#fd, (fault) => (fault === null ? written() : fail(fault)));
        });
      };
      step(0);
    });
  }

  /** Two changes of threads cost as much as a fast disk does. */
  async #writeHere(offset: number, bytes: Uint8Array): Promise<void> {
    try {
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(this.#fd, bytes, done, bytes.length - done, offset + done);
      }
      if (this.#mode === "fdatasync") fdatasyncSync(this.#fd);
    } catch (error) {
      throw diskFault(error, this.#path);
    }
  }

  /**
   * The count of names is the truth, but asking for it is dear: since Linux 6.13 who asks for the
   * times of a file makes the next write put down new ones, which took a quarter of a durable put.
   * Whether the name of the descriptor is still one costs 3 µs and leaves no trace.
   */
  isNamed(): boolean {
    return this.#keepsName() || fstatSync(this.#fd).nlink > 0;
  }

  /** By a descriptor that was opened under the new name: the old one's name is gone for good. */
  renamed(name: string): void {
    const path = join(dirname(this.#path), name);
    let fd: number;
    try {
      fd = openSync(path, writeFlags(this.#mode));
    } catch {
      return;
    }
    const [mine, found] = [this.#fd, fd].map((one) => fstatSync(one, { bigint: true }));
    // Another process's by now: then this file has no name any more, and `isNamed` will say so.
    const same = mine?.ino === found?.ino && mine?.dev === found?.dev;
    closeSync(same ? this.#fd : fd);
    if (!same) return;
    this.#fd = fd;
    this.#path = path;
  }

  #keepsName(): boolean {
    if (process.platform !== "linux") return false;
    try {
      return !readlinkSync(`/proc/self/fd/${this.#fd}`).endsWith(DELETED);
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    await closeAsync(this.#fd);
  }
}
