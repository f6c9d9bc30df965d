/** The types that a column of a row table may have, by their names in SQL. */
export const COLUMN_KINDS = [
  "bool",
  "int2",
  "int4",
  "int8",
  "float4",
  "float8",
  "numeric",
  "text",
  "varchar",
  "char",
  "name",
  "bytea",
  "date",
  "time",
  "timetz",
  "timestamp",
  "timestamptz",
  "interval",
  "uuid",
  "json",
  "jsonb",
  "enum",
  "array",
  "composite",
] as const;

export type ColumnKind = (typeof COLUMN_KINDS)[number];

/**
 * The type of a column: its kind and what modifies it. A plain value, stored in descriptors as it
 * is, so that equal types are equal JSON.
 */
export interface ColumnType {
  readonly kind: ColumnKind;
  /** Most characters of a `varchar`, exact characters of a `char`: 1 where a `char` has none. */
  readonly length?: number;
  /** Digits of a `numeric` in all, and behind its point. */
  readonly precision?: number;
  readonly scale?: number;
  /** Of an `array`; never an array itself: arrays have any number of dimensions. */
  readonly element?: ColumnType;
  /** Of an `enum` and a `composite`: the id of its type and its name. */
  readonly typeId?: number;
  readonly name?: string;
  /** Of an `enum`, in their order. */
  readonly labels?: readonly string[];
  /** Of an enum of SQL, for each label: its place in keys, and how rows store it. */
  readonly orders?: readonly number[];
  readonly tokens?: readonly string[];
  /** The namespace of the type of an enum or a composite, joined with dots. */
  readonly schema?: string;
  /** Of a `composite`, in their order. */
  readonly fields?: readonly CompositeField[];
  /** Of a `composite` that has lost its last fields: ids up to this one were given. */
  readonly lastField?: number;
  /** The domain whose base type this is. */
  readonly domain?: ColumnDomain;
}

/** A field of a composite type. */
export interface CompositeField {
  /** Never given to another field of the type: rows store values under it. */
  readonly id: number;
  readonly name: string;
  readonly type: ColumnType;
}

/** A domain of SQL: values of its columns meet its constraints. */
export interface ColumnDomain {
  readonly typeId: number;
  readonly name: string;
  readonly schema: string;
  readonly notNull?: boolean;
  /** Expressions of `value`. */
  readonly checks?: readonly { readonly name: string; readonly expression: string }[];
  /** What a new column gets that has no default: an expression. */
  readonly default?: string;
  /** The domain that it rests on. */
  readonly base?: ColumnDomain;
}

/** The type as SQL writes it: `numeric(10,2)`, `varchar(20)`, `int4[]`. */
export function columnTypeText(type: ColumnType): string {
  const { kind, length, precision, scale, element, name, domain } = type;
  if (domain !== undefined) return domain.name;
  if (kind === "array") return `${element === undefined ? "?" : columnTypeText(element)}[]`;
  if (kind === "enum" || kind === "composite") return name ?? kind;
  if (length !== undefined) return `${kind}(${length})`;
  if (precision === undefined) return kind;
  return scale === undefined ? `${kind}(${precision})` : `${kind}(${precision},${scale})`;
}

/** The domains of a type, the innermost first. */
export function domainsOf({ domain }: ColumnType): readonly ColumnDomain[] {
  const found: ColumnDomain[] = [];
  for (let each = domain; each !== undefined; each = each.base) found.unshift(each);
  return found;
}

/** A type within another one: from a value to the values of it, through fields and elements. */
export interface TypeWithin {
  readonly type: ColumnType;
  /** Places of fields; empty: the type itself. */
  readonly path: readonly (number | "elements")[];
}

/** A type, and all types that its values are made of. */
export function typesWithin(type: ColumnType): readonly TypeWithin[] {
  const below = (inner: ColumnType, step: number | "elements"): readonly TypeWithin[] =>
    typesWithin(inner).map((one) => ({ ...one, path: [step, ...one.path] }));
  const { element, fields = [] } = type;
  return [
    { type, path: [] },
    ...(element === undefined ? [] : below(element, "elements")),
    ...fields.flatMap((field, place) => below(field.type, place)),
  ];
}
