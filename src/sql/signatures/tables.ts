import { readFileSync } from "node:fs";

/*
 * PostgreSQL 15's own tables, whole, as `npm run gen` read them: candidates that Firn does not
 * implement take part in resolution too, so that an ambiguous or missing operator is so here.
 */

/** A row of `pg_type`. Rows of relations are not among them. */
export interface TypeRow {
  readonly oid: number;
  readonly name: string;
  readonly length: number;
  /** base, domain, enum, pseudo, range or multirange, by PostgreSQL's letter. */
  readonly kind: string;
  readonly category: string;
  readonly isPreferred: boolean;
  readonly delimiter: string;
  /** OID of the elements of an array (or of `name`, `point` …); 0 of others. */
  readonly element: number;
  readonly array: number;
  readonly input: number;
  readonly output: number;
  readonly receive: number;
  readonly send: number;
  readonly modifierInput: number;
  readonly modifierOutput: number;
  readonly alignment: string;
  readonly storage: string;
  readonly isByValue: boolean;
  readonly collation: number;
}

/** A row of `pg_operator`; a prefix operator has `left` 0. */
export interface OperatorRow {
  readonly oid: number;
  readonly name: string;
  readonly left: number;
  readonly right: number;
  readonly result: number;
  readonly procedure: number;
  readonly commutator: number;
  readonly negator: number;
  readonly canMerge: boolean;
  readonly canHash: boolean;
}

/** A row of `pg_proc`. */
export interface ProcedureRow {
  readonly oid: number;
  readonly name: string;
  /** PostgreSQL's C function; empty where the body is SQL. */
  readonly source: string;
  /** function, aggregate, window or procedure, by PostgreSQL's letter. */
  readonly kind: string;
  readonly isStrict: boolean;
  readonly returnsSet: boolean;
  /** immutable, stable or volatile, by PostgreSQL's letter. */
  readonly volatility: string;
  readonly result: number;
  readonly arguments: readonly number[];
  /** Type of the elements of a variadic last argument; 0 where there is none. */
  readonly variadic: number;
  readonly allArguments: readonly number[] | null;
  readonly modes: readonly string[] | null;
  readonly names: readonly string[] | null;
  readonly defaultCount: number;
  /** SQL texts of the defaults of the last arguments, separated by commas. */
  readonly defaults: string | null;
}

/** A row of `pg_cast`. `context`: i, a or e; `method`: function, inout or binary. */
export interface CastRow {
  readonly source: number;
  readonly target: number;
  readonly procedure: number;
  readonly context: string;
  readonly method: string;
}

/** A row of `pg_aggregate`. */
export interface AggregateRow {
  readonly procedure: number;
  /** normal, ordered-set or hypothetical-set, by PostgreSQL's letter. */
  readonly kind: string;
  readonly directArguments: number;
  readonly transition: number;
  readonly final: number;
  readonly stateType: number;
  readonly initial: string | null;
  readonly sortOperator: number;
}

/** The tables with the indexes that resolution needs. */
export interface Signatures {
  readonly types: readonly TypeRow[];
  readonly typeByOid: ReadonlyMap<number, TypeRow>;
  readonly typeByName: ReadonlyMap<string, TypeRow>;
  readonly operators: readonly OperatorRow[];
  readonly operatorsByName: ReadonlyMap<string, readonly OperatorRow[]>;
  readonly operatorByOid: ReadonlyMap<number, OperatorRow>;
  readonly procedures: readonly ProcedureRow[];
  readonly proceduresByName: ReadonlyMap<string, readonly ProcedureRow[]>;
  readonly procedureByOid: ReadonlyMap<number, ProcedureRow>;
  readonly casts: readonly CastRow[];
  /** By source and target OID, as `castKey` joins them. */
  readonly castByTypes: ReadonlyMap<number, CastRow>;
  readonly aggregateByProcedure: ReadonlyMap<number, AggregateRow>;
  /** As `pg_get_keywords` gives them. */
  readonly keywords: readonly (readonly (string | boolean)[])[];
}

