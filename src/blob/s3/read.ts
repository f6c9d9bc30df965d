import { FirnError, invalid } from "../../base/error.ts";
import { sha256Hex } from "../../base/hash.ts";
import type { Blob, BlobInfo } from "../port.ts";
import { errorOf } from "./failure.ts";
import type { Attempted, S3Wire } from "./wire.ts";

export interface Target {
  readonly path: string;
  readonly key: string;
}

/** Reads of content that is not what its digest says, before it is called damaged. */
const MAX_READS = 2;

/**
 * The whole content, checked against the digest that it was written with, if it was.
 *
 * @throws FirnError `Corrupt`, code `BLOB_CORRUPT`; others as `errorOf`.
 */
export async function readWhole(wire: S3Wire, target: Target): Promise<Blob | undefined> {
  for (let reads = 1; ; reads++) {
    const got = await read(wire, target, undefined);
    if (!got.ok) {
      if (got.failure.reason === "missing") return undefined;
      throw errorOf(got.failure, "GetObject", target.path);
    }
    const { bytes, etag, sha256 } = got.value;
    if (sha256 === undefined || sha256Hex(bytes) === sha256) return { bytes, etag };
    if (reads >= MAX_READS) {
      const context = { path: target.path.slice(0, 200), etag };
      throw new FirnError(
        "Corrupt",
        "BLOB_CORRUPT",
        "damaged blob: its digest differs from the stored one",
        context,
      );
    }
  }
}

/**
 * Bytes [offset, offset + length) or the last `length`, fewer where the content ends. No digest
 * covers a part: what reads parts checks them itself.
 */
export async function readPart(
  wire: S3Wire,
  target: Target,
  part: Part,
): Promise<Blob | undefined> {
  const empty = "suffix" in part ? part.suffix === 0 : part.length === 0;
  // S3 knows no empty range: what is left to learn is whether the object is there.
  if (empty) return nothingOf(wire, target);
  const got = await read(wire, target, part);
  if (got.ok) {
    const { bytes, etag, ranged } = got.value;
    return { bytes: ranged ? bytes : sliced(bytes, part), etag };
  }
  if (got.failure.reason === "missing") return undefined;
  // Behind its end, or it is empty.
  if (got.failure.reason === "range") return nothingOf(wire, target);
  throw errorOf(got.failure, "GetObject", target.path);
}

/** One HEAD. */
export async function readInfo(wire: S3Wire, target: Target): Promise<BlobInfo | undefined> {
  const look = await wire.again("HeadObject", (signal) => wire.transport.head(target.key, signal));
  if (!look.ok) {
    if (look.failure.reason === "missing") return undefined;
    throw errorOf(look.failure, "HeadObject", target.path);
  }
  const { size, etag, modifiedAtMs } = look.value;
  return { size, etag, modifiedAtMs };
}

async function nothingOf(wire: S3Wire, target: Target): Promise<Blob | undefined> {
  const info = await readInfo(wire, target);
  return info && { bytes: new Uint8Array(0), etag: info.etag };
}

type Part = { readonly offset: number; readonly length: number } | { readonly suffix: number };

function rangeHeader(part: Part): string {
  if ("suffix" in part) return `bytes=-${part.suffix}`;
  const { offset, length } = part;
  return `bytes=${offset}-${Math.min(Number.MAX_SAFE_INTEGER, offset + length - 1)}`;
}

/**
 * Nothing may pass for bytes that it is not: a proxy between may have kept another part.
 *
 * @throws Error by the name of `UnfitAnswer`.
 */
function checkRange(told: string | undefined, part: Part | undefined, bytes: number): void {
  if (told === undefined) return;
  // The end of an empty object is not a part; some servers tell of one all the same.
  if (bytes === 0 && told.endsWith("/0")) return;
  const [, from, last, size] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(told) ?? [];
  const begins =
    part !== undefined &&
    ("suffix" in part
      ? size === "*" || Number(from) === Math.max(0, Number(size) - part.suffix)
      : Number(from) === part.offset && bytes <= part.length);
  if (begins && Number(last) - Number(from) + 1 === bytes) return;
  throw Object.assign(new Error("another part than was asked for"), { name: "UnfitAnswer" });
}

/** The part of what a store sent whole, as one may that does not know ranges. */
function sliced(bytes: Uint8Array, part: Part): Uint8Array {
  if ("suffix" in part) return bytes.subarray(Math.max(0, bytes.length - part.suffix));
  return bytes.subarray(part.offset, part.offset + part.length);
}

interface Got {
  readonly bytes: Uint8Array;
  readonly etag: string;
  readonly sha256: string | undefined;
  /** Whether it is the range that was asked for, rather than all. */
  readonly ranged: boolean;
}

async function read(
  wire: S3Wire,
  { path, key }: Target,
  part: Part | undefined,
): Promise<Attempted<Got>> {
  const { maxGetBytes: maxBytes } = wire.settings;
  const range = part && rangeHeader(part);
  const attempted = await wire.again("GetObject", async (signal, allow) => {
    const content = await wire.transport.get({ key, range, maxBytes, allow }, signal);
    if (content.bytes !== undefined) checkRange(content.range, part, content.bytes.length);
    return content;
  });
  if (!attempted.ok) return attempted;
  const { bytes, etag, size, origin } = attempted.value;
  const ranged = attempted.value.range !== undefined;
  if (bytes === undefined) {
    const context = { path: path.slice(0, 200), bytes: size, limit: maxBytes };
    throw invalid("BLOB_TOO_LARGE", "blob too large", context);
  }
  return { ok: true, value: { bytes, etag, sha256: origin.sha256, ranged } };
}
