import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  openSync,
  read,
  readSync,
  write,
  writeSync,
  writev,
  writevSync,
} from "node:fs";
import { promisify } from "node:util";
import { inOnePiece, lengthOf } from "../base/bytes.ts";

const readAsync = promisify(read);
const writeAsync = promisify(write);
const writevAsync = promisify(writev);
const fsyncAsync = promisify(fsync);

/**
 * A call through the thread pool costs 30–50 µs, a small copy from the page cache 2: below this
 * size a call on the spot delays the others less than its own detour would.
 */
const INLINE_BYTES = 65_536;
const CHUNK_BYTES = 1_048_576;

/** An open regular file. It pins its inode, so a reader never sees a mixture of two blobs. */
export class OpenFile {
  readonly fd: number;
  readonly size: number;
  readonly modifiedAtMs: number;

  constructor(fd: number, size: number, modifiedAtMs: number) {
    this.fd = fd;
    this.size = size;
    this.modifiedAtMs = modifiedAtMs;
  }

  /** Bytes [offset, offset + length), fewer at the end. `each` is shown the pieces as they come. */
  async read(
    offset: number,
    length: number,
    each?: (piece: Uint8Array) => void,
  ): Promise<Uint8Array> {
    const wanted = Math.max(0, Math.min(length, this.size - offset));
    const out = new Uint8Array(wanted);
    let filled = 0;
    while (filled < wanted) {
      const step = Math.min(wanted - filled, CHUNK_BYTES);
      const count =
        wanted <= INLINE_BYTES
          ? readSync(this.fd, out, filled, step, offset + filled)
          : (await readAsync(this.fd, out, filled, step, offset + filled)).bytesRead;
      // Another process cut the file short under us: what is there is all that there is.
      if (count === 0) return out.subarray(0, filled);
      each?.(out.subarray(filled, filled + count));
      filled += count;
    }
    return out;
  }

  /** The content in pieces, for files that need not fit memory. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < this.size; at += CHUNK_BYTES) yield await this.read(at, CHUNK_BYTES);
  }

  close(): void {
    closeSync(this.fd);
  }
}

/** Opens a regular file for reading; undefined for a directory, pipe, socket or device. */
export function openFile(file: string): OpenFile | undefined {
  // Without O_NONBLOCK, opening a pipe that no process writes would hold the whole process.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const fd = openSync(file, flags);
  const stat = fstatSync(fd);
  if (stat.isFile()) return new OpenFile(fd, stat.size, Math.floor(stat.mtimeMs));
  closeSync(fd);
  return undefined;
}

/** Writes all bytes at the file's position: small arrays in this turn, large ones in chunks. */
export async function writeFully(fd: number, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const step = Math.min(bytes.length - written, CHUNK_BYTES);
    written +=
      bytes.length <= INLINE_BYTES
        ? writeSync(fd, bytes, written, step)
        : (await writeAsync(fd, bytes, written, step)).bytesWritten;
  }
}

/** As `writeFully`, of pieces one behind the other: gathered, not copied. */
export async function writePieces(fd: number, pieces: readonly Uint8Array[]): Promise<void> {
  const inline = lengthOf(pieces) <= INLINE_BYTES;
  for (let at = 0; at < pieces.length; ) {
    let end = at;
    for (let bytes = 0; end < pieces.length && (end === at || bytes < CHUNK_BYTES); end++) {
      bytes += pieces[end]?.length ?? 0;
    }
    const batch = pieces.slice(at, end);
    const written = inline ? writevSync(fd, batch) : (await writevAsync(fd, batch)).bytesWritten;
    // A disk that is nearly full takes a part, and says why with the next write.
    if (written < lengthOf(batch)) await writeFully(fd, inOnePiece(batch).subarray(written));
    at = end;
  }
}

/** Through the pool always: a sync takes from 300 µs to many milliseconds. */
export async function syncFile(fd: number): Promise<void> {
  await fsyncAsync(fd);
}
