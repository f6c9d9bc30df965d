import { numericModifier } from "../../types/numeric.ts";
import { OID } from "../../types/oids.ts";
import type { TypeRegistry } from "../../types/registry.ts";
import { formatType } from "./format-type.ts";
import { attributesOf } from "./pg-relations.ts";
import type { Named, Provider, ProviderContext } from "./provider.ts";

/** Types of values in `information_schema`, and the composite types of the database. */

const CHARACTERS: ReadonlySet<number> = new Set([OID.text, OID.varchar, OID.bpchar]);
/** Bits of a number, and of its exponent's base. */
const NUMBERS: ReadonlyMap<number, number> = new Map([
  [OID.int2, 16],
  [OID.int4, 32],
  [OID.int8, 64],
  [OID.float4, 24],
  [OID.float8, 53],
]);
const FLOATS: ReadonlySet<number> = new Set([OID.float4, OID.float8]);
const TIMES: ReadonlySet<number> = new Set([
  OID.time,
  OID.timetz,
  OID.timestamp,
  OID.timestamptz,
  OID.interval,
]);
const OCTETS = 1_073_741_824;

/** What the views of columns and of attributes say of a type; of a domain: of its base. */
export function typeColumns(
  types: TypeRegistry,
  { oid, typmod }: { readonly oid: number; readonly typmod: number },
): Named {
  const length = CHARACTERS.has(oid) && typmod >= 4 ? typmod - 4 : null;
  const numeric = oid === OID.numeric ? numericModifier(typmod) : undefined;
  const bits = NUMBERS.get(oid);
  const octets = length === null ? OCTETS : length * 4;
  return {
    data_type: types.isArray(oid)
      ? "ARRAY"
      : types.isOwn(oid)
        ? "USER-DEFINED"
        : formatType(types, oid, -1).replace("bpchar", "character"),
    character_maximum_length: length,
    character_octet_length: CHARACTERS.has(oid) ? octets : null,
    numeric_precision: numeric?.precision ?? bits ?? null,
    numeric_precision_radix: oid === OID.numeric ? 10 : bits === undefined ? null : 2,
    numeric_scale: numeric?.scale ?? (bits === undefined || FLOATS.has(oid) ? null : 0),
    datetime_precision: oid === OID.date ? 0 : TIMES.has(oid) ? (typmod < 0 ? 6 : typmod) : null,
  };
}

function* attributeRows(context: ProviderContext): Generator<Named> {
  const { snapshot, types } = context;
  for (const relation of snapshot.relations) {
    if (relation.kind !== "c") continue;
    for (const attribute of attributesOf(context, relation)) {
      const type = types.find(attribute.oid);
      const base = type?.base ?? attribute;
      const isOwn = types.isOwn(attribute.oid);
      yield {
        udt_catalog: snapshot.database,
        udt_schema: relation.schema.name,
        udt_name: relation.name,
        attribute_name: attribute.name,
        ordinal_position: attribute.number,
        is_nullable: "YES",
        ...typeColumns(types, base),
        // Unlike a column, an attribute shows its domain here.
        ...(type?.base !== undefined && { data_type: "USER-DEFINED" }),
        attribute_udt_catalog: snapshot.database,
        attribute_udt_schema: isOwn ? (type?.schema ?? "public") : "pg_catalog",
        attribute_udt_name: type?.name ?? null,
        dtd_identifier: String(attribute.number),
        is_derived_reference_attribute: "NO",
      };
    }
  }
}

function* userTypeRows({ snapshot }: ProviderContext): Generator<Named> {
  for (const { kind, name, schema } of snapshot.relations) {
    if (kind !== "c") continue;
    yield {
      user_defined_type_catalog: snapshot.database,
      user_defined_type_schema: schema.name,
      user_defined_type_name: name,
      user_defined_type_category: "STRUCTURED",
      is_instantiable: "YES",
    };
  }
}

export const USER_TYPE_PROVIDERS: Readonly<Record<string, Provider>> = {
  attributes: attributeRows,
  user_defined_types: userTypeRows,
};
