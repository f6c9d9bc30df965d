import { assert } from "../../base/assert.ts";
import type { EntrySemantics } from "../read/entry-semantics.ts";
import type { WriteOp } from "../write/write-path.ts";

type MergeOp = Extract<WriteOp, { readonly op: "merge" }>;
type WholeOp = Extract<WriteOp, { readonly op: "put" | "delete" }>;

interface OwnOperand {
  readonly op: MergeOp;
  readonly operator: number;
}

/** What a transaction has written to a key: a put or a deletion, then operands, or these alone. */
export class OwnKey {
  readonly #semantics: EntrySemantics;
  #whole: WholeOp | undefined;
  /** Oldest first. Combined when it is read: as they come, a set would be made anew each time. */
  #operands: OwnOperand[] = [];

  constructor(semantics: EntrySemantics) {
    this.#semantics = semantics;
  }

  /** Nothing that is stored counts. */
  get isWhole(): boolean {
    return this.#whole !== undefined;
  }

  /** In their order: what has to be written. */
  get ops(): readonly WriteOp[] {
    const operands = this.#combined().map(({ op }) => op);
    assert(this.isWhole || operands.length > 0, "a key among the writes was written");
    return this.#whole === undefined ? operands : [this.#whole, ...operands];
  }

  replace(op: WholeOp): void {
    this.#whole = op;
    this.#operands = [];
  }

  merge(op: MergeOp, operator: number): void {
    this.#operands.push({ op, operator });
  }

  /** The value of the key, of the one that is stored below. @throws as `Operators.fold`. */
  readonly over = (stored: Uint8Array | undefined): Uint8Array | undefined =>
    this.#over(this.#whole, this.#combined(), stored);

  /** As `over`, whatever is written later. */
  frozen(): (stored: Uint8Array | undefined) => Uint8Array | undefined {
    const [whole, operands] = [this.#whole, [...this.#combined()]];
    return (stored) => this.#over(whole, operands, stored);
  }

  /** The operands, once neighbours of one operator, of which none expires, have become one. */
  #combined(): readonly OwnOperand[] {
    const operands = this.#operands;
    const combined: OwnOperand[] = [];
    let end = 0;
    for (let start = 0; start < operands.length; start = end) {
      const first = operands[start] as OwnOperand;
      end = start + 1;
      while (isUntimedLike(first, operands[end])) end++;
      const values = operands.slice(start, end).map(({ op }) => op.value);
      const { operator } = first;
      const { value } = this.#semantics.operators.combine(operator, values);
      combined.push({ op: { ...first.op, value }, operator });
    }
    this.#operands = combined;
    return combined;
  }

  #over(
    whole: WholeOp | undefined,
    operands: readonly OwnOperand[],
    stored: Uint8Array | undefined,
  ): Uint8Array | undefined {
    const { operators } = this.#semantics;
    const counting = operands
      .filter(({ op }) => this.#counts(op))
      .map(({ op, operator }) => ({ operator, value: op.value }));
    return operators.fold(this.#base(whole, stored), counting.toReversed());
  }

  #base(whole: WholeOp | undefined, stored: Uint8Array | undefined): Uint8Array | undefined {
    if (whole === undefined) return stored;
    return whole.op === "put" && this.#counts(whole) ? whole.value : undefined;
  }

  #counts({ expiresAtMs }: { readonly expiresAtMs?: number }): boolean {
    return expiresAtMs === undefined || expiresAtMs > this.#semantics.nowMs();
  }
}

/** Whether both are of one operator and neither expires. */
function isUntimedLike(first: OwnOperand, next: OwnOperand | undefined): boolean {
  if (first.op.expiresAtMs !== undefined || next === undefined) return false;
  return next.op.expiresAtMs === undefined && next.operator === first.operator;
}
