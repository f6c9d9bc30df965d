import { existsSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { errnoOf } from "./local-fault.ts";

/** Of folders and files that only the user of the process may open. */
export const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;
/** As the process's umask says. */
const SHARED_FOLDER = 0o777;
const SHARED_FILE = 0o666;

/** What folders and files are made with. */
export interface Modes {
  readonly folder: number;
  readonly file: number;
}

/** Firn's own: its user's alone. */
export const PRIVATE: Modes = { folder: PRIVATE_FOLDER, file: PRIVATE_FILE };
/** Of tables, which engines under other users may read too. */
export const SHARED: Modes = { folder: SHARED_FOLDER, file: SHARED_FILE };

/**
 * Makes a directory and those above it, one level at a time: `mkdir` with `recursive` takes the
 * `ENOENT` that file systems of the kernel's own answer (`/proc`) for a missing parent, and tries
 * for ever.
 *
 * @param path absolute.
 * @param mode of those that are made; the umask takes bits away.
 * @returns those that were missing, from the top, even if another process made them: their names
 *   may not be on the disk yet.
 * @throws what the system says.
 */
export function makeDirectories(path: string, mode: number = SHARED_FOLDER): readonly string[] {
  const missing: string[] = [];
  for (let at = path; !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  for (const directory of missing) makeDirectory(directory, mode);
  // A file stands there: the system has its own words for that.
  if (missing.length === 0 && !statSync(path).isDirectory()) mkdirSync(path);
  return missing;
}

/** @returns false where it is there already. @throws what the system says, `EEXIST` for a file. */
export function makeDirectory(absolute: string, mode: number = SHARED_FOLDER): boolean {
  try {
    mkdirSync(absolute, { mode });
    return true;
  } catch (error) {
    if (errnoOf(error) !== "EEXIST" || !lstatSync(absolute).isDirectory()) throw error;
    return false;
  }
}
