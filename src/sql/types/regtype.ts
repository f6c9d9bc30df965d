import { SqlError } from "../error.ts";
import { signatures, type TypeRow } from "../signatures/tables.ts";
import type { TypeCodec } from "./codec.ts";
import { oid } from "./integers.ts";
import { OID } from "./oids.ts";

/** SQL's names of types, where they are not PostgreSQL's internal ones. */
const SQL_NAMES: Readonly<Record<string, string>> = {
  bool: "boolean",
  bpchar: "character",
  char: '"char"',
  float4: "real",
  float8: "double precision",
  int2: "smallint",
  int4: "integer",
  int8: "bigint",
  time: "time without time zone",
  timetz: "time with time zone",
  timestamp: "timestamp without time zone",
  timestamptz: "timestamp with time zone",
  varbit: "bit varying",
  varchar: "character varying",
  any: '"any"',
};

const INTERNAL: ReadonlyMap<string, string> = new Map([
  ...Object.entries(SQL_NAMES).map(([name, sql]): [string, string] => [sql, name]),
  ["int", "int4"],
  ["decimal", "numeric"],
  ["char", "bpchar"],
  ["float", "float8"],
]);

/** A type as SQL writes it; arrays end in `[]`. */
export function sqlTypeName(row: TypeRow): string {
  const isArray = row.category === "A" || row.element === OID.record;
  const element = isArray ? signatures().typeByOid.get(row.element) : undefined;
  if (element !== undefined && row.length === -1) return `${sqlTypeName(element)}[]`;
  return SQL_NAMES[row.name] ?? row.name;
}

/** `regtype` over PostgreSQL's own types; a database with other types replaces it. */
export const regtype: TypeCodec<number> = {
  ...oid,
  input(text, typmod, context) {
    const name = text.trim();
    if (name === "-") return 0;
    if (/^\d+$/.test(name)) return oid.input(name, typmod, context);
    const isArray = name.endsWith("[]");
    const bare = (isArray ? name.slice(0, -2) : name).replace(/^pg_catalog\./, "");
    const known = INTERNAL.get(bare.toLowerCase()) ?? bare.toLowerCase();
    const row = signatures().typeByName.get(known);
    if (row === undefined) throw new SqlError("42704", `type "${bare}" does not exist`);
    return isArray ? row.array : row.oid;
  },
  output(value) {
    const row = signatures().typeByOid.get(value);
    if (row === undefined) return value === 0 ? "-" : String(value);
    return sqlTypeName(row);
  },
};
