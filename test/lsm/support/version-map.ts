import type { Sequence } from "../../../src/lsm/format/entry.ts";
import type { Transaction } from "../../../src/lsm/transaction/transaction.ts";
import type { WriteOp } from "../../../src/lsm/write/write-path.ts";

/** A key and a value as texts of one byte a unit. */
export type Pair = readonly [key: string, value: string];

/** An operation, its keys and values texts of one byte a unit; an empty `to` is the end. */
export type ModelOp =
  | {
      readonly op: "put";
      readonly key: string;
      readonly value: string;
      readonly expiresAtMs?: number;
    }
  | { readonly op: "delete"; readonly key: string }
  | {
      readonly op: "merge";
      readonly key: string;
      readonly operator: string;
      readonly value: string;
      readonly expiresAtMs?: number;
    }
  | { readonly op: "deleteRange"; readonly from: string; readonly to: string };

type MergeOp = Extract<ModelOp, { readonly op: "merge" }>;

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");

/** As the engine takes it. */
export function toWriteOp(op: ModelOp): WriteOp {
  if (op.op === "deleteRange") return { op: op.op, from: bytes(op.from), to: bytes(op.to) };
  if (op.op === "delete") return { op: op.op, key: bytes(op.key) };
  return { ...op, key: bytes(op.key), value: bytes(op.value) };
}

/** Does it in a transaction. */
export function doIn(transaction: Transaction, op: ModelOp): void {
  if (op.op === "deleteRange") transaction.deleteRange(bytes(op.from), bytes(op.to));
  else if (op.op === "delete") transaction.delete(bytes(op.key));
  else {
    const expiry = op.expiresAtMs === undefined ? {} : { expiresAtMs: op.expiresAtMs };
    const [key, value] = [bytes(op.key), bytes(op.value)];
    if (op.op === "put") transaction.put(key, value, expiry);
    else transaction.merge(key, value, op.operator, expiry);
  }
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

/** What is known of a key: a put, if that was the last thing, and what was merged since. */
interface Row {
  readonly put: Extract<ModelOp, { readonly op: "put" }> | undefined;
  readonly merges: readonly MergeOp[];
}

export type Rows = Map<string, Row>;

/** Does an operation to rows. */
export function apply(rows: Rows, op: ModelOp): void {
  if (op.op === "put") rows.set(op.key, { put: op, merges: [] });
  else if (op.op === "delete") rows.delete(op.key);
  else if (op.op === "merge") {
    const row = rows.get(op.key);
    rows.set(op.key, { put: row?.put, merges: [...(row?.merges ?? []), op] });
  } else for (const key of rows.keys()) if (writesTo(op, key)) rows.delete(key);
}

/** What rows show at some time. */
export function texts(rows: ReadonlyMap<string, Row>, nowMs: number): ReadonlyMap<string, string> {
  const shown = new Map<string, string>();
  for (const [key, row] of rows) {
    const text = textOf(row, nowMs);
    if (text !== undefined) shown.set(key, text);
  }
  return shown;
}

/**
 * What a row may show between two times, both included. An owner whose clock is ahead may have
 * taken away for good what counts still by the clock of its successor, who has merged more since:
 * so what is older is judged by the same time, or by a later one.
 */
export function possible(
  row: Row | undefined,
  fromMs: number,
  toMs: number,
): ReadonlySet<string | undefined> {
  if (row === undefined) return new Set([undefined]);
  const ends = [row.put, ...row.merges].map((op) => op?.expiresAtMs ?? 0);
  const times = [fromMs, ...ends.filter((at) => at > fromMs && at <= toMs)].sort((a, b) => a - b);
  let texts = times.map((at) => new Set([textOf({ put: row.put, merges: [] }, at)]));
  for (const op of row.merges) {
    texts = times.map((at, i) => {
      const older = new Set(texts.slice(i).flatMap((set) => [...set]));
      return new Set([...older].map((text) => (counts(op, at) ? combined(text, op) : text)));
    });
  }
  return new Set(texts.flatMap((set) => [...set]));
}

function textOf({ put, merges }: Row, nowMs: number): string | undefined {
  const base = put !== undefined && counts(put, nowMs) ? put.value : undefined;
  return merges.filter((op) => counts(op, nowMs)).reduce<string | undefined>(combined, base);
}

function counts({ expiresAtMs }: { readonly expiresAtMs?: number }, nowMs: number): boolean {
  return expiresAtMs === undefined || expiresAtMs > nowMs;
}

function combined(text: string | undefined, { operator, value }: MergeOp): string {
  return text === undefined ? value : merged(operator, text, value);
}

/** By each operator in the plainest way. */
function merged(operator: string, older: string, newer: string): string {
  if (operator === "set-union") return setText([...membersOf(older), ...membersOf(newer)]);
  const [a, b] = [int64Of(older), int64Of(newer)];
  if (operator === "add") return int64Text(a + b);
  return a > b ? older : newer;
}

/** 8 bytes, the lowest first. */
export function int64Text(value: bigint): string {
  const units = Array.from({ length: 8 }, (_, i) => Number((value >> BigInt(8 * i)) & 255n));
  return String.fromCharCode(...units);
}

function int64Of(text: string): bigint {
  let value = 0n;
  for (let i = 7; i >= 0; i--) value = value * 256n + BigInt(text.charCodeAt(i));
  return BigInt.asIntN(64, value);
}

/** A set of short texts. */
export function setText(members: readonly string[]): string {
  return [...new Set(members)]
    .sort()
    .map((one) => String.fromCharCode(one.length) + one)
    .join("");
}

function membersOf(text: string): readonly string[] {
  if (text === "") return [];
  const end = 1 + text.charCodeAt(0);
  return [text.slice(1, end), ...membersOf(text.slice(end))];
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

  /** Last sequences of batches, ascending. */
  ends(): readonly Sequence[] {
    return this.#ends;
  }

  /** A crash lost what came after. */
  truncate(sequence: Sequence): void {
    this.#ops = this.#ops.slice(0, sequence);
    this.#ends = this.#ends.filter((end) => end <= sequence);
  }

  /** Another one that begins with all up to a sequence. */
  upTo(sequence: Sequence): VersionMap {
    const copy = new VersionMap();
    copy.#ops = this.#ops.slice(0, sequence);
    copy.#ends = this.#ends.filter((end) => end <= sequence);
    return copy;
  }

  /** Rows as of a sequence, after some more operations. */
  rowsAt(sequence: Sequence, more: readonly ModelOp[] = []): Rows {
    const rows: Rows = new Map();
    for (const op of [...this.#ops.slice(0, sequence), ...more]) apply(rows, op);
    return rows;
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
