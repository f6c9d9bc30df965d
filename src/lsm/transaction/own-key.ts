import type { Meaning } from "../read/meaning.ts";
import type { WriteOp } from "../write/write-path.ts";

type MergeOp = Extract<WriteOp, { readonly op: "merge" }>;
type WholeOp = Extract<WriteOp, { readonly op: "put" | "delete" }>;

interface OwnOperand {
  readonly op: MergeOp;
  readonly operator: number;
}

/** What a transaction has written to a key: a put or a deletion, then operands, or these alone. */
export class OwnKey {
  readonly #meaning: Meaning;
  #whole: WholeOp | undefined;
  /** Oldest first. */
  #operands: readonly OwnOperand[] = [];

  constructor(meaning: Meaning) {
    this.#meaning = meaning;
  }

  /** Nothing that is stored counts. */
  get isWhole(): boolean {
    return this.#whole !== undefined;
  }

  /** In their order: what has to be written. */
  get ops(): readonly WriteOp[] {
    const operands = this.#operands.map(({ op }) => op);
    return this.#whole === undefined ? operands : [this.#whole, ...operands];
  }

  replace(op: WholeOp): void {
    this.#whole = op;
    this.#operands = [];
  }

  /** Neighbours of one operator, of which none expires, become one. */
  merge(op: MergeOp, operator: number): void {
    const last = this.#operands.at(-1);
    const isTimed = op.expiresAtMs !== undefined || last?.op.expiresAtMs !== undefined;
    const combined =
      last === undefined || isTimed
        ? undefined
        : this.#meaning.operators.combine(
            { operator: last.operator, value: last.op.value },
            { operator, value: op.value },
          );
    this.#operands =
      combined === undefined
        ? [...this.#operands, { op, operator }]
        : [...this.#operands.slice(0, -1), { op: { ...op, value: combined.value }, operator }];
  }

  /** The value of the key, of the one that is stored below. @throws as `Operators.fold`. */
  readonly over = (stored: Uint8Array | undefined): Uint8Array | undefined =>
    this.#over(this.#whole, this.#operands, stored);

  /** As `over`, whatever is written later. */
  frozen(): (stored: Uint8Array | undefined) => Uint8Array | undefined {
    const [whole, operands] = [this.#whole, this.#operands];
    return (stored) => this.#over(whole, operands, stored);
  }

  #over(
    whole: WholeOp | undefined,
    operands: readonly OwnOperand[],
    stored: Uint8Array | undefined,
  ): Uint8Array | undefined {
    const { operators } = this.#meaning;
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
    return expiresAtMs === undefined || expiresAtMs > this.#meaning.nowMs();
  }
}
