import { compareUtf8, inOnePiece, lengthOf } from "../base/bytes.ts";
import type { Clock } from "../base/clock.ts";
import { assertBlobPath, assertDeletable, assertRange, checkList } from "./checks.ts";
import { piecesOf } from "./pieces.ts";
import type {
  Blob,
  BlobEntry,
  BlobInfo,
  BlobStore,
  ListOptions,
  PutCondition,
  PutResult,
} from "./port.ts";

/** `pieces`: all of `PIECE_BYTES` but the last; never none. */
interface Stored {
  readonly pieces: readonly Uint8Array[];
  readonly size: number;
  readonly etag: string;
  readonly modifiedAtMs: number;
}

/** A stream is kept in pieces: to join a large one would hold everybody else for as long. */
const PIECE_BYTES = 1_048_576;

/**
 * The reference model of the port, and the store of the `memory` profile. Written for obviousness:
 * one map, no step between a condition and its write. Bytes are copied on their way in, so that no
 * caller can change what is stored; what `get` hands out is the stored array itself, read-only by
 * contract (a copy of every payload read would cost more than it guards).
 */
export class MemoryBlobStore implements BlobStore {
  readonly #clock: Clock;
  readonly #blobs = new Map<string, Stored>();
  /** Number of the last write, which is its etag: no two are alike, whatever they write. */
  #writes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A stream's content is joined when it is first asked for whole. */
  async get(path: string): Promise<Blob | undefined> {
    assertBlobPath(path);
    const stored = this.#blobs.get(path);
    if (stored === undefined) return undefined;
    const bytes = inOnePiece(stored.pieces);
    if (stored.pieces.length > 1) this.#blobs.set(path, { ...stored, pieces: [bytes] });
    return { bytes, etag: stored.etag };
  }

  async getRange(path: string, offset: number, length: number): Promise<Blob | undefined> {
    assertRange(offset, length);
    assertBlobPath(path);
    const stored = this.#blobs.get(path);
    return stored && partOf(stored, offset, length);
  }

  async getSuffix(path: string, length: number): Promise<Blob | undefined> {
    assertRange(length);
    assertBlobPath(path);
    const stored = this.#blobs.get(path);
    if (stored === undefined) return undefined;
    return partOf(stored, Math.max(0, stored.size - length), length);
  }

  async head(path: string): Promise<BlobInfo | undefined> {
    assertBlobPath(path);
    const stored = this.#blobs.get(path);
    return stored && infoOf(stored);
  }

  async put(path: string, bytes: Uint8Array, condition?: PutCondition): Promise<PutResult> {
    assertBlobPath(path);
    const found = this.#blobs.get(path)?.etag;
    if (condition === "absent" && found !== undefined) return { outcome: "failed", etag: found };
    if (typeof condition === "object" && condition.etag !== found) {
      return { outcome: "failed", etag: found };
    }
    return this.#store(path, [new Uint8Array(bytes)]);
  }

  async putStream(path: string, source: AsyncIterable<Uint8Array>): Promise<PutResult> {
    assertBlobPath(path);
    const pieces: Uint8Array[] = [];
    for await (const piece of piecesOf(source, PIECE_BYTES)) pieces.push(piece);
    return this.#store(path, pieces.length === 0 ? [new Uint8Array(0)] : pieces);
  }

  async delete(path: string): Promise<void> {
    assertBlobPath(path);
    this.#blobs.delete(path);
  }

  async deleteMany(paths: readonly string[]): Promise<void> {
    assertDeletable(paths);
    for (const path of paths) this.#blobs.delete(path);
  }

  async list(prefix: string, options?: ListOptions): Promise<readonly BlobEntry[]> {
    const limit = checkList(prefix, options);
    const after = options?.after;
    return [...this.#blobs]
      .filter(([path]) => path.startsWith(prefix))
      .filter(([path]) => after === undefined || compareUtf8(path, after) > 0)
      .sort(([a], [b]) => compareUtf8(a, b))
      .slice(0, limit)
      .map(([path, stored]) => ({ path, ...infoOf(stored) }));
  }

  #store(path: string, pieces: readonly Uint8Array[]): PutResult {
    const etag = `"${++this.#writes}"`;
    const modifiedAtMs = this.#clock.nowMs();
    this.#blobs.set(path, { pieces, size: lengthOf(pieces), etag, modifiedAtMs });
    return { outcome: "stored", etag };
  }
}

/** The stored memory itself where it lies in one piece, else a copy that is the caller's. */
function partOf({ pieces, size, etag }: Stored, offset: number, length: number): Blob {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) {
    return { bytes: only.subarray(offset, offset + length), etag };
  }
  const end = Math.min(size, offset + length);
  const first = Math.floor(offset / PIECE_BYTES);
  const touched = pieces.slice(first, Math.ceil(end / PIECE_BYTES)).map((piece, i) => {
    const start = (first + i) * PIECE_BYTES;
    return piece.subarray(Math.max(0, offset - start), Math.max(0, end - start));
  });
  if (touched.length === 1) return { bytes: inOnePiece(touched), etag };
  const bytes = new Uint8Array(lengthOf(touched));
  let at = 0;
  for (const piece of touched) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return { bytes, etag, own: true };
}

function infoOf({ size, etag, modifiedAtMs }: Stored): BlobInfo {
  return { size, etag, modifiedAtMs };
}
