import { divisionByZero, outOfRange } from "../error.ts";
import { checkInt2, checkInt4, checkInt8 } from "../types/integers.ts";
import type { Family } from "./implementation.ts";

type Check = (value: number) => number;

function divide(left: number, right: number, check: Check): number {
  if (right === 0) throw divisionByZero();
  const quotient = Math.trunc(left / right);
  return check(quotient === 0 ? 0 : quotient);
}

function rest(left: number, right: number): number {
  if (right === 0) throw divisionByZero();
  const value = left % right;
  return value === 0 ? 0 : value;
}

/** Operators of two small integers: products of two int4 are exact in a float8. */
function mixed(pair: string, check: Check): Family {
  return {
    [`int${pair}pl`]: (a: number, b: number) => check(a + b),
    [`int${pair}mi`]: (a: number, b: number) => check(a - b),
    [`int${pair}mul`]: (a: number, b: number) => {
      const product = a * b;
      return check(product === 0 ? 0 : product);
    },
    [`int${pair}div`]: (a: number, b: number) => divide(a, b, check),
  };
}

function gcd(a: number, b: number): number {
  let [x, y] = [Math.abs(a), Math.abs(b)];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

/** Operators of one small integer type. `bits` decides how far shifts go round. */
function small(name: "int2" | "int4", check: Check): Family {
  // PostgreSQL shifts in the machine's 32 bits, and cuts an int2 to its own.
  const cut =
    name === "int2" ? (value: number) => (value << 16) >> 16 : (value: number) => value | 0;
  return {
    ...mixed(name.slice(3), check),
    [`${name}mod`]: rest,
    [`${name}um`]: (a: number) => check(a === 0 ? 0 : -a),
    [`${name}up`]: (a: number) => a,
    [`${name}abs`]: (a: number) => check(Math.abs(a)),
    [`${name}and`]: (a: number, b: number) => a & b,
    [`${name}or`]: (a: number, b: number) => a | b,
    [`${name}xor`]: (a: number, b: number) => a ^ b,
    [`${name}not`]: (a: number) => ~a,
    [`${name}shl`]: (a: number, b: number) => cut(a << b),
    [`${name}shr`]: (a: number, b: number) => cut(a >> b),
  };
}

function divideBig(left: bigint, right: bigint): bigint {
  if (right === 0n) throw divisionByZero();
  return checkInt8(left / right);
}

/** Operators of int8 with any integer: the other one is widened. */
function wide(pair: string): Family {
  return {
    [`int${pair}pl`]: (a: number | bigint, b: number | bigint) => checkInt8(BigInt(a) + BigInt(b)),
    [`int${pair}mi`]: (a: number | bigint, b: number | bigint) => checkInt8(BigInt(a) - BigInt(b)),
    [`int${pair}mul`]: (a: number | bigint, b: number | bigint) => checkInt8(BigInt(a) * BigInt(b)),
    [`int${pair}div`]: (a: number | bigint, b: number | bigint) => divideBig(BigInt(a), BigInt(b)),
  };
}

function gcdBig(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

const big: Family = {
  ...wide("8"),
  int8mod(a: bigint, b: bigint) {
    if (b === 0n) throw divisionByZero();
    return a % b;
  },
  int8um: (a: bigint) => checkInt8(-a),
  int8up: (a: bigint) => a,
  int8abs: (a: bigint) => checkInt8(a < 0n ? -a : a),
  int8and: (a: bigint, b: bigint) => a & b,
  int8or: (a: bigint, b: bigint) => a | b,
  int8xor: (a: bigint, b: bigint) => a ^ b,
  int8not: (a: bigint) => ~a,
  int8shl: (a: bigint, b: number) => BigInt.asIntN(64, a << BigInt(b & 63)),
  int8shr: (a: bigint, b: number) => a >> BigInt(b & 63),
  int8inc: (a: bigint) => checkInt8(a + 1n),
  int8gcd: (a: bigint, b: bigint) => checkInt8(gcdBig(a, b)),
  int8lcm(a: bigint, b: bigint) {
    if (a === 0n || b === 0n) return 0n;
    const value = (a / gcdBig(a, b)) * b;
    return checkInt8(value < 0n ? -value : value);
  },
};

const conversions: Family = {
  i2toi4: (a: number) => a,
  i4toi2: checkInt2,
  int48: (a: number) => BigInt(a),
  int28: (a: number) => BigInt(a),
  int84: (a: bigint) => checkInt4(Number(a)),
  int82: (a: bigint) => checkInt2(Number(a)),
  i8tooid(a: bigint) {
    if (a < 0n || a > 0xffff_ffffn) throw outOfRange("OID");
    return Number(a);
  },
  oidtoi8: (a: number) => BigInt(a),
  int4_bool: (a: number) => a !== 0,
  bool_int4: (a: boolean) => (a ? 1 : 0),
};

const booleans: Family = {
  booland_statefunc: (a: boolean, b: boolean) => a && b,
  boolor_statefunc: (a: boolean, b: boolean) => a || b,
  booltext: (a: boolean) => (a ? "true" : "false"),
};

export const integerFamily: Family = {
  ...small("int2", checkInt2),
  ...small("int4", checkInt4),
  ...mixed("24", checkInt4),
  ...mixed("42", checkInt4),
  ...wide("48"),
  ...wide("84"),
  ...wide("28"),
  ...wide("82"),
  ...big,
  int4inc: (a: number) => checkInt4(a + 1),
  int4gcd: (a: number, b: number) => checkInt4(gcd(a, b)),
  int4lcm(a: number, b: number) {
    if (a === 0 || b === 0) return 0;
    return checkInt4(Math.abs((a / gcd(a, b)) * b));
  },
  ...conversions,
  ...booleans,
};
