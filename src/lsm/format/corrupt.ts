import { CatalogError } from "../../base/error.ts";

/** The kinds of file that the codecs of this folder read. */
export type FileKind = "sst" | "manifest" | "boundary";

/**
 * Bytes that are not what was written. `offset` is where in the named part they stand.
 *
 * Thrown for whatever a file holds: no input may end in another error, a hang or wrong data.
 */
export function corrupt(file: FileKind, part: string, offset: number, what: string): CatalogError {
  return new CatalogError("Corrupt", "LSM_FILE_CORRUPT", `${file}, ${part}: ${what}`, {
    file,
    part,
    offset,
  });
}
