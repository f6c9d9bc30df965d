import { encodeTablePrefix, type KeyColumn, type KeyRange, KeySchema } from "../keys/index.ts";
import type { Datum } from "./datum.ts";
import { type KeyForm, keyColumnOf } from "./key-columns.ts";

/** Space of the keys of row tables: the first byte of each. */
export const ROW_SPACE = 1;

export interface CodecPart {
  readonly form: KeyForm;
  readonly direction: "asc" | "desc";
  /** Undefined where the part is never NULL. */
  readonly nulls: "first" | "last" | undefined;
}

/** A bound on the part behind those that are equal. */
export interface Bound {
  readonly value: Datum;
  readonly inclusive: boolean;
}

/** Rows whose first parts equal `equal`, and whose next part lies within the bounds. */
export interface RangeRequest {
  /** NULL is what IS NULL finds. */
  readonly equal?: readonly Datum[];
  readonly lower?: Bound;
  readonly upper?: Bound;
}

/** The keys of the rows of a table, or of one of its indexes. */
export class KeyCodec {
  readonly parts: readonly CodecPart[];
  readonly #schema: KeySchema<readonly KeyColumn[]>;

  constructor(relation: number, index: number, parts: readonly CodecPart[]) {
    this.parts = parts;
    const columns = parts.map(({ form, direction, nulls }) => keyColumnOf(form, direction, nulls));
    this.#schema = new KeySchema(columns, encodeTablePrefix({ space: ROW_SPACE, relation, index }));
  }

  /** @throws FirnError `Invalid`, codes `KEY_VALUE_INVALID`, `KEY_TOO_LONG`. */
  encode(values: readonly Datum[]): Uint8Array {
    return this.#schema.encode(this.#forms(values) as never);
  }

  /** What all keys with these first values begin with, and no others. */
  encodeStart(values: readonly Datum[]): Uint8Array {
    return this.#schema.range(this.#forms(values) as never).from;
  }

  /** The first `count` values of a key. */
  decode(key: Uint8Array, count: number = this.parts.length): readonly Datum[] {
    const values = this.#schema.decodeStart(key, count);
    return values.map((value, i) =>
      value === null ? null : (this.parts[i] as CodecPart).form.fromKey(value),
    );
  }

  /** @throws FirnError `Invalid`, codes `KEY_VALUE_INVALID`, `KEY_BOUNDS_INVALID`. */
  range({ equal = [], lower, upper }: RangeRequest): KeyRange {
    const form = this.parts[equal.length]?.form;
    const at = (bound: Bound): unknown =>
      form === undefined ? bound.value : form.toKey(bound.value);
    return this.#schema.range(this.#forms(equal) as never, {
      ...(lower !== undefined && (lower.inclusive ? { gte: at(lower) } : { gt: at(lower) })),
      ...(upper !== undefined && (upper.inclusive ? { lte: at(upper) } : { lt: at(upper) })),
    });
  }

  #forms(values: readonly Datum[]): readonly unknown[] {
    return values.map((value, i) => {
      const form = this.parts[i]?.form;
      return value === null || form === undefined ? value : form.toKey(value);
    });
  }
}
