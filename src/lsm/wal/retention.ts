import { assert } from "../../base/assert.ts";

/** How much of the log stays although no replay needs it: for subscribers and for the past. */
export interface WalRetention {
  readonly bytes: number;
  /** From when no replay needed a file any more: until then a state of the past may begin there. */
  readonly ms: number;
}

export const NO_RETENTION: WalRetention = { bytes: 0, ms: 0 };

/** A file that no replay needs, since `releasedMs`. */
export interface ReleasedFile {
  readonly id: number;
  readonly bytes: number;
  readonly releasedMs: number;
}

/**
 * The id from which on files are kept: those are the newest, without a gap, so that who reads them
 * in order misses nothing. All of them go below the id behind the last where none is kept.
 *
 * @param files in order.
 */
export function keptFrom(
  files: readonly ReleasedFile[],
  { bytes, ms }: WalRetention,
  nowMs: number,
): number {
  let from = (files.at(-1)?.id ?? 0) + 1;
  let total = 0;
  for (const file of files.toReversed()) {
    total += file.bytes;
    if (total > bytes || nowMs - file.releasedMs >= ms) break;
    from = file.id;
  }
  return from;
}

/**
 * Since when replays begin where they do, on a monotonic clock. A state of a time is read from the
 * manifest of that time on: a flush that came later still left the files before it to be read then.
 */
export class ReplayStarts {
  #starts: readonly { readonly file: number; readonly sinceMs: number }[] = [];

  /** Replays begin at a file, from now on. */
  begin(file: number, nowMs: number): void {
    if (file <= (this.#starts.at(-1)?.file ?? -1)) return;
    this.#starts = [...this.#starts, { file, sinceMs: nowMs }];
  }

  /** When a file that lies before the last start was released. */
  releasedMs(id: number): number {
    const start = this.#starts.find(({ file }) => file > id);
    assert(start !== undefined, "replays begin behind a file that was released");
    return start.sinceMs;
  }

  /** Files below one are gone. */
  forget(below: number): void {
    this.#starts = this.#starts.filter(({ file }, i, all) => file > below || i === all.length - 1);
  }
}
