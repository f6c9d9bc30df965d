import { FirnError } from "../../base/error.ts";
import type { Ulid } from "./ulid.ts";

/** The kinds of file that the codecs of this folder read. */
export type FileKind = "sst" | "manifest" | "boundary";

/**
 * Bytes that are not what was written. `offset` is where in the named part they stand, `table` the
 * id in the name of the file, for parts that are read long after they were found there.
 *
 * Thrown for whatever a file holds: no input may end in another error, a hang or wrong data.
 */
export function corrupt(
  file: FileKind,
  part: string,
  offset: number,
  what: string,
  table?: Ulid,
): FirnError {
  const context = { file, part, offset, ...(table !== undefined && { table }) };
  return new FirnError("Corrupt", "LSM_FILE_CORRUPT", `${file}, ${part}: ${what}`, context);
}

/** What a codec finds wrong, with the path of the object it stands in, which it cannot know. */
export function inFile<T>(path: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof FirnError) || error.kind !== "Corrupt") throw error;
    const { kind, code, message, context } = error;
    throw new FirnError(kind, code, message, { ...context, path }, error);
  }
}
