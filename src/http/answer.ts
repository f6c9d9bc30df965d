import { lengthOf } from "../base/bytes.ts";
import type { FirnError } from "../base/error.ts";
import { describe } from "./failure.ts";

/** An HTTP answer before any framework touches it. Header names are sent exactly as written. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`, which alone is sent once for each. */
  readonly cookies?: readonly string[];
  /** Several pieces are sent one behind the other, so that large ones are never copied. */
  readonly body: Uint8Array | string | readonly Uint8Array[] | undefined;
  /** It is never compressed, also where it is large and its client far. */
  readonly asIs?: true;
}

/** An answer that is made while it is sent, until the client or the server ends it. */
export interface StreamedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: AsyncIterable<string>;
}

/** Below this size one copy costs less than the vector of a gathered write. */
const COPY_BYTES = 65_536;

/** The pieces of a body as they are written with least work: joined where that is a small copy. */
export function inOneWrite(pieces: readonly Uint8Array[]): Uint8Array | readonly Uint8Array[] {
  const length = lengthOf(pieces);
  return length <= COPY_BYTES ? Buffer.concat(pieces, length) : pieces;
}

/** An answer with a text for its body, as every error has one. */
export interface TextAnswer extends Answer {
  readonly body: string;
}

const HIDDEN = new Set(["Corrupt", "Internal"]);

/** Where a store or a disk failed: facts of this machine, which no client can do anything about. */
const FAILED = new Set(["Unavailable", "Unknown"]);
const PLACES = new Set(["path", "file", "dir", "directory", "key", "prefix", "socket"]);

/**
 * The text of an error whose own wording no protocol prescribes. What stored bytes or our own code
 * did wrong is for the log alone, and so is where.
 */
export function errorText(error: FirnError): string {
  if (HIDDEN.has(error.kind)) return "internal error";
  if (!FAILED.has(error.kind)) return describe(error.message, error.context);
  const told = Object.entries(error.context).filter(([name]) => !PLACES.has(name));
  return describe(error.message, Object.fromEntries(told));
}
