import { invalid } from "../base/error.ts";

/** Digits before and behind the decimal point that PostgreSQL's `numeric` holds. */
export const MAX_NUMERIC_INTEGER_DIGITS = 131_072;
export const MAX_NUMERIC_SCALE = 16_383;

type Kind = "finite" | "nan" | "infinity" | "-infinity";

const POWERS: bigint[] = [1n];
const CACHED_POWERS = 1_100;
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
/** Shorter than this, a value cannot have too many digits before its point. */
const SURELY_SHORT = 1n << 65_536n;
const BASE_DIGITS = 4;
const MIN_SIGNIFICANT_DIGITS = 16;
const MAX_DISPLAY_SCALE = 1_000;

/** 10 to the power of `exponent`, which is not negative. */
export function powerOfTen(exponent: number): bigint {
  if (exponent >= CACHED_POWERS) return 10n ** BigInt(exponent);
  for (let i = POWERS.length; i <= exponent; i++) POWERS.push((POWERS[i - 1] as bigint) * 10n);
  return POWERS[exponent] as bigint;
}

/** `dividend / divisor`, rounded half away from zero. */
export function divideRounded(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const rest = dividend - quotient * divisor;
  const size = (rest < 0n ? -rest : rest) * 2n;
  if (size < (divisor < 0n ? -divisor : divisor)) return quotient;
  return dividend < 0n === divisor < 0n ? quotient + 1n : quotient - 1n;
}

/**
 * PostgreSQL's `numeric`: `units / 10^scale`, NaN or an infinity. `scale` is the display scale:
 * 1.50 and 1.5 are equal and print differently. `units` is a number while it is a safe integer,
 * which makes the usual sums cheap, and a bigint beyond.
 */
export class Numeric {
  readonly units: number | bigint;
  readonly scale: number;
  readonly kind: Kind;

  private constructor(units: number | bigint, scale: number, kind: Kind) {
    this.units = units;
    this.scale = scale;
    this.kind = kind;
  }

  static get nan(): Numeric {
    return NAN;
  }

  static get infinity(): Numeric {
    return INFINITE;
  }

  static get negativeInfinity(): Numeric {
    return NEGATIVE_INFINITE;
  }

  static get zero(): Numeric {
    return ZERO;
  }

  static get one(): Numeric {
    return ONE;
  }

  /** For the members above: a value without digits behind its point. */
  static constant(units: number, kind: Kind): Numeric {
    return new Numeric(units, 0, kind);
  }

  /**
   * `units / 10^scale`, rounded where the scale is beyond what `numeric` holds.
   *
   * @throws FirnError `Invalid` `NUMERIC_OUT_OF_RANGE` (22003).
   */
  static of(units: number | bigint, scale = 0): Numeric {
    if (scale > MAX_NUMERIC_SCALE) {
      const cut = powerOfTen(scale - MAX_NUMERIC_SCALE);
      return Numeric.of(divideRounded(BigInt(units), cut), MAX_NUMERIC_SCALE);
    }
    if (typeof units === "number") {
      if (!Number.isSafeInteger(units)) return Numeric.of(BigInt(units), scale);
      return new Numeric(units === 0 ? 0 : units, scale, "finite");
    }
    if (units <= MAX_SAFE && units >= -MAX_SAFE) return new Numeric(Number(units), scale, "finite");
    const size = units < 0n ? -units : units;
    if (size >= SURELY_SHORT && size >= powerOfTen(MAX_NUMERIC_INTEGER_DIGITS + scale)) {
      throw overflow();
    }
    return new Numeric(units, scale, "finite");
  }

  /** As `of`, for steps of a computation: it may be beyond what `numeric` holds. */
  static exact(units: number | bigint, scale = 0): Numeric {
    if (typeof units === "number" && !Number.isSafeInteger(units)) {
      return Numeric.exact(BigInt(units), scale);
    }
    const isShort = units <= MAX_SAFE && units >= -MAX_SAFE;
    return new Numeric(isShort ? Number(units) : units, scale, "finite");
  }

