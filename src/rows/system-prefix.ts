import { encodeTablePrefix, type KeyColumn, KeySchema, type KeyValues } from "../keys/index.ts";
import { ROW_SPACE } from "./key-codec.ts";
import { TEMPORARY_RELATION } from "./temporary/marks.ts";

/**
 * The relations of a shard that hold what it knows of its tables. Stored: a number keeps its
 * meaning for good. Tables begin at `FIRST_RELATION`.
 */
const SYSTEM_RELATIONS = {
  descriptors: 1,
  counters: 2,
  sequences: 3,
  unpublished: 4,
  objects: 5,
  indexBuilds: 6,
  moves: 7,
  closing: 8,
} as const;

/** What the keys of one index of such a relation begin with. */
export function systemPrefix(
  of: keyof typeof SYSTEM_RELATIONS,
  index = 0,
  isTemporary = false,
): Uint8Array {
  const relation = SYSTEM_RELATIONS[of] + (isTemporary ? TEMPORARY_RELATION : 0);
  return encodeTablePrefix({ space: ROW_SPACE, relation, index });
}

/** Keys in such a relation: of the shard, and of the temporary tables of a session. */
export class SystemKeys<const C extends readonly KeyColumn[]> {
  readonly #own: KeySchema<C>;
  readonly #temporary: KeySchema<C>;

  constructor(columns: C, of: keyof typeof SYSTEM_RELATIONS, index = 0) {
    this.#own = new KeySchema(columns, systemPrefix(of, index));
    this.#temporary = new KeySchema(columns, systemPrefix(of, index, true));
  }

  encode(values: Readonly<KeyValues<C>>, isTemporary: boolean): Uint8Array {
    return (isTemporary ? this.#temporary : this.#own).encode(values);
  }
}
