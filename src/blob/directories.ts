import { existsSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { errnoOf } from "./local-fault.ts";

/**
 * Makes a directory and those above it, one level at a time: `mkdir` with `recursive` takes the
 * `ENOENT` that file systems of the kernel's own answer (`/proc`) for a missing parent, and tries
 * for ever.
 *
 * @param path absolute.
 * @returns those that were missing, from the top, whoever made them: their names may not be on the
 *   disk yet.
 * @throws what the system says.
 */
export function makeDirectories(path: string): readonly string[] {
  const missing: string[] = [];
  for (let at = path; !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  for (const directory of missing) makeDirectory(directory);
  // A file stands there: the system has its own words for that.
  if (missing.length === 0 && !statSync(path).isDirectory()) mkdirSync(path);
  return missing;
}

/** @returns false where it is there already. @throws what the system says, `EEXIST` for a file. */
export function makeDirectory(absolute: string): boolean {
  try {
    mkdirSync(absolute);
    return true;
  } catch (error) {
    if (errnoOf(error) !== "EEXIST" || !lstatSync(absolute).isDirectory()) throw error;
    return false;
  }
}
