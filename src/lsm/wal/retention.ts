/** How much of the log stays for subscribers although no replay needs it: what both allow. */
export interface WalRetention {
  readonly bytes: number;
  /** From the end of a file on. */
  readonly ms: number;
}

export const NO_RETENTION: WalRetention = { bytes: 0, ms: 0 };

/** A file that no replay needs; `endedMs`: when the last group was written to it, or later. */
export interface EndedFile {
  readonly id: number;
  readonly bytes: number;
  readonly endedMs: number;
}

/**
 * The id from which on files are kept: those are the newest, without a gap, so that who reads them
 * in order misses nothing. All of them go below the id behind the last where none is kept.
 *
 * @param files in order.
 */
export function keptFrom(
  files: readonly EndedFile[],
  { bytes, ms }: WalRetention,
  nowMs: number,
): number {
  let from = (files.at(-1)?.id ?? 0) + 1;
  let total = 0;
  for (const file of files.toReversed()) {
    total += file.bytes;
    if (total > bytes || nowMs - file.endedMs >= ms) break;
    from = file.id;
  }
  return from;
}
