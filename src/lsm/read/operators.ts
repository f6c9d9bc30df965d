import { FirnError, invalid } from "../../base/error.ts";
import { readVarint, varintBytes, writeVarint } from "../format/varint.ts";

/**
 * How values of one key become one without a read: `combine` is associative, so that any process
 * that meets operands, in a read or a compaction, may combine any neighbours. An operand has the
 * form of a value, and is the value where there was none.
 */
interface MergeOperator {
  /** As the manifest names it, for good. */
  readonly name: string;
  /** Whether bytes have the form of its operands and values. */
  readonly accepts: (bytes: Uint8Array) => boolean;
  /** Of one value or more, the oldest first: at once, or a set that grows costs its square. */
  readonly combine: (values: readonly Uint8Array[]) => Uint8Array;
}

const INT64_BYTES = 8;

/** The sum of 64-bit integers, which wraps around: so the order of additions does not matter. */
const ADD: MergeOperator = {
  name: "add",
  accepts: (bytes) => bytes.length === INT64_BYTES,
  combine: (values) => int64Bytes(values.reduce((sum, one) => sum + int64Of(one), 0n)),
};

/** The largest of 64-bit integers. */
const MAX: MergeOperator = {
  name: "max",
  accepts: (bytes) => bytes.length === INT64_BYTES,
  combine: (values) => values.reduce((a, b) => (int64Of(a) > int64Of(b) ? a : b)),
};

/** The union of sets of byte strings (`setBytes`). */
const SET_UNION: MergeOperator = {
  name: "set-union",
  accepts: (bytes) => membersOf(bytes) !== undefined,
  combine: (values) => setBytes(values.flatMap((value) => membersOf(value) ?? [])),
};

const REGISTERED: ReadonlyMap<string, MergeOperator> = new Map(
  [ADD, MAX, SET_UNION].map((operator) => [operator.name, operator]),
);

/** A 64-bit integer as `add` and `max` take it: 8 bytes, the lowest first. It wraps around. */
export function int64Bytes(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(INT64_BYTES);
  bytes.writeBigInt64LE(BigInt.asIntN(64, value));
  return bytes;
}

/** What `int64Bytes` wrote. */
export function int64Of(bytes: Uint8Array): bigint {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).readBigInt64LE();
}

/** A set as `set-union` takes it: its members in the order of their bytes, lengths before them. */
export function setBytes(members: Iterable<Uint8Array>): Uint8Array {
  const sorted = [...members].sort((a, b) => Buffer.compare(a, b));
  const distinct = sorted.filter((one, i) => {
    const before = sorted[i - 1];
    return before === undefined || Buffer.compare(before, one) !== 0;
  });
  const size = distinct.reduce((sum, { length }) => sum + varintBytes(length) + length, 0);
  const out = new Uint8Array(size);
  let at = 0;
  for (const member of distinct) {
    at = writeVarint(out, at, member.length);
    out.set(member, at);
    at += member.length;
  }
  return out;
}

/** The members of a set, in order, as views; undefined where the bytes are none. */
export function membersOf(bytes: Uint8Array): readonly Uint8Array[] | undefined {
  const members: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = readVarint(bytes, at, bytes.length);
    if (size === undefined || size.after + size.value > bytes.length) return undefined;
    const member = bytes.subarray(size.after, size.after + size.value);
    const before = members.at(-1);
    if (before !== undefined && Buffer.compare(before, member) >= 0) return undefined;
    members.push(member);
    at = size.after + size.value;
  }
  return members;
}

/** One operand that was merged into a key. */
export interface Operand {
  readonly operator: number;
  readonly value: Uint8Array;
}

/** The operators of a shard. Their numbers are places in the list of names in its manifest. */
export class Operators {
  /** By number. */
  readonly names: readonly string[];
  readonly #operators: readonly MergeOperator[];

  /** @throws FirnError `Unavailable`, code `LSM_OPERATOR_UNKNOWN`: as `assertOperators`. */
  constructor(names: readonly string[]) {
    assertOperators(names);
    this.names = names;
    this.#operators = names.map((name) => REGISTERED.get(name) as MergeOperator);
  }

  /**
   * The number of an operator for an operand.
   *
   * @throws FirnError `Invalid`, codes `LSM_OPERATOR_INVALID`, `LSM_OPERAND_INVALID`.
   */
  numberFor(name: string, operand: Uint8Array): number {
    const number = this.#operators.findIndex((operator) => operator.name === name);
    if (number < 0) throw invalid("LSM_OPERATOR_INVALID", "unknown merge operator", { name });
    if (!this.#of(number).accepts(operand)) {
      const facts = { name, bytes: operand.length };
      throw invalid("LSM_OPERAND_INVALID", "the operand does not fit the merge operator", facts);
    }
    return number;
  }

  name(number: number): string {
    return this.#of(number).name;
  }

  /** Neighbours of one operator as one operand, the oldest first. */
  combine(operator: number, values: readonly Uint8Array[]): Operand {
    return { operator, value: this.#of(operator).combine(values) };
  }

  /**
   * What operands of one operator, the oldest first, make of a value; undefined where that has
   * another form.
   */
  apply(
    value: Uint8Array | undefined,
    operator: number,
    values: readonly Uint8Array[],
  ): Uint8Array | undefined {
    const { accepts, combine } = this.#of(operator);
    if (value === undefined) return combine(values);
    return accepts(value) ? combine([value, ...values]) : undefined;
  }

  /**
   * What operands make of a value, the newest operand first.
   *
   * @throws FirnError `Invalid`, code `LSM_MERGE_MISMATCH`: something below has another form.
   */
  fold(base: Uint8Array | undefined, operands: readonly Operand[]): Uint8Array | undefined {
    let value = base;
    for (let at = operands.length - 1; at >= 0; ) {
      const operator = operands[at]?.operator ?? 0;
      const { accepts, combine } = this.#of(operator);
      if (value !== undefined && !accepts(value)) {
        const facts = { operator: this.name(operator), bytes: value.length };
        throw invalid(
          "LSM_MERGE_MISMATCH",
          "the stored value does not fit the merge operator",
          facts,
        );
      }
      // Neighbours of one operator are combined at once.
      const values = value === undefined ? [] : [value];
      for (; at >= 0 && operands[at]?.operator === operator; at--) {
        values.push((operands[at] as Operand).value);
      }
      value = combine(values);
    }
    return value;
  }

  #of(number: number): MergeOperator {
    const operator = this.#operators[number];
    if (operator !== undefined) return operator;
    const message = "an operand refers to a merge operator that the manifest does not name";
    throw new FirnError("Corrupt", "LSM_OPERATOR_UNNAMED", message, { number });
  }
}

/**
 * Those of a shard, from now on: what its manifest names keeps its number.
 *
 * @throws FirnError as `assertOperators`.
 */
export function withRegistered(names: readonly string[]): readonly string[] {
  assertOperators(names);
  return [...names, ...[...REGISTERED.keys()].filter((name) => !names.includes(name))];
}

/**
 * A newer node may know what this one does not.
 *
 * @throws FirnError `Unavailable`, code `LSM_OPERATOR_UNKNOWN`.
 */
function assertOperators(names: readonly string[]): void {
  const unknown = names.find((name) => !REGISTERED.has(name));
  if (unknown === undefined) return;
  const message = "unknown merge operator in the shard: upgrade Firn";
  throw new FirnError("Unavailable", "LSM_OPERATOR_UNKNOWN", message, { name: unknown });
}
