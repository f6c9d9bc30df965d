import type { AvroValue } from "./avro-value.ts";
import type { Transform } from "./transform.ts";
import type { PrimitiveName, PrimitiveType } from "./type.ts";

/** A value that can be compared with others of its type. */
type Single = boolean | number | bigint | string | Uint8Array;

/** No bound or partition value is shown longer: writers cut bounds at 16 characters. */
const SHOWN = 256;
const DAY_MS = 86_400_000;
/** Beyond it a Date has no text. */
const MAX_DATE_MS = 8_640_000_000_000_000n;

/** How the bytes of one value are read (spec, "Appendix D: Single-value serialization"). */
const READERS: Readonly<Partial<Record<PrimitiveName, (bytes: DataView) => Single>>> = {
  boolean: (view) => view.getUint8(0) !== 0,
  int: (view) => view.getInt32(0, true),
  date: (view) => view.getInt32(0, true),
  // A promoted column keeps the bounds that its narrower type was written with.
  long: (view) =>
    view.byteLength < 8 ? BigInt(view.getInt32(0, true)) : view.getBigInt64(0, true),
  time: (view) => view.getBigInt64(0, true),
  timestamp: (view) => view.getBigInt64(0, true),
  timestamptz: (view) => view.getBigInt64(0, true),
  timestamp_ns: (view) => view.getBigInt64(0, true),
  timestamptz_ns: (view) => view.getBigInt64(0, true),
  float: (view) => view.getFloat32(0, true),
  double: (view) => (view.byteLength < 8 ? view.getFloat32(0, true) : view.getFloat64(0, true)),
};

/** A bound of a column; undefined where its type has none, or the bytes are not of the type. */
export function readSingle({ name }: PrimitiveType, bytes: Uint8Array): Single | undefined {
  try {
    switch (name) {
      case "decimal":
        return bytes.length === 0 || bytes.length > 16 ? undefined : signed(bytes);
      case "uuid":
        return bytes.length === 16 ? Buffer.from(bytes) : undefined;
      case "string":
      case "fixed":
      case "binary":
        return Buffer.from(bytes);
      default:
        return READERS[name]?.(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    }
  } catch {
    return undefined;
  }
}

/** Below 0: the first one is less. Both as `readSingle` read them of one type. */
export function compareSingles(a: Single, b: Single): number {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** A value as people read it: times by ISO 8601, decimals with their point, bytes in base64. */
export function singleText({ name, text }: PrimitiveType, value: Single): string {
  if (value instanceof Uint8Array) {
    if (name === "string") return cut(Buffer.from(value).toString());
    return name === "uuid" ? uuidText(value) : cut(base64(value));
  }
  switch (name) {
    case "date":
      return dayText(Number(value));
    case "time":
      return microsText(BigInt(value as bigint), 1_000_000n).slice(11);
    case "timestamp":
      return microsText(BigInt(value as bigint), 1_000_000n);
    case "timestamptz":
      return `${microsText(BigInt(value as bigint), 1_000_000n)}Z`;
    case "timestamp_ns":
      return microsText(BigInt(value as bigint), 1_000_000_000n);
    case "timestamptz_ns":
      return `${microsText(BigInt(value as bigint), 1_000_000_000n)}Z`;
    case "decimal":
      return decimalText(BigInt(value as bigint), scaleOf(text));
    default:
      return cut(String(value));
  }
}

/**
 * The text of a partition value, which a manifest holds as Avro; null where there is none.
 *
 * @param source the type of the column it was made of; undefined where that is gone.
 */
export function partitionText(
  transform: Transform,
  source: PrimitiveType | undefined,
  value: AvroValue,
): string | null {
  if (value === null) return null;
  if (typeof value === "number" || typeof value === "bigint") {
    const named = periodText(transform, Number(value));
    if (named !== undefined) return named;
  }
  if (typeof value === "object" && !(value instanceof Uint8Array)) return "…";
  const isOwn = transform.name === "identity" || transform.name === "truncate";
  if (source === undefined || !isOwn) {
    return value instanceof Uint8Array ? cut(base64(value)) : cut(String(value));
  }
  if (value instanceof Uint8Array && source.name === "decimal") {
    return value.length > 16 ? cut(base64(value)) : singleText(source, signed(value));
  }
  const isWhole = typeof value === "number" || typeof value === "bigint";
  const isTemporal = /^(?:date|time|decimal)/.test(source.name);
  if (isTemporal && !isWhole) return cut(String(value));
  return singleText(source, value);
}

/** Of a year, month, day or hour since 1970. */
function periodText({ name }: Transform, value: number): string | undefined {
  switch (name) {
    case "year":
      return String(1970 + value);
    case "month": {
      const month = ((value % 12) + 12) % 12;
      return `${1970 + Math.floor(value / 12)}-${String(month + 1).padStart(2, "0")}`;
    }
    case "day":
      return dayText(value);
    case "hour": {
      const day = Math.floor(value / 24);
      return `${dayText(day)}-${String(value - day * 24).padStart(2, "0")}`;
    }
    default:
      return undefined;
  }
}

function dayText(days: number): string {
  const ms = days * DAY_MS;
  return Math.abs(ms) > Number(MAX_DATE_MS)
    ? String(days)
    : new Date(ms).toISOString().slice(0, 10);
}

/** Of a time in parts of a second since 1970, as many digits as the parts have. */
function microsText(value: bigint, perSecond: bigint): string {
  const rest = ((value % perSecond) + perSecond) % perSecond;
  const ms = ((value - rest) / perSecond) * 1_000n;
  if (ms > MAX_DATE_MS || ms < -MAX_DATE_MS) return String(value);
  const whole = new Date(Number(ms)).toISOString().replace(".000Z", "");
  if (rest === 0n) return whole;
  const digits = String(perSecond).length - 1;
  return `${whole}.${String(rest).padStart(digits, "0").replace(/0+$/, "")}`;
}

function scaleOf(text: string): number {
  return Number(/,\s*(\d{1,3})\s*\)/.exec(text)?.[1] ?? 0);
}

function decimalText(unscaled: bigint, scale: number): string {
  if (scale === 0) return String(unscaled);
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, "0");
  const at = digits.length - scale;
  return `${unscaled < 0n ? "-" : ""}${digits.slice(0, at)}.${digits.slice(at)}`;
}

/** A number of two's complement, its most significant byte first. */
function signed(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return BigInt.asIntN(bytes.length * 8, value);
}

function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, SHOWN)).toString("base64");
}

function cut(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}