  /**
   * Reads PostgreSQL's input of `numeric`; nothing where the text is not one.
   *
   * @throws FirnError `Invalid` `NUMERIC_OUT_OF_RANGE` (22003).
   */
  static parse(text: string): Numeric | undefined {
    const found = SYNTAX.exec(text);
    if (found === null) return parseSpecial(text);
    const [, sign, whole = "", part = "", bare = "", power = "0"] = found;
    const exponent = Number(power);
    const digits = whole === "" ? bare : whole + part;
    const places = whole === "" ? bare.length : part.length;
    if (Math.abs(exponent) > 1_000_000) {
      // As PostgreSQL: an exponent beyond any value is not a number of its format.
      if (Math.abs(exponent) >= 1_073_741_823) return undefined;
      if (exponent < 0) return Numeric.of(0, MAX_NUMERIC_SCALE);
      throw overflow();
    }
    const scale = places - exponent;
    const units = BigInt(digits) * (sign === "-" ? -1n : 1n);
    if (scale >= 0) return Numeric.of(units, scale);
    if (units !== 0n && digits.length - scale > 2 * MAX_NUMERIC_INTEGER_DIGITS) throw overflow();
    return Numeric.of(units === 0n ? 0n : units * powerOfTen(-scale), 0);
  }

  /** The shortest decimal with at most `digits` significant digits, as PostgreSQL casts floats. */
  static fromFloat(value: number, digits: 6 | 15): Numeric {
    if (Number.isNaN(value)) return Numeric.nan;
    if (value === Infinity) return Numeric.infinity;
    if (value === -Infinity) return Numeric.negativeInfinity;
    const text = value.toPrecision(digits).replace(/(\.\d*?)0+(?=e|$)/, "$1");
    return Numeric.parse(text.replace(/\.(?=e|$)/, "")) ?? Numeric.nan;
  }

  get isFinite(): boolean {
    return this.kind === "finite";
  }

  get isNaN(): boolean {
    return this.kind === "nan";
  }

  /** -1, 0 or 1; NaN has none, which is 0. */
  get sign(): -1 | 0 | 1 {
    if (this.kind === "infinity") return 1;
    if (this.kind === "-infinity") return -1;
    return this.units > 0 ? 1 : this.units < 0 ? -1 : 0;
  }

  /** Digits without sign or point, and the decimal exponent of the first one. */
  get digits(): { readonly text: string; readonly exponent: number } {
    const text = String(this.units).replace("-", "");
    return { text, exponent: text.length - this.scale - 1 };
  }

  /**
   * The first digit in base 10,000, its weight, and the number of digits: what PostgreSQL's rules
   * for the scale of a result look at. Zero has weight 0.
   */
  get base(): { readonly first: number; readonly weight: number; readonly digits: string } {
    if (this.units === 0) return { first: 0, weight: 0, digits: "" };
    const { text, exponent } = this.digits;
    const weight = Math.floor(exponent / BASE_DIGITS);
    const width = exponent - weight * BASE_DIGITS + 1;
    const digits = text.padEnd(width, "0");
    return { first: Number(digits.slice(0, width)), weight, digits: text };
  }

  /** PostgreSQL's order: NaN is above all, and equals itself. */
  compare(other: Numeric): -1 | 0 | 1 {
    if (this.kind !== "finite" || other.kind !== "finite") {
      const left = RANKS[this.kind];
      const right = RANKS[other.kind];
      return left < right ? -1 : left > right ? 1 : 0;
    }
    let left = this.units;
    let right = other.units;
    if (this.scale !== other.scale) {
      const sign = this.sign;
      if (sign !== other.sign) return sign < other.sign ? -1 : 1;
      if (this.scale < other.scale) left = BigInt(left) * powerOfTen(other.scale - this.scale);
      else right = BigInt(right) * powerOfTen(this.scale - other.scale);
    }
    return left < right ? -1 : left > right ? 1 : 0;
  }

  add(other: Numeric, made: typeof Numeric.of = Numeric.of): Numeric {
    if (this.kind !== "finite" || other.kind !== "finite") return addSpecial(this, other);
    if (this.scale === other.scale) {
      if (typeof this.units === "number" && typeof other.units === "number") {
        return made(safeSum(this.units, other.units), this.scale);
      }
      return made(BigInt(this.units) + BigInt(other.units), this.scale);
    }
    const scale = Math.max(this.scale, other.scale);
    return made(this.unitsAt(scale) + other.unitsAt(scale), scale);
  }

  subtract(other: Numeric): Numeric {
    return this.add(other.negate());
  }

  negate(): Numeric {
    if (this.kind === "infinity") return Numeric.negativeInfinity;
    if (this.kind === "-infinity") return Numeric.infinity;
    return this.units === 0 ? this : new Numeric(-this.units, this.scale, this.kind);
  }

