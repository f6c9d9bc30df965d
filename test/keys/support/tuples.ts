import fc from "fast-check";
import { compareUtf8 } from "../../../src/base/bytes.ts";
import type { KeyColumn, KeyType } from "../../../src/keys/index.ts";

/** How values of each type are drawn, and the order that PostgreSQL gives them. */
interface Values {
  readonly arbitrary: fc.Arbitrary<unknown>;
  readonly compare: (a: never, b: never) => number;
}

const plain = (a: number | bigint | boolean, b: number | bigint | boolean): number =>
  a < b ? -1 : a > b ? 1 : 0;

const floats = (a: number, b: number): number => {
  if (Number.isNaN(a) || Number.isNaN(b)) return plain(Number.isNaN(a), Number.isNaN(b));
  return plain(a, b);
};

/** Few letters, among them those that are escaped, so that starts and equals are common. */
const letters = fc.constantFrom("\0", "\u0001", "a", "b", "ÿ", "\uffff", "\u{1f600}");
const shortText = fc.oneof(fc.string({ unit: letters, maxLength: 4 }), fc.string());
const shortBytes = fc.oneof(
  fc.array(fc.constantFrom(0, 1, 0xfe, 0xff), { maxLength: 4 }).map((all) => Uint8Array.from(all)),
  fc.uint8Array({ maxLength: 20 }),
);
const int = (bits: number) => fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 });
const bigint = fc.oneof(
  fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }),
  fc.bigInt({ min: -3n, max: 3n }),
);

/** Decimals as PostgreSQL's numeric has them, of any sign and scale. */
const digits = (maxLength: number) => fc.string({ unit: fc.constantFrom(..."0123459"), maxLength });
const decimal = fc.oneof(
  fc.constantFrom("NaN", "Infinity", "-Infinity", "0", "-0.00", "1e200", "-1e200", "1e-200"),
  fc
    .tuple(fc.constantFrom("", "-", "+"), digits(5), digits(5))
    .filter(([, whole, fraction]) => whole + fraction !== "")
    .map(([sign, whole, fraction]) => `${sign}${whole}.${fraction}`),
);

const uuids = fc.uuid();

export const VALUES: Readonly<Record<KeyType, Values>> = {
  bool: { arbitrary: fc.boolean(), compare: plain },
  int2: { arbitrary: int(16), compare: plain },
  int4: { arbitrary: int(32), compare: plain },
  int8: { arbitrary: bigint, compare: plain },
  uint2: { arbitrary: fc.nat(0xffff), compare: plain },
  uint4: { arbitrary: fc.nat(0xffff_ffff), compare: plain },
  uint8: { arbitrary: fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), compare: plain },
  float4: { arbitrary: fc.float(), compare: floats },
  float8: { arbitrary: fc.double(), compare: floats },
  numeric: { arbitrary: decimal, compare: compareDecimals },
  text: { arbitrary: shortText, compare: compareUtf8 },
  bytes: { arbitrary: shortBytes, compare: Buffer.compare },
  path: { arbitrary: fc.array(shortText, { maxLength: 3 }), compare: comparePaths },
  uuid: { arbitrary: uuids, compare: (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0) },
  date: { arbitrary: int(32), compare: plain },
  time: { arbitrary: bigint, compare: plain },
  timestamp: { arbitrary: bigint, compare: plain },
  timestamptz: { arbitrary: bigint, compare: plain },
};

export const TYPES = Object.keys(VALUES) as readonly KeyType[];

/** Any column. */
export const column: fc.Arbitrary<KeyColumn> = fc.record({
  type: fc.constantFrom(...TYPES),
  direction: fc.constantFrom("asc" as const, "desc" as const),
  nulls: fc.constantFrom("first" as const, "last" as const),
});

/** A value of a column; now and then NULL. */
export function drawnValue({ type, nulls }: KeyColumn): fc.Arbitrary<unknown> {
  const { arbitrary } = VALUES[type];
  return nulls === undefined ? arbitrary : fc.option(arbitrary, { nil: null, freq: 6 });
}

/** One tuple, and another one that often begins as it does. */
export function pairOf(
  columns: readonly KeyColumn[],
): fc.Arbitrary<readonly [readonly unknown[], readonly unknown[]]> {
  const tuple = fc.tuple(...columns.map(drawnValue));
  return fc
    .tuple(tuple, tuple, fc.nat(columns.length))
    .map(([a, b, shared]) => [a, [...a.slice(0, shared), ...b.slice(shared)]] as const);
}

/** The order of tuples, column by column. */
export function compareTuples(
  columns: readonly KeyColumn[],
  a: readonly unknown[],
  b: readonly unknown[],
): number {
  for (const [i, column] of columns.entries()) {
    const order = compareValues(column, a[i], b[i]);
    if (order !== 0) return order;
  }
  return 0;
}

export function compareValues(column: KeyColumn, a: unknown, b: unknown): number {
  if (a === null || b === null) {
    const order = plain(b === null, a === null);
    return column.nulls === "first" ? order : 0 - order;
  }
  const order = VALUES[column.type].compare(a as never, b as never);
  return column.direction === "desc" ? 0 - order : order;
}

/** The value that comes back: equal, and one for each order. */
export function returned(type: KeyType, value: unknown): unknown {
  if (type === "numeric" && typeof value === "string") return plainDecimal(value);
  if (type === "float4" || type === "float8") return value === 0 ? 0 : value;
  return value;
}

interface Decimal {
  readonly sign: number;
  readonly scaled: bigint;
}

/** More than the smallest exponent that is drawn. */
const SCALE = 220;

function parsed(text: string): Decimal | string {
  if (/[NI]/.test(text)) return text;
  const [, sign, whole = "", fraction = "", power = "0"] =
    /^([+-]?)(\d*)\.?(\d*)(?:e(-?\d+))?$/.exec(text) ?? [];
  const scale = SCALE + Number(power) - fraction.length;
  const scaled = BigInt(`${whole}${fraction}`) * 10n ** BigInt(scale);
  return { sign: scaled === 0n ? 0 : sign === "-" ? -1 : 1, scaled };
}

function compareDecimals(a: string, b: string): number {
  const rank = (text: string) => ["-Infinity", "", "Infinity", "NaN"].indexOf(text);
  const [x, y] = [parsed(a), parsed(b)];
  if (typeof x === "string" || typeof y === "string") {
    return plain(rank(typeof x === "string" ? x : ""), rank(typeof y === "string" ? y : ""));
  }
  return plain(BigInt(x.sign) * x.scaled, BigInt(y.sign) * y.scaled);
}

function plainDecimal(text: string): string {
  const number = parsed(text);
  if (typeof number === "string") return number;
  const all = number.scaled.toString().padStart(SCALE + 1, "0");
  const fraction = all.slice(-SCALE).replace(/0+$/, "");
  const whole = all.slice(0, -SCALE);
  const sign = number.sign < 0 ? "-" : "";
  return fraction === "" ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}

function comparePaths(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = compareUtf8(a[i] as string, b[i] as string);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
