import type { Disk } from "./port.ts";

const NAME = "room";
const SLICE_BYTES = 1_048_576;

/**
 * Whether a disk takes so many bytes more, found out by writing and removing them: what a file
 * system says of itself is not what it grants an account, a project or a process.
 *
 * @throws FirnError `Unavailable`, codes `DISK_FULL`, `DISK_READ_ONLY`, `DISK_FAILED`.
 */
export async function assertRoom(disk: Disk, bytes: number): Promise<void> {
  await disk.prepare();
  // Of a process that ended amid this.
  await disk.remove(NAME);
  const file = await disk.create(NAME);
  // Another process is finding out the same.
  if (file === undefined) return;
  try {
    const zeros = new Uint8Array(Math.min(bytes, SLICE_BYTES));
    for (let at = 0; at < bytes; at += zeros.length) await file.write(at, zeros);
  } finally {
    await file.close();
    await disk.remove(NAME);
  }
}