  abs(): Numeric {
    return this.sign < 0 ? this.negate() : this;
  }

  multiply(other: Numeric, made: typeof Numeric.of = Numeric.of): Numeric {
    if (this.kind !== "finite" || other.kind !== "finite") {
      if (this.isNaN || other.isNaN || this.sign === 0 || other.sign === 0) return Numeric.nan;
      return this.sign === other.sign ? Numeric.infinity : Numeric.negativeInfinity;
    }
    const scale = this.scale + other.scale;
    if (typeof this.units === "number" && typeof other.units === "number") {
      const product = this.units * other.units;
      if (Number.isSafeInteger(product)) return made(product, scale);
    }
    return made(BigInt(this.units) * BigInt(other.units), scale);
  }

  /** @throws FirnError `Invalid` `NUMERIC_DIVISION_BY_ZERO` (22012). */
  divide(other: Numeric): Numeric {
    if (this.kind !== "finite" || other.kind !== "finite") return divideSpecial(this, other);
    return this.divideAt(other, divisionScale(this, other));
  }

  /** The quotient at a given scale, rounded half away from zero. */
  divideAt(other: Numeric, scale: number): Numeric {
    if (other.units === 0) throw divisionByZero();
    const shift = scale + other.scale - this.scale;
    const up = shift > 0 ? powerOfTen(shift) : 1n;
    const down = shift < 0 ? powerOfTen(-shift) : 1n;
    return Numeric.of(divideRounded(BigInt(this.units) * up, BigInt(other.units) * down), scale);
  }

  /** The integer part of the quotient, as PostgreSQL's `div`. */
  divideInteger(other: Numeric): Numeric {
    if (this.kind !== "finite" || other.kind !== "finite") return divideSpecial(this, other);
    if (other.units === 0) throw divisionByZero();
    const scale = Math.max(this.scale, other.scale);
    return Numeric.of(this.unitsAt(scale) / other.unitsAt(scale), 0);
  }

  /** The rest, with the sign of the dividend. */
  modulo(other: Numeric): Numeric {
    if (this.isNaN || other.isNaN) return Numeric.nan;
    if (this.kind !== "finite") {
      if (other.sign === 0) throw divisionByZero();
      return Numeric.nan;
    }
    if (other.kind !== "finite") return this;
    if (other.units === 0) throw divisionByZero();
    const scale = Math.max(this.scale, other.scale);
    return Numeric.of(this.unitsAt(scale) % other.unitsAt(scale), scale);
  }

  /** At `scale` digits behind the point, half away from zero; -1 rounds to tens. */
  round(scale: number): Numeric {
    return this.#cut(scale, divideRounded);
  }

  truncate(scale: number): Numeric {
    return this.#cut(scale, (units, by) => units / by);
  }

  #cut(scale: number, divide: (units: bigint, by: bigint) => bigint): Numeric {
    if (this.kind !== "finite") return this;
    if (scale >= this.scale) {
      const shown = Math.min(scale, MAX_NUMERIC_SCALE);
      return shown === this.scale ? this : Numeric.of(this.unitsAt(shown), shown);
    }
    const by = this.scale - scale;
    const { text } = this.digits;
    if (by > text.length) return Numeric.of(0, Math.max(scale, 0));
    const units = divide(BigInt(this.units), powerOfTen(by));
    return scale >= 0 ? Numeric.of(units, scale) : Numeric.of(units * powerOfTen(-scale), 0);
  }

  /** The smallest integer not below. */
  ceil(): Numeric {
    const whole = this.truncate(0);
    return this.compare(whole) > 0 ? whole.add(Numeric.one) : whole;
  }

  floor(): Numeric {
    const whole = this.truncate(0);
    return this.compare(whole) < 0 ? whole.subtract(Numeric.one) : whole;
  }

  /** Without zeros at the end of its fraction: equal values have equal texts. */
  trim(): Numeric {
    if (this.kind !== "finite" || this.scale === 0) return this;
    if (this.units === 0) return Numeric.zero;
    const zeros = /0*$/.exec(String(this.units))?.[0].length ?? 0;
    const cut = Math.min(zeros, this.scale);
    return cut === 0 ? this : Numeric.of(BigInt(this.units) / powerOfTen(cut), this.scale - cut);
  }

  /** The value in units of `scale`, which is at least that of the value. */
  unitsAt(scale: number): bigint {
    return scale === this.scale
      ? BigInt(this.units)
      : BigInt(this.units) * powerOfTen(scale - this.scale);
  }

  /** The nearest integer, half away from zero; nothing for NaN and infinities. */
  toBigInt(): bigint | undefined {
    return this.kind === "finite" ? BigInt(this.round(0).units) : undefined;
  }

  /** The nearest float8: infinite where it is beyond, which callers refuse. */
  toNumber(): number {
    if (this.kind === "nan") return NaN;
    if (this.kind === "infinity") return Infinity;
    if (this.kind === "-infinity") return -Infinity;
    return this.scale === 0 ? Number(this.units) : Number(this.toString());
  }

  /** PostgreSQL's text: all digits of the display scale, never an exponent. */
  toString(): string {
    if (this.kind !== "finite") return TEXTS[this.kind];
    const text = String(this.units);
    if (this.scale === 0) return text;
    const isNegative = text.startsWith("-");
    const digits = (isNegative ? text.slice(1) : text).padStart(this.scale + 1, "0");
    const point = digits.length - this.scale;
    return `${isNegative ? "-" : ""}${digits.slice(0, point)}.${digits.slice(point)}`;
  }

  /** As JSON and `console` show it. */
  toJSON(): string {
    return this.toString();
  }
}

