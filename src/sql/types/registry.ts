import type { ColumnKind, ColumnType, CompositeField } from "../../rows/column-type.ts";
import type { Datum } from "../../rows/datum.ts";
import { notSupported, SqlError } from "../error.ts";
import { signatures, type TypeRow } from "../signatures/tables.ts";
import { arrayCodec } from "./arrays.ts";
import type { TypeCodec } from "./codec.ts";
import { CODECS } from "./codecs.ts";
import { compositeCodec } from "./composite.ts";
import type { SqlContext } from "./context.ts";
import { enumCodec } from "./enums.ts";
import { quoteIdentifier } from "./identifier.ts";
import { numericModifier, packNumericModifier } from "./numeric.ts";
import { OID } from "./oids.ts";
import { type RowColumn, rowCodec } from "./row-value.ts";

/** A type as the binder and the executor see it: PostgreSQL's row and the codec. */
export interface SqlType extends TypeRow {
  readonly codec: TypeCodec<Datum>;
  /** Of a domain: what it is based on. */
  readonly base?: { readonly oid: number; readonly typmod: number };
  /** Of an enum, in their order. */
  readonly labels?: readonly string[];
  /** Of a type of the database: its namespace, joined with dots. */
  readonly schema?: string | undefined;
  /** Of a type of the database: how columns have it. */
  readonly column?: ColumnType | undefined;
  /** Of a domain. */
  readonly constraint?: DomainConstraint | undefined;
  /** Of the rows of a relation: its OID. */
  readonly relation?: number | undefined;
  /** Of rows whose fields are known: as they are declared, and as values have them. */
  readonly fields?: readonly CompositeField[] | undefined;
  readonly columns?: readonly RowColumn[] | undefined;
}

/** The type of a relation's rows. */
export interface RowTypeSpec {
  readonly oid: number;
  readonly arrayOid: number;
  readonly name: string;
  readonly schema: string;
  readonly relation: number;
  /** Absent: its values tell of their fields. */
  readonly fields?: readonly CompositeField[] | undefined;
  /** Of a type that columns can have: how they do. */
  readonly column?: ColumnType | undefined;
}

/** What values of a domain must meet, those of the domains below it too. */
export interface DomainConstraint {
  readonly notNull: boolean;
  /** @throws SqlError 23502, 23514. */
  readonly check: (value: Datum, context: SqlContext) => void;
}

/** The OID of the arrays of a type of the database. */
export function arrayOid(oid: number): number {
  return oid + 1_000_000_000;
}

/** OIDs below belong to PostgreSQL itself. */
export const FIRST_USER_OID = 16_384;

const KIND_NAMES: Readonly<Record<Exclude<ColumnKind, "enum" | "array" | "composite">, string>> = {
  bool: "bool",
  int2: "int2",
  int4: "int4",
  int8: "int8",
  float4: "float4",
  float8: "float8",
  numeric: "numeric",
  text: "text",
  varchar: "varchar",
  char: "bpchar",
  name: "name",
  bytea: "bytea",
  date: "date",
  time: "time",
  timetz: "timetz",
  timestamp: "timestamp",
  timestamptz: "timestamptz",
  interval: "interval",
  uuid: "uuid",
  json: "json",
  jsonb: "jsonb",
};

const DATE_TIMES: ReadonlySet<string> = new Set(["time", "timetz", "timestamp", "timestamptz"]);

/**
 * Types by OID and by name: PostgreSQL's own, and the enums and domains of one database. PostgreSQL
 * knows types that Firn does not: they have rows and resolve, and using their values is refused.
 */
export class TypeRegistry {
  readonly #types = new Map<number, SqlType>();
  readonly #names = new Map<string, number>();
  /**
   * Finds a type of the database as a statement names it.
   *
   * @throws what makes the statement look it up and begin again.
   */
  finder: ((schema: string | undefined, name: string) => SqlType | undefined) | undefined;
  /** Schemas whose types need not be named with them. */
  searchPath: readonly string[] = ["public"];

  /** @throws SqlError 42704 where no type has the OID. */
  get(oid: number): SqlType {
    const type = this.find(oid);
    if (type === undefined) throw new SqlError("42704", `type with OID ${oid} does not exist`);
    return type;
  }

