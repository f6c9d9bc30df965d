import type { Datum } from "../../rows/index.ts";
import { SqlError } from "../error.ts";
import { typeName } from "../functions/coercion.ts";
import type { TypeRegistry } from "../types/registry.ts";
import type { KeyOf } from "./operators.ts";

/**
 * A text that is equal for rows whose values are equal as their types say.
 *
 * @throws SqlError 42883 for a type without equality.
 */
export function rowKey(types: TypeRegistry, oids: readonly number[]): KeyOf {
  const hashes = oids.map((oid) => {
    const { hash } = types.get(types.baseOf(oid)).codec;
    if (hash !== undefined) return hash;
    const name = typeName(types, oid);
    throw new SqlError("42883", `could not identify an equality operator for type ${name}`);
  });
  return (row) => {
    let key = "";
    for (let i = 0; i < hashes.length; i++) {
      const value = (row[i] ?? null) as Datum;
      if (value === null) {
        key += "n;";
        continue;
      }
      const text = String((hashes[i] as (value: Datum) => unknown)(value));
      key += `${text.length}:${text};`;
    }
    return key;
  };
}
