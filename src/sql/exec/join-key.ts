import type { Datum } from "../../rows/index.ts";
import { OID } from "../types/oids.ts";
import type { TypeRegistry } from "../types/registry.ts";
import type { Evaluator } from "./evaluate.ts";
import type { JoinKeyOf } from "./join.ts";

const INTEGERS: ReadonlySet<number> = new Set([OID.int2, OID.int4, OID.int8]);
const TEXTS: ReadonlySet<number> = new Set([OID.text, OID.varchar, OID.name]);

/** Whether values of two types that are equal have equal keys too. */
export function isHashable(types: TypeRegistry, left: number, right: number): boolean {
  const [a, b] = [types.baseOf(left), types.baseOf(right)];
  if (INTEGERS.has(a) && INTEGERS.has(b)) return true;
  if (TEXTS.has(a) && TEXTS.has(b)) return true;
  return a === b && types.get(a).codec.hash !== undefined;
}

/** Keys of one side of a join; `others` are the types that they are compared with. */
export function joinKey(
  types: TypeRegistry,
  values: readonly Evaluator[],
  oids: readonly number[],
  others: readonly number[],
): JoinKeyOf {
  const hashes = oids.map((oid, i) => {
    const base = types.baseOf(oid);
    // Integers of two widths are numbers and bigints: as texts they are the same.
    const isMixed = INTEGERS.has(base) && base !== types.baseOf(others[i] as number);
    if (isMixed) return (value: Datum): string => String(value);
    return types.get(base).codec.hash as (value: Datum) => string | number | bigint | boolean;
  });
  const [value, second] = values;
  const [hash] = hashes;
  if (value !== undefined && hash !== undefined && second === undefined) {
    return (row, run) => {
      const datum = value(row, run.evaluation);
      return datum === null ? undefined : hash(datum);
    };
  }
  return (row, run) => {
    let key = "";
    for (let i = 0; i < values.length; i++) {
      const datum = (values[i] as Evaluator)(row, run.evaluation);
      if (datum === null) return undefined;
      const text = String((hashes[i] as (value: Datum) => unknown)(datum));
      key += `${text.length}:${text};`;
    }
    return key;
  };
}