  find(oid: number): SqlType | undefined {
    const known = this.#types.get(oid);
    if (known !== undefined) return known;
    const row = signatures().typeByOid.get(oid);
    if (row === undefined) return undefined;
    const type: SqlType = { ...row, codec: this.#codecOf(row) };
    this.#types.set(oid, type);
    return type;
  }

  /** By PostgreSQL's internal name (`int4`, `_text`), or that of a type of the database. */
  byName(name: string): SqlType | undefined {
    const own = this.#names.get(name);
    if (own !== undefined) return this.find(own);
    const row = signatures().typeByName.get(name);
    return row === undefined ? undefined : this.find(row.oid);
  }

  /** PostgreSQL's own types, then those of the database. */
  named(schema: string | undefined, name: string): SqlType | undefined {
    const isOwn = schema !== undefined && schema !== "pg_catalog";
    const row = isOwn ? undefined : signatures().typeByName.get(name);
    if (row !== undefined) return this.find(row.oid);
    if (schema === "pg_catalog") return undefined;
    return this.finder === undefined ? this.byName(name) : this.finder(schema, name);
  }

  /** Whether values of a type can be read and written. */
  isSupported(oid: number): boolean {
    const type = this.find(oid);
    if (type === undefined) return false;
    if (this.isArray(oid)) return this.isSupported(type.element);
    return oid >= FIRST_USER_OID || Object.hasOwn(CODECS, type.name);
  }

  /** `record`, or the type of a relation's rows. */
  isRow(oid: number): boolean {
    return oid === OID.record || this.find(this.baseOf(oid))?.kind === "c";
  }

  /** The fields of a composite type, or of a domain of one; undefined where they are not known. */
  columnsOf(oid: number): readonly RowColumn[] | undefined {
    return this.find(this.baseOf(oid))?.columns;
  }

  /** A true array: neither `name` nor a vector, which have elements too. */
  isArray(oid: number): boolean {
    const type = this.find(oid);
    return type !== undefined && type.element !== 0 && type.length === -1 && isArrayRow(type);
  }

  /** The type of the elements of an array, else 0. */
  elementOf(oid: number): number {
    const type = this.find(oid);
    if (type === undefined) return 0;
    return isArrayRow(type) || isVector(oid) ? type.element : 0;
  }

  arrayOf(oid: number): number {
    return this.find(oid)?.array ?? 0;
  }

  /** The type that a domain rests on, else the type itself. */
  baseOf(oid: number): number {
    let at = oid;
    for (let type = this.find(at); type?.base !== undefined; type = this.find(at)) {
      at = type.base.oid;
    }
    return at;
  }

  /** Adds or replaces an enum and the type of its arrays. */
  defineEnum(
    oid: number,
    arrayOid: number,
    name: string,
    labels: readonly string[],
    column?: ColumnType,
  ): void {
    const text = this.get(OID.text);
    const shown = column === undefined ? name : this.shownName({ name, schema: column.schema });
    const codec = enumCodec(shown, labels) as TypeCodec<Datum>;
    const own = { oid, name, kind: "e", category: "E", isPreferred: false, array: arrayOid };
    const stored = { length: 4, isByValue: true, alignment: "i", storage: "p" };
    const shape = { element: 0, collation: 0, column, schema: column?.schema };
    this.#add({ ...text, ...own, ...stored, ...shape, labels, codec });
    this.#addArray(oid, arrayOid, name, column?.schema);
  }

  /** Defines an enum as a column has it. */
  defineColumnEnum(column: ColumnType): void {
    const { typeId = 0, name = "", labels = [] } = column;
    const { domain: _, ...type } = column;
    const known = this.#types.get(typeId);
    if (known !== undefined && JSON.stringify(known.column) === JSON.stringify(type)) return;
    if (known !== undefined) this.remove(typeId);
    this.defineEnum(typeId, arrayOid(typeId), name, labels, type);
  }

  /** Adds or replaces a domain; its constraints are the binder's to check. */
  defineDomain(
    oid: number,
    arrayOid: number,
    name: string,
    base: { readonly oid: number; readonly typmod: number },
    more: Pick<SqlType, "column" | "constraint"> = {},
  ): void {
    const { labels: _, relation: __, ...type } = this.get(base.oid);
    const { column, constraint } = more;
    const shape = {
      kind: "d",
      array: arrayOid,
      isPreferred: false,
      schema: column?.domain?.schema,
    };
    this.#add({ ...type, ...shape, oid, name, base, column, constraint });
    this.#addArray(oid, arrayOid, name, column?.domain?.schema);
  }

  /** Adds or replaces the type of a relation's rows, or a composite type. */
  defineRow(spec: RowTypeSpec): void {
    const { oid, arrayOid: array, name, schema, relation, fields, column } = spec;
    const known = this.#types.get(oid);
    const isNamed = known?.name === name && known.schema === schema;
    if (isNamed && (fields === undefined || isSame(known.fields, fields))) return;
    const record = this.get(OID.record);
    const own = { oid, name, schema, array, kind: "c", category: "C", isByValue: false };
    const columns = fields?.map((field): RowColumn => {
      return { name: field.name, ...this.fromColumnType(field.type) };
    });
    const codec =
      columns === undefined
        ? record.codec
        : compositeCodec(columns, this.#kept(columns, false), this.#kept(columns, true));
    const shape = { length: -1, alignment: "d", storage: "x", codec, column, fields, columns };
    // Names of tables may be those of PostgreSQL's types: they are found by their schema alone.
    this.#types.set(oid, { ...record, ...own, ...shape, relation });
    this.#addArray(oid, array, name, schema, false);
  }

  /** The types of fields as they are now: the type is defined again when one of them changes. */
  #kept(columns: readonly RowColumn[], isBase: boolean): (oid: number) => SqlType {
    const typeOf = (oid: number): SqlType => this.get(isBase ? this.baseOf(oid) : oid);
    const kept = new Map(columns.map(({ oid }) => [oid, typeOf(oid)]));
    return (oid) => kept.get(oid) ?? typeOf(oid);
  }

  /** Defines a composite type as a column has it. */
  #defineComposite(column: ColumnType): void {
    const { typeId: oid = 0, name = "", schema = "" } = column;
    const { domain: _, ...type } = column;
    const row = { oid, arrayOid: arrayOid(oid), name, schema, relation: oid };
    this.defineRow({ ...row, fields: type.fields, column: type });
  }