const OID_RANGE = 0x1_0000_0000;

export function castKey(source: number, target: number): number {
  // Built-in OIDs are below 2^16, so the product is exact; user types have no rows here.
  return source < 0x1f_ffff ? source * OID_RANGE + target : -1;
}

const TYPE_FIELDS = [
  "oid",
  "name",
  "length",
  "kind",
  "category",
  "isPreferred",
  "delimiter",
  "element",
  "array",
  "input",
  "output",
  "receive",
  "send",
  "modifierInput",
  "modifierOutput",
  "alignment",
  "storage",
  "isByValue",
  "collation",
] as const satisfies readonly (keyof TypeRow)[];

const OPERATOR_FIELDS = [
  "oid",
  "name",
  "left",
  "right",
  "result",
  "procedure",
  "commutator",
  "negator",
  "canMerge",
  "canHash",
] as const satisfies readonly (keyof OperatorRow)[];

const PROCEDURE_FIELDS = [
  "oid",
  "name",
  "source",
  "kind",
  "isStrict",
  "returnsSet",
  "volatility",
  "result",
  "arguments",
  "variadic",
  "allArguments",
  "modes",
  "names",
  "defaultCount",
  "defaults",
] as const satisfies readonly (keyof ProcedureRow)[];

const CAST_FIELDS = ["source", "target", "procedure", "context", "method"] as const;

const AGGREGATE_FIELDS = [
  "procedure",
  "kind",
  "directArguments",
  "transition",
  "final",
  "stateType",
  "initial",
  "sortOperator",
] as const satisfies readonly (keyof AggregateRow)[];

type Rows = readonly (readonly unknown[])[];

function read<Row>(rows: Rows, fields: readonly string[]): readonly Row[] {
  return rows.map((row) => {
    const record: Record<string, unknown> = {};
    for (let i = 0; i < fields.length; i++) record[fields[i] as string] = row[i];
    return record as Row;
  });
}

function grouped<Row extends { readonly name: string }>(
  rows: readonly Row[],
): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.name);
    if (group === undefined) groups.set(row.name, [row]);
    else group.push(row);
  }
  return groups;
}

let loaded: Signatures | undefined;

/** The tables, read once (some 30 ms) when the first statement needs them. */
export function signatures(): Signatures {
  loaded ??= load();
  return loaded;
}

function load(): Signatures {
  const text = readFileSync(new URL("./postgres-15.json", import.meta.url), "utf8");
  const tables: Readonly<Record<string, Rows>> = JSON.parse(text);
  const types = read<TypeRow>(tables["types"] ?? [], TYPE_FIELDS);
  const operators = read<OperatorRow>(tables["operators"] ?? [], OPERATOR_FIELDS);
  const procedures = read<ProcedureRow>(tables["procedures"] ?? [], PROCEDURE_FIELDS);
  const casts = read<CastRow>(tables["casts"] ?? [], CAST_FIELDS);
  const aggregates = read<AggregateRow>(tables["aggregates"] ?? [], AGGREGATE_FIELDS);
  return {
    types,
    typeByOid: new Map(types.map((row) => [row.oid, row])),
    typeByName: new Map(types.map((row) => [row.name, row])),
    operators,
    operatorsByName: grouped(operators),
    operatorByOid: new Map(operators.map((row) => [row.oid, row])),
    procedures,
    proceduresByName: grouped(procedures),
    procedureByOid: new Map(procedures.map((row) => [row.oid, row])),
    casts,
    castByTypes: new Map(casts.map((row) => [castKey(row.source, row.target), row])),
    aggregateByProcedure: new Map(aggregates.map((row) => [row.procedure, row])),
    keywords: (tables["keywords"] ?? []) as Signatures["keywords"],
  };
}