const SYNTAX =
  /^[ \t\n\r\v\f]*([+-])?(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d+))?[ \t\n\r\v\f]*$/;
const TEXTS = { nan: "NaN", infinity: "Infinity", "-infinity": "-Infinity" } as const;
const RANKS = { "-infinity": 0, finite: 1, infinity: 2, nan: 3 } as const;

// The compiler writes a static member that makes its own class so that it fails when it is loaded.
const NAN = Numeric.constant(0, "nan");
const INFINITE = Numeric.constant(0, "infinity");
const NEGATIVE_INFINITE = Numeric.constant(0, "-infinity");
const ZERO = Numeric.constant(0, "finite");
const ONE = Numeric.constant(1, "finite");

function parseSpecial(text: string): Numeric | undefined {
  const found = /^[ \t\n\r\v\f]*([+-]?)(nan|inf|infinity)[ \t\n\r\v\f]*$/i.exec(text);
  if (found === null) return undefined;
  if (found[2]?.toLowerCase() === "nan") return found[1] === "" ? Numeric.nan : undefined;
  return found[1] === "-" ? Numeric.negativeInfinity : Numeric.infinity;
}

function safeSum(left: number, right: number): number | bigint {
  const sum = left + right;
  return Number.isSafeInteger(sum) ? sum : BigInt(left) + BigInt(right);
}

function addSpecial(left: Numeric, right: Numeric): Numeric {
  if (left.isNaN || right.isNaN) return Numeric.nan;
  if (left.isFinite) return right;
  return right.isFinite || left.kind === right.kind ? left : Numeric.nan;
}

function divideSpecial(left: Numeric, right: Numeric): Numeric {
  if (left.isNaN || right.isNaN) return Numeric.nan;
  if (left.isFinite) return Numeric.zero;
  if (!right.isFinite) return Numeric.nan;
  if (right.sign === 0) throw divisionByZero();
  return left.sign === right.sign ? Numeric.infinity : Numeric.negativeInfinity;
}

/** PostgreSQL's `select_div_scale`: at least 16 significant digits. */
export function divisionScale(left: Numeric, right: Numeric): number {
  const dividend = left.base;
  const divisor = right.base;
  let weight = dividend.weight - divisor.weight;
  if (dividend.first <= divisor.first) weight--;
  const scale = MIN_SIGNIFICANT_DIGITS - weight * BASE_DIGITS;
  return displayScale(scale, left.scale, right.scale);
}

/** The largest of the scales, within what PostgreSQL displays of computed values. */
export function displayScale(...scales: readonly number[]): number {
  return Math.min(Math.max(...scales, 0), MAX_DISPLAY_SCALE);
}

function overflow(): Error {
  return invalid("NUMERIC_OUT_OF_RANGE", "value overflows numeric format", { sqlState: "22003" });
}

function divisionByZero(): Error {
  return invalid("NUMERIC_DIVISION_BY_ZERO", "division by zero", { sqlState: "22012" });
}
