import { lstatSync, unlinkSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { bootId, identityOf, isAlive } from "./local-process.ts";

/** Names of files that are not blobs: hidden from every list, refused in every path. */
export const RESERVED_PREFIX = ".firn-";
const PREFIX = `${RESERVED_PREFIX}tmp-`;
/** No write takes as long. */
const DAY_MS = 86_400_000;

let own: string | undefined;

/** The `count`-th name of a temporary file of this process: no other one has it, ever. */
export function temporaryName(count: number): string {
  own ??= identityOf(process.pid) ?? `0-${process.pid}-0`;
  return `${PREFIX}${own}-${count}`;
}

/**
 * Removes what processes that ended amid a write left in a directory. Those of this boot of the
 * machine can be asked for; of any other process (of a host that has the directory too, or before
 * the machine began anew) a file stays for a day.
 *
 * Costs one read of the directory. Never fails: what is left is invisible, and only takes room.
 */
export async function removeAbandoned(directory: string, nowMs: number): Promise<void> {
  try {
    for (const name of await readdir(directory)) {
      if (name.startsWith(PREFIX)) removeIfAbandoned(directory, name, nowMs);
    }
  } catch {
    // It may be written to but not be read, or is gone again.
  }
}

function removeIfAbandoned(directory: string, name: string, nowMs: number): void {
  const file = `${directory}/${name}`;
  const identity = name.slice(PREFIX.length);
  const isKnown = identity.split("-").length === 4 && identity.startsWith(`${bootId()}-`);
  const abandoned = isKnown
    ? !isAlive(identity)
    : (lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? nowMs) < nowMs - DAY_MS;
  if (abandoned) unlinkSync(file);
}
