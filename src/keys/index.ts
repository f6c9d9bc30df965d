/** The door of the ordered keys: all that other folders, and programs that embed them, import. */

export { type BoxRanges, boxRanges, type CurveRange } from "./curves/box.ts";
export { COORDINATE_BITS, type Curve, type Point } from "./curves/curve.ts";
export { hilbert2, hilbert3 } from "./curves/hilbert.ts";
export { morton2, morton3 } from "./curves/morton.ts";
export type { KeyType, KeyTypes } from "./elements/types.ts";
export { type KeyRange, keyAfter, prefixEnd, rangeOfPrefix } from "./prefix.ts";
export {
  type KeyBounds,
  type KeyColumn,
  KeySchema,
  type KeyStart,
  type KeyValue,
  type KeyValues,
} from "./schema.ts";
export {
  decodeTablePrefix,
  encodeTablePrefix,
  FIRST_RELATION,
  rangeOfRelation,
  TABLE_PREFIX_BYTES,
  type TablePrefix,
} from "./table-prefix.ts";
export { MAX_KEY_BYTES } from "./writer.ts";
