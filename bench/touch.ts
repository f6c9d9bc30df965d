import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";

const TOUCHED_AT_ONCE = 4_194_304;

/**
 * Writes as much as the files of a cell will take, and removes it. Memory that a virtual machine
 * has not used for a while is its host's: a page then costs ten times what the kernel asks for one,
 * and a file written to it several times what all else does that is to be compared.
 */
export function touchMemory(directory: string, bytes: number): void {
  const file = `${directory}/touched`;
  const fd = openSync(file, "w");
  const chunk = Buffer.alloc(TOUCHED_AT_ONCE, 1);
  for (let left = bytes; left > 0; left -= chunk.length) writeSync(fd, chunk);
  closeSync(fd);
  unlinkSync(file);
}
