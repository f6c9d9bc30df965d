import { modelInvalid } from "./errors.ts";
import type { IcebergType, PrimitiveName } from "./type.ts";

export type TransformName =
  | "identity"
  | "year"
  | "month"
  | "day"
  | "hour"
  | "void"
  | "bucket"
  | "truncate"
  | "unknown";

/** A partition or sort transform. An unknown one is kept: readers ignore it, by the spec. */
export interface Transform {
  readonly name: TransformName;
  /** Buckets or width, of `bucket` and `truncate`. */
  readonly width?: number | undefined;
  /** As printed. */
  readonly text: string;
}

const PLAIN: ReadonlySet<string> = new Set(["identity", "year", "month", "day", "hour", "void"]);
const WITH_WIDTH = /^(bucket|truncate)\[(\d{1,10})\]$/;
const MAX_TRANSFORM_LENGTH = 256;

/**
 * A transform's text, in any case.
 *
 * @throws FirnError `Invalid`, the code given: a width of 0 or beyond 32 bits, or a long text.
 */
export function parseTransform(
  text: string,
  code: "PARTITION_SPEC_INVALID" | "SORT_ORDER_INVALID",
): Transform {
  if (text.length > MAX_TRANSFORM_LENGTH) throw modelInvalid(code, "transform is too long");
  const lower = text.toLowerCase();
  if (PLAIN.has(lower)) return { name: lower as TransformName, text: lower };
  const match = WITH_WIDTH.exec(lower);
  if (match === null) return { name: "unknown", text };
  const width = Number(match[2]);
  if (width < 1 || width >= 2 ** 31) {
    throw modelInvalid(code, "width of a transform is out of range", { transform: text });
  }
  const name = match[1] === "bucket" ? "bucket" : "truncate";
  return { name, width, text: `${name}[${width}]` };
}

const TIMESTAMPS: readonly PrimitiveName[] = [
  "timestamp",
  "timestamptz",
  "timestamp_ns",
  "timestamptz_ns",
];
const TRUNCATABLE: readonly PrimitiveName[] = ["int", "long", "decimal", "string", "binary"];
const BUCKETABLE: ReadonlySet<PrimitiveName> = new Set([
  ...TRUNCATABLE,
  ...TIMESTAMPS,
  "date",
  "time",
  "fixed",
  "uuid",
]);
const NOT_IDENTITY: ReadonlySet<PrimitiveName> = new Set(["variant", "geometry", "geography"]);

/** Whether a transform takes values of a type. */
export function canTransform(transform: Transform, type: IcebergType): boolean {
  if (transform.name === "void" || transform.name === "unknown") return true;
  if (type.kind !== "primitive") return false;
  switch (transform.name) {
    case "identity":
      return !NOT_IDENTITY.has(type.name);
    case "bucket":
      return BUCKETABLE.has(type.name);
    case "truncate":
      return TRUNCATABLE.includes(type.name);
    case "hour":
      return TIMESTAMPS.includes(type.name);
    case "year":
    case "month":
    case "day":
      return type.name === "date" || TIMESTAMPS.includes(type.name);
  }
}
