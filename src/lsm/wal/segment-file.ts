import type { WritableFile } from "../disk/port.ts";

/** Slices of zeros that are kept ahead of the writer. */
const SLICES_AHEAD = 4;

/** How large a segment may grow, and the zeros that are written at once. */
export interface SegmentSizes {
  readonly segmentBytes: number;
  /** Short enough that others wait little for their own syncs behind it; 0: no zeros at all. */
  readonly sliceBytes: number;
}

/**
 * The file of a segment as its writer sees it. Overwriting zeros that are on the disk costs half of
 * what growing a file does, since no block has to be found and no size kept: so zeros are written
 * ahead, in the background, and a writer that comes too close waits for them.
 *
 * A file that is recycled brings its blocks along and needs no zeros, nor does one that is never
 * synced.
 */
export class SegmentFile {
  readonly #file: WritableFile;
  readonly #sizes: SegmentSizes;
  readonly #onWritten: (bytes: number) => void;
  /** Bytes from the start that are on the disk, as zeros or as data. */
  #filled = 0;
  #filling: Promise<void> | undefined;
  #fault: unknown;

  /** @param onWritten told of all that went to the disk, zeros included. */
  constructor(file: WritableFile, sizes: SegmentSizes, onWritten: (bytes: number) => void) {
    this.#file = file;
    this.#sizes = sizes;
    this.#onWritten = onWritten;
  }

  /** Writes the first block; into a new file together with the first zeros. */
  async begin(header: Buffer): Promise<void> {
    const { segmentBytes, sliceBytes } = this.#sizes;
    if (sliceBytes === 0) this.#filled = segmentBytes;
    if (this.#filled > 0) return await this.#write(0, header);
    const first = Buffer.alloc(Math.min(sliceBytes, segmentBytes));
    first.set(header, 0);
    await this.#write(0, first);
    this.#filled = first.length;
  }

  /** Makes room up to `end`, by zeros. Where it throws, nothing was written but zeros. */
  async reserve(end: number): Promise<void> {
    while (this.#filled < end) {
      this.#fillAhead(end);
      await this.#filling;
      if (this.#fault !== undefined) throw this.#fault;
    }
  }

  /** Zeros are being written: another write of this file waits for them. */
  get isFilling(): boolean {
    return this.#filling !== undefined;
  }

  /** Writes and syncs what `reserve` made room for. */
  async write(offset: number, bytes: Uint8Array, isAlone = false): Promise<void> {
    await this.#file.write(offset, bytes, isAlone && !this.isFilling);
    this.#onWritten(bytes.length);
    const end = offset + bytes.length;
    if (this.#filled - end < (SLICES_AHEAD / 2) * this.#sizes.sliceBytes) this.#fillAhead(end);
  }

  isNamed(): boolean {
    return this.#file.isNamed();
  }

  /** After the zeros that are under way: it has another name now, and lost the one before. */
  async renamed(name: string): Promise<void> {
    await this.#filling;
    this.#file.renamed(name);
  }

  /** After the zeros that are under way. */
  async close(): Promise<void> {
    this.#fault ??= "closed";
    await this.#filling;
    await this.#file.close();
  }

  /** One fill at a time; its fault is for the first writer that needs the room. */
  #fillAhead(from: number): void {
    const { segmentBytes, sliceBytes } = this.#sizes;
    const goal = Math.min(segmentBytes, from + SLICES_AHEAD * sliceBytes);
    if (this.#filled >= goal || this.#filling !== undefined || this.#fault !== undefined) return;
    this.#filling = this.#fillTo(goal)
      .catch((error: unknown) => {
        this.#fault = error;
      })
      .finally(() => {
        this.#filling = undefined;
      });
  }

  async #fillTo(goal: number): Promise<void> {
    const zeros = Buffer.alloc(this.#sizes.sliceBytes);
    while (this.#filled < goal && this.#fault === undefined) {
      const slice = zeros.subarray(0, Math.min(zeros.length, goal - this.#filled));
      await this.#write(this.#filled, slice);
      this.#filled += slice.length;
    }
  }

  async #write(offset: number, bytes: Uint8Array): Promise<void> {
    await this.#file.write(offset, bytes);
    this.#onWritten(bytes.length);
  }
}
