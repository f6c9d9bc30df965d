import { readFileSync } from "node:fs";

/** A column of one of PostgreSQL's own relations. Domains are told as what they rest on. */
export interface ShapeColumn {
  readonly name: string;
  readonly oid: number;
  readonly typmod: number;
  readonly notNull: boolean;
}

/** One of PostgreSQL's own relations. */
export interface Shape {
  readonly schema: string;
  readonly name: string;
  readonly oid: number;
  readonly kind: "r" | "v";
  readonly columns: readonly ShapeColumn[];
}

type Rows = readonly (readonly (string | null)[])[];

interface Shapes {
  readonly relations: readonly Shape[];
  readonly byName: ReadonlyMap<string, Shape>;
  /** Rows that are the same in every database, as text. */
  readonly fixed: Readonly<Record<string, Rows>>;
}

type RawColumn = readonly [name: string, oid: number, typmod: number, notNull: number];
type RawShape = readonly [string, string, number, "r" | "v", readonly RawColumn[]];

const FIRST_ROW_TYPE = 10_000;
const TEXT_ARRAY = 1009;

/** Firn's own access method: no object of PostgreSQL 15 has the number. */
export const HILBERT = 9_990;

let loaded: Shapes | undefined;

/** Read with the first statement that asks for one of them. */
export function systemShapes(): Shapes {
  loaded ??= load();
  return loaded;
}

function load(): Shapes {
  const file = new URL("../../signatures/postgres-15-catalogs.json", import.meta.url);
  const { relations: raw, ...fixed } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly relations: readonly RawShape[];
  } & Record<string, Rows>;
  const relations = raw.map(([schema, name, oid, kind, columns]): Shape => {
    const shaped = columns.map(([column, type, typmod, notNull]) => ({
      name: column,
      // Arrays of rows: no relation that has any is ever filled.
      oid: type >= FIRST_ROW_TYPE ? TEXT_ARRAY : type,
      typmod,
      notNull: notNull === 1,
    }));
    return { schema, name, oid, kind, columns: shaped };
  });
  const byName = new Map(relations.map((each) => [`${each.schema}.${each.name}`, each]));
  const methods = [...(fixed["pg_am"] ?? []), [String(HILBERT), "hilbert", "-", "i"]];
  return { relations, byName, fixed: { ...fixed, pg_am: methods } };
}
