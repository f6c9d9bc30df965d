import { FieldWriter, type UnknownFields } from "./fields.ts";
import { openRecord, sealRecord } from "./manifest.ts";

/*
 * How far numbered objects may have been deleted. A collector raises it before it deletes anything;
 * a process that creates a numbered object reads it afterwards, and has lost the race where its
 * number is not above it. Framed as a manifest is (`manifest.ts`); fields of the body:
 *
 *   1 id of the boundary, which its name says too
 *   2 last WAL object that may be gone; 0 for none
 *   3 last manifest that may be gone; 0 for none
 *   4 wall time of raising, ms
 *
 * Example: boundary 2, WAL objects up to 300 and manifests up to 9, raised at 1,000 ms. 42 bytes:
 *
 *   4649524e4743420a 0100 0000 00000000 00000000 0e000000
 *   010102 0202ac02 030109 0402e807
 *   69190754
 */

export interface GcBoundary {
  readonly id: number;
  readonly walThrough: number;
  readonly manifestThrough: number;
  readonly raisedAtMs: number;
  readonly optionalFeatures: number;
  readonly unknown: UnknownFields;
}

export function encodeGcBoundary(boundary: GcBoundary): Uint8Array {
  const body = new FieldWriter()
    .number(1, boundary.id)
    .number(2, boundary.walThrough)
    .number(3, boundary.manifestThrough)
    .number(4, boundary.raisedAtMs)
    .unknown(boundary.unknown);
  return sealRecord("boundary", body.finish(), 0, boundary.optionalFeatures);
}

/**
 * Reads a boundary. Nothing of `bytes` is kept.
 *
 * @throws FirnError `Corrupt`, code `LSM_FILE_CORRUPT`; `Unavailable`, code
 *   `LSM_FORMAT_UNSUPPORTED`.
 */
export function decodeGcBoundary(bytes: Uint8Array): GcBoundary {
  const { fields, optionalFeatures } = openRecord("boundary", bytes);
  return {
    id: fields.number(1),
    walThrough: fields.number(2),
    manifestThrough: fields.number(3),
    raisedAtMs: fields.number(4),
    optionalFeatures,
    unknown: fields.unknown(),
  };
}
