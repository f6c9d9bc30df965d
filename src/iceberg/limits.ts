import { assertPositive } from "../base/limits.ts";

/** Maxima of what is read of Iceberg, each with its reason. */
export const ICEBERG_LIMITS = {
  /** A name of a field that a request adds, and with those around it, joined by dots. */
  fieldNameBytes: 1_024,
  fullNameBytes: 8_192,
  /** A name of a branch or tag that a request sets. */
  refNameBytes: 1_024,
  metadataFileNodes: 8_000_000,
  /** What one block of an Avro file may hold, unpacked, and all of them. */
  avroBlockBytes: 67_108_864,
  avroFileBytes: 1_073_741_824,
} as const;

type IcebergLimits = { readonly [name in keyof typeof ICEBERG_LIMITS]: number };

/** Asserts how they hang together, and with those that all share. Runs at every start. */
export function assertIcebergLimits(limits: IcebergLimits = ICEBERG_LIMITS): void {
  assertPositive(limits);
}
