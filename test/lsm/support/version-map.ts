import type { Sequence } from "../../../src/lsm/format/entry.ts";
import type { WriteOp } from "../../../src/lsm/write-path.ts";

/** A key and a value as texts of one byte a unit. */
export type Pair = readonly [key: string, value: string];

/** An operation, its keys and values texts of one byte a unit; an empty `to` is the end. */
export type ModelOp =
  | { readonly op: "put"; readonly key: string; readonly value: string }
  | { readonly op: "delete"; readonly key: string }
  | { readonly op: "deleteRange"; readonly from: string; readonly to: string };

type RangeOp = Extract<ModelOp, { readonly op: "deleteRange" }>;
type KeyOp = Exclude<ModelOp, RangeOp>;

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");

/** As the engine takes it. */
export function toWriteOp(op: ModelOp): WriteOp {
  if (op.op === "deleteRange") return { op: op.op, from: bytes(op.from), to: bytes(op.to) };
  if (op.op === "delete") return { op: op.op, key: bytes(op.key) };
  return { op: op.op, key: bytes(op.key), value: bytes(op.value) };
}

/** Whether an operation writes to a key. */
export function writesTo(op: ModelOp, key: string): boolean {
  if (op.op !== "deleteRange") return op.key === key;
  return key >= op.from && (op.to === "" || key < op.to);
}

/** Whether two operations write to a key that both of them may: ranges as all keys in them. */
export function meet(a: ModelOp, b: ModelOp): boolean {
  if (a.op !== "deleteRange") return writesTo(b, a.key);
  if (b.op !== "deleteRange") return writesTo(a, b.key);
  return (b.to === "" || a.from < b.to) && (a.to === "" || b.from < a.to);
}

/** Does an operation to rows. */
export function apply(rows: Map<string, string>, op: ModelOp): void {
  if (op.op === "put") rows.set(op.key, op.value);
  else if (op.op === "delete") rows.delete(op.key);
  else for (const key of rows.keys()) if (writesTo(op, key)) rows.delete(key);
}

/** What a transaction has to write that did these one after the other: no key, no range twice. */
export function whatIsLeft(ops: readonly ModelOp[]): readonly ModelOp[] {
  const keys = new Map<string, KeyOp>();
  let ranges: RangeOp[] = [];
  for (const op of ops) {
    if (op.op !== "deleteRange") {
      keys.set(op.key, op);
      continue;
    }
    for (const key of keys.keys()) if (writesTo(op, key)) keys.delete(key);
    const touches = (other: RangeOp): boolean =>
      (other.to === "" || other.to >= op.from) && (op.to === "" || op.to >= other.from);
    const met = [op, ...ranges.filter(touches)];
    const from = met.map((one) => one.from).sort()[0] ?? "";
    const to = met.some((one) => one.to === "")
      ? ""
      : (met
          .map((one) => one.to)
          .sort()
          .at(-1) ?? "");
    ranges = [...ranges.filter((other) => !touches(other)), { op: "deleteRange", from, to }];
  }
  return [...ranges, ...keys.values()];
}

/** In key order. Texts of one byte a unit sort as their bytes do. */
export function sorted(rows: ReadonlyMap<string, string>): readonly Pair[] {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The reference model of the engine: every operation ever, in order; states by replaying them. */
export class VersionMap {
  #ops: ModelOp[] = [];
  /** Last sequences of batches. */
  #ends: Sequence[] = [];

  get lastSequence(): Sequence {
    return this.#ops.length;
  }

  /** A batch; answers its last sequence. */
  write(ops: readonly ModelOp[]): Sequence {
    this.#ops.push(...ops);
    this.#ends.push(this.#ops.length);
    return this.#ops.length;
  }

  /** Whether a batch ends there: the only places to which a crash may cut. */
  isEnd(sequence: Sequence): boolean {
    return sequence === 0 || this.#ends.includes(sequence);
  }

  /** A crash lost what came after. */
  truncate(sequence: Sequence): void {
    this.#ops = this.#ops.slice(0, sequence);
    this.#ends = this.#ends.filter((end) => end <= sequence);
  }

  /** Rows as of a sequence, in key order. */
  at(sequence: Sequence): readonly Pair[] {
    const rows = new Map<string, string>();
    for (const op of this.#ops.slice(0, sequence)) apply(rows, op);
    return sorted(rows);
  }

  /** What was written after a sequence. */
  writtenAfter(sequence: Sequence): readonly ModelOp[] {
    return this.#ops.slice(sequence);
  }
}

/** What an operation writes to, as far as a range that was read covers it. */
export interface ReadRange {
  readonly from?: string;
  readonly to?: string;
  readonly prefix?: string;
}

/** The rows that a scan has to answer. */
export function select(
  rows: readonly Pair[],
  range: ReadRange,
  reverse: boolean,
  limit: number,
): readonly Pair[] {
  const { from, to, prefix } = range;
  const chosen = rows.filter(
    ([key]) =>
      (from === undefined || key >= from) &&
      (to === undefined || key < to) &&
      (prefix === undefined || key.startsWith(prefix)),
  );
  return (reverse ? chosen.toReversed() : chosen).slice(0, limit);
}

/** Where a scan has looked: keys [from, to), as one deletion would delete them; or nowhere. */
export function covered(
  range: ReadRange,
  reverse: boolean,
  last: string | undefined,
): ModelOp | undefined {
  const { prefix = "" } = range;
  let from = max(range.from ?? "", prefix);
  let to = least(range.to, endOf(prefix));
  if (last !== undefined && reverse) from = max(from, last);
  if (last !== undefined && !reverse) to = least(to, `${last}\0`);
  if (to !== undefined && to <= from) return undefined;
  return { op: "deleteRange", from, to: to ?? "" };
}

function max(a: string, b: string): string {
  return a < b ? b : a;
}

function least(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a < b ? a : b;
}

/** Behind every key that begins with a prefix; undefined: there is no such bound. */
function endOf(prefix: string): string | undefined {
  const cut = prefix.replace(/\xff+$/, "");
  if (cut === "") return undefined;
  return cut.slice(0, -1) + String.fromCharCode(cut.charCodeAt(cut.length - 1) + 1);
}