  /** Gives a type of PostgreSQL's that depends on the catalog (`regclass` …) its codec. */
  defineCodec(oid: number, codec: TypeCodec<Datum>): void {
    this.#types.set(oid, { ...this.get(oid), codec });
    const array = this.arrayOf(oid);
    if (array !== 0) this.#types.delete(array);
  }

  /** The name of a type of the database, with its schema where that must be said. */
  shownName({ name, schema }: Pick<SqlType, "name" | "schema">): string {
    const isSeen = schema === undefined || this.searchPath.includes(schema);
    return isSeen ? quoteIdentifier(name) : `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;
  }

  /** Types of the database: not PostgreSQL's own. */
  own(): readonly SqlType[] {
    return [...this.#types.values()].filter(({ oid }) => this.isOwn(oid));
  }

  isOwn(oid: number): boolean {
    return oid >= FIRST_USER_OID;
  }

  remove(oid: number): void {
    const type = this.#types.get(oid);
    if (type === undefined) return;
    this.#types.delete(oid);
    if (this.#names.get(type.name) === oid) this.#names.delete(type.name);
    if (type.array !== 0) this.remove(type.array);
  }

  /** The SQL type of a row table's column. An enum must have been defined before. */
  fromColumnType(type: ColumnType): { readonly oid: number; readonly typmod: number } {
    const domain = type.domain && this.#types.get(type.domain.typeId);
    if (domain !== undefined) return { oid: domain.oid, typmod: -1 };
    if (type.kind === "array") {
      const element = this.fromColumnType(type.element ?? { kind: "text" });
      return { oid: this.arrayOf(element.oid), typmod: element.typmod };
    }
    if (type.kind === "enum") {
      if (type.labels !== undefined) this.defineColumnEnum(type);
      return { oid: type.typeId ?? 0, typmod: -1 };
    }
    if (type.kind === "composite") {
      if (type.fields !== undefined) this.#defineComposite(type);
      return { oid: type.typeId ?? 0, typmod: -1 };
    }
    const found = this.byName(KIND_NAMES[type.kind]);
    return { oid: found?.oid ?? 0, typmod: typmodOf(type) };
  }

  /** No column is a row of no declared type. @throws SqlError 42P16, 0A000. */
  refuseRow(oid: number): void {
    if (oid === OID.record) throw new SqlError("42P16", "a column has pseudo-type record");
    if (this.isArray(oid)) this.refuseRow(this.get(oid).element);
    else if (this.isRow(oid) && this.get(this.baseOf(oid)).column === undefined) {
      const hint = "CREATE TYPE … AS makes a type of rows that columns can have.";
      throw notSupported(`a column of the row type ${this.get(oid).name}`, hint);
    }
  }

  /** @throws SqlError 0A000 where a row table cannot hold the type. */
  toColumnType(oid: number, typmod: number): ColumnType {
    const type = this.get(oid);
    if (type.column !== undefined) return type.column;
    if (this.isArray(oid)) {
      return { kind: "array", element: this.toColumnType(type.element, typmod) };
    }
    if (type.labels !== undefined) {
      return { kind: "enum", typeId: oid, name: type.name, labels: type.labels };
    }
    if (type.base !== undefined) return this.toColumnType(type.base.oid, type.base.typmod);
    this.refuseRow(oid);
    const kind = Object.entries(KIND_NAMES).find(([, name]) => name === type.name)?.[0];
    if (kind === undefined) throw notSupported(`a column of type ${type.name}`);
    return { kind: kind as ColumnKind, ...modifiersOf(kind, typmod) };
  }

  #add(type: SqlType): void {
    this.#types.set(type.oid, type);
    this.#names.set(type.name, type.oid);
  }

  #addArray(
    element: number,
    oid: number,
    name: string,
    schema: string | undefined,
    isNamed = true,
  ): void {
    const { alignment, collation } = this.get(element);
    const own = { oid, name: `_${name}`, element, array: 0, collation };
    const row: TypeRow = {
      ...this.get(OID.textArray),
      ...own,
      alignment: alignment === "d" ? "d" : "i",
    };
    const type = { ...row, codec: this.#codecOf(row), schema };
    if (isNamed) this.#add(type);
    else this.#types.set(oid, type);
  }

  #codecOf(row: TypeRow): TypeCodec<Datum> {
    if (isArrayRow(row)) {
      const element = this.get(row.element);
      return arrayCodec({
        oid: element.oid,
        delimiter: element.delimiter,
        codec: element.codec,
      }) as TypeCodec<Datum>;
    }
    if (row.oid === OID.record) {
      // A domain's values are those of what it rests on.
      return rowCodec((oid) => this.get(this.baseOf(oid)));
    }
    if (Object.hasOwn(CODECS, row.name)) return CODECS[row.name] as TypeCodec<Datum>;
    return unsupported(row.name);
  }
}

function isSame(
  one: readonly CompositeField[] | undefined,
  other: readonly CompositeField[],
): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function isArrayRow(row: TypeRow): boolean {
  const isArray = row.category === "A" || row.element === OID.record;
  return isArray && row.element !== 0 && !isVector(row.oid);
}

function isVector(oid: number): boolean {
  return oid === OID.int2vector || oid === OID.oidvector;
}

function unsupported(name: string): TypeCodec<Datum> {
  const refuse = (): never => {
    throw notSupported(`type ${name}`, "See the table of types in docs/sql-functions.md.");
  };
  return { input: refuse, output: refuse, receive: refuse, send: refuse };
}

function typmodOf(type: ColumnType): number {
  if (type.kind === "varchar" || type.kind === "char") {
    return type.length === undefined ? -1 : type.length + 4;
  }
  if (type.kind === "numeric") {
    if (type.precision === undefined) return -1;
    return packNumericModifier(type.precision, type.scale ?? 0);
  }
  return type.precision ?? -1;
}

function modifiersOf(kind: string, typmod: number): Omit<ColumnType, "kind"> {
  if (typmod < 0) return {};
  if (kind === "varchar" || kind === "char") return { length: typmod - 4 };
  if (kind === "numeric") return numericModifier(typmod) ?? {};
  return DATE_TIMES.has(kind) || kind === "interval" ? { precision: typmod } : {};
}
